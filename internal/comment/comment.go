// Package comment owns comments: what people say about a project, an issue, an RFI or a sheet. It refuses to know those nouns: what can be
// commented is a list of plurals.
package comment

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
)

// Comment is what one person said about one record.
type Comment struct {
	resource.Record
	Text       string       `json:"text" write:"required,solid,max=65535" search:""`
	RecordType string       `json:"record_type" one:"project|issue|rfi|sheet" filter:"record_types"`
	Subject    resource.Ref `json:"record" filter:"record_uid"`
}

// types are the values of record_type; programs written for the original API fail on any other.
var types = map[string]string{"projects": "project", "issues": "issue", "rfis": "rfi", "sheets": "sheet"}

var comments = &resource.Kind[Comment]{Plural: "comments", Newest: true, Check: check, On: func(c *Comment) resource.Ref { return c.Subject }}

// check has those told of a new comment who follow what it is about; a project and a sheet have nobody who does.
func check(tx *resource.Tx, old, now *Comment) error {
	if old == nil && (now.RecordType == "issue" || now.RecordType == "rfi") {
		return tx.Tell()
	}
	return nil
}

var attached = &resource.Attach[Comment]{
	Kind: comments,
	To:   func(c *Comment, plural string, to resource.Ref) { c.RecordType, c.Subject = types[plural], to },
	Terms: func(plural, uid string) [][]string {
		return [][]string{{"record_type=" + types[plural]}, {"record=" + uid}}
	},
}

var (
	everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	// Nobody edits another's words.
	ownOnly = auth.Right{Admin: auth.Own, Power: auth.Own, Collaborator: auth.Own}
	orOwn   = auth.Right{Admin: auth.Any, Power: auth.Own, Collaborator: auth.Own}
)

// Routes is everything the API does with comments; owners are the kinds that can be commented, beside the project itself.
func Routes(owners ...string) []api.Route {
	routes := []api.Route{
		resource.List(comments, everyone), attached.Create("projects", everyone), api.Extending(resource.Get(comments, everyone)),
		api.Extending(resource.Update(comments, ownOnly)), api.Extending(resource.Delete(comments, orOwn)), resource.Restore(comments, orOwn),
	}
	for _, owner := range owners {
		list := attached.List(owner, everyone)
		list.Extension = owner == "sheets"
		routes = append(routes, list, attached.Create(owner, everyone))
	}
	return routes
}

// Kinds are the kinds of this package.
func Kinds() []resource.AnyKind { return []resource.AnyKind{comments} }
