package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	download "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
)

// newcomer is somebody who is new to the application. Whatever they do a mouse, a finger or a keyboard does, on what
// can be seen and hit, and it is counted: each click, tap, key with those held beside it, text typed into a field,
// chosen file and drop is one.
type newcomer struct {
	*hand
	who, view string
	words     map[string]string // from English into what they read; none where that is English
	downloads string            // where their browser leaves what they download
	count     int
	looks     int
	journal   *[]deed
}

// deed is a part of somebody's day: what it took, and what it may take.
type deed struct {
	who, what  string
	count, may int
	took       time.Duration
}

// visits opens a browser of somebody's own, in a size and a language.
func visits(t *testing.T, b *browser, server *apitest.Server, who string, phone, spanish bool, journal *[]deed,
) *newcomer {
	t.Helper()
	own := b.apart(t)
	v := &newcomer{
		hand: &hand{worker: &worker{tab: own.tab(t, 1280, 800, "light"), server: server}},
		who:  who, view: "desk-en", downloads: t.TempDir(), journal: journal,
	}
	if phone {
		v.view = "phone-en"
		v.phoned()
	}
	if spanish {
		v.view, v.words = strings.Replace(v.view, "en", "es", 1), inSpanish
		reads := emulation.SetUserAgentOverrideParams{UserAgent: eval[string](v.tab, `navigator.userAgent`), AcceptLanguage: "es-ES,es"}
		if _, err := chromedp.Call(v.ctx, emulation.SetUserAgentOverride, reads); err != nil {
			t.Fatal(err)
		}
	}
	keeps := download.SetDownloadBehaviorParams{
		Behavior: "allow", DownloadPath: v.downloads, BrowserContextID: chromedp.FromContext(own.ctx).BrowserContextID,
	}
	if _, err := chromedp.CallBrowser(own.ctx, download.SetDownloadBehavior, keeps); err != nil {
		t.Fatal(err)
	}
	return v
}

// does is a part of the day that may take so much and no more.
func (v *newcomer) does(what string, may int, do func(t *testing.T)) {
	begun := time.Now()
	v.count = 0
	v.step(what, func(t *testing.T) {
		do(t)
		if v.count > may {
			t.Errorf("it takes %d, and may take %d", v.count, may)
		}
	})
	*v.journal = append(*v.journal, deed{v.who, what, v.count, may, time.Since(begun)})
}

// say is an English text as the newcomer reads it.
func (v *newcomer) say(english string) string {
	v.t.Helper()
	said, known := v.words[english]
	if v.words != nil && !known {
		v.t.Fatalf("there is no Spanish for %q", english)
	}
	if v.words == nil {
		return english
	}
	return said
}

// place is where an element can be hit: it is in sight, holds still, and nothing lies over it.
func (v *newcomer) place(what, one string) (x, y float64) {
	v.t.Helper()
	v.soon(fmt.Sprintf(`(e => {
		const was = globalThis.hit;
		globalThis.hit = undefined;
		if (!e || e.disabled || !e.checkVisibility({visibilityProperty: true})) return false;
		const r = e.getClientRects()[0], x = r.left + r.width / 2, y = r.top + r.height / 2;
		if (!e.contains(document.elementFromPoint(x, y))) {
			e.scrollIntoView({block: 'center', inline: 'center'}); // as who looks for it does
			return false;
		}
		globalThis.hit = [x, y];
		return was && was[0] === x && was[1] === y;
	})(%s)`, one), func() string {
		return fmt.Sprintf("%s cannot be hit; there is %s in:\n%s", what,
			eval[string](v.tab, `(`+one+`)?.outerHTML.slice(0, 300) ?? 'nothing of it'`), eval[string](v.tab, shown))
	})
	at := eval[[]float64](v.tab, `globalThis.hit`)
	return at[0], at[1]
}

// hits clicks or taps an element.
func (v *newcomer) hits(what, one string) {
	v.t.Helper()
	x, y := v.place(what, one)
	v.touch(x, y)
}

func (v *newcomer) touch(x, y float64) {
	v.t.Helper()
	v.count++
	if v.touches {
		v.fingers("touchStart", finger(x, y, 1))
		v.fingers("touchEnd")
		return
	}
	hovers := input.DispatchMouseEventParams{Type: "mouseMoved", X: x, Y: y}
	if _, err := chromedp.Call(v.ctx, input.DispatchMouseEvent, hovers); err != nil {
		v.t.Fatal(err)
	}
	v.mouse("mousePressed", x, y)
	v.mouse("mouseReleased", x, y)
}

// taps clicks or taps what is called so.
func (v *newcomer) taps(label string) {
	v.t.Helper()
	v.hits(v.say(label), element(v.say(label)))
}

// types writes into what has the focus.
func (v *newcomer) types(text string) {
	v.t.Helper()
	v.count++
	v.soon(`document.activeElement.matches('input, textarea')`, func() string {
		return "nothing can be written into: " + eval[string](v.tab, `document.activeElement.outerHTML.slice(0, 300)`)
	})
	v.do(chromedp.KeyEvent(text))
}

func (v *newcomer) keyed(key string, modifiers ...chromedp.Modifier) {
	v.t.Helper()
	v.count++
	v.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
}

// tells waits until the page says a text.
func (v *newcomer) tells(english string) {
	v.t.Helper()
	v.reads(v.say(english))
}

// chooses presses what opens the browser's choice of files, and chooses.
func (v *newcomer) chooses(what, one string, paths ...string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	opened := chromedp.Events(ctx, page.FileChooserOpened)
	taken := page.SetInterceptFileChooserDialogParams{Enabled: true}
	if _, err := chromedp.Call(ctx, page.SetInterceptFileChooserDialog, taken); err != nil {
		v.t.Fatal(err)
	}
	v.hits(what, one)
	for event, err := range opened {
		if err != nil {
			v.t.Fatalf("%s opens no choice of files: %v", what, err)
		}
		v.count++
		params := dom.SetFileInputFilesParams{Files: paths, BackendNodeID: event.BackendNodeID}
		if _, err := chromedp.Call(v.ctx, dom.SetFileInputFiles, params); err != nil {
			v.t.Fatal(err)
		}
		return
	}
}

// gets waits until the browser has downloaded a file, and gives it.
func (v *newcomer) gets() (content []byte) {
	v.t.Helper()
	v.patiently(func() bool {
		found, _ := filepath.Glob(filepath.Join(v.downloads, "*.pdf"))
		if len(found) != 1 {
			return false
		}
		var err error
		content, err = os.ReadFile(found[0])
		return err == nil && os.Remove(found[0]) == nil
	}, "nothing was downloaded")
	return content
}

// signsIn goes through the page of the service as people do.
func (v *newcomer) signsIn(who *apitest.Person) {
	v.t.Helper()
	v.open(v.server.URL + "/")
	v.wait(`document.activeElement?.id === 'email'`)
	v.types(who.Email)
	if v.touches {
		v.hits("the password", `document.querySelector('#password')`)
	} else {
		v.keyed(kb.Tab)
	}
	v.types(anvils)
	v.keyed(kb.Enter)
	v.worker.at("/app/")
}

// look holds that what is shown fits, and leaves a picture for somebody who wants to see it.
func (v *newcomer) look(name string) {
	v.t.Helper()
	v.drawn()
	if wide := eval[int](v.tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		v.t.Errorf("%s is %d px too wide", name, wide)
	}
	v.looks++
	if folder := os.Getenv("GROUNDWORK_PICTURES"); folder != "" {
		v.picture(fmt.Sprintf("%s/day-%s-%s-%02d-%s.png", folder, v.view, v.who, v.looks, name))
	}
}

// written is the journal of a day as a table.
func written(journal []deed) string {
	var b strings.Builder
	whole := map[string]int{}
	for _, d := range journal {
		fmt.Fprintf(&b, "%-5s %-42s %3d of %2d %8.1f s\n", d.who, d.what, d.count, d.may, d.took.Seconds())
		whole[d.who] += d.count
	}
	fmt.Fprintf(&b, "in all: %v", whole)
	return b.String()
}
