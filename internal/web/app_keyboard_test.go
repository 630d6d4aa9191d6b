package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// typist is somebody who uses nothing but the keyboard.
type typist struct{ *worker }

// focused is what the keyboard is at, as somebody hears it.
const focused = `(e => (e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.placeholder || '')
	.replace('*', '').trim().split('\n')[0])(document.activeElement)`

// hit presses keys.
func (p *typist) hit(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	var options []chromedp.KeyOption
	if len(modifiers) > 0 {
		options = append(options, chromedp.KeyModifiers(modifiers...))
	}
	p.do(chromedp.KeyEvent(keys, options...))
	p.drawn()
}

// reach goes on with Tab until the keyboard is at what is called so. Wherever it stops it must be seen.
func (p *typist) reach(label string) {
	p.t.Helper()
	var way []string
	for range 80 {
		at := eval[string](p.tab, focused)
		if at == label || strings.HasPrefix(at, label+" ") {
			return
		}
		way = append(way, at)
		p.hit(kb.Tab)
		if unseen := eval[string](p.tab, unmarked); unseen != "" {
			p.t.Errorf("the keyboard is at %s, and nothing shows it", unseen)
		}
	}
	p.t.Fatalf("the keyboard does not reach %q; it was at %q", label, way)
}

// unmarked is what has the focus where nothing on the screen tells so: no outline, no border or shadow of its own or of
// what it stands in or draws around itself. What is as large as the window needs none, and the parts of a date are
// marked by the browser.
const unmarked = `(e => {
	if (e === document.body || e.type === 'date' || e.closest('main') === e || e.getBoundingClientRect().width > innerWidth * 0.6) return '';
	for (let at = e, n = 0; at && n < 4; at = at.parentElement, n++) {
		for (const part of [null, '::before', '::after']) {
			const s = getComputedStyle(at, part);
			if ((s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || (n === 0 && s.boxShadow !== 'none')) return '';
		}
	}
	return e.outerHTML.slice(0, 200);
})(document.activeElement)`

// to opens the palette, types, and takes the first thing that is found.
func (p *typist) to(sought, first string) {
	p.t.Helper()
	p.hit("k", chromedp.ModifierCtrl)
	p.soon(`document.activeElement.closest('dialog')`, func() string { return "the palette did not open" })
	p.hit(sought)
	p.soon(fmt.Sprintf(`document.querySelector('dialog[open] [role=option][aria-selected=true]')?.innerText.trim().startsWith(%q)`, first),
		func() string {
			return fmt.Sprintf("%q does not find %q first: %s", sought, first, eval[string](p.tab, `document.querySelector('dialog[open]')?.innerText`))
		})
	p.hit(kb.Enter)
}

// TestKeyboardOnly does a day's work without a mouse: into the project, to a sheet by its number, a pin and its issue,
// through the issues, to the team and the settings, and out again.
func TestKeyboardOnly(t *testing.T) {
	s := build(t)
	p := &typist{&worker{tab: openBrowser(t).tab(t, 1280, 800, "light"), server: s.Server}}
	p.open(s.URL + "/app/")
	p.soon(`document.activeElement.id === 'email'`, func() string { return "the address has not the focus" })
	p.hit(s.ada.Email + kb.Tab + anvils + kb.Enter)
	p.at("/app/")
	p.reads("Harbour School")

	p.step("into a project", func(*testing.T) {
		p.reach("Harbour School")
		p.hit(kb.Enter)
		p.at("/app/" + s.project)
	})

	p.step("to a sheet by its number", func(*testing.T) {
		p.to(strings.ToLower(s.page.Number), s.page.Number)
		p.at("/app/" + s.project + "/sheets/" + s.now)
		p.soon(`document.querySelector('.stage[aria-busy=false][data-view]')`, func() string { return "it is not sharp" })
	})

	p.step("a pin and its issue", func(t *testing.T) {
		p.hit("p")
		p.soon(`document.querySelector('.stage.pin')`, func() string { return "the pin was not chosen" })
		p.hit(kb.Enter)
		p.soon(`document.activeElement === `+field("Title"), func() string {
			return "the title has not the focus, but " + eval[string](p.tab, focused)
		})
		p.hit("Handrail loose")
		p.reach("Ada Lovelace (you)")
		p.hit(" ")
		p.reach("Create issue")
		p.hit(kb.Enter)
		p.patiently(func() bool {
			r := s.ada.Want(200, "GET", "/projects/"+s.project+"/issues", nil)
			return r.Text("total_count") == "1" && r.Text("data.0.assigned_to.0.uid") == s.ada.UID
		}, "the issue was not made")
	})

	p.step("through the issues", func(t *testing.T) {
		s.ada.Want(201, "POST", "/projects/"+s.project+"/issues", map[string]any{"title": "Door swing"})
		p.to("issues", "Issues")
		p.at("/app/" + s.project + "/issues")
		p.reads("Door swing")
		p.hit("j")
		p.hit("j")
		p.soon(`document.activeElement.innerText.includes('Handrail loose') || document.activeElement.closest('[data-row]')?.innerText.includes('Handrail loose')`,
			func() string { return "the keyboard is at " + eval[string](p.tab, focused) })
		p.hit(kb.Enter)
		p.reach("Write a comment")
		p.hit("Looked at it")
		p.reach("Send")
		p.hit(kb.Enter)
		p.reads("Looked at it")
		p.hit(kb.Escape)
		p.hit("x")
		p.reads("1 selected")
		p.hit(kb.Escape)
	})

	p.step("to the team, the settings and out", func(t *testing.T) {
		p.to("team", "Team")
		p.reads("bob")
		p.to("settings", "Settings")
		p.reach("Name")
		p.to("sign out", "Sign out")
		p.soon(`location.pathname === '/sign-in' || document.querySelector('dialog[open]')`, func() string { return "nothing happens" })
	})
}
