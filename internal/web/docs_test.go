package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
	"groundwork/internal/web"
)

// TestDocs reads the documentation in a real browser, as wide as a phone's and a desk's, and tries the API in it.
func TestDocs(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	ada := server.Account("ada", "Ada Lovelace")
	document := openapi(t, server)
	b := openBrowser(t)

	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			p := b.tab(t, size.width, size.height, "light")
			fits := func(when string) {
				t.Helper()
				if got := eval[int64](p, `document.documentElement.scrollWidth`); got > size.width {
					t.Errorf("%s the page is %d px wide", when, got)
				}
			}

			p.open(server.URL + "/docs")
			p.wait(`document.querySelector('#reference').ariaBusy === 'false'`)
			// They are drawn one after the other.
			p.wait(fmt.Sprintf(`document.querySelectorAll('.opblock').length === %d`, len(document.operations)))
			fits("At first")
			if *web.Update {
				p.picture(fmt.Sprintf("../../docs/img/docs-%d.png", size.width))
			}
			keyboard(t, p)

			// An operation that is opened shows what it takes and gives.
			const post = "#operations-issues-post_projects_by_project_issues "
			p.click(post + ".opblock-summary-control")
			p.click(post + ".opblock-section-request-body .tabitem:not(.active) button")
			p.wait(`document.querySelector('` + post + `.model-box .json-schema-2020-12')`)
			shown := eval[string](p, `document.querySelector('`+post+`.model-box').textContent`)
			for _, name := range document.newIssue {
				if !strings.Contains(shown, name) {
					t.Errorf("the schema of a new issue does not show %s: %s", name, shown)
				}
			}
			fits("With an open operation")

			// With a key the API can be tried.
			p.enter("#key", ada.Key)
			p.click("#key-form button")
			p.wait(`document.querySelector('#key-state').textContent.includes('the key of Ada Lovelace')`)
			const me = "#operations-account-get_me "
			p.click(me + ".opblock-summary-control")
			p.click(me + ".try-out__btn")
			p.click(me + ".execute")
			p.wait(`document.querySelector('` + me + `.live-responses-table .response-col_status')`)
			answer := eval[string](p, `document.querySelector('`+me+`.live-responses-table .response').textContent`)
			if !strings.HasPrefix(answer, "200") || !strings.Contains(answer, ada.Email) {
				t.Errorf("GET /me was answered: %s", answer)
			}
			if sent := eval[string](p, `document.querySelector('`+me+`.curl').textContent`); !strings.Contains(sent,
				"version=1") || !strings.Contains(sent, server.URL+"/me") {
				t.Errorf("GET /me was sent so: %s", sent)
			}
			fits("With an answer")

			if size.width > 1000 {
				// Whoever likes it dark gets it dark, without loading the page again.
				light := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
				p.prefer("dark")
				p.wait(`getComputedStyle(document.body).backgroundColor !== '` + light +
					`' && document.documentElement.classList.contains('dark-mode')`)
			}
			unblocked(t, p)

			p.enter("#filter", "post batch")
			p.wait(`document.querySelectorAll('.opblock').length === 1 && document.querySelector('.opblock-summary-path').textContent.includes('/batch')`)
			p.wait(`document.querySelector('#families').innerText.trim().split(/\s+/).join() === 'Batch,1'`)
			p.enter("#filter", "zzz")
			p.wait(`document.querySelectorAll('.opblock').length === 0 && document.querySelector('#families').textContent === 'Nothing has these words.'`)

			elsewhere, console := p.seen(server.URL)
			if len(elsewhere) > 0 {
				t.Errorf("the page asked elsewhere: %q", elsewhere)
			}
			if len(console) > 0 {
				t.Errorf("the console says: %q", console)
			}
		})
	}

	t.Run("a key that is none", func(t *testing.T) {
		p := b.tab(t, 1280, 900, "light")
		p.open(server.URL + "/docs")
		p.wait(`document.querySelector('.opblock')`)
		p.enter("#key", "gwk_nobody"+kb.Enter)
		p.wait(`document.querySelector('#key-state.bad')?.textContent`)
		if said := eval[string](p, `document.querySelector('#key-state').textContent`); !strings.Contains(said, "key") {
			t.Errorf("it says %q", said)
		}
	})

	t.Run("an address that leads to a family", func(t *testing.T) {
		p := b.tab(t, 1280, 900, "light")
		p.open(server.URL + "/docs#/users/get_projects_by_project_users")
		p.wait(`document.querySelector('#operations-users-get_projects_by_project_users.is-open')`)
	})

	t.Run("a page that is not there", func(t *testing.T) {
		p := b.tab(t, 360, 780, "light")
		p.open(server.URL + "/assets/nothing.js")
		if got := eval[string](p, `document.querySelector('h1').textContent`); got != "Nothing here" {
			t.Errorf("the title is %q", got)
		}
		if got := eval[int64](p, `document.documentElement.scrollWidth`); got > 360 {
			t.Errorf("the page is %d px wide", got)
		}
		unblocked(t, p)
	})

	// The recording of the tests above is worth something: a page that does what is forbidden is seen.
	t.Run("control", func(t *testing.T) {
		p := b.tab(t, 1280, 900, "light")
		p.open(server.URL + "/docs")
		p.wait(`document.querySelector('.opblock')`)
		eval[bool](p, `fetch('https://elsewhere.example/').catch(() => true)`)
		eval[bool](p, `(document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'})), true)`)
		eval[bool](p, `(document.querySelector('h1').replaceChildren(Object.assign(document.createElement('img'), {src: 'data:,'})), true)`)
		if eval[bool](p, `window.ran === true`) {
			t.Error("a script inside the page ran")
		}
		if got := p.barriers("h1"); len(got) == 0 {
			t.Error("axe does not mind a picture without a text")
		}
		p.patiently(func() bool {
			_, console := p.seen(server.URL)
			all := strings.Join(console, "\n")
			return strings.Contains(all, "elsewhere.example") && strings.Contains(all, "inline script")
		}, "the console is silent about what the policy stopped")
	})
}

// unblocked looks for barriers.
func unblocked(t *testing.T, p *tab) {
	t.Helper()
	for _, problem := range p.barriers("html") {
		t.Error(problem)
	}
}

// keyboard goes through the page with the tabulator key: every stop can be seen.
func keyboard(t *testing.T, p *tab) {
	t.Helper()
	stops := map[string]bool{}
	for range 20 {
		p.do(chromedp.KeyEvent(kb.Tab))
		stop := eval[struct {
			Name, Outline string
			Visible       bool
		}](p, `(() => {
			const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
			return {
				name: (e.textContent.trim() || e.id || e.className).slice(0, 60),
				outline: s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 2 ? '' : s.outlineColor,
				visible: r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.left >= 0 && r.right <= innerWidth,
			};
		})()`)
		stops[stop.Name] = true
		if stop.Outline == "" || !stop.Visible {
			t.Errorf("the focus on %q cannot be seen", stop.Name)
		}
	}
	for _, name := range []string{"To the operations", "openapi.json", "key", "Use this key", "filter"} {
		if !stops[name] {
			t.Errorf("the keyboard does not reach %q, only %q", name, slices.Sorted(maps.Keys(stops)))
		}
	}
	p.do(chromedp.Evaluate[chromedp.Void](`scrollTo(0, 0)`))
}

// described is what a test needs to know of the OpenAPI document.
type described struct{ operations, newIssue []string }

func openapi(t *testing.T, server *apitest.Server) (d described) {
	t.Helper()
	response, err := server.Try("GET", "/openapi.json", nil, http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]any
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(response.Body, &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method := range methods {
			d.operations = append(d.operations, method+" "+path)
		}
	}
	d.newIssue = slices.Sorted(maps.Keys(document.Components.Schemas["NewIssue"].Properties))
	if len(d.newIssue) < 5 {
		t.Fatalf("the OpenAPI document has no schema of a new issue: %q", d.newIssue)
	}
	return d
}
