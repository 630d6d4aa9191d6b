// Package resource owns what all record kinds share: the typed declaration of a kind, its field plan, the five verbs, references, holes
// and windows. It refuses to know any kind by name: what is special to one stands in that noun's own functions.
package resource

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

type hasCore interface{ core() *Core }

type hasRecord interface{ record() *Record }

// born fills what the service says of a new record.
func born(v any, tx *store.Tx, uid string) {
	c := v.(hasCore).core()
	c.UID, c.CreatedAt = uid, Stamp(tx.Clock())
	if r, ok := v.(hasRecord); ok {
		r.record().CreatedBy, r.record().UpdatedBy = Person(tx.Actor()), Person(tx.Actor())
	}
}

// touched says who changed a record last.
func touched(v any, tx *store.Tx) {
	if r, ok := v.(hasRecord); ok {
		r.record().UpdatedBy = Person(tx.Actor())
	}
}
