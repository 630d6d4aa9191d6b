package project

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// list is the route of the projects in which the caller is a present member. The list depends on the caller alone, so
// it is gathered from the caller's own team records.
func list() api.Route {
	r := api.Route{
		Method: "GET", Pattern: "/projects", Access: api.Caller, Do: listProjects,
		Summary: "List projects", Tag: "projects", Status: 200, Query: resource.WindowParams(),
	}
	r.Out, r.Components = resource.PageSchemas(projects)
	return r
}

func listProjects(c *api.Call) error {
	w, err := resource.ReadWindow(c)
	if err != nil {
		return err
	}
	bound := c.Store.Now()
	who := c.Credential.Account
	teams, err := c.Store.Own(c.Context(), who.UID)
	if err != nil {
		return err
	}
	ids := make([]store.ID, 0, len(teams))
	for _, id := range teams {
		if id.Kind() == auth.KindMember && who.Reaches(id.Project(), id.Ordinal()) {
			ids = append(ids, projects.ID(id.Project()))
		}
	}
	var more bool
	total, shown := len(ids), cut(ids, w.Skip, w.Limit)
	if w.After != store.Always {
		if w.Bound > 0 {
			bound = w.Bound
		}
		clocks, err := c.Store.Clocks(c.Context(), ids)
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id store.ID) bool { return clocks[id] <= w.After })
		total = len(ids)
		skip := w.Skip
		if w.From > 0 {
			skip = 0
		}
		ids = slices.DeleteFunc(ids, func(id store.ID) bool { return clocks[id] > bound || id.Project() <= w.From })
		shown = cut(ids, skip, w.Limit)
		more = skip+len(shown) < len(ids)
	}
	page, err := c.Store.Pick(c.Context(), shown)
	if err != nil {
		return err
	}
	defer page.Release()
	var last int64
	if len(shown) > 0 {
		last = shown[len(shown)-1].Project()
	}
	next := w.Next(c, total, len(shown), more, bound, last)
	return resource.SendList(c, total, next, projects.Lines(page))
}

func cut(ids []store.ID, skip, limit int) []store.ID {
	from := min(skip, len(ids))
	return ids[from:min(from+limit, len(ids))]
}
