// Package issue owns issues and issue lists: their fields, rules and routes. It refuses to know other nouns: people and
// lists are references.
package issue

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// Issue is a task on a project: something to be done, checked or answered for.
type Issue struct {
	document.Record
	Number            document.Number       `json:"number"`
	Title             *string               `json:"title" write:"max=255" search:""`
	Description       *string               `json:"description" write:"max=65535" search:""`
	Room              *string               `json:"room" write:"max=255" search:""`
	Status            string                `json:"status" write:"one=open|in_review|pending|closed" filter:"status"`
	Type              *string               `json:"type" write:"one=issue|planned_work|other" filter:"type"`
	AssignedTo        document.PeopleOrNull `json:"assigned_to" write:"as=assigned_to|assigned_to_uids" filter:"assigned_to"`
	Assignees         []document.Assignee   `json:"assignees"`
	Followers         []document.Assignee   `json:"followers"`
	IssueList         document.Ref          `json:"issue_list" write:"as=issue_list_uid" ref:"issue_lists" filter:"issue_list_uid"`
	String            *string               `json:"string"`
	CurrentAnnotation *Annotation           `json:"current_annotation"`
	StartDate         *document.Date        `json:"start_date" write:""`
	DueAt             *document.Time        `json:"due_at" write:"" sort:"" below:"due_before"`
	ClosedAt          *document.Time        `json:"closed_at"`
	HasCostImpact     bool                  `json:"has_cost_impact" write:""`
	CostImpact        *document.Money       `json:"cost_impact" write:""`
	CurrencyCode      *string               `json:"currency_code"`
	HasScheduleImpact bool                  `json:"has_schedule_impact" write:""`
	ScheduleImpact    *int64                `json:"schedule_impact" write:""`
	Photos            document.Collection   `json:"photos" slot:"0"`
	Comments          document.Collection   `json:"comments" slot:"1"`
	Attachments       document.Collection   `json:"attachments" slot:"2"` // since version 2
	Snapshots         document.Collection   `json:"snapshots" slot:"3"`
}

// Annotation is the mark on a sheet that shows where an issue is.
type Annotation struct {
	UID        string       `json:"uid"`
	Color      string       `json:"color"`
	Stamp      *string      `json:"stamp"`
	Visibility string       `json:"visibility"`
	Deleted    bool         `json:"deleted"`
	Sheet      document.Ref `json:"sheet"`
}

// List groups issues.
type List struct {
	document.Record
	Name string `json:"name" write:"required,solid,max=255"`
}

var (
	issues = &resource.Kind[Issue]{
		Number: 5, Plural: "issues", Name: "Issue", Version: 2, Check: check, OwnedBy: ownOrAssigned, DeletableBy: isCreator, Terms: terms,
		Filters: filters, Links: []string{"photos", "attachments", "snapshots"},
		Defaults: Issue{Status: open},
	}
	lists = &resource.Kind[List]{Number: 4, Plural: "issue_lists", Name: "Issue list"}
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

// check completes the fields that follow from others and holds what a Collaborator may change on an issue of somebody
// else.
func check(tx *resource.Tx, old, now *Issue) error {
	switch {
	case now.Status != closed:
		now.ClosedAt = nil
	case old == nil || old.Status != closed:
		at := document.Time(tx.Now())
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
	now.Assignees = document.Assignees(now.AssignedTo)
	followers := []document.Person{now.CreatedBy}
	for _, p := range now.AssignedTo {
		if !slices.Contains(followers, p) {
			followers = append(followers, p)
		}
	}
	now.Followers = document.Assignees(followers)
	if old != nil && old.Deleted == now.Deleted && tx.Scope.Role() == auth.Collaborator && !isCreator(tx.Scope, old) {
		return checkAssigned(old, now)
	}
	return nil
}

// checkAssigned lets a Collaborator to whom an issue is assigned change its status, and neither close nor reopen it.
func checkAssigned(old, now *Issue) error {
	only := *old
	only.Status, only.ClosedAt = now.Status, now.ClosedAt // one follows from the other
	if !document.Same(&only, now) {
		return fault.New(fault.Forbidden,
			"As Collaborator you may change only the status of an issue that is assigned to you and that you did not create.")
	}
	if old.Status != now.Status && (old.Status == closed || now.Status == closed) {
		return fault.New(fault.Forbidden,
			"As Collaborator you may neither close nor reopen an issue that you did not create.")
	}
	return nil
}

func isCreator(s auth.Scope, i *Issue) bool { return i.CreatedBy == document.Person(s.Person()) }

func ownOrAssigned(s auth.Scope, i *Issue) bool {
	return isCreator(s, i) || slices.Contains(i.AssignedTo, document.Person(s.Person()))
}

// untold are the fields without a line in the history of an issue. An annotation that no longer is the issue's may be
// personal again, and a stamp is a part of it; the others follow from fields that have a line.
var untold = []string{"current_annotation", "string", "assignees", "followers", "closed_at", "currency_code"}

// routes is everything the API does with issues and issue lists.
func routes(*family.Site) []api.Route {
	drop := resource.Delete(issues, auth.ManagersOrOwn)
	history := resource.History(issues, auth.Everyone, untold...)
	drop.Extension, history.Extension = true, true
	routes := []api.Route{
		resource.Create(issues, auth.Everyone), resource.List(issues, auth.Everyone),
		resource.Get(issues, auth.Everyone), resource.Update(issues, auth.ManagersOrOwn),
		drop, resource.Restore(issues, auth.ManagersOrOwn),
		history,
		resource.Create(lists, auth.Managers), resource.List(lists, auth.Everyone), resource.Get(lists, auth.Everyone),
		resource.Update(lists, auth.Managers), resource.Replace(lists, auth.Managers),
		resource.Delete(lists, auth.Managers), resource.Restore(lists, auth.Managers),
	}
	for _, collection := range issues.Links {
		links := resource.Linked(issues, collection, auth.Everyone, auth.ManagersOrOwn)
		for i := range links {
			links[i].Extension = i > 0 || collection != "photos" // these could always be listed
		}
		routes = append(routes, links...)
	}
	return routes
}

// Family declares issues and their lists.
func Family() family.Family {
	return family.Family{
		Name: "issue", Kinds: []resource.AnyKind{issues, lists}, Routes: routes,
		Tells:   []family.Notice{{Kind: "issues", Of: family.Assigned}},
		Exports: []string{"issues", "issue_lists"},
	}
}
