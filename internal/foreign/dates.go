package foreign

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// slashed is a day in figures whose order nobody can see: 3/4/2024.
var slashed = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})(?:[ ,T]+(.*))?$`)

// figures takes such a day apart. Days with points are written day first everywhere.
func figures(text string) (first, second int, dotted, ok bool) {
	m := slashed.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false, false
	}
	first, _ = strconv.Atoi(m[1])
	second, _ = strconv.Atoi(m[3])
	return first, second, m[2] == ".", true
}

// order is what a file shows about the order of its days.
type order struct {
	dayFirst, monthFirst, either int
	example                      string
}

func (o *order) look(text string) {
	first, second, dotted, ok := figures(strings.TrimSpace(text))
	switch {
	case !ok || dotted:
	case first > 12 && second <= 12:
		o.dayFirst++
	case second > 12 && first <= 12:
		o.monthFirst++
	case first != second:
		o.either++
		o.example = text
	}
}

// day is a moment that a file names: a day, and perhaps an hour of it.
type day struct {
	at    time.Time
	timed bool
}

var (
	dayForms = []string{
		"2006-01-02", "2006/01/02", "2006.01.02", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "January 2 2006",
		"2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06", "02-January-2006", "Mon, Jan 2, 2006",
		"Monday, January 2, 2006", "Mon, 2 Jan 2006", "Mon Jan 2 2006", "Mon Jan 2, 2006", "Jan. 2, 2006", "20060102",
	}
	hourForms = []string{
		"15:04", "15:04:05", "15:04:05.999999", "3:04 PM", "3:04PM", "3:04:05 PM", "3:04:05PM", "03:04 PM", "3 PM",
	}
	zoneForms = []string{"", "Z07:00", " Z07:00", " -0700", "-0700", " MST"}
)

// parseDay reads a day in one of the usual forms, with or without an hour, which is one of zone where it does not say.
func parseDay(text string, dayFirst bool, zone *time.Location) (d day, ok bool) {
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Replace(text, " at ", " ", 1)
	if first, second, dotted, is := figures(text); is {
		m := slashed.FindStringSubmatch(text)
		month, dayOf := first, second
		if dayFirst || dotted {
			month, dayOf = second, first
		}
		year, _ := strconv.Atoi(m[4])
		if len(m[4]) == 2 {
			year += 2000
		}
		if month < 1 || month > 12 || dayOf < 1 || dayOf > 31 {
			return d, false
		}
		text = time.Date(year, time.Month(month), dayOf, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		if text[8:] != twoDigits(dayOf) { // the 31st of a month that has 30
			return d, false
		}
		if m[5] != "" {
			text += " " + m[5]
		}
	}
	hours := ""
	if at := hourOf.FindStringIndex(text); at != nil {
		text, hours = text[:at[0]], strings.ToUpper(strings.TrimLeft(text[at[0]:], "T, "))
	}
	for _, form := range dayForms {
		at, err := time.ParseInLocation(form, text, zone)
		if err != nil {
			continue
		}
		if hours == "" {
			return day{at: at}, sensible(at)
		}
		at, ok := parseHour(at, hours, zone)
		return day{at, true}, ok && sensible(at)
	}
	return d, false
}

// hourOf finds where the hour of a moment begins.
var hourOf = regexp.MustCompile(`[T, ]+\d{1,2}(:\d{2}| ?[AaPp][Mm])`)

// parseHour gives the hour of a day, which is one of zone where it does not say.
func parseHour(on time.Time, text string, zone *time.Location) (time.Time, bool) {
	for _, hour := range hourForms {
		for _, ending := range zoneForms {
			form := time.DateOnly + " " + hour + ending
			at, err := time.ParseInLocation(form, on.Format(time.DateOnly)+" "+text, zone)
			if err == nil && (ending != " MST" || namedZone(at)) {
				return at, true
			}
		}
	}
	return on, false
}

// namedZone tells whether a name of a zone was understood: others are read as UTC, which would be wrong.
func namedZone(at time.Time) bool {
	name, offset := at.Zone()
	return offset != 0 || name == "UTC" || name == "GMT"
}

func sensible(at time.Time) bool { return at.Year() >= 1900 && at.Year() < 2200 }

func twoDigits(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

// due is the moment at which something is due on a day: as the application chooses it.
func (d day) due(zone *time.Location, known bool) time.Time {
	switch {
	case d.timed:
		return d.at
	case !known:
		return time.Date(d.at.Year(), d.at.Month(), d.at.Day(), 23, 59, 0, 0, time.UTC)
	}
	return time.Date(d.at.Year(), d.at.Month(), d.at.Day(), 17, 0, 0, 0, zone)
}
