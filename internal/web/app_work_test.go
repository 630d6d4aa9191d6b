package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"groundwork/internal/apitest"
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
