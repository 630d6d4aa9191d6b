package web_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// drops lets files fall into the middle of the window, as somebody does who drags them from a folder.
func (w *worker) drops(paths ...string) {
	w.t.Helper()
	at := eval[[]float64](w.tab, `[innerWidth / 2, innerHeight / 2]`)
	w.dropsAt(at[0], at[1], paths...)
}

func (w *worker) dropsAt(x, y float64, paths ...string) {
	w.t.Helper()
	carried := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{"dragEnter", "dragOver", "drop"} {
		params := input.DispatchDragEventParams{Type: kind, X: x, Y: y, Data: carried}
		if _, err := chromedp.Call(w.ctx, input.DispatchDragEvent, params); err != nil {
			w.t.Fatal(err)
		}
	}
}

// eventually waits for what the service does in the background, which takes a slow machine minutes.
func (w *worker) eventually(expression, otherwise string) {
	w.t.Helper()
	await.True(w.t, 6*time.Minute, otherwise, func() bool { return eval[bool](w.tab, `Boolean(`+expression+`)`) })
}

// photograph leaves a picture for somebody who wants to look.
func (w *worker) photograph(name string) {
	w.t.Helper()
	w.inDocs(name)
	folder := os.Getenv("GROUNDWORK_PICTURES")
	if folder == "" {
		return
	}
	for _, theme := range themes {
		eval[bool](w.tab, `(document.documentElement.dataset.theme = '`+theme+`', true)`)
		w.drawn()
		w.picture(filepath.Join(folder, name+"-"+theme+".png"))
	}
	eval[bool](w.tab, `(document.documentElement.dataset.theme = 'light', true)`)
}

// reachable looks for what somebody cannot use of the page as it is.
func (w *worker) reachable(name string, touched bool) {
	w.t.Helper()
	w.drawn()
	if wide, window := eval[int64](w.tab, `document.documentElement.scrollWidth`), eval[int64](w.tab, `innerWidth`); wide > window {
		w.t.Errorf("%s is %d px wide, the window %d", name, wide, window)
	}
	if small := eval[[]string](w.tab, tooSmall(touched)); len(small) > 0 {
		w.t.Errorf("%s has what is hard to hit: %q", name, small)
	}
	for _, barrier := range w.axe(false) {
		w.t.Errorf("%s: %s", name, barrier)
	}
	w.photograph(name)
}

// names are the numbers of the sheets that are shown.
const names = `[...document.querySelectorAll('li[data-uid] [data-sheet]')].map(e => e.innerText)`

// TestSheetsInTheApplication drops a set of 30 pages, looks through it by the keyboard, publishes it, searches it, and
// makes a packet of it; then the same with a thumb.
func TestSheetsInTheApplication(t *testing.T) {
	b := openBrowser(t)
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	work(t, server)
	ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Marsh")
	project := ada.Project("Harbour School")
	ada.Invite(project, bob, "Collaborator")
	bob.Want(200, "GET", "/projects/"+project, nil)

	folder := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var first, second bytes.Buffer
	old, err := draft.Write(&first, draft.Options{Seed: 7, Sheets: 4, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	set, err := draft.Write(&second, draft.Options{Seed: 7, Sheets: 30, Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	outlined := slices.IndexFunc(set.Pages, func(p draft.Page) bool { return p.Outlined })
	plans := write("plans.pdf", second.Bytes())
	notes := write("notes.pdf", []byte("These are only notes."))
	broken := write("broken.pdf", []byte("%PDF-1.7\nnothing"))

	w := &worker{tab: b.tab(t, 1280, 900, "light"), server: server}
	home := "/app/" + project + "/sheets"

	reader := &worker{tab: b.apart(t).tab(t, 1280, 900, "light"), server: server}
	reader.signIn(bob, home)
	reader.reads("Drawings appear here as soon as an Admin of this project has published a set.")
	reader.soon(`!`+shown+`.includes('Upload drawings')`, func() string { return "somebody may upload who may not" })

	w.signIn(ada, home)
	w.reads("Drop the PDFs of a set anywhere here.")
	w.reachable("sheets-empty", false)

	ada.UploadSet(project, "Issued for permit", true, apitest.SetFile{Name: "permit.pdf", Content: first.Bytes()})
	w.eventually(names+`.length === 4`, "the first set does not appear by itself")

	w.step("files are looked at before they are sent", func(*testing.T) {
		w.drops(plans, notes, broken)
		w.reads("This is not a PDF, and is not sent.")
		w.reads("Send 2 files")
		w.reachable("sheets-new", false)
		w.write("Name of the set", "Issued for construction")
		w.press("Send 2 files")
	})
	review := ""
	w.step("it is sent and read", func(*testing.T) {
		w.soon(`location.pathname.match(/uploads\/[0-9a-f-]{36}$/)`, func() string { return "it is not sent: " + eval[string](w.tab, shown) })
		review = eval[string](w.tab, `location.pathname`)
		w.eventually(`document.querySelectorAll('.pictures img, [data-row-id]').length > 0`, "no page appears while it is read")
		w.photograph("sheets-reading")
		// Who leaves finds it again.
		w.press("Sheets")
		w.reads("Waits for your review")
		w.press("Review")
		w.eventually(`document.querySelectorAll('[data-row-id]').length >= 30`, "the set is not read")
	})

	w.step("it is looked through, by keyboard", func(t *testing.T) {
		w.reads("broken.pdf: ")
		w.soon(`[...document.querySelectorAll('[data-row-id] .picture img')].slice(0, 4).every(i => i.complete && i.naturalWidth > 100)`,
			func() string { return "there is no picture of the title block" })
		w.reachable("sheets-review", false)
		if outlined < 0 {
			t.Fatal("the set has no page that cannot be read")
		}
		if n := eval[int](w.tab, `document.querySelectorAll('.doubtful').length`); n == 0 || !eval[bool](w.tab,
			`[...document.querySelectorAll('[data-row-id]')].findLastIndex(r => r.matches('.doubtful')) < `+fmt.Sprint(n)) {
			t.Errorf("%d are doubtful, and do not stand first", n)
		}
		if replaced := eval[int](w.tab, `document.querySelectorAll('[data-row-id] .old').length`); replaced < len(old.Pages) {
			t.Errorf("%d sheets are shown as replaced, not %d", replaced, len(old.Pages))
		}
		// Every number that is told twice or not at all is mended; what is only unsure is accepted.
		w.do(chromedp.KeyEvent("n", chromedp.KeyModifiers(chromedp.ModifierAlt)))
		for i := 0; eval[bool](w.tab, `document.querySelectorAll('.doubtful').length > 0`); i++ {
			if i > 60 {
				t.Fatal("there is no end of doubts: " + eval[string](w.tab, shown))
			}
			w.soon(`document.activeElement.dataset.field === 'name'`, func() string {
				return "the focus is on " + eval[string](w.tab, `document.activeElement.outerHTML`)
			})
			switch {
			case eval[bool](w.tab, `document.activeElement.closest('li').matches('.bad')`):
				w.do(chromedp.KeyEvent(fmt.Sprintf("X-%d", i) + kb.Enter))
			default:
				w.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierAlt)))
			}
			w.do(chromedp.KeyEvent("n", chromedp.KeyModifiers(chromedp.ModifierAlt)))
		}
		// The last page becomes no sheet, and one gets another title.
		eval[bool](w.tab, `([...document.querySelectorAll('[data-field=description]')].at(-2).focus(), document.activeElement.select(), true)`)
		w.do(chromedp.KeyEvent("Quayside kiosk" + kb.Enter))
		w.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(chromedp.ModifierAlt)))
		w.reads("1 skipped")
		w.reads("All changes are saved")
		w.open(server.URL + review)
		w.soon(`[...document.querySelectorAll('[data-field=description]')].some(i => i.value === 'Quayside kiosk')`,
			func() string { return "what was typed is lost" })
		w.reads("1 skipped")
	})

	w.step("it is published", func(*testing.T) {
		w.press("Publish")
		w.reads("29 sheets published")
		w.photograph("sheets-published")
		w.press("See the sheets")
		w.soon(names+`.length === 29`, func() string { return eval[string](w.tab, shown) })
		w.press("Remove the filter Issued for construction")
	})

	w.step("the list", func(t *testing.T) {
		w.reads("General")
		w.soon(`[...document.images].some(i => i.naturalWidth > 100)`, func() string { return "there are no pictures" })
		w.reachable("sheets-grid", false)
		w.press("List")
		w.soon(`document.querySelectorAll('li.row').length >= 29`, func() string { return "there is no list" })
		w.reachable("sheets-list", false)
		w.press("Pictures")
		// A driven browser types a sign also where its key was taken, so that the key alone is pressed.
		eval[bool](w.tab, `document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true})) || true`)
		w.soon(`document.activeElement.type === 'search'`, func() string { return "/ does not lead to the search" })
		w.do(chromedp.KeyEvent("quayside"))
		w.soon(names+`.length === 1`, func() string { return "the title is not found: " + eval[string](w.tab, shown) })
		w.do(chromedp.KeyEvent(kb.Escape))
		// What is written on a sheet is found, and shown where it stands.
		called := strings.Fields(set.Project)
		word := strings.ToLower(called[len(called)-1])
		w.do(chromedp.KeyEvent(word))
		w.soon(`document.querySelector('.hit mark')?.innerText.toLowerCase() === `+fmt.Sprintf("%q", word),
			func() string { return "nothing says where " + word + " stands: " + eval[string](w.tab, shown) })
		w.reachable("sheets-search", false)
		if href := eval[string](w.tab, `document.querySelector('[data-words]').href`); !strings.HasSuffix(href, "?find="+word) {
			t.Errorf("the hit leads to %s", href)
		}
		w.do(chromedp.KeyEvent(kb.Escape))
		w.soon(names+`.length > 20`, func() string { return "the search does not end" })
	})

	w.step("a packet, by keyboard", func(*testing.T) {
		eval[bool](w.tab, `(document.activeElement.blur(), true)`)
		w.do(chromedp.KeyEvent("jx"), chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift)))
		w.reads("2 selected")
		w.photograph("sheets-chosen")
		w.press("Packet")
		w.reachable("sheets-packet", false)
		w.press("Make the packet")
		w.eventually(shown+`.includes('The packet is ready')`, "the packet is not made")
		link := eval[string](w.tab, `[...document.querySelectorAll('dialog a')].find(a => a.innerText.trim() === 'Download').href`)
		if r := server.Fetch(link, nil); r.Status != 200 || !bytes.HasPrefix(r.Body, []byte("%PDF")) {
			w.t.Errorf("the packet is %d, %.20q", r.Status, r.Body)
		}
		w.press("Close")
	})

	w.step("tags, a new number, deletion", func(*testing.T) {
		w.press("Tag")
		w.write("Add tags", "Lobby, Level 1")
		w.press("Apply")
		w.reads("2 sheets tagged")
		w.press("Tag")
		w.press("Lobby")
		w.soon(names+`.length === 2`, func() string { return "the tag does not filter: " + eval[string](w.tab, shown) })
		name := eval[string](w.tab, names+`[0]`)
		w.press("Actions for " + name)
		w.press("Edit")
		w.write("Number", "K-1")
		w.press("Save")
		w.soon(names+`.includes('K-1')`, func() string { return "it has not its new number" })
		w.press("Actions for K-1")
		w.press("Delete")
		w.soon(names+`.length === 1`, func() string { return "it is not deleted" })
		w.press("Show")
		w.press("Deleted")
		w.soon(names+`.join() === 'K-1'`, func() string { return eval[string](w.tab, shown) })
		w.press("Actions for K-1")
		w.press("Restore")
		w.reads("Nothing is deleted")
	})

	w.step("on a phone", func(t *testing.T) {
		p := &worker{tab: b.tab(t, 360, 740, "light"), server: server}
		if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
			t.Fatal(err)
		}
		p.open(server.URL + home)
		p.soon(names+`.length > 20`, func() string { return "there are no sheets" })
		p.reachable("sheets-phone", true)
		p.press("List")
		p.soon(`document.querySelectorAll('li.row').length > 20`, func() string { return "there is no list" })
		p.reachable("sheets-phone-list", true)
		// A long press chooses, and then every tap does.
		eval[bool](p.tab, `(async () => {
			const at = n => document.querySelectorAll('li[data-uid] [data-sheet]')[n];
			at(1).dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, pointerType: 'touch'}));
			await new Promise(done => setTimeout(done, 700));
			at(1).dispatchEvent(new PointerEvent('pointerup', {bubbles: true, pointerType: 'touch'}));
			at(1).click();
			at(2).click();
			return true;
		})()`)
		p.reads("2 selected")
		p.at(home)
		p.photograph("sheets-phone-chosen")
		p.press("Clear the selection")
		p.drops(write("one.pdf", first.Bytes()))
		p.press("Send 1 file")
		p.eventually(`document.querySelectorAll('[data-row-id]').length === 4`, "the set is not read on a phone")
		p.reachable("sheets-phone-review", true)
		p.press("Publish")
		p.reads("4 sheets published")
	})
}
