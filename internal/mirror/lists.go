package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/client"
	"groundwork/internal/follow"
	"groundwork/internal/resource"
)

// longAgo is before everything.
const longAgo = "1970-01-01T00:00:00Z"

// listed are the kinds that a server without extensions lists, in an order in which nothing comes before what it names
// most: what is missing then comes with the next round.
func listed(kinds []resource.Declared) (all []*resource.Declared) {
	for i := range kinds {
		all = append(all, &kinds[i])
	}
	return all
}

// walkLists reads all lists, round by round, until one brings nothing.
func (g *gatherer) walkLists(ctx context.Context) error {
	for range mostRounds {
		for _, k := range listed(g.kinds) {
			if slices.Contains(g.at.Lists.Done, k.Plural) {
				continue
			}
			if err := g.list(ctx, k); err != nil {
				return err
			}
		}
		still := !g.at.Lists.Moved
		next := g.at
		next.Lists.Round++
		next.Lists.Done, next.Lists.Moved, next.Lists.Since = nil, false, g.at.Lists.Clock
		next.Lists.Clock = map[string]string{}
		if err := g.keep(nil, next); err != nil {
			return err
		}
		if still {
			break
		}
	}
	next := g.at
	next.Lists.Round++ // what comes with the next run comes after this
	return g.keep(nil, next)
}

// list reads one list of this round.
func (g *gatherer) list(ctx context.Context, k *resource.Declared) error {
	if k.Self {
		return g.single(ctx, k)
	}
	since := g.at.Lists.Since[k.Plural]
	// What a team record shows of its account changes without it, and these lists are short.
	if since == "" || k.Number == auth.KindMember || k.Seeded {
		since = longAgo
	}
	target := g.at.Lists.Next
	if target == "" {
		target = g.source.Path() + "/" + k.Path + "?limit=50&updated_after=" + url.QueryEscape(since)
	}
	for range mostPages {
		p, err := readPage(ctx, g.client, target)
		if client.IsRefused(err, http.StatusNotFound, http.StatusForbidden, http.StatusMethodNotAllowed) {
			return g.refused(k, err)
		}
		if err != nil {
			return err
		}
		done, err := g.take(k, p, target)
		if err != nil || done {
			return err
		}
		target = g.at.Lists.Next
	}
	return fmt.Errorf("The list %s of the server has no end.", pathOnly(target))
}

// take keeps a page of a list.
func (g *gatherer) take(k *resource.Declared, p *page, target string) (done bool, err error) {
	next := g.at
	next.Lists.Clock = cloned(g.at.Lists.Clock)
	next.Lists.Total = cloned(g.at.Lists.Total)
	clock := next.Lists.Clock[k.Plural]
	if g.at.Lists.Next == "" { // the first page
		if clock = p.clock; plantedOwnSkip {
			clock = ""
		}
		next.Lists.Total[k.Plural] = max(p.Total, next.Lists.Total[k.Plural])
	}
	var entries []follow.Entry
	for _, raw := range p.Data {
		uid, updated, err := head(raw)
		if err != nil {
			return false, err
		}
		if (p.clock == "" || plantedOwnSkip) && later(updated, clock) {
			clock = updated // a server that tells no clock
		}
		if same, err := g.has(k.Plural, uid, raw); err != nil || same {
			if err != nil {
				return false, err
			}
			continue
		}
		entries = append(entries, follow.Entry{Kind: k.Plural, UID: uid, Operation: "latest", Record: raw, Fields: []string{}})
		next.Lists.Moved = true
	}
	if clock == "" {
		clock = g.at.Lists.Since[k.Plural]
	}
	next.Lists.Clock[k.Plural] = clock
	if done = p.Next == nil || *p.Next == ""; done {
		next.Lists.Next = ""
		next.Lists.Done = append(slices.Clone(g.at.Lists.Done), k.Plural)
	} else {
		if *p.Next == target {
			return false, fmt.Errorf("The list %s of the server names one page again and again.", pathOnly(target))
		}
		if _, err := g.client.Resolve(*p.Next); err != nil {
			return false, err
		}
		next.Lists.Next = *p.Next
	}
	if plantedOwnSkip && !done {
		next.Lists.Next = ownSkip(target, len(p.Data))
	}
	return done, g.keep(entries, next)
}

// ownSkip is the fault of a client that does not go where the server leads it, and goes on from the greatest time that
// it saw.
func ownSkip(target string, n int) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	q := u.Query()
	var skip int
	_, _ = fmt.Sscan(q.Get("skip"), &skip) // none is 0
	q.Set("skip", fmt.Sprint(skip+n))
	q.Del("cursor")
	u.RawQuery = q.Encode()
	return u.String()
}

// later compares two moments as servers write them.
func later(a, b string) bool {
	x, err := time.Parse(time.RFC3339, a)
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, b)
	return err != nil || x.After(y)
}

// has tells whether a record was read before as it is: links in it may have been signed anew.
func (g *gatherer) has(plural, uid string, raw json.RawMessage) (bool, error) {
	was, ok, err := g.read(plural, uid)
	if err != nil || !ok {
		return false, err
	}
	var now map[string]json.RawMessage
	if json.Unmarshal(raw, &now) != nil {
		return false, errors.New("The server lists a record that is none.")
	}
	if len(was) != len(now) {
		return false, nil
	}
	for name, value := range now {
		if !sameValue(was[name], value) {
			return false, nil
		}
	}
	return true, nil
}

// single reads the record of the project itself.
func (g *gatherer) single(ctx context.Context, k *resource.Declared) error {
	text, _, err := g.client.Get(ctx, g.source.Path())
	if err != nil {
		return err
	}
	total := int64(1)
	next := "" // the only page
	return g.one(k, &page{Data: []json.RawMessage{text}, Total: total, Next: &next})
}

func (g *gatherer) one(k *resource.Declared, p *page) error {
	_, err := g.take(k, p, "")
	return err
}

// refused notes that the server does not give a list.
func (g *gatherer) refused(k *resource.Declared, err error) error {
	next := g.at
	next.Lists.Refused = cloned(g.at.Lists.Refused)
	next.Lists.Refused[k.Plural] = err.Error()
	next.Lists.Next = ""
	next.Lists.Done = append(slices.Clone(g.at.Lists.Done), k.Plural)
	return g.keep(nil, next)
}

func cloned[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// oldestFirst orders records that were listed newest first: each round by itself.
func (s *staging) oldestFirst(k *resource.Declared, uids []string) {
	slices.SortStableFunc(uids, func(a, b string) int {
		x, y := s.index[k.Plural+"/"+a].first, s.index[k.Plural+"/"+b].first
		if x.round != y.round {
			return x.round - y.round
		}
		return y.n - x.n
	})
}
