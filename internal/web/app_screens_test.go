package web_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"groundwork/internal/apitest"
	"groundwork/internal/web"
)

// screens are what TestScreensHaveNoBarriers looks at: an address, and what is done there before and after; once says
// that each theme is looked at in one width.
var screens = []struct {
	name, path string
	once       bool
	do         func(w *worker)
	after      func(w *worker)
}{
	{"projects", "", false, func(w *worker) { w.reads("Harbour School") }, nil},
	{"new-project", "", true, func(w *worker) {
		w.press("New project")
		w.press("Create project")
		w.problem("Name", "It must not be blank.")
	}, nil},
	{"work", "/work", false, func(w *worker) { w.reads("Waiting for my answer") }, nil},
	{"home", "/PROJECT", false, func(w *worker) { w.reads("days overdue") }, nil},
	{"palette", "/PROJECT", true, func(w *worker) {
		w.reads("days overdue")
		w.press("Find or do anything")
		w.wait(`document.activeElement.role === 'combobox'`)
		w.do(chromedp.KeyEvent("a"))
	}, nil},
	{"account", "/PROJECT", true, func(w *worker) { w.press("Account: Ada Lovelace") }, nil},
	{"issues", "/PROJECT/issues?group_by=status", false, func(w *worker) { w.reads("Floor not level") }, nil},
	{"issues-chosen", "/PROJECT/issues", true, func(w *worker) {
		w.reads("Signage plate")
		eval[bool](w.tab, `(document.querySelector('.row input').click(), true)`)
		w.press("Assign")
		const face = `.avatar[data-letters=AL]`
		w.soon(`document.querySelector('[role=option] `+face+`')?.className === document.querySelector('header `+face+`').className`,
			func() string { return "somebody has another colour where people are chosen" })
	}, nil},
	{"board", "/PROJECT/issues?layout=board", false, func(w *worker) { w.reads("Floor not level") }, nil},
	{"calendar", "/PROJECT/issues?layout=calendar", false, func(w *worker) { w.reads("Today") }, nil},
	{"issue", "/PROJECT/issues?status=pending", false, func(w *worker) {
		w.wait(`document.querySelector('[role=table] a[data-row]')`)
		eval[bool](w.tab, `(document.querySelector('[role=table] a[data-row]').click(), true)`)
		w.reads("Write a comment")
	}, nil},
	{"new-issue", "/PROJECT/issues", true, func(w *worker) {
		w.press("New issue")
		w.press("Create issue")
		w.problem("Title", "Say in a few words")
	}, nil},
	{"issue-report", "/PROJECT/issues", true, func(w *worker) {
		w.press("More")
		w.press("Make a report…")
	}, nil},
	{"team", "/PROJECT/team", false, func(w *worker) { w.reads("Invited, not signed in yet") }, nil},
	{"role", "/PROJECT/team", true, func(w *worker) { w.press("Actions for Bob Marsh") }, nil},
	{"invite", "/PROJECT/team", true, func(w *worker) {
		w.press("Invite people")
		w.write("Email addresses", "nobody")
		w.press("Invite")
		w.reads("Not invited")
	}, nil},
	{"sheets", "/PROJECT/sheets", true, func(w *worker) { w.reads("No drawings yet") }, nil},
	{"settings", "/PROJECT/settings", false, func(w *worker) { w.reads("Time zone") }, nil},
	{"archive", "/PROJECT/settings", true, func(w *worker) {
		w.press("Make the archive")
		w.reads("The archive is being made")
		if err := w.server.App.Jobs.Tick(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		w.server.App.Jobs.Wait()
		w.reads("The archive is ready")
		w.do(chromedp.Reload())
		w.reads("The archive is ready") // also for who loads the page again
		eval[bool](w.tab, `(document.querySelector('a[download]').scrollIntoView({block: 'center'}), true)`)
	}, func(w *worker) { eval[bool](w.tab, `(sessionStorage.clear(), true)`) }},
	{"unsent", "/PROJECT/settings", true, func(w *worker) {
		w.write("Country", "Narnia")
		w.press("Save")
		w.press("Look")
		w.reads("Change of project")
	}, func(w *worker) {
		w.press("Discard")
		w.reads("Discard this change?")
		w.press("Discard")
		w.reads("Everything is sent")
	}},
}

// widths are those of a desk, a tablet and a phone.
var widths = []int64{1280, 768, 360}

// themes are those that somebody can choose.
var themes = []string{"light", "dark", "sunlight"}

// TestScreensHaveNoBarriers looks at every screen in all themes and widths: as wide as the window, with nothing that
// somebody who sees little, or uses the keyboard or a thumb, cannot use. With GROUNDWORK_PICTURES=FOLDER it leaves
// pictures.
func TestScreensHaveNoBarriers(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, project := populate(server)
	w := &worker{tab: b.tab(t, 1280, 900, "light"), server: server}
	w.signIn(ada, "/app/")
	for at, width := range widths {
		w.do(chromedp.EmulateViewport(width, []int64{900, 1024, 780}[at]))
		touched := width < 1000
		_, err := chromedp.Call(w.ctx, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: touched})
		if err != nil {
			t.Fatal(err)
		}
		for _, screen := range screens {
			w.open(server.URL + "/app" + strings.ReplaceAll(screen.path, "PROJECT", project))
			screen.do(w)
			w.drawn()
			if got := eval[int64](w.tab, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s is %d px wide at %d", screen.name, got, width)
			}
			if small := eval[[]string](w.tab, tooSmall(touched)); len(small) > 0 {
				t.Errorf("%s at %d has what is hard to hit: %q", screen.name, width, small)
			}
			for i, theme := range themes {
				if screen.once && i != at {
					continue // what opens over a screen has the same colours at all widths
				}
				eval[bool](w.tab, `(document.documentElement.dataset.theme = '`+theme+`', true)`)
				w.drawn()
				for _, barrier := range w.axe(i > 0 && !screen.once) {
					t.Errorf("%s, %d px, %s: %s", screen.name, width, theme, barrier)
				}
				if *web.Update && appPictured[screen.name+" "+theme] == width {
					w.picture(fmt.Sprintf("../../docs/img/app-%s-%d.png", screen.name, width))
				}
				if folder := os.Getenv("GROUNDWORK_PICTURES"); folder != "" {
					w.picture(fmt.Sprintf("%s/%s-%d-%s.png", folder, screen.name, width, theme))
				}
			}
			if screen.after != nil {
				screen.after(w)
			}
		}
	}
}

// axe gives the barriers of the page as it is. A theme changes nothing but colours.
func (w *worker) axe(colours bool) []string {
	w.t.Helper()
	if !eval[bool](w.tab, `'axe' in window`) {
		source, err := os.ReadFile("testdata/axe-core/axe.min.js")
		if err != nil {
			w.t.Fatal(err)
		}
		eval[bool](w.tab, string(source)+`; true`)
	}
	rules := ""
	if colours {
		rules = `, runOnly: ['color-contrast', 'link-in-text-block']`
	}
	return eval[[]string](w.tab, `axe.run('html', {resultTypes: ['violations']`+rules+`}).then(result => {
		if (result.passes.length === 0) throw new Error('axe found nothing to look at');
		return result.violations.flatMap(v => v.nodes.map(n => v.impact + ' ' + v.id + ': ' + n.target.join(' ') + ': ' + n.failureSummary));
	})`)
}

// tooSmall is an expression for what can be pressed and is smaller than a thumb needs, or a mouse. Links in a line of
// text are as high as the text.
func tooSmall(touched bool) string {
	least := 32
	if touched {
		least = 44
	}
	return fmt.Sprintf(`[...document.querySelectorAll('button, input:not([type=checkbox]), select, textarea, nav a, [role=option], [role^=menuitem]')]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height < %d - 0.5).map(e => e.outerHTML.slice(0, 120))`, least)
}

// appPictured are the pictures in docs/people.md: a screen and a theme, and how wide it is.
var appPictured = map[string]int64{
	"projects light": 1280, "projects dark": 360, "home light": 1280, "home dark": 360, "team light": 1280,
	"team dark": 360, "settings light": 1280, "settings sunlight": 360, "invite light": 1280, "palette dark": 768,
	"unsent light": 1280, "issues dark": 360, "issue light": 1280, "board light": 1280,
	"work light": 1280,
}

// flowPictured are the pictures in docs/people.md that are taken on the way through a flow.
var flowPictured = []string{"sheets-grid", "sheets-review", "viewer-desk-issue", "viewer-phone-drawn", "viewer-compare-over"}

// inDocs leaves a picture for docs/people.md, where the flow has one there and pictures are being renewed.
func (w *worker) inDocs(name string) {
	w.t.Helper()
	if *web.Update && slices.Contains(flowPictured, name) {
		w.drawn()
		w.picture("../../docs/img/app-" + name + ".png")
	}
}

// drawn waits until the page was drawn as it is now. Where it is left meanwhile, the next one is waited for.
func (w *worker) drawn() {
	w.t.Helper()
	drawn := chromedp.Evaluate[bool](
		`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))`,
		chromedp.EvalAwaitPromise)
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, drawn)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "navigated") || ctx.Err() != nil {
			w.t.Fatalf("waiting for the page to be drawn: %v", err)
		}
	}
}

// populate makes a project in which something happens.
func populate(server *apitest.Server) (ada *apitest.Person, project string) {
	ada = server.Account("ada", "Ada Lovelace")
	bob, carl := server.Account("bob", "Bob Marsh"), server.Account("carl", "Carla Fuentes")
	ada.Project("Harbour Bridge")
	project = ada.Project("Harbour School")
	ada.Want(200, "PATCH", "/projects/"+project, map[string]any{
		"custom_id": "HS-214", "city": "Lisbon", "country": "PT", "time_zone": "Europe/Lisbon", "type": "education-k-12",
		"status": "in construction", "owner": "Harbour Board", "street_1": "1 Quay Street", "start_date": "2026-02-01",
	})
	ada.Invite(project, bob, "Power Collaborator")
	ada.Invite(project, carl, "Collaborator")
	for _, p := range []*apitest.Person{bob, carl} {
		p.Want(200, "GET", "/projects/"+project, nil)
	}
	ada.Want(201, "POST", "/projects/"+project+"/users/invites", map[string]any{"email": "ivy@example.com"})
	titles := []string{
		"Handrail loose on the north stair", "Door swing conflicts with the sink, room 112", "Fire damper missing above corridor",
		"Paint runs on column C4", "Outlet covers missing in the science lab", "Ceiling tile stained, room 204",
		"Lockset keyed to the wrong group", "Grout missing at the entrance mat", "Sprinkler head too close to the duct",
		"Window gasket torn, west side", "Floor not level at the ramp", "Signage plate has the wrong number",
	}
	people := []*apitest.Person{ada, bob, carl, bob}
	var last string
	for i, title := range titles {
		body := map[string]any{"title": title, "status": []string{"open", "in_review", "open", "pending"}[i%4]}
		if i%5 != 4 {
			body["assigned_to_uids"] = []string{people[i%4].UID}
		}
		if i%3 == 0 {
			body["due_at"] = time.Now().AddDate(0, 0, 4*(i/3)-6).UTC().Format(time.RFC3339)
		}
		last = people[(i+1)%4].Want(201, "POST", "/projects/"+project+"/issues", body).Text("uid")
	}
	bob.Want(201, "POST", "/projects/"+project+"/issues/"+last+"/comments", map[string]any{
		"text": "The plate is ordered. It should be here on Thursday.",
	})
	sent := ada.Want(200, "GET", "/projects/"+project+"/rfis/statuses", nil).Text("data.1.uid")
	carl.Want(201, "POST", "/projects/"+project+"/rfis", map[string]any{
		"status": sent,
		"title":  "Which finish for the handrail?", "assigned_to_uids": []string{ada.UID},
	})
	return ada, project
}
