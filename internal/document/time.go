package document

import (
	"strings"
	"time"

	"groundwork/internal/fault"
)

// Time is a moment in microseconds since 1970, shown in UTC with a fraction only where it has one.
type Time int64

// Stamp is a moment shown with six fraction digits always: created_at and updated_at, by which clients sync.
type Stamp int64

// Date is a day, YYYY-MM-DD.
type Date string

const (
	stampLayout = "2006-01-02T15:04:05.000000-07:00"
	timeLayout  = "2006-01-02T15:04:05-07:00"
	dateLayout  = "2006-01-02"
)

// AppendStamp is appendMoment with stampLayout by hand: every record shown has one.
func AppendStamp(buf []byte, micros int64) []byte { return new(stamps).append(buf, micros) }

// stamps appends moments, most of them of the same day as the one before.
type stamps struct {
	day  int64
	date [len(`"0000-00-00T`)]byte // of the day; empty at first
}

func (s *stamps) append(buf []byte, micros int64) []byte {
	const perDay = 24 * 60 * 60 * 1e6
	day, rest := micros/perDay, int(micros%perDay)
	if rest < 0 {
		day, rest = day-1, rest+perDay
	}
	if day != s.day || s.date[0] == 0 {
		year, month, dayOf := time.UnixMicro(micros).UTC().Date()
		s.day = day
		copy(s.date[:], `"0000-00-00T`)
		pair(s.date[:], 1, year/100)
		pair(s.date[:], 3, year%100)
		pair(s.date[:], 6, int(month))
		pair(s.date[:], 9, dayOf)
	}
	buf = append(buf, s.date[:]...)
	const clock = `00:00:00.000000+00:00"`
	at, seconds := len(buf), rest/1e6
	buf = append(buf, clock...)
	text := buf[at : at+len(clock)]
	pair(text, 0, seconds/3600)
	pair(text, 3, seconds/60%60)
	pair(text, 6, seconds%60)
	pair(text, 9, rest%1e6/1e4)
	pair(text, 11, rest%1e4/100)
	pair(text, 13, rest%100)
	return buf
}

// pair writes a number of two digits.
func pair(text []byte, at, n int) {
	text[at], text[at+1] = byte('0'+n/10), byte('0'+n%10)
}

func appendMoment(buf []byte, micros int64, layout string) []byte {
	buf = append(buf, '"')
	buf = time.UnixMicro(micros).UTC().AppendFormat(buf, layout)
	return append(buf, '"')
}

// StampText is a moment as X-Clock and updated_at show it.
func StampText(micros int64) string {
	var room [40]byte
	quoted := AppendStamp(room[:0], micros)
	return string(quoted[1 : len(quoted)-1])
}

// MarshalJSON gives the moment.
func (t Time) MarshalJSON() ([]byte, error) {
	layout := timeLayout
	if t%1e6 != 0 {
		layout = stampLayout
	}
	return appendMoment(nil, int64(t), layout), nil
}

// UnmarshalJSON reads a moment.
func (t *Time) UnmarshalJSON(text []byte) error { return readMoment(text, t) }

// MarshalJSON gives the moment.
func (s Stamp) MarshalJSON() ([]byte, error) { return AppendStamp(nil, int64(s)), nil }

// UnmarshalJSON reads a moment.
func (s *Stamp) UnmarshalJSON(text []byte) error { return readMoment(text, s) }

func readMoment[N ~int64](text []byte, into *N) error {
	micros, ok := ParseMoment(strings.Trim(string(text), `"`))
	if !ok {
		return fault.New(fault.Internal, "%s is stored as a time.", text)
	}
	*into = N(micros)
	return nil
}

// ParseMoment reads a timestamp as clients send it: with Z, an offset, or no zone (UTC), and with a fraction, which is
// cut to microseconds. Years run from 1 to 9999.
func ParseMoment(text string) (micros int64, ok bool) {
	if len(text) < len("2006-01-02T15:04:05") || len(text) > len("2006-01-02T15:04:05.000000000-07:00") ||
		strings.ContainsRune(text, ',') {
		return 0, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			t = t.UTC()
			return t.UnixMicro(), t.Year() >= 1 && t.Year() <= 9999
		}
	}
	return 0, false
}

// parseDate reads a day.
func parseDate(text string) (Date, bool) {
	t, err := time.Parse(dateLayout, text)
	return Date(text), err == nil && t.Year() >= 1 && len(text) == len(dateLayout)
}
