package resource

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/store"
)

// sortable says by what lists of a plan's records can be sorted or bounded.
type sortable struct {
	sort     bool
	below    string // the parameter that gives a bound above the value
	from, to string // the parameters that give the least and the greatest value
}

func (s sortable) keyed() bool { return s.sort || s.below != "" || s.from != "" || s.to != "" }

func sortableOf(tag reflect.StructTag) (s sortable) {
	_, s.sort = tag.Lookup("sort")
	s.below, s.from, s.to = tag.Get("below"), tag.Get("from"), tag.Get("to")
	return s
}

// key gives the value that a list is sorted by; ok is false where it is blank.
func (f *field) key(v reflect.Value) (key int64, ok bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return 0, false
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case Time:
		return int64(x), true
	case Date:
		return x.key(), true
	default:
		panic(fmt.Sprintf("resource: a list cannot be sorted by %s, a %s", f.name, f.typ))
	}
}

// key is a number that grows with the day.
func (d Date) key() int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(string(d), "-", ""), 10, 64) // it was parsed when it was given
	return n
}

// bound reads a value to compare with the field's keys.
func (f *field) bound(text string) (key int64, problem string) {
	if f.typ == dateType || f.typ == reflect.PointerTo(dateType) {
		if d, ok := parseDate(text); ok {
			return d.key(), ""
		}
		return 0, "It must be a date such as 2026-03-31."
	}
	if micros, ok := ParseMoment(strings.ReplaceAll(text, " ", "+")); ok {
		return micros, ""
	}
	return 0, "It must be a time such as 2026-03-31T16:00:00Z."
}

// ranges reads the bounds of the query.
func (k *Kind[T]) ranges(c *api.Call, sel *store.Select, problems map[string]string) {
	q := c.Query()
	for _, f := range k.plan.fields {
		if f.below == "" && f.from == "" && f.to == "" {
			continue
		}
		given := false
		read := func(param string, key, after int64) int64 {
			if param == "" || !q.Has(param) {
				return key
			}
			read, problem := f.bound(q.Get(param))
			if given = true; problem != "" {
				problems[param] = problem
			}
			return read + after
		}
		r := store.Range{Key: f.name, From: read(f.from, math.MinInt64, 0)}
		r.To = read(f.to, read(f.below, math.MaxInt64, 0), 1)
		if given {
			sel.Ranges = append(sel.Ranges, r)
		}
	}
}

// sorts are the names that a list of the kind can be sorted by; none where it cannot.
func (k *Kind[T]) sorts() (names []string) {
	for _, f := range k.plan.fields {
		switch {
		case f.sort:
			names = append(names, f.name)
		case f.typ == reflect.TypeFor[Number]():
			names = append(names, f.name)
		}
	}
	if !slices.ContainsFunc(k.plan.fields, func(f *field) bool { return f.sort }) {
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
			problems["sort"] = "It must be one of " + strings.Join(names, ", ") + ", or one of these after a minus sign."
		}
	}
	// A number is the place in the order of creation.
	if i := slices.IndexFunc(k.plan.fields, func(f *field) bool { return f.name == name }); i >= 0 && !k.plan.fields[i].sort && name != store.ByClock {
		sel.Newest = desc
		return
	}
	sel.Sort, sel.Desc = name, desc
}

// sortParams describes the parameters that bound and sort the list.
func (k *Kind[T]) sortParams() (params []api.Param) {
	for _, f := range k.plan.fields {
		form := api.Schema{"type": "string"}
		if f.typ == dateType || f.typ == reflect.PointerTo(dateType) {
			form = api.Schema{"type": "string", "format": "date"}
		}
		name := strings.ReplaceAll(f.name, "_", " ")
		for _, p := range []struct{ param, summary string }{
			{f.below, "Only records whose " + name + " is before this."},
			{f.from, "Only records whose " + name + " is this or later."},
			{f.to, "Only records whose " + name + " is this or earlier."},
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
			api.Param{Name: "sort_by", Summary: "What the list is sorted by; creation when it is not given.", Schema: api.Schema{"type": "string", "enum": values}},
			api.Param{Name: "sort_order", Summary: "Ascending or descending.", Schema: api.Schema{"type": "string", "enum": []any{ascending, descending}, "default": ascending}})
	default:
		for _, name := range names {
			values = append(values, "-"+name)
		}
		params = append(params, api.Param{
			Name: "sort", Summary: "What the list is sorted by, descending after a minus sign; blank values come last.", Schema: api.Schema{"type": "string", "enum": values},
		})
	}
	return params
}

// checkSorts stops the program at a tag that makes no sense.
func (f *field) checkSorts() {
	if f.keyed() {
		f.key(reflect.Zero(f.typ))
		if t := f.typ; t.Kind() == reflect.Pointer {
			f.key(reflect.New(t.Elem()).Elem())
		}
	}
}
