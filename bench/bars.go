package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// bar is a figure that the service must reach.
type bar struct {
	name   string
	unit   string // × for a ratio
	limit  float64
	most   bool // the limit is the most, not the least
	goal   float64
	values []float64 // one per round
}

func (b *bar) median() float64 { return median(b.values) }

func (b *bar) verdict() string {
	m := b.median()
	switch {
	case math.IsNaN(m):
		return "NOT RUN"
	case b.most && m <= b.limit, !b.most && m >= b.limit:
		return "PASS"
	default:
		return "MISS"
	}
}

func (b *bar) bound() string {
	if b.most {
		return "≤ " + b.show(b.limit)
	}
	return "≥ " + b.show(b.limit)
}

func (b *bar) show(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	text := fmt.Sprintf("%.2f", v)
	if v >= 10 {
		text = fmt.Sprintf("%.0f", v)
	}
	if b.unit == "×" {
		return text + " ×"
	}
	return text + " " + b.unit
}

func (b *bar) spread() string {
	if len(b.values) < 2 {
		return ""
	}
	return strings.Fields(b.show(slices.Min(b.values)))[0] + "–" + strings.Fields(b.show(slices.Max(b.values)))[0]
}

// bars are all bars with what was measured.
func (r *results) bars() []bar {
	least := func(name string, limit, goal float64, values []float64) bar {
		return bar{name, "×", limit, false, goal, values}
	}
	most := func(name string, limit, goal float64, values []float64) bar {
		return bar{name, "×", limit, true, goal, values}
	}
	perMany := comma(r.Grown)
	return []bar{
		least("list 50, 16 connections, relative to the floor", .35, .6, r.ratio(rate, "list", "floor: list")),
		least("list 50 with total, versus PocketBase", 80, 150, r.ratio(rate, "list", "PocketBase: list")),
		least("list 50 with total, versus PocketBase without its total", 20, 0,
			r.ratio(rate, "list", "PocketBase: list without total")),
		most("CPU of a page at skip "+comma(r.Issues/2)+", relative to skip 0", 1.1, 1,
			r.ratio(cpu, "list, skip half", "list")),
		most("CPU of a page at skip "+comma(r.Issues-100)+", relative to skip 0", 1.1, 1,
			r.ratio(cpu, "list, skip to the end", "list")),
		most("CPU of updated_after with "+comma(r.Issues/2)+" matches and exact total, relative to the plain page", 2.5,
			1.2, r.ratio(cpu, "list, updated_after half", "list")),
		most("CPU of a filtered page at skip "+comma(r.Issues/2)+" of "+comma(r.Issues*3/4)+
			" matches, relative to the plain page", 3, 1.5, r.ratio(cpu, "list, status, skip half", "list")),
		least("get one, relative to the floor", .35, .6, r.ratio(rate, "get", "floor: get")),
		least("get one, versus PocketBase", 8, 0, r.ratio(rate, "get", "PocketBase: get")),
		least("304, relative to the full list", 3, 5, r.ratio(rate, "list, not modified", "list")),
		least("create, durable, versus PocketBase FULL, 1 connection", 2.5, 4,
			r.ratio(rate, "create, 1", "PocketBase: create, 1")),
		least("create, durable, versus PocketBase FULL, 16 connections", 3.5, 6,
			r.ratio(rate, "create, 16", "PocketBase: create, 16")),
		least("create, durable, versus PocketBase FULL, 64 connections", 4.5, 8,
			r.ratio(rate, "create, 64", "PocketBase: create, 64")),
		least("patch, durable, versus PocketBase FULL, 1 connection", 3.5, 0,
			r.ratio(rate, "patch, 1", "PocketBase: patch, 1")),
		least("patch, durable, versus PocketBase FULL, 16 connections", 6, 0,
			r.ratio(rate, "patch, 16", "PocketBase: patch, 16")),
		least("patch, durable, versus PocketBase FULL, 64 connections", 8, 0,
			r.ratio(rate, "patch, 64", "PocketBase: patch, 64")),
		{"list at 2,000 requests a second, open loop, p99", "ms", 5, true, 2, r.values(p99, "list at 2,000/s")},
		most("create at 50 a second, open loop, p99 relative to PocketBase FULL", .75, .5,
			r.ratio(p99, "create at 50/s", "PocketBase: create at 50/s")),
		most("create at 500 a second, open loop, p99 relative to PocketBase FULL", .75, .5,
			r.ratio(p99, "create at 500/s", "PocketBase: create at 500/s")),
		least("PostgreSQL: list relative to SQLite", .35, .6, r.ratio(rate, "PostgreSQL: list", "list")),
		least("PostgreSQL: 16 writers on one project, relative to one transaction each", 3, 6,
			r.ratio(rate, "PostgreSQL: create, 16", "PostgreSQL: create, 16, one transaction each")),
		least("gzip list, relative to a gzip floor of the same level", .5, .7,
			r.ratio(rate, "gzip list", "floor: gzip list")),
		least("TLS list, relative to a TLS floor", .35, .6, r.ratio(rate, "TLS list", "floor: TLS list")),
		{
			"upload of a large file, relative to a plain copy that hashes and waits for the disk", "×", .6, false, 1,
			r.Figures["upload"],
		},
		{"download of a large file, relative to a plain copy", "×", .6, false, 1, r.Figures["download"]},
		{"memory that grows with a large file", "MB", 64, true, 16, r.Figures["file memory"]},
		{
			fmt.Sprintf("backup of %s issues and %s MB of files, relative to a plain copy that waits for the disk",
				comma(r.Issues), comma(int(r.Stock>>20))), "×", .5, false, 1, r.Figures["backup"],
		},
		{"packet of 50 sheets, from asking for it to fetching it", "s", 2, true, 0.5, r.Figures["packet"]},
		{
			"packet of 50 sheets, relative to the bare library merging their files", "×", 3, true, 1.5,
			r.Figures["packet, relative"],
		},
		{"report of 20 issues with 40 photos, from asking for it to fetching it", "s", 2, true, 1, r.Figures["report"]},
		{
			"report of 20 issues with 40 photos, relative to the bare libraries", "×", 3, true, 1,
			r.Figures["report, relative"],
		},
		{
			"a list while a set of drawings is read, open loop, p99 relative to idle", "×", 3, true, 1.5,
			r.Figures["sheets p99"],
		},
		{
			"time per page of a set of drawings until it is listed, relative to rendering the page alone", "×", 2, true,
			1,
			r.Figures["sheets page"],
		},
		{
			"the same while the tiles of another set are to be cut", "×", 2, true, 1,
			r.Figures["sheets page, tiles waiting"],
		},
		{
			"memory of the server while sets of drawings are read, peak", "MB", 300, true, 150,
			r.Figures["sheets memory"],
		},
		{"memory at 64 connections, peak", "MB", 150, true, 100, r.Figures["memory"]},
		{"start to the first page on this data", "s", .3, true, 0, r.Figures["start"]},
		{"binary", "MB", 70, true, 0, r.Figures["binary"]},
		most("CPU of a list, 1,000 to "+perMany+" records", 1.3, 1.1,
			r.ratio(cpu, "any page of many", "any page of 1,000")),
		most("CPU of a get, 1,000 to "+perMany+" records", 1.3, 1.1, r.ratio(cpu, "get of many", "get of 1,000")),
		most("CPU of a create, 1,000 to "+perMany+" records", 1.3, 1.1,
			r.ratio(cpu, "create in many", "create in 1,000")),
		{"acknowledged creates per fsync, 64 clients", "", 8, false, 0, r.Figures["creates per fsync"]},
	}
}

// extras have no bar: they say what else was measured, or show that a count can tell.
func (r *results) extras() []bar {
	return []bar{
		{
			name: "CPU of a list of RFIs, relative to the plain page", unit: "×",
			values: r.ratio(cpu, "list of RFIs", "list"),
		},
		{
			name: "CPU of a list of comments, relative to the plain page", unit: "×",
			values: r.ratio(cpu, "list of comments", "list"),
		},
		{
			name: "CPU of a list by status, relative to the plain page", unit: "×",
			values: r.ratio(cpu, "list, status", "list"),
		},
		{
			name: "CPU of a list by assigned_to, relative to the plain page", unit: "×",
			values: r.ratio(cpu, "list, assigned_to", "list"),
		},
		{
			name: "list by status, versus PocketBase", unit: "×",
			values: r.ratio(rate, "list, status", "PocketBase: list, status"),
		},
		{
			name: "list by assigned_to, versus PocketBase", unit: "×",
			values: r.ratio(rate, "list, assigned_to", "PocketBase: list, assigned_to"),
		},
		{
			name: "control: p99 of the floor's list at 2,000 requests a second", unit: "ms",
			values: r.values(p99, "floor: list at 2,000/s"),
		},
		{
			name: fmt.Sprintf("all %s issues by the walk over records, relative to pages of 50, one connection",
				comma(r.Issues)),
			unit: "×", values: r.Figures["walk"],
		},
		{
			name: fmt.Sprintf("the same, with %d ms more for each request", far.Milliseconds()), unit: "×",
			values: r.Figures["walk, far"],
		},
		{name: "records a second by the walk", values: r.Figures["walk, records"]},
		{name: "memory that grows with the walk", unit: "MB", values: r.Figures["walk memory"]},
		{name: "that backup, made while the service runs", unit: "s", values: r.Figures["backup time"]},
		{
			name: "a second backup, after a hundredth has changed: bytes relative to the first", unit: "%",
			values: r.Figures["second backup"],
		},
		{name: "how long that takes", unit: "s", values: r.Figures["second backup time"]},
		{
			name: fmt.Sprintf("until the %d sheets of a set are listed", r.Pages), unit: "s",
			values: r.Figures["sheets time"],
		},
		{name: "the bare library merging the files of 50 sheets", unit: "s", values: r.Figures["packet, bare"]},
		{
			name:   "control: acknowledged creates per fsync when every create is a group of its own",
			values: r.Figures["creates per fsync, groups of one"],
		},
	}
}

// comma writes a number with separators: 100,000.
func comma(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
