// Package document owns what a record says: the field types and their placeholders, the plan of a struct, how documents
// are stored, read from bodies, compared, described and expanded into answers. It refuses to know requests, routes and
// kinds by name. PlanOf is its entry point: everything follows from a struct's plan.
package document

import (
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/store"
)

// Core is what every record has. It comes first in a document.
type Core struct {
	UID       string  `json:"uid"`
	Deleted   bool    `json:"deleted"`
	CreatedAt Stamp   `json:"created_at"`
	UpdatedAt Updated `json:"updated_at"`
	// Later holds the fields that a later release wrote: this one serves and keeps them.
	Later jsontext.Value `json:",embed"`
}

func (c *Core) core() *Core { return c }

// Record is what every record of a project has.
type Record struct {
	Core
	CreatedBy Person `json:"created_by"`
	UpdatedBy Person `json:"updated_by"`
}

func (r *Record) record() *Record { return r }

// CoreOf gives what every record has of one, by its pointer.
func CoreOf(v any) *Core { return v.(hasCore).core() }

// IsRecord tells whether v, a pointer, embeds Core.
func IsRecord(v any) bool {
	_, ok := v.(hasCore)
	return ok
}

// Creator is who created a record; nobody where the kind does not say.
func Creator(v any) Person {
	if r, ok := v.(hasRecord); ok {
		return r.record().CreatedBy
	}
	return 0
}

type hasCore interface{ core() *Core }

type hasRecord interface{ record() *Record }

// CopyRecord gives a record, by its pointer, what every record has of another: uid, times and authors.
func CopyRecord(to, from any) {
	core := CoreOf(to)
	*core = *CoreOf(from)
	core.Later = nil
	if r, ok := to.(hasRecord); ok {
		was := from.(hasRecord).record()
		r.record().CreatedBy, r.record().UpdatedBy = was.CreatedBy, was.UpdatedBy
	}
}

// StampCreated fills what the service says of a new record.
func StampCreated(v any, tx *store.Tx, uid string) {
	c := v.(hasCore).core()
	c.UID, c.CreatedAt = uid, Stamp(tx.Clock())
	plantCreated(c)
	if r, ok := v.(hasRecord); ok {
		r.record().CreatedBy, r.record().UpdatedBy = Person(tx.Actor()), Person(tx.Actor())
	}
}

// StampUpdated says who changed a record last.
func StampUpdated(v any, tx *store.Tx) {
	plantUpdated(CoreOf(v))
	if r, ok := v.(hasRecord); ok {
		r.record().UpdatedBy = Person(tx.Actor())
	}
}

// StampAuthor says whose a record is that nobody here wrote by hand; when it is new, also who made it.
func StampAuthor(v any, by Person, created bool) {
	if r, ok := v.(hasRecord); ok {
		r.record().UpdatedBy = by
		if created {
			r.record().CreatedBy = by
		}
	}
}
