package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

// phase is a part of a run.
type phase struct {
	name string
	// apart says that it needs none of the data that the others share.
	apart   bool
	measure func(context.Context, *field) error
}

func (r *rig) phases() []phase {
	return []phase{
		{"reads", false, r.reads},
		{"walk", false, r.walk},
		{"starts", false, r.starts},
		{"memory", false, r.memory},
		{"writes", false, r.writes},
		{"latency", false, r.latency},
		{"syncs", false, r.syncs},
		{"sheets", true, r.sheets},
		{"packets", true, r.packets},
		{"reports", true, r.reports},
		{"backups", false, r.backups},
		{"growth", false, r.growth},
		{"files", true, r.files}, // last: the disk works on them for a while
	}
}

// run measures everything, or only what is named.
func (r *rig) run(ctx context.Context, only []string) error {
	phases, err := chosen(r.phases(), only)
	if err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	var f *field
	if slices.ContainsFunc(phases, func(p phase) bool { return !p.apart }) {
		if f, err = r.prepare(ctx); err != nil {
			return err
		}
	}
	for _, p := range phases {
		if err := p.measure(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// chosen are the phases that are named, in their own order, for some end what others need; all without a name.
func chosen(all []phase, only []string) ([]phase, error) {
	for _, name := range only {
		if !slices.ContainsFunc(all, func(p phase) bool { return p.name == name }) {
			return nil, fmt.Errorf("there is no phase %q", name)
		}
	}
	if len(only) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(p phase) bool { return !slices.Contains(only, p.name) }), nil
}

// reads compares lists and single records with the floor, the rival, the other engine, and with each other.
func (r *rig) reads(ctx context.Context, f *field) error {
	plain, err := f.read.serve(ctx, "sqlite", nil)
	if err != nil {
		return err
	}
	defer plain.stop()
	secure, err := f.tls.serve(ctx, "sqlite-tls", nil, r.certificate()...)
	if err != nil {
		return err
	}
	defer secure.stop()
	pg, err := f.pg.serve(ctx, "postgresql", nil)
	if err != nil {
		return err
	}
	defer pg.stop()
	g, n := f.read, r.Issues
	floor, err := r.startFloor(ctx, "floor", false, map[string]question{
		"list": {plain, g.page("")(nil, nil)},
		"get":  {plain, appendRequest(nil, "GET", g.project+"/issues/"+g.uids[0], g.headers(), nil)},
	})
	if err != nil {
		return err
	}
	defer floor.stop()
	secureFloor, err := r.startFloor(ctx, "floor-tls", true, map[string]question{
		"list": {secure, f.tls.page("")(nil, nil)},
	})
	if err != nil {
		return err
	}
	defer secureFloor.stop()

	someone := "?assigned_to=" + g.people[7]
	after := "?updated_after=" + g.half
	deep := "?status=open,in_review,pending&skip=" + strconv.Itoa(n/2)
	theirs := `&filter=(assigned_to="` + f.rival.People[7] + `")`
	err = errors.Join(
		g.look(plain, "issues", n), g.look(plain, "issues?skip="+strconv.Itoa(n/2), n),
		g.look(plain, "issues?skip="+strconv.Itoa(n-100), n), g.look(plain, "issues"+after, n/2),
		g.look(plain, "issues?status=open", n/4), g.look(plain, "issues"+someone, n/people),
		g.look(plain, "issues"+deep, n*3/4),
		g.look(plain, "rfis", g.rfis), g.look(plain, "comments", g.comments), f.pg.look(pg, "issues", n),
		f.rival.look("", n), f.rival.look("&skipTotal=1", -1), f.rival.look(`&filter=(status="open")`, n/4),
		f.rival.look(theirs, n/people),
	)
	if err != nil {
		return err
	}
	w, _, err := f.rival.ask(f.rival.page("")(nil, nil))
	if err != nil {
		return err
	}
	r.results.Sizes["pocketbase"] = float64(len(w.body)) / 50
	w, _, err = plain.ask(g.page("")(nil, nil))
	if err != nil {
		return err
	}
	known := g.page("", "If-None-Match: "+w.header("ETag")+"\r\n")
	zip := g.page("", "Accept-Encoding: gzip\r\n")
	// What is closest to its bar stands closest to what it is compared with: a minute later the machine may be another.
	return r.rounds(ctx, "reads",
		probe{name: "PostgreSQL: list", on: pg, lines: 16, next: f.pg.page("")},
		probe{name: "floor: list", on: floor, lines: 16, next: fixed("/list")},
		probe{name: "list, not modified", on: plain, lines: 16, status: 304, next: known},
		probe{name: "list", on: plain, lines: 16, next: g.page("")},
		probe{name: "PocketBase: list", on: f.rival.server, lines: 16, next: f.rival.page("")},
		probe{name: "list, skip half", on: plain, lines: 16, next: g.page("?skip=" + strconv.Itoa(n/2))},
		probe{name: "list, skip to the end", on: plain, lines: 16, next: g.page("?skip=" + strconv.Itoa(n-100))},
		probe{
			name: "PocketBase: list without total", on: f.rival.server, lines: 16, next: f.rival.page("&skipTotal=1"),
		},
		probe{name: "list, updated_after half", on: plain, lines: 16, next: g.page(after)},
		probe{name: "list, status", on: plain, lines: 16, next: g.page("?status=open")},
		probe{
			name: "PocketBase: list, status", on: f.rival.server, lines: 16,
			next: f.rival.page(`&filter=(status="open")`),
		},
		probe{name: "list, assigned_to", on: plain, lines: 16, next: g.page(someone)},
		probe{name: "PocketBase: list, assigned_to", on: f.rival.server, lines: 16, next: f.rival.page(theirs)},
		probe{name: "list, status, skip half", on: plain, lines: 16, next: g.page(deep)},
		probe{name: "list of RFIs", on: plain, lines: 16, next: g.lists("rfis")},
		probe{name: "list of comments", on: plain, lines: 16, next: g.lists("comments")},
		probe{name: "floor: get", on: floor, lines: 16, next: fixed("/get")},
		probe{name: "get", on: plain, lines: 16, next: g.get},
		probe{name: "PocketBase: get", on: f.rival.server, lines: 16, next: f.rival.get},
		probe{name: "floor: gzip list", on: floor, lines: 16, next: fixed("/list.gz")},
		probe{name: "gzip list", on: plain, lines: 16, next: zip},
		probe{name: "floor: TLS list", on: secureFloor, lines: 16, next: fixed("/list")},
		probe{name: "TLS list", on: secure, lines: 16, next: f.tls.page("")},
	)
}

// starts measures from the start of the process to its first page of the project.
func (r *rig) starts(ctx context.Context, f *field) error {
	r.say("starts")
	for range r.Rounds {
		took, err := calmly(ctx, r, needs{}, func() (time.Duration, error) {
			s, err := f.read.serve(ctx, "start", nil)
			if err != nil {
				return 0, err
			}
			s.stop()
			return s.started, nil
		})
		if err != nil {
			return err
		}
		r.figure("start", took.Seconds())
	}
	info, err := os.Stat(r.program)
	if err != nil {
		return err
	}
	r.figure("binary", float64(info.Size())/1e6)
	return nil
}

func (r *rig) figure(name string, value float64) {
	r.results.Figures[name] = append(r.results.Figures[name], value)
}

// memory has 64 connections do a bit of everything to a fresh process.
func (r *rig) memory(ctx context.Context, f *field) error {
	r.say("memory")
	for range min(3, r.Rounds) {
		s, err := f.write.serve(ctx, "memory", nil)
		if err != nil {
			return err
		}
		for _, next := range []drive{f.write.mix, f.write.anyPage, f.write.get} {
			if err == nil {
				_, err = s.closed(ctx, 64, 3*r.Turn, anySuccess, next)
			}
		}
		peak, more := s.peak()
		s.stop()
		if err := errors.Join(err, more); err != nil {
			return err
		}
		r.figure("memory", peak)
	}
	return nil
}

// writes compares creates and patches with the rival, and groups with single transactions on PostgreSQL.
func (r *rig) writes(ctx context.Context, f *field) error {
	mine, err := f.write.serve(ctx, "sqlite-write", nil)
	if err != nil {
		return err
	}
	defer mine.stop()
	group, err := f.pgGroup.serve(ctx, "postgresql-group", nil)
	if err != nil {
		return err
	}
	defer group.stop()
	one, err := f.pgOne.serve(ctx, "postgresql-one", groupOfOne)
	if err != nil {
		return err
	}
	defer one.stop()
	var probes []probe
	for _, n := range []int{1, 16, 64} {
		at := fmt.Sprintf(", %d", n)
		probes = append(probes,
			probe{name: "create" + at, on: mine, lines: n, status: 201, next: f.write.create, durable: true},
			probe{name: "PocketBase: create" + at, on: f.rival.server, lines: n, next: f.rival.create, durable: true},
			probe{name: "patch" + at, on: mine, lines: n, next: f.write.patch, durable: true},
			probe{name: "PocketBase: patch" + at, on: f.rival.server, lines: n, next: f.rival.patch, durable: true},
		)
	}
	return r.rounds(ctx, "writes", append(probes,
		probe{name: "PostgreSQL: create, 16", on: group, lines: 16, status: 201, next: f.pgGroup.create, durable: true},
		probe{
			name: "PostgreSQL: create, 16, one transaction each", on: one, lines: 16, status: 201,
			next: f.pgOne.create, durable: true,
		},
	)...)
}

var groupOfOne = []string{"GROUNDWORK_PLANT=group-of-one"}

// latency uses open loops: how long a request takes that was due at its moment.
func (r *rig) latency(ctx context.Context, f *field) error {
	mine, err := f.write.serve(ctx, "sqlite-write", nil)
	if err != nil {
		return err
	}
	defer mine.stop()
	floor, err := r.startFloor(ctx, "floor-latency", false, map[string]question{
		"list": {mine, f.write.page("")(nil, nil)},
	})
	if err != nil {
		return err
	}
	defer floor.stop()
	long, mid := 5*r.Turn, 3*r.Turn
	return r.rounds(ctx, "latency",
		probe{name: "floor: list at 2,000/s", on: floor, rate: 2000, within: mid, next: fixed("/list")},
		probe{name: "list at 2,000/s", on: mine, rate: 2000, within: mid, next: f.write.page("")},
		probe{
			name: "create at 50/s", on: mine, rate: 50, within: long, status: 201, next: f.write.create, durable: true,
		},
		probe{
			name: "PocketBase: create at 50/s", on: f.rival.server, rate: 50, within: long, next: f.rival.create,
			durable: true,
		},
		probe{
			name: "create at 500/s", on: mine, rate: 500, within: mid, status: 201, next: f.write.create, durable: true,
		},
		probe{
			name: "PocketBase: create at 500/s", on: f.rival.server, rate: 500, within: mid, next: f.rival.create,
			durable: true,
		},
	)
}

// growth compares a project of a thousand issues with one of very many.
func (r *rig) growth(ctx context.Context, f *field) error {
	f.rival.stop()
	r.say("growing a project to %d issues", r.Grown)
	big, began := f.read, time.Now()
	s, err := big.serve(ctx, "grow", nil)
	if err != nil {
		return err
	}
	defer s.stop()
	big.uids = nil
	within, cancel := context.WithTimeout(ctx, growWithin)
	defer cancel()
	for big.issues < r.Grown && within.Err() == nil {
		if err := big.fill(ctx, s, min(r.Grown, big.issues+max(10_000, r.Grown/50)),
			max(1, r.Grown/samples)); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, time.Second); err != nil {
		return err
	}
	r.Grown, r.results.Grown = big.issues, big.issues
	r.say("  %d issues in %.1f s", big.issues, time.Since(began).Seconds())
	t, err := f.tiny.serve(ctx, "tiny", nil)
	if err != nil {
		return err
	}
	defer t.stop()
	return r.rounds(ctx, "growth",
		probe{name: "any page of 1,000", on: t, lines: 16, next: f.tiny.anyPage},
		probe{name: "any page of many", on: s, lines: 16, next: big.anyPage},
		probe{name: "get of 1,000", on: t, lines: 16, next: f.tiny.get},
		probe{name: "get of many", on: s, lines: 16, next: big.get},
		// Last, for the small project does not stay small.
		probe{name: "create in 1,000", on: t, lines: 16, within: r.Turn / 3, status: 201, next: f.tiny.create},
		probe{name: "create in many", on: s, lines: 16, within: r.Turn / 3, status: 201, next: big.create},
	)
}

const growWithin = 8 * time.Minute
