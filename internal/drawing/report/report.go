// Package report owns what issue reports and exports of field reports look like: as PDF to be sent, as spreadsheet and
// as CSV to be worked with. It refuses to know where the records come from, and everything of ours but package print.
package report

import (
	"strings"
	"time"
	_ "time/tzdata" // a machine may know no time zones
)

// Front is what all reports say of themselves.
type Front struct {
	Title, Project string
	// By is who asked for the report, At when, in microseconds since 1970; Zone names the time zone in which all times
	// are shown. DueZone, unless it is empty, is the project's: what is due is overdue when its day there is over, and
	// otherwise from the moment on at which it is due.
	By            string
	At            int64
	Zone, DueZone string
	// Letter says that the paper is that of North America, not A4.
	Letter bool
}

// Issues is a report of issues.
type Issues struct {
	Front
	Issues []Issue
}

// Issue is one issue of a report. What is empty or nil is not shown; times are microseconds since 1970, dates are as in
// 2026-03-09.
type Issue struct {
	Number                   int64
	Title, Description, Room string
	Status, Type, List       string
	Assignees                []string
	CreatedBy                string
	Created                  int64
	Start                    string
	Due, Closed              *int64
	HasCost, HasSchedule     bool
	Cost, Currency           string // a decimal number
	Schedule                 *int64 // seconds
	Place                    *Place
	Photos                   []Photo
	MorePhotos               int // those for which there was no room
	Comments                 []Comment
	MoreComments             int
	Documents                []string
}

// Place is where an issue is: on which sheet, and the picture of what surrounds it.
type Place struct {
	Sheet, Title string
	Color, Stamp string
	Picture      string
}

// Photo is a picture with what is known of it.
type Photo struct {
	Title, By string
	// Taken is when, in microseconds since 1970; Local says that it is the camera's own clock, whose zone is not known.
	Taken   *int64
	Local   bool
	Picture string
}

// Comment is what somebody said.
type Comment struct {
	By   string
	At   int64
	Text string
}

// Picture is an image to be shown. Where there is none, Problem says why.
type Picture struct {
	JPEG          []byte
	Width, Height int
	Problem       string
	// Marks are lines to be drawn on it, from 0 to 1 from the top left corner; Pin is where the mark is that tells the
	// place.
	Marks []Mark
	Pin   *Point
}

// Mark is a line through points; a closed one ends where it began.
type Mark struct {
	Points []Point
	Closed bool
}

// Point is a place on a picture.
type Point struct{ X, Y float64 }

// Names are the names of the pictures of a report, in the order in which its PDF asks for them.
func (r *Issues) Names() (names []string) {
	for i := range r.Issues {
		if p := r.Issues[i].Place; p != nil {
			names = append(names, p.Picture)
		}
		for _, f := range r.Issues[i].Photos {
			names = append(names, f.Picture)
		}
	}
	return names
}

// Names are those of the pictures of an export.
func (r *Fields) Names() (names []string) {
	for i := range r.Reports {
		for _, f := range r.Reports[i].Photos {
			names = append(names, f.Picture)
		}
	}
	return names
}

// Pictures finds a picture by its name; it is asked for each once, in the order of the report.
type Pictures func(name string) Picture

// zone is the time zone of the report; its name was looked at before.
func (f *Front) zone() *time.Location { return named(f.Zone) }

// Day is the date of the report, in its time zone.
func (f *Front) Day() string { return at(f.At, f.zone()).Format(time.DateOnly) }

// late is the moment before which everything that is due is overdue.
func (f *Front) late() int64 {
	if f.DueZone == "" {
		return f.At
	}
	now := at(f.At, named(f.DueZone))
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location()).UnixMicro()
}

func named(zone string) *time.Location {
	if found, err := time.LoadLocation(zone); err == nil {
		return found
	}
	return time.UTC
}

// Dates are written so that nobody takes the month for the day.
const (
	dateForm = "2 Jan 2006"
	timeForm = "2 Jan 2006, 15:04"
)

func at(micros int64, zone *time.Location) time.Time { return time.UnixMicro(micros).In(zone) }

func day(date string) string {
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		return t.Format(dateForm)
	}
	return date
}

// words makes of a value of the API something to read: in_review becomes In review.
func words(value string) string {
	value = strings.ReplaceAll(value, "_", " ")
	if value == "" {
		return value
	}
	return strings.ToUpper(value[:1]) + value[1:]
}

func (i *Issue) title() string {
	if strings.TrimSpace(i.Title) == "" {
		return "Untitled"
	}
	return i.Title
}

// overdue tells whether an issue should have been closed before that moment, which is Front.late.
func (i *Issue) overdue(late int64) bool {
	return i.Due != nil && *i.Due < late && i.Status != "closed"
}

// statuses are those of issues, in the order in which work goes on.
var statuses = []string{"open", "in_review", "pending", "closed"}

// longDay is a date with its day of the week.
func longDay(date string) string {
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		return t.Format("Monday, 2 January 2006")
	}
	return date
}
