package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
)

// inside presses what is called so in a part of the page.
func (w *worker) inside(part, label string) {
	w.t.Helper()
	one := fmt.Sprintf(`[...document.querySelectorAll('%s button')].find(e =>
		(e.getAttribute('aria-label') ?? e.innerText).trim() === %q && e.checkVisibility() && !e.disabled)`, part, label)
	w.soon(one, func() string {
		return fmt.Sprintf("there is no %q in %s:\n%s", label, part, eval[string](w.tab, shown))
	})
	eval[bool](w.tab, `(`+one+`.click(), true)`)
}

// rewrite types into a text that is edited where it stands, and leaves it.
func (w *worker) rewrite(label, text string) {
	w.t.Helper()
	one := fmt.Sprintf(`document.querySelector('textarea[aria-label=%q]')`, label)
	w.soon(one, func() string { return fmt.Sprintf("there is no text %q:\n%s", label, eval[string](w.tab, shown)) })
	eval[bool](w.tab, `(`+one+`.focus(), `+one+`.select(), true)`)
	w.do(chromedp.KeyEvent(kb.Delete), chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Enter))
}

// keys presses keys that are shortcuts, with nothing in the focus that somebody types into.
func (w *worker) keys(keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		w.do(chromedp.KeyEvent(key))
		w.drawn()
	}
}

// rows waits until the table shows so many issues.
func (w *worker) rows(many int) {
	w.t.Helper()
	w.soon(fmt.Sprintf(`document.querySelectorAll('[role=table] a[data-row]').length === %d`, many), func() string {
		return fmt.Sprintf("the table has not %d rows:\n%s", many, eval[string](w.tab, shown))
	})
}

// photo gives files to what takes photos, as somebody does who chooses them.
func (w *worker) photo(part, name string) {
	w.t.Helper()
	input := fmt.Sprintf(`document.querySelector('%s input[type=file][multiple]')`, part)
	w.soon(input, func() string { return "there is no way to add a photo:\n" + eval[string](w.tab, shown) })
	eval[bool](w.tab, fmt.Sprintf(`new Promise(done => {
		const canvas = Object.assign(document.createElement('canvas'), {width: 320, height: 240});
		canvas.getContext('2d').fillRect(20, 20, 200, 100);
		canvas.toBlob(blob => {
			const files = new DataTransfer();
			files.items.add(new File([blob], %q, {type: 'image/png'}));
			const input = %s;
			input.files = files.files;
			input.dispatchEvent(new Event('change', {bubbles: true}));
			done(true);
		}, 'image/png');
	})`, name, input))
}

// TestIssuesInTheApplication works with issues as somebody does at a desk, and then as somebody on a site with a phone.
func TestIssuesInTheApplication(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	project := ada.Project("Harbour School")
	ada.Invite(project, bob, "Collaborator")
	bob.Want(200, "GET", "/projects/"+project, nil)
	api, home := "/projects/"+project+"/issues", "/app/"+project+"/issues"
	one := func(uid string) apitest.Response { return ada.Want(200, "GET", api+"/"+uid, nil) }
	w := &worker{tab: b.tab(t, 1280, 900, "light"), server: server}
	w.signIn(ada, home)
	w.reads("Issues appear here")
	var first, second string

	w.step("a new issue by keyboard, with a photo", func(t *testing.T) {
		w.keys("c")
		w.soon(`document.activeElement === `+field("Title"), func() string { return "the title has not the focus" })
		w.write("Title", " ")
		w.press("Create issue")
		w.problem("Title", "Say in a few words what is wrong")
		w.write("Title", "Handrail loose")
		w.press("Ada Lovelace (you)")
		w.press("Tomorrow")
		w.photo("dialog", "north stair.png")
		w.press("Create issue")
		w.reads("Created: Handrail loose")
		w.reads("#1")
		first = ada.Want(200, "GET", api, nil).Text("data.0.uid")
		w.patiently(func() bool { return one(first).Text("photos.total_count") == "1" }, "the photo was not linked")
		if made := one(first); made.Text("assigned_to.0.uid") != ada.UID || made.Text("due_at") == "" {
			t.Errorf("made was %s", made.Body)
		}
	})

	w.step("what others make appears, and is found", func(t *testing.T) {
		second = bob.Want(201, "POST", api, map[string]any{"title": "Door swing"}).Text("uid")
		w.rows(2)
		w.keys("/")
		w.soon(`document.activeElement.type === 'search'`, func() string { return "the search has not the focus" })
		eval[bool](w.tab, `(document.activeElement.select(), true)`)
		w.do(chromedp.KeyEvent("door"))
		w.rows(1)
		w.soon(`location.search === '?q=door'`, func() string { return "the address is " + eval[string](w.tab, `location.href`) })
		w.keys(kb.Escape, kb.Escape)
		w.rows(2)
		w.press("Assignee")
		w.press("Nobody")
		w.rows(1)
		w.soon(`location.search === '?assigned_to=none'`, func() string { return "the address is " + eval[string](w.tab, `location.href`) })
		w.keys(kb.Escape)
		w.press("Clear filters")
		w.rows(2)
	})

	w.step("many at once, and one way back", func(t *testing.T) {
		w.keys("j", "x", "j", "x")
		w.reads("2 selected")
		w.inside(".bulk", "Status")
		w.press("Closed")
		w.patiently(func() bool { return one(first).Text("status") == "closed" && one(second).Text("status") == "closed" }, "they are not closed")
		// Somebody else was there since: the way back leaves that alone.
		bob.Want(200, "PATCH", api+"/"+second, map[string]any{"status": "pending"})
		w.reads("Pending")
		w.press("Undo")
		w.reads("Undone for 1 issue")
		w.patiently(func() bool { return one(first).Text("status") == "open" }, "it is not open again")
		if got := one(second).Text("status"); got != "pending" {
			t.Errorf("the other one is %s", got)
		}
		w.keys(kb.Escape)
	})

	w.step("an issue beside the list", func(t *testing.T) {
		w.keys("k", "k", "j", kb.Enter) // the first row is the latest
		w.at(home + "/" + first)
		w.rewrite("Title", "Handrail loose on the north stair")
		w.patiently(func() bool { return one(first).Text("title") == "Handrail loose on the north stair" }, "the title was not kept")
		w.write("Write a comment", "Who has the wrench?")
		w.press("Send")
		w.patiently(func() bool {
			return strings.Contains(string(ada.Want(200, "GET", api+"/"+first+"/comments", nil).Body), "Who has the wrench?")
		}, "the comment was not sent")
		bob.Want(201, "POST", api+"/"+first+"/comments", map[string]any{"text": "I have it."})
		w.reads("I have it.")
		w.photo(".photos", "after.png")
		w.patiently(func() bool { return one(first).Text("photos.total_count") == "2" }, "the second photo was not linked")
		w.soon(`document.querySelectorAll('.photos .one').length === 2`, func() string { return "two photos are not shown" })
		eval[bool](w.tab, `(document.querySelector('.photos .one').click(), true)`)
		w.reads("Photo 1 of 2")
		w.keys(kb.ArrowRight)
		w.reads("Photo 2 of 2")
		w.keys(kb.Escape)
		eval[bool](w.tab, `(document.querySelector('.detail summary').click(), true)`)
		w.reads("changed Title from “Handrail loose” to “Handrail loose on the north stair”")
		w.reads("closed the issue")
		eval[bool](w.tab, `(document.activeElement.blur(), true)`)
		w.keys("k")
		w.at(home + "/" + second)
		w.keys(kb.Escape)
		w.at(home)
	})

	w.step("a board, by keyboard", func(t *testing.T) {
		w.keys("2")
		w.soon(`document.querySelector('.board')`, func() string { return "there is no board" })
		w.soon(fmt.Sprintf(`document.querySelector('[data-key="%s"] a')`, first), func() string { return "there is no card" })
		eval[bool](w.tab, fmt.Sprintf(`(e => {
			e.focus();
			e.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true}));
			return true;
		})(document.querySelector('[data-key="%s"] a'))`, first))
		w.reads("Moved to In review")
		w.patiently(func() bool { return one(first).Text("status") == "in_review" }, "it is not in review")
	})

	w.step("a view for the project", func(t *testing.T) {
		w.keys("1")
		w.press("Status")
		w.press("In review")
		w.rows(1)
		w.keys(kb.Escape)
		eval[bool](w.tab, `(document.querySelector('button.view').click(), true)`)
		w.press("Save as a view…")
		w.write("Name", "To be checked")
		eval[bool](w.tab, `(e => { e.value = 'master'; e.dispatchEvent(new Event('change', {bubbles: true})); return true })(`+field("Who sees it")+`)`)
		w.press("Save")
		w.patiently(func() bool {
			return strings.Contains(string(bob.Want(200, "GET", "/projects/"+project+"/views", nil).Body), `"visibility":"master"`)
		}, "the view was not kept")
		w.open(w.server.URL + home)
		w.rows(2)
		eval[bool](w.tab, `(document.querySelector('button.view').click(), true)`)
		w.press("To be checked")
		w.rows(1)
		if view := bob.Want(200, "GET", "/projects/"+project+"/views", nil); view.Text("data.0.query") != "status=in_review" {
			t.Errorf("kept was %s", view.Body)
		}
	})

	w.step("a list and a report", func(t *testing.T) {
		w.press("More")
		w.press("Issue lists…")
		w.write("Name of the list", "Punch list")
		w.press("Add list")
		w.soon(`document.querySelector('dialog textarea')?.value === 'Punch list'`, func() string { return "the list is not there" })
		w.press("Close")
		w.press("More")
		w.press("Make a report…")
		w.reads("Of 1 issue, as they are filtered")
		eval[bool](w.tab, `(e => { e.value = 'csv'; e.dispatchEvent(new Event('change', {bubbles: true})); return true })(`+field("Format")+`)`)
		w.press("Make the report")
		w.reads("The report is being made")
		w.patiently(func() bool {
			if err := server.App.Jobs.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			server.App.Jobs.Wait()
			return eval[bool](w.tab, shown+`.includes('The report is ready')`)
		}, "the report is never ready")
		said := eval[string](w.tab, `fetch([...document.querySelectorAll('dialog a')].find(a => a.innerText.trim() === 'Download').href).then(r => r.text())`)
		if !strings.Contains(said, "Handrail loose on the north stair") || strings.Contains(said, "Door swing") {
			t.Errorf("the report is %s", said)
		}
		w.press("Close")
	})

	w.step("what others do moves nothing that somebody looks at", func(t *testing.T) {
		var many []string
		for i := range 50 {
			many = append(many, ada.Want(201, "POST", api, map[string]any{"title": fmt.Sprintf("Outlet %d", i)}).Text("uid"))
		}
		w.open(w.server.URL + home)
		w.soon(`document.querySelector('.total').innerText.trim() === '52'`, func() string { return eval[string](w.tab, shown) })
		const place = `(a => a && Math.round(a.getBoundingClientRect().top))([...document.querySelectorAll('[role=table] a[data-row]')].find(e => e.innerText.trim() === 'Outlet 20'))`
		eval[bool](w.tab, `(document.querySelector('[role=rowgroup]').scrollTo(0, 900), true)`)
		w.soon(place, func() string { return "the row is not in sight" })
		was := eval[int](w.tab, place)
		eval[bool](w.tab, `([...document.querySelectorAll('[role=table] .row')].find(e => e.innerText.includes('Outlet 20')).querySelector('input').click(), true)`)
		bob.Want(201, "POST", api, map[string]any{"title": "The newest stands first"})
		ada.Want(204, "DELETE", api+"/"+many[49], nil)
		ada.Want(204, "DELETE", api+"/"+many[48], nil)
		w.soon(`document.querySelector('.total').innerText.trim() === '51'`, func() string { return eval[string](w.tab, shown) })
		w.drawn()
		if now := eval[int](w.tab, place); now != was {
			t.Errorf("the row was at %d and is at %d", was, now)
		}
		w.reads("1 selected")
		for _, uid := range many[:48] {
			ada.Want(204, "DELETE", api+"/"+uid, nil)
		}
		w.keys(kb.Escape)
	})

	// The second person comes to the same browser, held upright.
	w.press("Account: Ada Lovelace")
	w.press("Sign out")
	w.at("/sign-in")
	bob.Want(200, "PATCH", api+"/"+second, map[string]any{"status": "open"})
	ada.Want(200, "PATCH", api+"/"+first, map[string]any{"assigned_to_uids": []string{bob.UID}})
	w.do(chromedp.EmulateViewport(360, 740))
	_, err := chromedp.Call(w.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	w.signIn(bob, home)

	w.step("a Collaborator with a phone", func(t *testing.T) {
		w.rows(3)
		w.press("#1 Handrail loose on the north stair")
		w.at(home + "/" + first)
		w.soon(`getComputedStyle(document.querySelector('.list')).visibility === 'hidden'`, func() string {
			return "the list is not covered"
		})
		// It is assigned to Bob: he may change its status, and neither close it nor delete it.
		w.press("Status: In review")
		w.soon(`[...document.querySelectorAll('[role=option]')].map(o => o.innerText.trim()).join() === 'Open,In review,Pending'`, func() string {
			return "offered is " + eval[string](w.tab, `[...document.querySelectorAll('[role=option]')].map(o => o.innerText.trim()).join()`)
		})
		w.press("Pending")
		w.patiently(func() bool { return one(first).Text("status") == "pending" }, "it is not pending")
		if got := eval[bool](w.tab, `document.querySelector('textarea[aria-label=Title]').readOnly`); !got {
			t.Error("a title that he may not change can be typed into")
		}
		w.press("Close")
		w.at(home)
		w.press("New issue")
		w.write("Title", "Paint runs on column C4")
		w.press("Create issue")
		w.reads("#54 Paint runs on column C4")
	})
	elsewhere, console := w.seen(server.URL)
	for _, url := range elsewhere {
		if !strings.HasPrefix(url, "blob:") { // a photo that is not sent yet
			t.Errorf("the application asked elsewhere: %s", url)
		}
	}
	for _, line := range console {
		if !strings.HasPrefix(line, "info: Clear-Site-Data") {
			t.Errorf("the console says: %q", line)
		}
	}
}
