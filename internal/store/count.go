package store

import (
	"sync/atomic"
	"time"
)

// Counts is what the writer has done since the database was opened.
type Counts struct {
	// Groups is how many groups of writes were committed or refused, Writes how many writes they had.
	Groups, Writes int64
	// Waited is how long all writes together waited for their group, Took how long all groups took.
	Waited, Took time.Duration
	// Waiting is how many writes wait now.
	Waiting int
}

type counts struct{ groups, writes, waited, took atomic.Int64 }

// taken says that the turn of a group has come.
func (c *counts) taken(group []*command) {
	now := time.Now()
	waited := time.Duration(0)
	for _, one := range group {
		one.began, one.group = now, len(group)
		waited += now.Sub(one.queued)
	}
	c.groups.Add(1)
	c.writes.Add(int64(len(group)))
	c.waited.Add(int64(waited))
}

// committed says that a group has ended.
func (c *counts) committed(group []*command) { c.took.Add(int64(time.Since(group[0].began))) }
