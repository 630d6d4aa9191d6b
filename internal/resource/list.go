package resource

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Values gives the values of a field with an exact filter that records of the caller's project have, and the clock they
// stand for.
func (k *Kind[T]) Values(c *api.Call, field string) ([]store.Value, int64, error) {
	values, clock, err := c.Store.Values(c.Context(), c.Scope.Project(), k.Number, field+"=")
	for i := range values {
		values[i].Text = document.UnescapeTabs(values[i].Text)
	}
	return values, clock, err
}

// list answers with a window of the records of a kind; of those only that have, of every group, one of the terms.
func (k *Kind[T]) list(c *api.Call, terms ...[]string) error {
	return k.Window(c, func(sel *store.Select) { sel.Terms = append(sel.Terms, terms...) })
}

// Window answers with a window of the records of a kind, of those that narrow leaves. Who has the answer already asked
// rightly, so that the query is not read before.
func (k *Kind[T]) Window(c *api.Call, narrow func(*store.Select)) error {
	p := c.Scope.Project()
	if had, err := k.notModified(c, p); had || err != nil {
		return err
	}
	w, err := ReadWindow(c)
	if err != nil {
		return err
	}
	sel := store.Select{
		Kind: k.Number, After: w.After, Bound: w.Bound, From: uint32(min(w.From, math.MaxUint32)),
		Newest: k.Newest, Skip: w.Skip, Limit: w.Limit, Grow: c.Hold,
	}
	if err := k.selectBy(c, &sel); err != nil {
		return err
	}
	narrow(&sel)
	w.Sorted = sel.Sort != ""
	sel.Terms = append(sel.Terms, k.visibleTo(c.Scope)...)
	page, err := k.page(c, p, sel)
	if err != nil {
		return err
	}
	defer page.Release()
	f, err := k.expander(c, p)
	if err != nil {
		return err
	}
	c.SetHeader("X-Clock", document.StampText(page.Clock))
	more := ""
	if page.Cut { // it has no tag: whoever asks again may be told more
		more = truncated
	} else if c.Fresh(k.entityTag(c, page.Seq)) {
		return nil
	}
	next := w.Next(c, page.Total, len(page.Rows), page.More, page.Bound, page.Last)
	return sendList(c, page.Total, next, more, func(buf []byte) []byte { return f.Lines(buf, page) })
}

// page reads the window of a list; of a kind that a project is born with there are never none.
func (k *Kind[T]) page(c *api.Call, p *store.Project, sel store.Select) (*store.Page, error) {
	page, err := c.Store.List(c.Context(), p, sel)
	if err != nil || k.Seed == nil || page.Total > 0 {
		return page, err
	}
	page.Release()
	if err := k.ensure(c); err != nil {
		return nil, err
	}
	return c.Store.List(c.Context(), p, sel)
}

// selectBy reads the filters of the query.
func (k *Kind[T]) selectBy(c *api.Call, sel *store.Select) error {
	q := c.Query()
	problems := map[string]string{}
	for _, f := range k.plan.Fields {
		if f.Filter == "" || !q.Has(f.Filter) {
			continue
		}
		group, problem, err := k.group(c, f, q.Get(f.Filter))
		if err != nil {
			return err
		}
		if problem != "" {
			problems[f.Filter] = problem
		}
		sel.Terms = append(sel.Terms, group)
	}
	for _, f := range k.flags {
		if !q.Has(f.Param) {
			continue
		}
		value := strings.ToLower(q.Get(f.Param))
		if value != "true" && value != "false" {
			problems[f.Param] = notBool
			continue
		}
		any, not := f.Select(value == "true")
		if any != nil {
			sel.Terms = append(sel.Terms, any)
		}
		sel.Not = append(sel.Not, not...)
	}
	k.ranges(c, sel, problems)
	k.sorted(c, sel, problems)
	if err := fault.Fields(problems); err != nil {
		return err
	}
	return k.selectWords(c, sel)
}

const notBool = "It must be true or false."

// filters are the kind's own and the one that every kind has.
func (k *Kind[T]) filters() []Filter {
	return append(slices.Clone(k.Filters), Filter{
		Param: "deleted", Summary: "Only deleted records, or only those that are not.",
		Select: func(deleted bool) (any, not []string) {
			if deleted {
				return []string{store.DeletedTerm}, nil
			}
			return nil, []string{store.DeletedTerm}
		},
	})
}

// group gives the terms that a filter's value asks for; commas separate values of which one is enough. A value that no
// record can have is refused where the set is closed, and matches nothing where it is a uid.
func (k *Kind[T]) group(c *api.Call, f *document.Field, text string) (terms []string, problem string, err error) {
	if f.Exact {
		return []string{f.Name + "=" + document.EscapeTabs(text)}, "", nil
	}
	for value := range strings.SplitSeq(text, ",") {
		if f.One != nil {
			i := slices.IndexFunc(f.One, func(one string) bool {
				return strings.EqualFold(one, strings.TrimSpace(value))
			})
			if i < 0 {
				return nil, "It must be one of " + strings.Join(f.One, ", ") + ".", nil
			}
			value = f.One[i]
		}
		if f.IsBool() {
			if value = strings.ToLower(value); value != "true" && value != "false" {
				return nil, notBool, nil
			}
		}
		if f.IsPeople() {
			team, err := c.Auth.Team(c.Context(), c.Scope.Project())
			if err != nil {
				return nil, "", err
			}
			value = strconv.FormatUint(uint64(team.Ordinal(value)), 10)
		}
		if f.IsState() {
			all, err := statesOf(c, c.Scope.Project(), k.states)
			if err != nil {
				return nil, "", err
			}
			value = strconv.FormatUint(uint64(all.Ordinal(value)), 10)
		}
		terms = append(terms, f.Name+"="+value)
	}
	return terms, "", nil
}

// List is the route that lists a kind.
func List[T any](k *Kind[T], right auth.Right) api.Route {
	k.mounted()
	r := k.route("GET", "", right, func(c *api.Call) error { return k.list(c) })
	r.Summary, r.Status, r.Query = "List "+k.title(), 200, k.params()
	r.Out, r.Components = k.pageOut()
	return r
}
