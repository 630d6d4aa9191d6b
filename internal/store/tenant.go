package store

import (
	"strconv"
	"strings"
)

// tenant says whose rows a statement may see; the second wall where the database has row-level security.
type tenant struct {
	project int64
	more    []int64 // further projects
	account string  // uid: the caller's own team records in every project, and kept answers
	office  Office
}

func (t tenant) projects() string {
	if t.project == 0 && len(t.more) == 0 {
		return ""
	}
	var b strings.Builder
	if t.project != 0 {
		b.WriteString(strconv.FormatInt(t.project, 10))
	}
	for _, p := range t.more {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(p, 10))
	}
	return b.String()
}

// Office is a part of the service itself that works on rows of all tenants. Where the database has row-level security,
// an office opens the table of its work and no other, and only to the statements that are run in it.
type Office string

// The offices; postgres.sql says what each opens.
const (
	JobsOffice  Office = "jobs"  // background work: its rows, with the arguments
	SweepOffice Office = "sweep" // kept answers, to forget them
)

// offices are the walls that a part of the service opens for all tenants at once.
var offices = map[string]Office{"jobs": JobsOffice, "requests": SweepOffice}
