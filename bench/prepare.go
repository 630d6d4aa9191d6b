package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// field is the installations, by what they are for. All but the tiny and the grown one have the same issues.
type field struct {
	tiny, read, tls, write *ground
	pg, pgGroup, pgOne     *ground
	rival                  *rival
}

// prepare makes the data through the service's own API, and the rival's.
func (r *rig) prepare(ctx context.Context) (*field, error) {
	f := &field{}
	g, err := r.newGround(ctx, "read", "")
	if err != nil {
		return nil, err
	}
	f.read = g
	r.say("making %d issues on SQLite", r.Issues)
	if err := r.load(ctx, g, func() (err error) {
		f.tiny, err = g.copied("tiny")
		return err
	}); err != nil {
		return nil, err
	}
	if f.tls, err = g.copied("tls"); err != nil {
		return nil, err
	}
	if f.write, err = g.copied("write"); err != nil {
		return nil, err
	}
	// In one installation only: what is written elsewhere is measured without it.
	if err := g.during(ctx, "talk", func(s *server) error { return g.talk(ctx, s) }); err != nil {
		return nil, err
	}
	r.say("  %d RFIs and %d comments", g.rfis, g.comments)
	if err := r.preparePostgres(ctx, f); err != nil {
		return nil, err
	}
	r.say("making %d issues in PocketBase", r.Issues)
	f.rival, err = r.startRival(ctx, "pocketbase", r.Issues, g.size)
	if err == nil {
		r.results.Rival = f.rival.Config
	}
	return f, err
}

// load founds the project and fills it; between is called at a thousand issues, while nothing runs.
func (r *rig) load(ctx context.Context, g *ground, between func() error) error {
	began := time.Now()
	err := g.during(ctx, "load", func(s *server) error {
		if err := g.found(s); err != nil {
			return err
		}
		return g.fill(ctx, s, small, 1)
	})
	if err == nil && between != nil {
		err = between()
	}
	if err != nil {
		return err
	}
	g.uids = g.uids[:0:0]
	err = g.during(ctx, "load", func(s *server) (err error) {
		every := max(1, r.Issues/samples)
		if err := g.fill(ctx, s, r.Issues/2, every); err != nil {
			return err
		}
		if g.half, err = g.clock(s); err != nil {
			return err
		}
		return g.fill(ctx, s, r.Issues, every)
	})
	r.say("  %d issues in %.1f s", g.issues, time.Since(began).Seconds())
	return err
}

// during serves an installation while something is done.
func (g *ground) during(ctx context.Context, name string, do func(s *server) error) error {
	s, err := g.serve(ctx, name, nil)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := do(s); err != nil {
		return err
	}
	return s.settle(ctx, time.Second)
}

func (r *rig) preparePostgres(ctx context.Context, f *field) error {
	r.say("making %d issues on PostgreSQL", r.Issues)
	var err error
	if r.cluster, err = startCluster(ctx); err != nil {
		return err
	}
	url, err := r.cluster.database(ctx, "one", "")
	if err != nil {
		return err
	}
	if f.pg, err = r.newGround(ctx, "pg", url); err != nil {
		return err
	}
	if err := r.load(ctx, f.pg, nil); err != nil {
		return err
	}
	another := func(name string) (*ground, error) {
		g, err := f.pg.copied(name)
		if err != nil {
			return nil, err
		}
		g.database, err = r.cluster.database(ctx, name, "one")
		return g, err
	}
	if f.pgGroup, err = another("pg_group"); err != nil {
		return err
	}
	if f.pgOne, err = another("pg_one"); err != nil {
		return err
	}
	f.pgOne.program = r.planted
	return nil
}

// look makes sure that a list shows what it is measured for: a whole page of the number of records that there should
// be.
func (g *ground) look(s *server, path string, total int) error {
	w, status, err := s.ask(g.lists(path)(nil, nil))
	if err != nil {
		return err
	}
	var page struct {
		Data  []json.RawMessage `json:"data"`
		Total int               `json:"total_count"`
	}
	if err := json.Unmarshal(w.body, &page); err != nil {
		return err
	}
	if status != 200 || len(page.Data) != 50 || page.Total != total {
		return fmt.Errorf("list %s on %s: status %d, %d records of %d instead of 50 of %d", path, s.name, status,
			len(page.Data), page.Total, total)
	}
	if strings.HasPrefix(path, "issues") {
		g.r.results.Sizes[s.name] = float64(len(w.body)) / 50
	}
	return nil
}

func (p *rival) look(query string, total int) error {
	w, status, err := p.ask(p.page(query)(nil, nil))
	if err != nil {
		return err
	}
	var page struct {
		Items []json.RawMessage `json:"items"`
		Total int               `json:"totalItems"`
	}
	if err := json.Unmarshal(w.body, &page); err != nil {
		return err
	}
	if status != 200 || len(page.Items) != 50 || page.Total != total {
		return fmt.Errorf("list %s on PocketBase: status %d, %d records of %d instead of 50 of %d", query, status,
			len(page.Items), page.Total, total)
	}
	return nil
}
