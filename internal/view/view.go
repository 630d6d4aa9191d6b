// Package view owns saved views: which records of a list somebody wants to see, in which form and order, and who may
// see and change that. It refuses to know the lists: a view names one, and keeps a query that only its reader applies.
// Family is its entry point.
package view

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
)

// View is a saved view of a list. It is its author's own until it is published.
type View struct {
	document.Record
	Name       string    `json:"name" write:"required,solid,max=255"`
	Of         string    `json:"of" write:"required,create,one=issues|sheets|rfis|photos|documents|field_reports" filter:"of"`
	Visibility string    `json:"visibility" write:"one=user|master" filter:"visibility"`
	Layout     string    `json:"layout" write:"one=table|board|calendar|grid"`
	Query      string    `json:"query" write:"max=4096"`
	GroupBy    *string   `json:"group_by" write:"max=64"`
	Sort       *string   `json:"sort" write:"max=64"`
	Columns    *[]string `json:"columns" write:"max=64,most=64"` // null leaves the choice to the layout, which [] does not
}

const (
	personal  = "user"
	published = "master"
)

var views = &resource.Kind[View]{
	Number: 16, Plural: "views", Name: "View", Check: check, OwnedBy: mayChange, VisibleTo: seen, Terms: terms,
	Defaults: View{Visibility: personal, Layout: "table"},
}

// mayChange lets people change their personal views, and Admins and Power Collaborators what is published.
func mayChange(s auth.Scope, v *View) bool {
	if v.Visibility == published {
		return s.Role() != auth.Collaborator
	}
	return v.CreatedBy == document.Person(s.Person())
}

// seen is what somebody sees: what is published, and their own.
func seen(s auth.Scope) [][]string {
	return [][]string{{"visibility=" + published, author(s.Person())}}
}

func terms(v *View) []string { return []string{author(uint32(v.CreatedBy))} }

func author(person uint32) string { return "author=" + strconv.FormatUint(uint64(person), 10) }

// check holds what tags cannot say.
func check(tx *resource.Tx, old, now *View) error {
	problems := map[string]string{}
	if problem := queryProblem(now.Query); problem != "" {
		problems["query"] = problem
	}
	if old != nil && old.Visibility == published && now.Visibility == personal {
		problems["visibility"] = "What is published stays so: others have seen it. Delete it instead."
	}
	if err := fault.Fields(problems); err != nil {
		return err
	}
	if now.Visibility == published && (old == nil || old.Visibility != published) &&
		tx.Scope.Role() == auth.Collaborator {
		return fault.New(fault.Forbidden, "As Collaborator you may save views for yourself; "+
			"publishing (visibility master) is for Admins and Power Collaborators.")
	}
	return nil
}

// queryProblem says why a text is no query string, or nothing.
func queryProblem(query string) string {
	if strings.ContainsFunc(query, unicode.IsControl) {
		return "It must not contain control characters such as line breaks and tabs."
	}
	if _, err := url.ParseQuery(query); err != nil {
		return "It must be the query string of a list, such as status=open&room=Level%202: " +
			"after % come two hexadecimal digits, and ; is written %3B."
	}
	return ""
}

// routes is everything the API does with views.
func routes(*family.Site) []api.Route {
	return []api.Route{
		api.Extending(resource.List(views, auth.Everyone)), api.Extending(resource.Get(views, auth.Everyone)),
		api.Extending(resource.Create(views, auth.Everyone)), api.Extending(resource.Update(views, auth.OwnOnly)),
		api.Extending(resource.Delete(views, auth.OwnOnly)), resource.Restore(views, auth.OwnOnly),
	}
}

// Family declares views.
func Family() family.Family {
	return family.Family{Name: "view", Kinds: []resource.AnyKind{views}, Routes: routes}
}
