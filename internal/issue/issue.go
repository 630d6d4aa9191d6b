// Package issue owns issues and issue lists: their fields, rules and routes. It refuses to know other nouns: people and lists are references.
package issue

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// Issue is a task on a project: something to be done, checked or answered for.
type Issue struct {
	resource.Record
	Number            resource.Number       `json:"number"`
	Title             *string               `json:"title" write:"max=255" search:""`
	Description       *string               `json:"description" write:"max=65535" search:""`
	Room              *string               `json:"room" write:"max=255" search:""`
	Status            string                `json:"status" write:"one=open|in_review|pending|closed" filter:"status"`
	Type              *string               `json:"type" write:"one=issue|planned_work|other" filter:"type"`
	AssignedTo        resource.PeopleOrNull `json:"assigned_to" write:"as=assigned_to|assigned_to_uids" filter:"assigned_to"`
	Assignees         []resource.Assignee   `json:"assignees"`
	Followers         []resource.Assignee   `json:"followers"`
	IssueList         resource.Ref          `json:"issue_list" write:"as=issue_list_uid" ref:"issue_lists" filter:"issue_list_uid"`
	String            *string               `json:"string"`
	CurrentAnnotation *Annotation           `json:"current_annotation"`
	StartDate         *resource.Date        `json:"start_date" write:""`
	DueAt             *resource.Time        `json:"due_at" write:"" sort:"" below:"due_before"`
	ClosedAt          *resource.Time        `json:"closed_at"`
	HasCostImpact     bool                  `json:"has_cost_impact" write:""`
	CostImpact        *resource.Money       `json:"cost_impact" write:""`
	CurrencyCode      *string               `json:"currency_code"`
	HasScheduleImpact bool                  `json:"has_schedule_impact" write:""`
	ScheduleImpact    *int64                `json:"schedule_impact" write:""`
	Photos            resource.Coll         `json:"photos"`
	Comments          resource.Coll         `json:"comments"`
	Attachments       resource.Coll         `json:"attachments"` // since version 2
	Snapshots         resource.Coll         `json:"snapshots"`
}

// Annotation is the mark on a sheet that shows where an issue is.
type Annotation struct {
	UID        string       `json:"uid"`
	Color      string       `json:"color"`
	Stamp      *string      `json:"stamp"`
	Visibility string       `json:"visibility"`
	Deleted    bool         `json:"deleted"`
	Sheet      resource.Ref `json:"sheet"`
}

// List groups issues.
type List struct {
	resource.Record
	Name string `json:"name" write:"required,solid,max=255"`
}

var (
	issues = &resource.Kind[Issue]{
		Plural: "issues", Version: 2, Check: check, Owns: ownOrAssigned, Deletes: isCreator, Terms: terms, Filters: filters, Links: []string{"photos", "attachments", "snapshots"},
		Fresh: func() Issue {
			return Issue{
				Status: open, Photos: resource.Slot("issues", "photos"), Comments: resource.Slot("issues", "comments"),
				Attachments: resource.Slot("issues", "attachments"), Snapshots: resource.Slot("issues", "snapshots"),
			}
		},
	}
	lists = &resource.Kind[List]{Plural: "issue_lists"}
)

var filters = []resource.Filter{{
	Param: "include_annotationless", Summary: "With false, only issues that are placed on a sheet.",
	Select: func(include bool) (any, not []string) {
		if include {
			return nil, nil
		}
		return []string{"current_annotation=true"}, nil
	},
}}

// terms tells the issues that are placed on a sheet.
func terms(i *Issue) []string {
	if i.CurrentAnnotation == nil {
		return nil
	}
	return []string{"current_annotation=true"}
}

const (
	open   = "open"
	closed = "closed"
)

var usd = "USD"

// check completes the fields that follow from others and holds what a Collaborator may change on an issue of somebody else.
func check(tx *resource.Tx, old, now *Issue) error {
	switch {
	case now.Status != closed:
		now.ClosedAt = nil
	case old == nil || old.Status != closed:
		at := resource.Time(tx.Now())
		now.ClosedAt = &at
	}
	now.CurrencyCode = nil
	if now.CostImpact != nil {
		now.CurrencyCode = &usd
	}
	now.String = nil
	if now.CurrentAnnotation != nil {
		now.String = now.CurrentAnnotation.Stamp
	}
	now.Assignees = resource.Assignees(now.AssignedTo)
	followers := []resource.Person{now.CreatedBy}
	for _, p := range now.AssignedTo {
		if !slices.Contains(followers, p) {
			followers = append(followers, p)
		}
	}
	now.Followers = resource.Assignees(followers)
	var before []resource.Person
	if old != nil {
		before = old.AssignedTo
		if old.Deleted == now.Deleted && tx.Scope.Role() == auth.Collaborator && !isCreator(tx.Scope, old) {
			if err := checkAssigned(old, now); err != nil {
				return err
			}
		}
	}
	return tx.TellAssigned(before, now.AssignedTo)
}

// checkAssigned lets a Collaborator to whom an issue is assigned change its status, and neither close nor reopen it.
func checkAssigned(old, now *Issue) error {
	only := *old
	only.Status, only.ClosedAt = now.Status, now.ClosedAt // one follows from the other
	if !resource.Same(&only, now) {
		return fault.New(fault.Forbidden, "As Collaborator you may change only the status of an issue that is assigned to you and that you did not create.")
	}
	if old.Status != now.Status && (old.Status == closed || now.Status == closed) {
		return fault.New(fault.Forbidden, "As Collaborator you may neither close nor reopen an issue that you did not create.")
	}
	return nil
}

func isCreator(s auth.Scope, i *Issue) bool { return i.CreatedBy == resource.Person(s.Person()) }

func ownOrAssigned(s auth.Scope, i *Issue) bool {
	return isCreator(s, i) || slices.Contains(i.AssignedTo, resource.Person(s.Person()))
}

var (
	everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	orOwn    = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Own}
	managers = auth.Right{Admin: auth.Any, Power: auth.Any}
)

// Routes is everything the API does with issues and issue lists; all has the kinds that are linked to issues.
func Routes(all *resource.Catalog) []api.Route {
	drop := resource.Delete(issues, orOwn)
	drop.Extension = true
	routes := []api.Route{
		resource.Create(issues, everyone), resource.List(issues, everyone), resource.Get(issues, everyone), resource.Update(issues, orOwn),
		drop, resource.Restore(issues, orOwn),
		resource.Create(lists, managers), resource.List(lists, everyone), resource.Get(lists, everyone),
		resource.Update(lists, managers), resource.Replace(lists, managers), resource.Delete(lists, managers), resource.Restore(lists, managers),
	}
	for _, collection := range issues.Links {
		links := resource.Linked(issues, collection, all, everyone, orOwn)
		for i := range links {
			links[i].Extension = i > 0 || collection != "photos" // these could always be listed
		}
		routes = append(routes, links...)
	}
	return routes
}

// Kinds are the kinds of this package.
func Kinds() []resource.AnyKind { return []resource.AnyKind{issues, lists} }
