package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
)

// worker is somebody who works in the application, in the build that is committed.
type worker struct {
	*tab
	server *apitest.Server
}

// shown is how the text that somebody reads on the page is asked for, one expression for all of them.
const shown = `document.body.innerText`

// step is a part of what somebody does.
func (w *worker) step(name string, do func(*testing.T)) {
	whole := w.t
	if !whole.Run(name, func(t *testing.T) {
		w.t = t
		defer func() { w.t = whole }()
		do(t)
	}) {
		whole.FailNow() // what comes after stands on it
	}
}

// reads waits until the page says something.
func (w *worker) reads(text string) {
	w.t.Helper()
	w.soon(fmt.Sprintf(`%s.includes(%q)`, shown, text), func() string {
		return fmt.Sprintf("%s does not say %q:\n%s", eval[string](w.tab, `location.href`), text, eval[string](w.tab, shown))
	})
}

// soon waits until an expression is true; otherwise says what was wrong instead. While one document gives way to the
// next, there is none to ask.
func (w *worker) soon(expression string, otherwise func() string) {
	w.t.Helper()
	look := fmt.Sprintf(`new Promise(done => {
		const end = Date.now() + 500;
		const look = () => {
			let so = false;
			try { so = Boolean(%s); } catch {}
			if (so || Date.now() > end) done(so); else setTimeout(look, 20);
		};
		look();
	})`, expression)
	for end := time.Now().Add(patience); time.Now().Before(end); {
		ctx, cancel := context.WithTimeout(w.ctx, patience)
		so, err := chromedp.Run(ctx, chromedp.Evaluate[bool](look, chromedp.EvalAwaitPromise))
		cancel()
		if err == nil && so {
			return
		}
	}
	_, console := w.seen(w.server.URL)
	w.t.Fatalf("%s\nconsole: %q", otherwise(), console)
}

// element is an expression for what is called so: a button, link, tab, option or menu item; if a dialog is open and has
// one, that of the dialog.
func element(label string) string {
	return fmt.Sprintf(`(all => all.findLast(e => e.closest('dialog')) ?? all[0])([...document.querySelectorAll(
		'button, a, [role=tab], [role=option], [role^=menuitem]')].filter(e =>
		((e.getAttribute('aria-label') ?? e.innerText).trim() === %q || e.innerText.trim().split('\n')[0] === %q) &&
		e.checkVisibility() && !e.disabled))`, label, label)
}

// press clicks what is called so, as soon as it is there.
func (w *worker) press(label string) {
	w.t.Helper()
	w.soon(element(label), func() string {
		return fmt.Sprintf("there is no %q:\n%s", label, eval[string](w.tab, shown))
	})
	eval[bool](w.tab, `(`+element(label)+`.click(), true)`)
}

// field is an expression for the input with a label.
func field(label string) string {
	return fmt.Sprintf(`[...[...document.querySelectorAll('label')].filter(l => l.checkVisibility() && `+
		`l.innerText.replace('*', '').trim() === %[1]q).map(l => l.control), `+
		`document.querySelector('input[aria-label=%[1]q]')].filter(Boolean)[0]`, label)
}

// write types into the field with a label, in place of what is there.
func (w *worker) write(label, text string) {
	w.t.Helper()
	w.soon(field(label), func() string {
		return fmt.Sprintf("there is no field %q:\n%s", label, eval[string](w.tab, shown))
	})
	eval[bool](w.tab, `(`+field(label)+`.focus(), `+field(label)+`.select(), true)`)
	w.do(chromedp.KeyEvent(kb.Delete), chromedp.KeyEvent(text))
}

// problem waits until the field with a label is marked and told to be wrong in a sentence that begins so.
func (w *worker) problem(label, sentence string) {
	w.t.Helper()
	w.soon(fmt.Sprintf(`%s.getAttribute('aria-invalid') === 'true' && %s.getAttribute('aria-describedby').split(' ')`+
		`.some(id => document.getElementById(id).innerText.startsWith(%q))`, field(label), field(label), sentence),
		func() string {
			return fmt.Sprintf("%q does not say %q:\n%s", label, sentence, eval[string](w.tab, shown))
		})
}

func (w *worker) at(path string) {
	w.t.Helper()
	w.soon(fmt.Sprintf(`location.pathname === %q`, path), func() string {
		return fmt.Sprintf("the address is %s, not %s", eval[string](w.tab, `location.pathname`), path)
	})
}

// line cuts the network, or has it back.
func (w *worker) line(there bool) {
	w.t.Helper()
	if there {
		w.networked()
	} else {
		w.networked(&network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	_, err := chromedp.Call(w.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{
		Offline: !there, DownloadThroughput: -1, UploadThroughput: -1,
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// signIn goes through the page of the service, which leads back to where somebody wanted to go.
func (w *worker) signIn(who *apitest.Person, path string) {
	w.t.Helper()
	w.open(w.server.URL + path)
	w.wait(`document.querySelector('#password')`)
	w.enter("#email", who.Email)
	w.enter("#password", anvils+kb.Enter)
	w.at(path)
}

// TestWorkInTheApplication works in the application in a real browser, with the server behind it.
func TestWorkInTheApplication(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	eve := server.Account("eve", "Eve Stone") // of another company
	project := ada.Project("Harbour School")
	ada.Invite(project, bob, "Collaborator")
	bob.Want(200, "GET", "/projects/"+project, nil)
	ada.Want(201, "POST", "/projects/"+project+"/issues", map[string]any{
		"title": "Handrail loose", "assigned_to_uids": []string{ada.UID}, "due_at": "2020-01-02T09:00:00Z",
	})
	w := &worker{tab: b.tab(t, 1280, 900, "light"), server: server}
	home := "/app/" + project

	// A deep link survives signing in.
	w.signIn(ada, home+"/team")
	w.reads("Bob Marsh")

	w.step("home", func(t *testing.T) {
		w.press("Home")
		w.at(home)
		w.reads("Handrail loose")
		w.reads("days overdue")
		w.reads("Open issues by age")
		// What somebody else does appears by itself.
		bob.Want(201, "POST", "/projects/"+project+"/issues", map[string]any{"title": "Door swing"})
		w.reads("Bob Marsh opened an issue")
	})

	w.step("a project with a wrong field", func(t *testing.T) {
		w.press("Projects")
		w.at("/app/")
		w.press("New project")
		w.soon(`document.activeElement === `+field("Name"), func() string { return "the first field has not the focus" })
		w.write("Country", "Narnia")
		w.press("Create project")
		w.problem("Name", "It must not be blank.")
		w.write("Name", "Harbour Bridge")
		w.press("Create project")
		w.problem("Country", "It must be a two-letter country code")
		w.write("Country", "PT")
		w.press("Create project")
		w.reads("An empty project")
		w.soon(`document.title.startsWith('Harbour Bridge')`, func() string { return "the title is not the project's" })
		made := ada.Want(200, "GET", "/projects", nil)
		if made.Text("data.1.name") != "Harbour Bridge" || made.Text("data.1.country") != "PT" {
			t.Errorf("made was %s", made.Body)
		}
		w.open(w.server.URL + "/app/")
		w.reads("Harbour Bridge")
		if order := eval[string](w.tab, `[...document.querySelectorAll('main [data-row]')].map(e => e.innerText).join()`); order != "Harbour Bridge,Harbour School" {
			t.Errorf("what was used last does not stand first: %s", order)
		}
		w.write("Search projects", "school")
		w.soon(`document.querySelectorAll('main [data-row]').length === 1`, func() string { return "the search finds not one project" })
	})

	w.step("invitations", func(t *testing.T) {
		w.open(w.server.URL + home + "/team")
		w.press("Invite people")
		w.write("Email addresses", "Ivy Stone <ivy@example.com>, nobody, "+bob.Email)
		w.press("Invite 3 people")
		w.reads("Those that failed stay in the field above.")
		w.reads("Not invited: This is not an email address.")
		w.reads("Was on the team already")
		w.reads("Pass this link on:")
		if left := eval[string](w.tab, field("Email addresses")+`.value`); left != "nobody" {
			t.Errorf("the field has %q", left)
		}
		w.press("Done")
		w.reads("Ivy Stone")
		w.reads("Invited, not signed in yet")
	})

	w.step("roles, by keyboard", func(t *testing.T) {
		// The rows are Ada, Bob and Ivy; j goes down, Enter opens what can be done.
		eval[bool](w.tab, `(document.activeElement.blur(), true)`)
		w.do(chromedp.KeyEvent("jj"))
		w.soon(`document.activeElement.ariaLabel === 'Actions for Bob Marsh'`, func() string {
			return "the focus is on " + eval[string](w.tab, `document.activeElement.outerHTML`)
		})
		w.do(chromedp.KeyEvent(kb.Enter))
		w.soon(`document.activeElement.ariaChecked === 'true'`, func() string { return "the menu has not the focus" })
		w.do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
		w.reads("Bob Marsh is now Power Collaborator")
		w.patiently(func() bool {
			roles := ada.Want(200, "GET", "/projects/"+project+"/roles", nil)
			return ada.Want(200, "GET", "/projects/"+project+"/users/"+bob.UID, nil).Text("role.uid") == roles.Text("data.1.uid")
		}, "the server has another role for Bob")
		w.press("Actions for Bob Marsh")
		w.press("Remove from the team")
		w.press("Remove from the team") // are you sure
		w.patiently(func() bool { return bob.Do("GET", "/projects/"+project, nil).Status == 403 }, "Bob was not removed")
		w.press("Removed 1")
		w.press("Actions for Bob Marsh")
		w.press("Bring back")
		w.reads("Bob Marsh is back on the team")
		bob.Want(200, "GET", "/projects/"+project, nil)
	})

	w.step("settings", func(t *testing.T) {
		// Who leaves a field means what they typed, and finds it again when they come back.
		w.press("Settings")
		w.write("Time zone", "lisbon")
		w.do(chromedp.KeyEvent(kb.Tab))
		w.press("Team")
		w.press("Settings")
		w.soon(`[...document.querySelectorAll('input[role=combobox]')].some((i) => i.value.includes('Lisbon'))`,
			func() string { return "what was typed is gone" })
		w.write("Time zone", "Narnia")
		w.do(chromedp.KeyEvent(kb.Tab))
		w.reads("Nothing is called “Narnia”")
		w.write("Time zone", "madrid")
		w.do(chromedp.KeyEvent(kb.Enter))
		w.write("Country", "Narnia")
		w.press("Save")
		w.problem("Country", "It must be a two-letter country code")
		w.write("Country", "ES")
		w.press("Save")
		w.patiently(func() bool {
			now := ada.Want(200, "GET", "/projects/"+project, nil)
			return now.Text("country") == "ES" && now.Text("time_zone") == "Europe/Madrid"
		}, "the server has not what was saved")
		w.soon(`!document.querySelector('[aria-invalid]')`, func() string { return "a field that was corrected is still marked" })
	})

	w.step("a refusal is kept and told", func(t *testing.T) {
		w.press("Leave project")
		w.press("Leave project") // are you sure: but somebody has to be Admin
		w.reads("is the last Admin of the project.")
		w.press("Cancel")
		w.press("Team")
		w.press("Actions for Ada Lovelace")
		w.press("Collaborator")
		w.reads("The role stays as it is") // who could invite can do so still
		w.reads("Invite people")
		w.press("Settings")
		w.write("Country", "Narnia")
		w.press("Save")
		w.problem("Country", "It must be a two-letter country code")
		w.press("Team")
		w.reads("A change was refused")
		w.press("Look")
		w.reads("Change of project")
		w.press("Discard")
		w.reads("Discard this change?")
		w.press("Discard")
		w.reads("Everything is sent")
		w.press("Close")
		w.soon(`!`+shown+`.includes('A change was refused')`, func() string { return "what was discarded is still told" })
	})

	w.step("palette", func(t *testing.T) {
		w.open(w.server.URL + home)
		w.reads("Handrail loose")
		w.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		w.soon(`document.activeElement.role === 'combobox'`, func() string { return "the palette has not the focus" })
		w.do(chromedp.KeyEvent("team" + kb.Enter))
		w.at(home + "/team")
		w.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		w.do(chromedp.KeyEvent("espa" + kb.Enter))
		w.reads("Invitar personas")
		w.open(w.server.URL + home + "/team")
		w.reads("En el equipo")
		if lang := eval[string](w.tab, `document.documentElement.lang`); lang != "es" {
			t.Errorf("the language of the page is %q", lang)
		}
		w.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		w.do(chromedp.KeyEvent("english" + kb.Enter))
		w.reads("Invite people")
	})

	w.step("without a network", func(t *testing.T) {
		w.press("Settings")
		w.reads("Harbour School")
		w.line(false)
		w.write("Owner", "Harbour Board")
		w.press("Save")
		w.reads("No connection.")
		w.soon(element("1 change not sent"), func() string { return "nothing tells of the change that waits" })
		w.press("Home")
		w.reads("Handrail loose")
		// Whoever signs out now is warned.
		w.press("Account: Ada Lovelace")
		w.press("Sign out")
		w.reads("Sign out with unsent work?")
		w.press("Stay signed in")
		w.line(true)
		w.patiently(func() bool {
			return ada.Want(200, "GET", "/projects/"+project, nil).Text("owner") == "Harbour Board"
		}, "what was entered without a network never arrived")
		w.soon(`!`+element("1 change not sent")+` && !`+shown+`.includes('No connection.')`, func() string {
			return "the page still tells of the network"
		})
	})

	w.step("the session ends", func(t *testing.T) {
		w.press("Settings")
		w.write("Owner", "Harbour Board and Sons")
		if _, err := chromedp.Call(w.ctx, network.ClearBrowserCookies, struct{}{}); err != nil {
			t.Fatal(err)
		}
		w.press("Save")
		w.reads("Your session ended.")
		w.write("Password", "something else entirely")
		w.press("Sign in")
		w.problem("Password", "The password is not right.")
		w.write("Password", anvils)
		w.press("Sign in")
		w.patiently(func() bool {
			return ada.Want(200, "GET", "/projects/"+project, nil).Text("owner") == "Harbour Board and Sons"
		}, "what was entered when the session ended never arrived")
		w.soon(`!document.querySelector('dialog[open]')`, func() string { return "the page is still locked" })
		w.soon(`!`+element("1 change not sent"), func() string { return "the page tells of a change that was sent" })
		w.at(home + "/settings")
	})

	w.step("another account signs in", func(t *testing.T) {
		w.press("Home")
		w.reads("Handrail loose")
		for _, who := range []*apitest.Person{eve, ada} {
			eval[bool](w.tab, fmt.Sprintf(`fetch('/sign-in', {method: 'POST', redirect: 'manual',
				body: new URLSearchParams({email: %q, password: %q})}).then(() => dispatchEvent(new Event('online')))`, who.Email,
				anvils))
			name := map[*apitest.Person]string{eve: "Eve Stone", ada: "Ada Lovelace"}[who]
			w.soon(element("Account: "+name)+` && location.pathname === '/app/'`, func() string {
				return name + " is shown " + eval[string](w.tab, `location.pathname + ' ' + `+shown)
			})
			if who == eve && strings.Contains(eval[string](w.tab, shown), "Harbour") {
				t.Error("what the account before saw is shown to the next")
			}
		}
	})

	w.step("signing out", func(t *testing.T) {
		w.press("Account: Ada Lovelace")
		w.press("Sign out")
		w.reads("You are signed out.")
		left := eval[int](w.tab, `indexedDB.databases().then(all => all.filter(d => d.name.includes('`+ada.UID+`')).length)`)
		if left > 0 {
			t.Errorf("%d databases of the account are left", left)
		}
	})

	elsewhere, console := w.seen(server.URL)
	if len(elsewhere) > 0 {
		t.Errorf("the application asked elsewhere: %q", elsewhere)
	}
	for _, line := range console {
		if !refusalInConsole.MatchString(line) && !strings.Contains(line, "net::ERR_INTERNET_DISCONNECTED") {
			t.Errorf("the console says: %q", line)
		}
	}
}
