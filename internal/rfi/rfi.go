// Package rfi owns requests for information: their fields, locking, statuses, history and routes. It refuses to know
// other nouns: people are references, and what is linked to an RFI is known by its plural only.
package rfi

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// RFI is a question to somebody who must answer it, with its answer.
type RFI struct {
	document.Record
	Number      document.Number     `json:"number"`
	Status      document.State      `json:"status" write:"" ref:"rfi_statuses" filter:"status_uid"`
	Locked      bool                `json:"locked" write:""`
	Title       *string             `json:"title" write:"max=255" search:""`
	Question    *string             `json:"question" write:"max=65535" search:""`
	Answer      *string             `json:"answer" write:"max=65535" search:""`
	SentAt      *document.Time      `json:"sent_at" write:""`
	DueAt       *document.Time      `json:"due_at" write:"" sort:""`
	AssignedTo  document.People     `json:"assigned_to" write:"as=assigned_to|assigned_to_uids" filter:"assigned_to"`
	Photos      document.Collection `json:"photos" slot:"0"`
	Attachments document.Collection `json:"attachments" slot:"1"`
	Snapshots   document.Collection `json:"snapshots" slot:"2"`
	Comments    document.Collection `json:"comments" slot:"3"`
}

var rfis = &resource.Kind[RFI]{
	Number: 10, Plural: "rfis", Name: "RFI", Check: check, OwnedBy: ownOrAssigned, Links: []string{"photos", "attachments", "snapshots"},
	WholeForm: []string{"status", "locked", "title", "question", "answer", "sent_at", "due_at", "assigned_to"},
	Defaults:  RFI{Status: first},
}

// check keeps locking, and the change of what is locked, to Admins. A request that unlocks may change everything else
// with it.
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
	return nil
}

func ownOrAssigned(s auth.Scope, r *RFI) bool {
	me := document.Person(s.Person())
	return r.CreatedBy == me || slices.Contains(r.AssignedTo, me)
}

// routes is everything the API does with RFIs.
func routes(*family.Site) []api.Route {
	one := resource.Get(statuses, auth.Everyone)
	drop := resource.Delete(rfis, auth.Admins)
	one.Extension, drop.Extension = true, true
	routes := []api.Route{
		resource.Create(rfis, auth.Everyone), resource.List(rfis, auth.Everyone), resource.Get(rfis, auth.Everyone),
		resource.Update(rfis, auth.ManagersOrOwn),
		drop, resource.Restore(rfis, auth.Admins), resource.History(rfis, auth.Everyone),
		resource.List(statuses, auth.Everyone), one, resource.Update(statuses, auth.Admins),
	}
	for _, collection := range rfis.Links {
		links := resource.Linked(rfis, collection, auth.Everyone, auth.ManagersOrOwn)
		links[1].Extension = collection == "snapshots" // the others could always be linked
		routes = append(routes, links...)
	}
	return routes
}

// Family declares RFIs and their statuses.
func Family() family.Family {
	return family.Family{
		Name: "rfi", Kinds: []resource.AnyKind{rfis, statuses}, Routes: routes,
		Tells:   []family.Notice{{Kind: "rfis", Of: family.Assigned}},
		Exports: []string{"rfis", "rfi_statuses"},
	}
}
