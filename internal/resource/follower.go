package resource

import (
	"reflect"
	"slices"
	"time"

	"groundwork/internal/document"
	"groundwork/internal/job"
)

// Follower follows the change logs of all projects in the background of whichever process is free: it is run after
// changes that wake it, with the sequence number from before the first of them. That number is its cursor. It is kept
// in the job that waits, which is written in the transaction of the change: whatever dies, the run comes, and one that
// failed begins where it began.
type Follower struct {
	// Name is the kind of its jobs: never change it, and never use it again.
	Name string
	// Gather is how long what happens is gathered before it is run; one run of a project waits at a time.
	Gather time.Duration
	// Wakes tells whether a change is one for which it is to be run. It is asked inside the transaction of every write
	// and must be quick.
	Wakes func(c *Change) bool
}

// Following are the arguments of a follower's run: which project, and after which sequence number.
type Following struct {
	Project string `json:"project"`
	After   int64  `json:"after"`
}

// Change is a change of a record that is about to be stored.
type Change struct {
	// Kind is the plural of the record's kind.
	Kind  string
	Actor document.Person

	plan     *document.Plan
	old, now reflect.Value // old is not valid for a new record
}

// Created tells whether the record is new.
func (c *Change) Created() bool { return !c.old.IsValid() }

// Refers gives the plural of the kind that a reference of the record names; "" where it names none.
func (c *Change) Refers(field string) string {
	plural, _ := c.now.FieldByIndex(c.plan.Find(field).Index).Interface().(document.Ref).Split()
	return plural
}

// Newly tells whether a field names people whom it did not name before, other than who writes.
func (c *Change) Newly(field string) bool {
	index := c.plan.Find(field).Index
	var before []document.Person
	if c.old.IsValid() {
		before = document.PeopleIn(c.old.FieldByIndex(index))
	}
	return slices.ContainsFunc(document.PeopleIn(c.now.FieldByIndex(index)), func(p document.Person) bool {
		return p != c.Actor && !slices.Contains(before, p)
	})
}

// Follow adds a follower, before anything is written.
func (c *Catalog) Follow(f Follower) { c.followers = append(c.followers, f) }

// woken notes that a transaction has a run of a follower already, which is of its first change and so of all.
type woken struct{ project, follower string }

// wake has the followers run whom a change concerns that is stored next.
func (k *Kind[T]) wake(tx *Tx, old, now *T) error {
	for i := range k.all.followers {
		f := &k.all.followers[i]
		c := Change{Kind: k.Plural, Actor: document.Person(tx.Actor()), plan: k.plan, now: reflect.ValueOf(now).Elem()}
		if old != nil {
			c.old = reflect.ValueOf(old).Elem()
		}
		p := tx.Project()
		if !f.Wakes(&c) || !tx.First(woken{p.UID, f.Name}) {
			continue
		}
		_, err := tx.Jobs.Enqueue(tx.Tx, f.Name, Following{Project: p.UID, After: tx.Seq()}, job.Key(p.UID),
			job.After(f.Gather))
		if err != nil {
			return err
		}
	}
	return nil
}
