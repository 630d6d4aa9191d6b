//go:build bars

package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/resource"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/web"
)

// bar is a measure of the application with what it may be at most.
type bar struct {
	name, unit string
	most       float64
	got        []float64
}

// median is the middle one; of changes by others, which are many, it is the 95th of a hundred.
func (b *bar) median() float64 {
	sorted := slices.Sorted(slices.Values(b.got))
	if strings.HasSuffix(b.name, "p95") {
		return sorted[min(len(sorted)*95/100, len(sorted)-1)]
	}
	return sorted[len(sorted)/2]
}

type bars struct {
	t   *testing.T
	all []*bar
}

func (b *bars) note(name, unit string, most, got float64) {
	for _, one := range b.all {
		if one.name == name {
			one.got = append(one.got, got)
			return
		}
	}
	b.all = append(b.all, &bar{name, unit, most, []float64{got}})
}

// judge fails where a bar is missed, and gives a table for people.
func (b *bars) judge() string {
	out := "| | Measured | Spread | Bar |\n|---|---|---|---|\n"
	for _, one := range b.all {
		got, bar := one.median(), "–"
		if one.most > 0 {
			bar = fmt.Sprintf("≤ %g %s", one.most, one.unit)
			if got > one.most {
				b.t.Errorf("%s: %.3g %s, the bar is %g", one.name, got, one.unit, one.most)
			}
		}
		out += fmt.Sprintf("| %s | %.3g %s | %.3g–%.3g | %s |\n", one.name, got, one.unit, slices.Min(one.got), slices.Max(one.got), bar)
	}
	return out
}

// town is a project as large as they become.
type town struct{ *site }

// settle makes it: two sheets with their drawings, further ones without, and issues.
func settle(t *testing.T, sheets, issues int) *town {
	t.Helper()
	s := build(t)
	v := &town{s}
	s.bob.Want(200, "GET", "/projects/"+v.project, nil)
	pages := make([]register.Page, sheets)
	for i := range pages {
		title := fmt.Sprintf("Plan of level %d", i)
		pages[i] = register.Page{
			FileName: "hall.pdf", Name: fmt.Sprintf("Z-%03d", i+1), Description: &title, Width: 2592, Height: 1728,
		}
	}
	v.publish(pages)
	v.make(issues, func(i int) (path string, body any) {
		return "/issues", map[string]any{
			"title": fmt.Sprintf("Issue %d: seal the penetration at the riser", i), "room": fmt.Sprintf("Level %d", i%40),
			"description":      "Fire stopping is missing at the riser. Seal it, take a photo, and ask for the inspection.",
			"assigned_to_uids": []string{[]string{s.ada.UID, s.bob.UID}[i%2]},
			"due_at":           fmt.Sprintf("2026-12-%02dT12:00:00Z", i%28+1),
		}
	})
	return v
}

// publish makes sheets of pages, without reading any drawing.
func (v *town) publish(pages []register.Page) {
	v.t.Helper()
	a := v.App
	who, err := a.Auth.Key(v.t.Context(), v.ada.Key)
	if err != nil {
		v.t.Fatal(err)
	}
	scope, err := a.Auth.Enter(v.t.Context(), who.Account, v.project)
	if err != nil {
		v.t.Fatal(err)
	}
	err = a.Store.Edit(v.t.Context(), scope.Project(), scope.Person(), func(tx *store.Tx) error {
		in := &resource.Tx{Tx: tx, Scope: scope, Auth: a.Auth, Jobs: a.Jobs}
		row, err := register.Begin(in, "Issued for construction")
		if err != nil {
			return err
		}
		return register.Publish(in, row.UID, pages, 0)
	})
	if err != nil {
		v.t.Fatal(err)
	}
}

// make makes so many records in batches.
func (v *town) make(count int, one func(i int) (path string, body any)) {
	v.t.Helper()
	for made := 0; made < count; {
		var parts []map[string]any
		for ; len(parts) < 50 && made < count; made++ {
			path, body := one(made)
			text, err := json.Marshal(body)
			if err != nil {
				v.t.Fatal(err)
			}
			parts = append(parts, map[string]any{
				"method": "POST", "path": "/projects/" + v.project + path, "body": string(text),
				"headers": []any{map[string]any{"name": "Content-Type", "value": "application/json"}},
			})
		}
		if got := v.ada.Want(200, "POST", "/batch", parts); !strings.Contains(string(got.Body), "201") {
			v.t.Fatalf("of a batch: %.300s", got.Body)
		}
	}
}

// since gives how many milliseconds the page takes from an act until something is so.
func (w *worker) since(act, so string) float64 {
	w.t.Helper()
	return eval[float64](w.tab, fmt.Sprintf(`new Promise((done, fail) => {
		const began = performance.now();
		%s;
		const look = () => {
			let so = false;
			try { so = Boolean(%s); } catch {}
			if (so) done(performance.now() - began);
			else if (performance.now() - began > 40000) fail(new Error('it never came true'));
			else setTimeout(look, 5);
		};
		look();
	})`, act, so))
}

// arrived gives how many milliseconds after it was asked for a page showed something.
func (w *worker) arrived(path, so string) float64 {
	w.t.Helper()
	w.open(w.server.URL + path)
	w.soon(so, func() string { return "it never came: " + eval[string](w.tab, shown) })
	return eval[float64](w.tab, `performance.now()`)
}

// TestBars measures the application in a real browser with a project as large as they become, and holds it to the bars
// of docs/speed-app.md.
func TestBars(t *testing.T) {
	const rounds = 7
	v := settle(t, 400, 20000)
	b := &bars{t: t}
	for range rounds {
		v.visits(t, b)
	}
	v.atIssues(t, b, rounds)
	v.atMarks(t, b, rounds)
	v.others(t, b, 10*rounds)
	table := b.judge()
	t.Logf("\n%s", table)
	if *web.Update {
		if err := os.WriteFile("../../docs/speed-app.md", []byte(barsPage+table), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// barsPage is what stands above the table.
const barsPage = `<!-- Written by make bench-app; do not edit. -->

# How fast the application is

In Chromium without a graphics processor, on the machine that also runs the service: a project with 402 sheets and
20,000 issues, one sheet of which has 1,000 marks. The processor of the page is slowed four times; "slow 4G" is 1.6
Mbit/s with 150 ms. Times of the main thread are sums, or the longest task, of a trace without painting, less what the
page does when nothing happens. Each figure is the median of seven.

`

// slow is how many times slower than this machine a phone is thought to be.
const slow = 4

// Where the table shows some issues, and all of them.
const (
	someIssues = `document.querySelectorAll('[role=table] a[data-row]').length > 5`
	allIssues  = someIssues + ` && document.body.innerText.includes('20,000')`
)

// visits comes for the first time, and again: to the sheets of a project and to one of them.
func (v *town) visits(t *testing.T, b *bars) {
	w := &worker{tab: openBrowser(t).tab(t, 1280, 800, "light"), server: v.Server}
	w.signIn(v.ada, "/account") // which is no page of the application
	home, listed := "/app/"+v.project, `document.querySelectorAll('a[data-sheet]').length >= 10`
	w.slowed(slow)
	w.slowLine(true)
	b.note("first visit to a list of sheets, slow 4G", "s", 4, w.arrived(home+"/sheets", listed)/1000)
	w.slowed(1)
	w.slowLine(false)
	w.arrived(home+"/issues", allIssues)
	w.slowed(slow)
	w.slowLine(true)
	b.note("the same again", "s", 1, w.arrived(home+"/sheets", listed)/1000)
	w.slowLine(false)
	one := `document.querySelector('a[data-sheet][href$="` + v.now + `"]')`
	w.arrived(home+"/sheets?q="+v.page.Number, one)
	sharp := `document.querySelector('.stage[aria-busy=false][data-view]')`
	b.note("open a sheet until it is sharp", "s", 2, w.since(one+`.click()`, sharp)/1000)
	w.since(`history.back()`, one)
	b.note("the same from the cache", "s", 0.6, w.since(one+`.click()`, sharp)/1000)
}

// goes is how a page goes to an address of the application without loading anything.
func (v *town) goes(path string) string {
	return fmt.Sprintf(`history.pushState({}, '', %q); dispatchEvent(new PopStateEvent('popstate'))`,
		"/app/"+v.project+path)
}

// atIssues uses a list of very many issues.
func (v *town) atIssues(t *testing.T, b *bars, rounds int) {
	w := &worker{tab: openBrowser(t).tab(t, 1280, 800, "light"), server: v.Server}
	w.signIn(v.ada, "/app/"+v.project+"/issues")
	w.soon(allIssues, func() string { return "they never came: " + eval[string](w.tab, shown) })
	w.slowed(slow)
	search := `document.querySelector('input[type=search]')`
	for range rounds {
		// What a page does all the time is no part of what somebody has it do.
		nothing := w.traced(func() {}).sum()
		b.note("control: nothing is done", "ms", 0, nothing)
		main := func(name string, do func()) {
			b.note("20,000 issues: "+name, "ms", 100, max(0, w.traced(do).sum()-nothing))
		}
		w.since(v.goes("/team"), `!(`+someIssues+`)`)
		main("open", func() { w.since(v.goes("/issues"), allIssues) })
		main("filter", func() {
			w.since(v.goes("/issues?assigned_to="+v.bob.UID), someIssues+` && document.body.innerText.includes('10,000')`)
		})
		w.since(v.goes("/issues"), allIssues)
		main("sort", func() {
			w.since(`[...document.querySelectorAll('[role=columnheader] button')].find(e => e.innerText.trim() === 'Due').click()`,
				`location.search.includes('sort')`)
			w.drawn()
		})
		w.since(v.goes("/issues"), allIssues)
		eval[bool](w.tab, `(`+search+`.focus(), true)`)
		w.do(chromedp.KeyEvent("r"))
		w.drawn()
		main("a further letter in the search", func() {
			w.do(chromedp.KeyEvent("i"))
			w.drawn()
		})
		eval[bool](w.tab, `(`+search+`.select(), true)`)
		w.do(chromedp.KeyEvent(kb.Delete))
		w.since(v.goes("/issues"), allIssues)
		b.note("20,000 issues: scroll, longest task", "ms", 50, w.traced(func() {
			eval[bool](w.tab, `new Promise(done => {
				const list = [...document.querySelectorAll('[role=table], [role=table] *')].find(e => e.scrollHeight > e.clientHeight * 20);
				let n = 0;
				const step = () => { list.scrollBy(0, 120); if (++n < 60) requestAnimationFrame(step); else done(true); };
				step();
			})`)
		}).longest())
	}
	w.slowed(1)
	w.since(v.goes("/sheets/"+v.now), `document.querySelector('.stage[aria-busy=false][data-view]')`)
	b.note("heap with 20,000 issues and a sheet open", "MB", 200, w.heap())
}

// atMarks pans and zooms a sheet that is full of marks.
func (v *town) atMarks(t *testing.T, b *bars, rounds int) {
	kinds := []string{"cloud", "rectangle", "ellipse", "line", "arrow", "pen", "highlight", "text", "stamp", "stamp", "measure"}
	r := rand.New(rand.NewPCG(1, 2))
	point := func(x, y float64) map[string]any {
		return map[string]any{"x": min(max(x, 0), 1), "y": min(max(y, 0), 1)}
	}
	v.make(1000, func(i int) (path string, body any) {
		kind := kinds[i%len(kinds)]
		x, y := r.Float64()*0.95, r.Float64()*0.95
		points := []map[string]any{point(x, y), point(x+0.01+r.Float64()*0.04, y+0.01+r.Float64()*0.04)}
		mark := map[string]any{"sheet_uid": v.now, "kind": kind, "visibility": "master"}
		switch kind {
		case "stamp":
			points, mark["stamp"] = points[:1], "A"
		case "text":
			mark["text"] = "Check this before the pour"
		case "pen":
			points = nil
			for k := range 60 {
				points = append(points, point(x+float64(k)*0.0006, y+r.Float64()*0.02))
			}
		}
		mark["geometry"] = map[string]any{"points": points}
		return "/annotations", mark
	})
	h := &hand{worker: &worker{tab: openBrowser(t).tab(t, 1280, 800, "light"), server: v.Server}}
	h.signIn(v.ada, "/app/"+v.project+"/sheets/"+v.now)
	h.sharp()
	h.soon(`document.querySelectorAll('.layer [data-kind]').length >= 1000`, func() string {
		return fmt.Sprint(eval[int](h.tab, `document.querySelectorAll('.layer [data-kind]').length`), " marks are drawn")
	})
	h.slowed(slow)
	pan := func() {
		x, y := h.at(spot{0.5, 0.5})
		h.mouse("mousePressed", x, y)
		for i := range 30 {
			h.mouse("mouseMoved", x-float64(i*4), y-float64(i*2))
			h.drawn()
		}
		h.mouse("mouseReleased", x-120, y-60)
	}
	for range rounds {
		h.key("0")
		h.sharp()
		b.note("1,000 marks: pan, longest task", "ms", 50, h.traced(pan).longest())
		b.note("1,000 marks: zoom, longest task", "ms", 50, h.traced(func() {
			for range 6 {
				h.key("+")
				h.drawn()
			}
			h.sharp()
		}).longest())
		b.note("1,000 marks: pan when zoomed, longest task", "ms", 50, h.traced(pan).longest())
	}
}

// others has somebody else change things, and looks when that is on the screen.
func (v *town) others(t *testing.T, b *bars, changes int) {
	w := &worker{tab: openBrowser(t).tab(t, 1280, 800, "light"), server: v.Server}
	issue := v.bob.Want(201, "POST", "/projects/"+v.project+"/issues", map[string]any{"title": "Seen at once"}).Text("uid")
	w.signIn(v.ada, "/app/"+v.project+"/issues/"+issue)
	w.reads("Seen at once")
	for i := range changes {
		title := fmt.Sprintf("Seen at once, %d", i)
		began := time.Now()
		v.bob.Want(200, "PATCH", "/projects/"+v.project+"/issues/"+issue, map[string]any{"title": title})
		w.since("", fmt.Sprintf(`[...document.querySelectorAll('textarea, a, h1')].some(e => (e.value ?? e.innerText).includes(%q))`, title))
		b.note("a change by somebody else is on the screen, p95", "s", 1, math.Round(time.Since(began).Seconds()*1000)/1000)
	}
}
