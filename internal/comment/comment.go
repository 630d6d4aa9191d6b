// Package comment owns comments: what people say about a project, an issue, an RFI or a sheet. It refuses to know those
// nouns: what can be commented is a list of plurals.
package comment

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/resource"
)

// Comment is what one person said about one record.
type Comment struct {
	document.Record
	Text       string       `json:"text" write:"required,solid,max=65535" search:""`
	RecordType string       `json:"record_type" one:"project|issue|rfi|sheet" filter:"record_types"`
	Subject    document.Ref `json:"record" filter:"record_uid" attached:""`
}

// types are the values of record_type; programs written for the original API fail on any other.
var types = map[string]string{"projects": "project", "issues": "issue", "rfis": "rfi", "sheets": "sheet"}

var comments = &resource.Kind[Comment]{
	Number: 9, Plural: "comments", Name: "Comment", Newest: true,
}

var attached = &resource.Attach[Comment]{
	Kind: comments,
	To:   func(c *Comment, plural string, to document.Ref) { c.RecordType, c.Subject = types[plural], to },
	Terms: func(plural, uid string) [][]string {
		return [][]string{{"record_type=" + types[plural]}, {"record=" + uid}}
	},
}

// owners are the kinds that can be commented, beside the project itself.
var owners = []string{"issues", "rfis", "sheets"}

// routes is everything the API does with comments.
func routes(*family.Site) []api.Route {
	routes := []api.Route{
		resource.List(comments, auth.Everyone), attached.Create("projects", auth.Everyone),
		api.Extending(resource.Get(comments, auth.Everyone)),
		// Nobody edits another's words.
		api.Extending(resource.Update(comments, auth.OwnOnly)),
		api.Extending(resource.Delete(comments, auth.AdminsOrOwn)), resource.Restore(comments, auth.AdminsOrOwn),
	}
	for _, owner := range owners {
		list := attached.List(owner, auth.Everyone)
		list.Extension = owner == "sheets"
		routes = append(routes, list, attached.Create(owner, auth.Everyone))
	}
	return routes
}

// Family declares comments.
func Family() family.Family {
	return family.Family{
		Name: "comment", Kinds: []resource.AnyKind{comments}, Routes: routes,
		Tells:   []family.Notice{{Kind: "comments", Of: family.Said}},
		Exports: []string{"comments"},
	}
}
