package resource

import (
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// Tx is a write in a project with the scope of who writes.
type Tx struct {
	*store.Tx
	Scope auth.Scope
	Auth  *auth.Auth
	Jobs  *job.Queue
	// Behalf is the account for which something is done where nobody calls.
	Behalf string
	// Author is whose records are that come from elsewhere: the log says that nobody here wrote them.
	Author document.Person
	in     *document.Input
	kinds  *Catalog   // of the kind that is written
	row    *store.Row // that Check is asked about
}

// Owner says for whom background work is done that this write asks for.
func (tx *Tx) Owner() job.Option {
	if account := tx.Scope.Account(); account != nil {
		return job.Owner(account.Payer())
	}
	return job.Owner(tx.Behalf)
}

// Gives tells whether the request's body sets the field of this name to a value.
func (tx *Tx) Gives(field string) bool { return tx.in.Gives(field) }

// Row is the stored row that a Check is asked about, which it may give something to keep that is never shown; nil for a
// new record.
func (tx *Tx) Row() *store.Row { return tx.row }

// Find reads a record of the project by the plural of its kind and its uid: fault.NotFound where there is none.
func (tx *Tx) Find(plural, uid string) (store.Row, error) {
	number, name := tx.kinds.named(plural)
	row, ok, err := tx.Get(number, uid)
	if err == nil && !ok {
		err = fault.Missing(name, uid)
	}
	return row, err
}

// referred is the key of the memo of the records of a kind that others refer to, which is a map from uid to whether
// they are deleted.
type referred struct{ kind store.Kind }

// mostReferred bounds the memo.
const mostReferred = 1024

// Refer gives the name of the kind that a field refers to, and whether the record is deleted: fault.NotFound where
// there is none. What was looked up is kept: a database on another machine would otherwise be asked for every write of
// a group.
func (tx *Tx) Refer(plural, uid string) (name string, deleted bool, err error) {
	kind, name := tx.kinds.named(plural)
	settled := tx.Settled(kind)
	var known map[string]bool // writes to a project are serial, so nobody else has it
	if settled {
		m, err := tx.Project().Memo(referred{kind}, func() (any, error) { return map[string]bool{}, nil }, kind)
		if err != nil {
			return name, false, err
		}
		known = m.(map[string]bool)
		if deleted, ok := known[uid]; ok {
			return name, deleted, nil
		}
	}
	row, err := tx.Find(plural, uid)
	if err == nil && settled && len(known) < mostReferred {
		known[strings.Clone(uid)] = row.Deleted
	}
	return name, row.Deleted, err
}

// Person finds a member of the team by uid, removed ones too: fault.NotFound where there is none. Nearly always memory
// knows.
func (tx *Tx) Person(uid string) (p document.Person, removed bool, err error) {
	if tx.Settled(auth.KindMember) {
		if team := auth.Remembered(tx.Project()); team != nil {
			if m := team.Person(team.Ordinal(uid)); m != nil {
				return document.Person(team.Ordinal(uid)), m.Removed, nil
			}
		}
	}
	row, ok, err := tx.Get(auth.KindMember, uid)
	if err == nil && !ok {
		err = fault.Missing("User", uid)
	}
	return document.Person(row.ID.Ordinal()), row.Deleted, err
}

// State finds a state of a small kind by its uid: fault.NotFound where there is none.
func (tx *Tx) State(plural, uid string) (document.State, error) {
	row, err := tx.Find(plural, uid)
	return document.State(row.ID.Ordinal()), err
}

// Edit runs fn as a write of the caller in the caller's project.
func Edit(c *api.Call, fn func(*Tx) error) error {
	return c.Store.Edit(c.Context(), c.Scope.Project(), c.Scope.Person(), func(tx *store.Tx) error {
		return fn(Within(c, tx))
	})
}

// Within gives the caller's scope to a write that is open already.
func Within(c *api.Call, tx *store.Tx) *Tx {
	return &Tx{Tx: tx, Scope: c.Scope, Auth: c.Auth, Jobs: c.Jobs}
}
