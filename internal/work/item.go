package work

import (
	"time"

	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Item is something that waits for somebody.
type Item struct {
	// Reason is why: the record is assigned to them; it is an RFI that waits for their answer; or somebody said
	// something on a record that they made or that is assigned to them, after their own last word.
	Reason  string         `json:"reason" one:"assigned|answer|comment"`
	Project Place          `json:"project"`
	Kind    string         `json:"kind" one:"issues|rfis"`
	UID     string         `json:"uid"`
	URL     string         `json:"url"`
	Number  int64          `json:"number"`
	Title   *string        `json:"title"`
	Status  string         `json:"status"`
	DueAt   *document.Time `json:"due_at"`
	Overdue bool           `json:"overdue"`
	Sheet   *Sheet         `json:"sheet"`
	// Comment is the newest of what was said, with the reason comment.
	Comment   *Remark        `json:"comment"`
	UpdatedAt document.Stamp `json:"updated_at"`
}

// Place is a project, and where its days begin.
type Place struct {
	UID      string  `json:"uid"`
	URL      string  `json:"url"`
	Name     string  `json:"name"`
	TimeZone *string `json:"time_zone"`
}

// Sheet is the drawing that an issue stands on.
type Sheet struct {
	UID  string `json:"uid"`
	URL  string `json:"url"`
	Name string `json:"name"`
}

// Remark is what somebody said: how it begins, and how many comments there are that the person has not replied to.
type Remark struct {
	UID       string         `json:"uid"`
	URL       string         `json:"url"`
	Text      string         `json:"text"`
	CreatedAt document.Stamp `json:"created_at"`
	CreatedBy User           `json:"created_by"`
	Count     int64          `json:"count"`
}

// User refers to a member of the team.
type User struct {
	UID   *string `json:"uid"`
	URL   *string `json:"url"`
	Email string  `json:"email"`
	Name  string  `json:"name"`
}

// What is read of records of other nouns.
var (
	sites      = &resource.View[site]{Name: "work.sites", Of: []string{"projects"}}
	issues     = &resource.View[issue]{Name: "work.issues", Of: []string{"issues"}}
	rfis       = &resource.View[rfi]{Name: "work.rfis", Of: []string{"rfis"}}
	statuses   = &resource.View[status]{Name: "work.statuses", Of: []string{"rfi_statuses"}}
	remarks    = &resource.View[remark]{Name: "work.remarks", Of: []string{"comments"}}
	sheetNames = &resource.View[sheet]{Name: "work.sheets", Of: []string{"sheets"}}
)

// site is a project with where its days begin and end.
type site struct {
	Name     string  `json:"name"`
	TimeZone *string `json:"time_zone"`
}

// late is the moment before which everything that is due is overdue: the beginning of the site's day, or now where it
// has no time zone.
func (s *site) late(now int64) int64 {
	if s.TimeZone == nil {
		return now
	}
	zone, err := time.LoadLocation(*s.TimeZone)
	if err != nil { // it was known when it was set
		return now
	}
	at := time.UnixMicro(now).In(zone)
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, zone).UnixMicro()
}

// task is what issues and RFIs have in common.
type task struct {
	UID        string            `json:"uid"`
	Deleted    bool              `json:"deleted"`
	CreatedBy  document.Person   `json:"created_by"`
	Number     document.Number   `json:"number"`
	Title      *string           `json:"title"`
	DueAt      *document.Time    `json:"due_at"`
	AssignedTo []document.Person `json:"assigned_to"`
}

type issue struct {
	task
	Status string `json:"status"`
	Mark   *struct {
		Deleted bool         `json:"deleted"`
		Sheet   document.Ref `json:"sheet"`
	} `json:"current_annotation"`
}

type rfi struct {
	task
	Status document.State `json:"status"`
	Answer *string        `json:"answer"`
}

type status struct {
	Label string `json:"label"`
}

type remark struct {
	UID       string          `json:"uid"`
	Text      string          `json:"text"`
	CreatedAt document.Stamp  `json:"created_at"`
	CreatedBy document.Person `json:"created_by"`
	Subject   document.Ref    `json:"record"`
}

type sheet struct {
	Name string `json:"name"`
}

// numberOf is the number of a record: the one that it came with, or its place.
func numberOf(t *task, row store.Row) int64 {
	if t.Number > 0 {
		return int64(t.Number)
	}
	return int64(row.ID.Ordinal())
}
