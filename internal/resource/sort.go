package resource

import (
	"math"
	"slices"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// ranges reads the bounds of the query.
func (k *Kind[T]) ranges(c *api.Call, sel *store.Select, problems map[string]string) {
	q := c.Query()
	for _, f := range k.plan.Fields {
		if f.Below == "" && f.From == "" && f.To == "" {
			continue
		}
		given := false
		read := func(param string, key, after int64) int64 {
			if param == "" || !q.Has(param) {
				return key
			}
			read, problem := f.Bound(q.Get(param))
			if given = true; problem != "" {
				problems[param] = problem
			}
			return read + after
		}
		r := store.Range{Key: f.Name, From: read(f.From, math.MinInt64, 0)}
		r.To = read(f.To, read(f.Below, math.MaxInt64, 0), 1)
		if given {
			sel.Ranges = append(sel.Ranges, r)
		}
	}
}

// sorts are the names that a list of the kind can be sorted by; none where it cannot.
func (k *Kind[T]) sorts() (names []string) {
	for _, f := range k.plan.Fields {
		switch {
		case f.Sort:
			names = append(names, f.Name)
		case f.IsNumber():
			names = append(names, f.Name)
		}
	}
	if !slices.ContainsFunc(k.plan.Fields, func(f *document.Field) bool { return f.Sort }) {
		return nil
	}
	return append(names, store.ByClock)
}

const (
	ascending  = "asc"
	descending = "desc"
)

// sorted reads how the query wants the list sorted: sort=due_at or sort=-due_at, or sort_by=due_at&sort_order=desc.
func (k *Kind[T]) sorted(c *api.Call, sel *store.Select, problems map[string]string) {
	q, names := c.Query(), k.order
	if names == nil {
		return
	}
	name, desc := "", false
	if k.SortBy {
		name = q.Get("sort_by")
		if name == "" && !q.Has("sort_by") && !q.Has("sort_order") {
			return
		}
		if !slices.Contains(names, name) {
			problems["sort_by"] = "It must be one of " + strings.Join(names, ", ") + "."
		}
		switch given := q.Get("sort_order"); {
		case given == descending:
			desc = true
		case given != ascending && q.Has("sort_order"):
			problems["sort_order"] = "It must be one of " + ascending + ", " + descending + "."
		}
	} else {
		if !q.Has("sort") {
			return
		}
		name, desc = strings.CutPrefix(q.Get("sort"), "-")
		if !slices.Contains(names, name) {
			problems["sort"] = "It must be one of " + strings.Join(names,
				", ") + ", or one of these after a minus sign."
		}
	}
	// A number is the place in the order of creation.
	if i := slices.IndexFunc(k.plan.Fields, func(f *document.Field) bool { return f.Name == name }); i >= 0 &&
		!k.plan.Fields[i].Sort && name != store.ByClock {
		sel.Newest = desc
		return
	}
	sel.Sort, sel.Desc = name, desc
}

// sortParams describes the parameters that bound and sort the list.
func (k *Kind[T]) sortParams() (params []api.Param) {
	for _, f := range k.plan.Fields {
		form := api.Schema{"type": "string"}
		if f.IsDate() {
			form = api.Schema{"type": "string", "format": "date"}
		}
		name := strings.ReplaceAll(f.Name, "_", " ")
		for _, p := range []struct{ param, summary string }{
			{f.Below, "Only records whose " + name + " is before this."},
			{f.From, "Only records whose " + name + " is this or later."},
			{f.To, "Only records whose " + name + " is this or earlier."},
		} {
			if p.param != "" {
				params = append(params, api.Param{Name: p.param, Summary: p.summary, Schema: form})
			}
		}
	}
	names := k.order
	var values []any
	for _, name := range names {
		values = append(values, name)
	}
	switch {
	case names == nil:
	case k.SortBy:
		params = append(params,
			api.Param{
				Name: "sort_by", Summary: "What the list is sorted by; creation when it is not given.",
				Schema: api.Schema{"type": "string", "enum": values},
			},
			api.Param{Name: "sort_order", Summary: "Ascending or descending.", Schema: api.Schema{
				"type": "string", "enum": []any{ascending, descending}, "default": ascending,
			}})
	default:
		for _, name := range names {
			values = append(values, "-"+name)
		}
		params = append(params, api.Param{
			Name: "sort", Summary: "What the list is sorted by, descending after a minus sign; blank values come last.",
			Schema: api.Schema{"type": "string", "enum": values},
		})
	}
	return params
}
