// Package rfi owns requests for information: their fields, locking, statuses, history and routes. It refuses to know other nouns: people are
// references, and what is linked to an RFI is known by its plural only.
package rfi

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// RFI is a question to somebody who must answer it, with its answer.
type RFI struct {
	resource.Record
	Number      resource.Number `json:"number"`
	Status      resource.State  `json:"status" write:"" ref:"rfi_statuses" filter:"status_uid"`
	Locked      bool            `json:"locked" write:""`
	Title       *string         `json:"title" write:"max=255" search:""`
	Question    *string         `json:"question" write:"max=65535" search:""`
	Answer      *string         `json:"answer" write:"max=65535" search:""`
	SentAt      *resource.Time  `json:"sent_at" write:""`
	DueAt       *resource.Time  `json:"due_at" write:"" sort:""`
	AssignedTo  resource.People `json:"assigned_to" write:"as=assigned_to|assigned_to_uids" filter:"assigned_to"`
	Photos      resource.Coll   `json:"photos"`
	Attachments resource.Coll   `json:"attachments"`
	Snapshots   resource.Coll   `json:"snapshots"`
	Comments    resource.Coll   `json:"comments"`
}

const plural = "rfis"

var rfis = &resource.Kind[RFI]{
	Plural: plural, Check: check, Owns: ownOrAssigned, Links: []string{"photos", "attachments", "snapshots"},
	Fresh: func() RFI {
		return RFI{
			Status: first, Photos: resource.Slot(plural, "photos"), Attachments: resource.Slot(plural, "attachments"),
			Snapshots: resource.Slot(plural, "snapshots"), Comments: resource.Slot(plural, "comments"),
		}
	},
}

// check keeps locking, and the change of what is locked, to Admins. A request that unlocks may change everything else with it.
func check(tx *resource.Tx, old, now *RFI) error {
	if old == nil {
		if err := statuses.Ensure(tx); err != nil {
			return err
		}
	}
	admin := tx.Scope.Role() == auth.Admin
	if old != nil && old.Locked && !admin {
		return fault.New(fault.Forbidden, "RFI %s is locked. Only an Admin may change it.", old.UID)
	}
	if was := old != nil && old.Locked; now.Locked != was && !admin {
		return fault.New(fault.Forbidden, "Only an Admin may lock an RFI.")
	}
	var before []resource.Person
	if old != nil {
		before = old.AssignedTo
	}
	return tx.TellAssigned(before, now.AssignedTo)
}

func ownOrAssigned(s auth.Scope, r *RFI) bool {
	me := resource.Person(s.Person())
	return r.CreatedBy == me || slices.Contains(r.AssignedTo, me)
}

var (
	everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	orOwn    = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Own}
	admins   = auth.Right{Admin: auth.Any}
)

// Routes is everything the API does with RFIs; all has the kinds that are linked to them.
func Routes(all *resource.Catalog) []api.Route {
	one := resource.Get(statuses, everyone)
	drop := resource.Delete(rfis, admins)
	one.Extension, drop.Extension = true, true
	routes := []api.Route{
		resource.Create(rfis, everyone), resource.List(rfis, everyone), resource.Get(rfis, everyone), resource.Update(rfis, orOwn),
		drop, resource.Restore(rfis, admins), resource.History(rfis, everyone),
		resource.List(statuses, everyone), one, resource.Update(statuses, admins),
	}
	for _, collection := range rfis.Links {
		links := resource.Linked(rfis, collection, all, everyone, orOwn)
		links[1].Extension = collection == "snapshots" // the others could always be linked
		routes = append(routes, links...)
	}
	return routes
}

// Kinds are the kinds of this package.
func Kinds() []resource.AnyKind { return []resource.AnyKind{rfis, statuses} }
