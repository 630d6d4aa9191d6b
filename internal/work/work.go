// Package work owns what waits for a person in all of their projects: open issues and RFIs that are assigned to them,
// RFIs that they have not answered, and what others said on records that they follow. It refuses to keep anything: it
// reads records of other nouns, each project as the person sees it now. GET /me/work is its entry point.
package work

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

const (
	// mostProjects is at how many projects one request looks, mostLooks how many records it looks up by their uids to
	// see whether somebody follows them. What is left comes with the next page.
	mostProjects = 25
	mostLooks    = 100
	// mostReads is how often the caller's projects are asked for: a record of any project may have the caller's uid.
	mostReads = 4
)

// Family declares what is read of records; work has none of its own.
func Family() family.Family {
	return family.Family{
		Name: "work", Routes: routes,
		Views: []resource.AnyView{sites, issues, rfis, statuses, remarks, sheetNames},
	}
}

// routes is everything the API does with work.
func routes(site *family.Site) []api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/me/work", Access: api.Caller, Tag: "me", Status: 200, Extension: true, Errors: []int{400},
		Summary: "List what waits for the caller in all projects: what is assigned to them, what they are to answer, and what others said on it",
		Do:      func(c *api.Call) error { return answer(c, site.Kinds) },
	}
	params := resource.WindowParams()
	r.Query = []api.Param{params[0], {
		Name: "cursor", Summary: "Where the list goes on; part of next_page_url.", Schema: api.Schema{"type": "string"},
	}}
	one, parts := document.SchemaOf[Item]("Something that waits for the caller.")
	parts["WorkItem"] = one
	r.Components = parts
	r.Out = document.ObjectSchema("A part of what waits for the caller.", api.Schema{
		"data": api.Schema{"type": "array", "items": document.SchemaRef("WorkItem")},
		"next_page_url": api.Schema{
			"type": []any{"string", "null"}, "format": "uri",
			"description": "The next part, which may be empty; null after the last.",
		},
	})
	return []api.Route{r}
}

// page is the answer.
type page struct {
	Data        []Item  `json:"data"`
	NextPageURL *string `json:"next_page_url"`
}

// answer gives the part of the list that begins at the cursor. It looks at the projects in order of their making: each
// costs its own reads, so that there is no count of all.
func answer(c *api.Call, kinds *resource.Catalog) error {
	limit, at, err := asked(c)
	if err != nil {
		return err
	}
	out := page{Data: []Item{}}
	if limit == 0 {
		return c.SendJSON(200, out)
	}
	who := c.Credential.Account
	looks, looked := mostLooks, 0
	for range mostReads {
		teams, projects, err := c.Store.OwnProjectsFrom(c.Context(), who.UID, at.project)
		if err != nil {
			return err
		}
		for i, id := range teams {
			if id.Kind() != auth.KindMember { // a record may have any uid
				continue
			}
			if id.Project() != at.project {
				at = place{project: id.Project()}
			}
			if looked == mostProjects {
				return send(c, &out, limit, &at)
			}
			looked++
			scope, err := c.Auth.Enter(c.Context(), who, projects[i].UID)
			if fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			in := &reader{c: c, kinds: kinds, scope: scope, looks: &looks}
			more, err := in.read(&out, limit, &at)
			if err != nil {
				return err
			}
			if more {
				return send(c, &out, limit, &at)
			}
		}
		if len(teams) < store.OwnAtOnce {
			return send(c, &out, limit, nil)
		}
		at = place{project: teams[len(teams)-1].Project() + 1}
	}
	return send(c, &out, limit, &at)
}

// place is where the list goes on: in a project, in one of its parts, behind so many entries of it.
type place struct {
	project int64
	part    uint8
	skip    uint32
}

const placeSize = 13

// asked reads limit and cursor.
func asked(c *api.Call) (limit int, at place, err error) {
	problems := map[string]string{}
	limit = resource.ReadLimit(c, problems)
	if q := c.Query(); q.Has("cursor") {
		b, err := base64.RawURLEncoding.DecodeString(q.Get("cursor"))
		if err == nil && len(b) == placeSize {
			at = place{int64(binary.BigEndian.Uint64(b)), b[8], binary.BigEndian.Uint32(b[9:])}
		}
		if err != nil || len(b) != placeSize || at.project <= 0 || int(at.part) >= len(partsOf) || at.skip > 1<<30 {
			problems["cursor"] = "It must come unchanged from next_page_url."
		}
	}
	return limit, at, fault.Fields(problems)
}

// send answers; next is where the list goes on, nil where that was all.
func send(c *api.Call, out *page, limit int, next *place) error {
	if next != nil {
		b := append(binary.BigEndian.AppendUint64(nil, uint64(next.project)), next.part)
		cursor := base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(b, next.skip))
		url := c.Base + c.Path() + "?" + c.Query().With("cursor", cursor, "limit", strconv.Itoa(limit))
		out.NextPageURL = &url
	}
	return c.SendJSON(200, *out)
}

// reader reads one project for one person.
type reader struct {
	c     *api.Call
	kinds *resource.Catalog
	scope auth.Scope
	looks *int // how many records may still be looked up

	place  *Place
	late   int64 // what is due before this moment is overdue
	labels []string
	sheets map[string]*Sheet
}

// partsOf are the parts of the work in a project: each gives a window of its entries, and how many there are.
var partsOf = []func(r *reader, skip, limit int) ([]Item, int, error){
	(*reader).assignedIssues, (*reader).assignedRFIs, (*reader).said,
}

// read adds the work in a project from a place on; more says that the page is full, or the request has looked at
// enough, and at is where to go on.
func (r *reader) read(out *page, limit int, at *place) (more bool, err error) {
	for ; int(at.part) < len(partsOf); at.part, at.skip = at.part+1, 0 {
		left := limit - len(out.Data)
		if left == 0 || *r.looks <= 0 {
			return true, nil
		}
		items, total, err := partsOf[at.part](r, int(at.skip), left)
		if err != nil {
			return false, err
		}
		out.Data = append(out.Data, items...)
		if at.skip += uint32(len(items)); int(at.skip) < total && len(items) > 0 {
			return true, nil
		}
	}
	return false, nil
}
