package resource

import (
	"slices"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
)

// TellKind is the kind of the jobs that tell people what concerns them; their arguments are a Tell.
const TellKind = "tell"

// Tell asks for the people whom changes of a project concern to be told of them: of all after a sequence number. One that waits is enough for all that
// follow, so that what happens in a short while comes in one mail.
type Tell struct {
	Project string `json:"project"`
	After   int64  `json:"after"`
}

// tellAfter is how long what happens is gathered.
const tellAfter = 15 * time.Second

// told notes that a transaction has a Tell already, which is of its first change and so of all.
type told struct{ project string }

// Tell has the people told whom this write concerns, once it is committed.
func (tx *Tx) Tell() error {
	p := tx.Project()
	if !tx.First(told{p.UID}) {
		return nil
	}
	_, err := tx.Jobs.Enqueue(tx.Tx, TellKind, Tell{Project: p.UID, After: tx.Seq()}, job.Key(p.UID), job.After(tellAfter))
	return err
}

// TellAssigned has somebody told who was not assigned before; nobody is told of their own doing.
func (tx *Tx) TellAssigned(before, now []Person) error {
	for _, p := range now {
		if p != Person(tx.Actor()) && !slices.Contains(before, p) {
			return tx.Tell()
		}
	}
	return nil
}

// Stored is the number by which a kind is stored.
func Stored(plural string) store.Kind {
	number, _ := named(plural)
	return number
}
