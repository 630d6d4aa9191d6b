package web_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"groundwork/internal/apitest"
	"groundwork/internal/draft"
)

// TestMyWork reads what waits for somebody in all projects, at a desk and on a phone: in groups, live, and without a
// line.
func TestMyWork(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	school, bridge := ada.Project("Harbour School"), ada.Project("Harbour Bridge")
	for _, p := range []string{school, bridge} {
		ada.Invite(p, bob, "Collaborator")
		bob.Want(200, "GET", "/projects/"+p, nil)
	}
	assign := func(project, title string, days int) string {
		return ada.Want(201, "POST", "/projects/"+project+"/issues", map[string]any{
			"title": title, "assigned_to_uids": []string{bob.UID},
			"due_at": time.Now().AddDate(0, 0, days).UTC().Format(time.RFC3339),
		}).Text("uid")
	}
	w := &worker{tab: b.tab(t, 1280, 800, "light"), server: server}
	w.signIn(bob, "/app/work")
	w.step("nothing", func(*testing.T) { w.reads("Nothing waits for you") })
	var late string
	w.step("what comes is there without asking", func(*testing.T) {
		late = assign(school, "Fire damper missing", -3)
		w.reads("3 days overdue")
		assign(bridge, "Bolts not tightened", 2)
		w.reads("Due in the next 7 days")
		open := ada.Want(200, "GET", "/projects/"+bridge+"/rfis/statuses", nil).Text("data.1.uid")
		ada.Want(201, "POST", "/projects/"+bridge+"/rfis", map[string]any{
			"title": "Which bolts?", "assigned_to_uids": []string{bob.UID}, "status": open,
		})
		w.reads("Waiting for my answer")
		ada.Want(201, "POST", "/projects/"+school+"/issues/"+late+"/comments", map[string]any{"text": "When will it come?"})
		w.reads("When will it come?")
		w.wait(`document.querySelectorAll('#main section').length === 4`)
	})
	w.step("one project", func(*testing.T) {
		eval[bool](w.tab, fmt.Sprintf(`(e => (e.value = %q, e.dispatchEvent(new Event('change', {bubbles: true}))))(document.querySelector('#main select'))`, bridge))
		w.wait(`!document.querySelector('#main').innerText.includes('Fire damper')`)
		w.reads("Which bolts?")
		eval[bool](w.tab, `(e => (e.value = '', e.dispatchEvent(new Event('change', {bubbles: true}))))(document.querySelector('#main select'))`)
		w.reads("Fire damper missing")
	})
	w.step("by the keyboard", func(*testing.T) {
		w.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"))
		w.wait(`document.activeElement.innerText.includes('Fire damper')`)
		w.do(chromedp.KeyEvent("\r"))
		w.at("/app/" + school + "/issues/" + late)
	})
	w.step("done", func(*testing.T) {
		w.open(server.URL + "/app/work")
		w.reads("Fire damper missing")
		ada.Want(200, "PATCH", "/projects/"+school+"/issues/"+late, map[string]any{"status": "closed"})
		w.wait(`!document.querySelector('#work-overdue')`)
	})
	w.step("on a phone, without a line", func(*testing.T) {
		w.do(chromedp.EmulateViewport(360, 740))
		w.line(false)
		w.reads("No connection")
		w.reads("Bolts not tightened")
		if got := eval[int64](w.tab, `document.documentElement.scrollWidth`); got > 360 {
			t.Errorf("it is %d px wide", got)
		}
		w.line(true)
		w.wait(`!document.body.innerText.includes('No connection')`)
	})
	w.step("who is removed is shown nothing of it", func(*testing.T) {
		ada.Want(204, "DELETE", "/projects/"+bridge+"/users/"+bob.UID, nil)
		w.wait(`!document.body.innerText.includes('Bolts not tightened')`)
	})
}

// TestWaysInAProject: what the home of a project counts leads to the lists, an empty one to the drawings, the palette
// to a sheet and an issue by their numbers, and a project that is not one's own nowhere.
func TestWaysInAProject(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, project := populate(server)
	eve := server.Account("eve", "Eve Stranger")
	work(t, server)
	var pdf bytes.Buffer
	if _, err := draft.Write(&pdf, draft.Options{Seed: 3, Sheets: 3, Plain: true}); err != nil {
		t.Fatal(err)
	}
	set := ada.UploadSet(project, "Issued for permit", true, apitest.SetFile{Name: "permit.pdf", Content: pdf.Bytes()})
	published(t, ada, project, set, 3)
	sheet := ada.Want(200, "GET", "/projects/"+project+"/sheets?limit=1&skip=1", nil)
	w := &worker{tab: b.tab(t, 1280, 800, "light"), server: server}
	w.signIn(ada, "/app/"+project)
	query := func(want string) {
		w.t.Helper()
		w.soon(fmt.Sprintf(`location.pathname + location.search === %q`, want), func() string {
			return eval[string](w.tab, `location.pathname + location.search`) + " is not " + want
		})
	}
	w.step("figures", func(*testing.T) {
		w.press("Overdue")
		query("/app/" + project + "/issues?status=open,in_review,pending&due=overdue")
		w.open(server.URL + "/app/" + project)
		w.press("Current sheets")
		query("/app/" + project + "/sheets")
		w.open(server.URL + "/app/" + project)
		w.press("Bob Marsh")
		w.soon(`location.search.includes('assigned_to=')`, func() string { return eval[string](w.tab, `location.href`) })
	})
	w.step("by number", func(*testing.T) {
		issue := ada.Want(200, "GET", "/projects/"+project+"/issues?limit=1&skip=8", nil).Text("data.0.uid")
		for keys, at := range map[string]string{
			"9": "/app/" + project + "/issues/" + issue,
			// A number is typed without its hyphens.
			strings.ToLower(strings.ReplaceAll(sheet.Text("data.0.name"), "-", "")): "/app/" + project + "/sheets/" +
				sheet.Text("data.0.uid"),
		} {
			w.open(server.URL + "/app/" + project)
			w.reads("days overdue")
			w.wait(`document.querySelector('.figures').innerText.includes('3')`)
			w.press("Find or do anything")
			w.wait(`document.activeElement.role === 'combobox'`)
			for _, k := range keys {
				w.do(chromedp.KeyEvent(string(k)))
			}
			w.do(chromedp.KeyEvent("\r"))
			w.at(at)
		}
	})
	w.step("an empty project", func(*testing.T) {
		empty := ada.Project("Empty Lot")
		w.open(server.URL + "/app/" + empty)
		plans := filepath.Join(t.TempDir(), "plans.pdf")
		if err := os.WriteFile(plans, pdf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		(&newcomer{hand: &hand{worker: w}}).chooses("Upload drawings", element("Upload drawings"), plans)
		w.at("/app/" + empty + "/sheets")
		w.reads("Send 1 file")
	})
	w.step("somebody else's project", func(*testing.T) {
		w.open(server.URL + "/app/" + eve.Project("Secret"))
		w.reads("This project is not open to you")
		if got := eval[int](w.tab, `document.querySelectorAll('nav a').length`); got != 2 {
			t.Errorf("the navigation has %d links", got)
		}
	})
}
