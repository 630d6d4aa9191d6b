package web_test

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
)

// hand is somebody's hand on a drawing in the application.
type hand struct {
	*worker
	touches bool
}

// spot is a place of the stage, as parts of it.
type spot struct{ X, Y float64 }

// look opens a sheet and waits until all of it is sharp.
func (h *hand) look(path string) {
	h.t.Helper()
	h.open(h.server.URL + path)
	h.sharp()
}

func (h *hand) sharp() {
	h.t.Helper()
	h.soon(`document.querySelector('.stage[aria-busy=false][data-view]')`, func() string {
		return "the drawing never became sharp: " + eval[string](h.tab, shown)
	})
}

// at gives a place of the stage in pixels of the window.
func (h *hand) at(p spot) (x, y float64) {
	h.t.Helper()
	got := eval[[]float64](h.tab, fmt.Sprintf(
		`(r => [r.left + %f * r.width, r.top + %f * r.height])(document.querySelector('.stage, .pair').getBoundingClientRect())`, p.X, p.Y))
	return got[0], got[1]
}

func (h *hand) mouse(kind input.DispatchMouseEventType, x, y float64) {
	h.t.Helper()
	params := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: "left", Buttons: 1, ClickCount: 1}
	if kind == "mouseReleased" {
		params.Buttons = 0
	}
	if _, err := chromedp.Call(h.ctx, input.DispatchMouseEvent, params); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hand) fingers(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	h.t.Helper()
	if points == nil {
		points = []*input.TouchPoint{}
	}
	params := input.DispatchTouchEventParams{Type: kind, TouchPoints: points}
	if _, err := chromedp.Call(h.ctx, input.DispatchTouchEvent, params); err != nil {
		h.t.Fatal(err)
	}
}

func finger(x, y float64, id int) *input.TouchPoint {
	n := float64(id)
	return &input.TouchPoint{X: x, Y: y, ID: &n}
}

// crop drags a frame over the middle of the picture in the dialog, half as wide and half as high as that.
func (h *hand) crop() {
	h.t.Helper()
	box := eval[[]float64](h.tab,
		`(r => [r.left, r.top, r.width, r.height])(document.querySelector('dialog [role=application]').getBoundingClientRect())`)
	place := func(part float64) (x, y float64) { return box[0] + part*box[2], box[1] + part*box[3] }
	for i, kind := range []input.DispatchMouseEventType{"mousePressed", "mouseMoved", "mouseReleased"} {
		x, y := place([]float64{0.25, 0.75, 0.75}[i])
		h.mouse(kind, x, y)
	}
	h.soon(`document.querySelector('dialog .frame')`, func() string { return "there is no frame: " + eval[string](h.tab, shown) })
}

// drag goes over the stage from one place through others, with a mouse or a finger.
func (h *hand) drag(way ...spot) {
	h.t.Helper()
	for i, p := range way {
		x, y := h.at(p)
		switch {
		case h.touches && i == 0:
			h.fingers("touchStart", finger(x, y, 1))
		case h.touches:
			h.fingers("touchMove", finger(x, y, 1))
		case i == 0:
			h.mouse("mousePressed", x, y)
		default:
			h.mouse("mouseMoved", x, y)
		}
	}
	if h.touches {
		h.fingers("touchEnd")
		return
	}
	x, y := h.at(way[len(way)-1])
	h.mouse("mouseReleased", x, y)
}

func (h *hand) tap(p spot) { h.t.Helper(); h.drag(p) }

// key presses a key while the drawing has the focus.
func (h *hand) key(keys string, modifiers ...chromedp.Modifier) {
	h.t.Helper()
	eval[bool](h.tab, `(document.querySelector('.stage').focus(), true)`)
	var options []chromedp.KeyOption
	if len(modifiers) > 0 {
		options = append(options, chromedp.KeyModifiers(modifiers...))
	}
	h.do(chromedp.KeyEvent(keys, options...))
}

// choose takes a tool from the bar.
func (h *hand) choose(tool string) {
	h.t.Helper()
	h.soon(`document.querySelector('[data-tool=`+tool+`]')`, func() string { return "there is no tool " + tool })
	eval[bool](h.tab, `(document.querySelector('[data-tool=`+tool+`]').click(), true)`)
	h.soon(`document.querySelector('.stage.`+tool+`')`, func() string { return tool + " was not chosen" })
}

// marks counts what is drawn of a kind.
func (h *hand) marks(kind string, want int) {
	h.t.Helper()
	count := `document.querySelectorAll('.layer [data-kind=` + kind + `]').length`
	h.soon(fmt.Sprintf(`%s === %d`, count, want), func() string {
		return fmt.Sprintf("there are %d marks of kind %s, not %d", eval[int](h.tab, count), kind, want)
	})
}

// kept waits until the service has so many annotations of a kind, and gives them.
func (h *hand) kept(who *apitest.Person, project, kind string, want int) (all []map[string]any) {
	h.t.Helper()
	h.patiently(func() bool {
		all = nil
		list, err := who.Want(200, "GET", "/projects/"+project+"/annotations?limit=50", nil).Value("data")
		if err != nil {
			h.t.Fatal(err)
		}
		for _, one := range list.([]any) {
			if a := one.(map[string]any); a["kind"] == kind && a["deleted"] != true {
				all = append(all, a)
			}
		}
		return len(all) == want
	}, fmt.Sprintf("the service never had %d annotations of kind %s", want, kind))
	return all
}

func (h *hand) shot(name string) {
	h.inDocs("viewer-" + name)
	if folder := os.Getenv("GROUNDWORK_PICTURES"); folder != "" {
		h.drawn()
		h.picture(folder + "/viewer-" + name + ".png")
	}
}

// TestDrawOnDrawings draws with every tool in a real browser, at a desk and on a phone, while somebody else looks.
func TestDrawOnDrawings(t *testing.T) {
	s := build(t)
	b := openBrowser(t)
	sheet := "/app/" + s.project + "/sheets/" + s.now
	desk := &hand{worker: &worker{tab: b.tab(t, 1280, 800, "light"), server: s.Server}}
	desk.signIn(s.ada, sheet)
	desk.sharp()
	desk.shot("desk")

	shapes := []string{"cloud", "rectangle", "ellipse", "line", "arrow", "pen", "highlight", "measure"}
	desk.step("every tool draws", func(t *testing.T) {
		for i, tool := range shapes {
			x, y := 0.1+0.2*float64(i%4), 0.15+0.35*float64(i/4)
			desk.choose(tool)
			desk.drag(spot{x, y}, spot{x + 0.05, y + 0.12}, spot{x + 0.12, y + 0.1}, spot{x + 0.14, y + 0.2})
			desk.marks(tool, 1)
			desk.kept(s.ada, s.project, tool, 1)
		}
		desk.choose("area")
		desk.drag(spot{0.8, 0.75}, spot{0.85, 0.8}, spot{0.9, 0.9})
		desk.marks("measure", 2)
		desk.choose("text")
		desk.tap(spot{0.3, 0.85})
		desk.write("Text", "Check the door swing")
		desk.press("Save")
		desk.marks("text", 1)
		if got := desk.kept(s.ada, s.project, "text", 1)[0]["text"]; got != "Check the door swing" {
			t.Errorf("the text is %q", got)
		}
		desk.shot("desk-marks")
	})

	desk.step("moved, undone, done again, deleted", func(t *testing.T) {
		place := func() string { return fmt.Sprint(desk.kept(s.ada, s.project, "rectangle", 1)[0]["geometry"]) }
		was := place()
		moved := func(is bool) {
			t.Helper()
			desk.patiently(func() bool { return (place() != was) == is }, fmt.Sprintf("that it moved is not %v", is))
		}
		desk.choose("select")
		desk.drag(spot{0.3, 0.2}, spot{0.31, 0.22}, spot{0.33, 0.25}) // by its left edge
		moved(true)
		desk.key("z", chromedp.ModifierCtrl)
		moved(false)
		desk.key("z", chromedp.ModifierCtrl, chromedp.ModifierShift)
		moved(true)
		desk.soon(`document.querySelector('[data-said]').innerText.startsWith('Done again')`, func() string {
			return "nobody who listens hears of it"
		})
		desk.key(kb.Delete)
		desk.marks("rectangle", 0)
		desk.kept(s.ada, s.project, "rectangle", 0)
		desk.key("z", chromedp.ModifierCtrl)
		desk.marks("rectangle", 1)
		desk.kept(s.ada, s.project, "rectangle", 1)
		// Copied with the keyboard, drawn with the keyboard.
		desk.tap(spot{0.33, 0.3})
		desk.key("d", chromedp.ModifierCtrl)
		desk.marks("rectangle", 2)
		desk.kept(s.ada, s.project, "rectangle", 2)
		desk.key(kb.Escape)
		desk.key(kb.Escape)
		desk.key("e")
		desk.key(kb.Enter)
		desk.marks("ellipse", 2)
	})

	desk.step("after a reload all of it is there", func(t *testing.T) {
		desk.kept(s.ada, s.project, "ellipse", 2)
		desk.look(sheet)
		for kind, n := range map[string]int{"cloud": 1, "pen": 1, "measure": 2, "text": 1, "ellipse": 2, "rectangle": 2} {
			desk.marks(kind, n)
		}
	})

	desk.step("somebody else sees what is published, and nothing personal", func(t *testing.T) {
		cloud := desk.kept(s.ada, s.project, "cloud", 1)[0]["uid"].(string)
		path := "/projects/" + s.project + "/annotations/" + cloud
		if got := s.bob.Do("GET", path, nil).Status; got != 404 {
			t.Errorf("Bob gets %d for a personal mark", got)
		}
		made := s.bob.Want(201, "POST", "/projects/"+s.project+"/annotations", map[string]any{
			"sheet_uid": s.now, "kind": "arrow", "visibility": "master", "color": "#1971C2",
			"geometry": map[string]any{"points": []map[string]any{{"x": 0.5, "y": 0.6}, {"x": 0.6, "y": 0.7}}},
		}).Text("uid")
		desk.marks("arrow", 2) // it comes by itself
		s.bob.Want(204, "DELETE", "/projects/"+s.project+"/annotations/"+made, nil)
		desk.marks("arrow", 1)
		desk.choose("hand")
		desk.press("Marks")
		desk.press("Cloud by Ada Lovelace")
		desk.press("Only I see it")
		desk.reads("Everybody on the project sees it now.")
		desk.patiently(func() bool { return s.bob.Do("GET", path, nil).Status == 200 }, "Bob does not see what was published")
		desk.shot("desk-list")
	})

	desk.step("a pin becomes an issue in place", func(t *testing.T) {
		desk.choose("pin")
		desk.tap(spot{0.5, 0.5})
		desk.soon(`document.activeElement.tagName === 'TEXTAREA'`, func() string { return "nobody can write what it is" })
		desk.do(chromedp.KeyEvent("Handrail loose"))
		desk.shot("desk-new")
		desk.press("Create issue")
		desk.marks("stamp", 1)
		pin := desk.kept(s.ada, s.project, "stamp", 1)[0]
		issue := pin["issue"].(map[string]any)["uid"].(string)
		if pin["visibility"] != "master" {
			t.Errorf("others do not see the pin: %v", pin)
		}
		path := "/projects/" + s.project + "/issues/" + issue
		if got := s.bob.Want(200, "GET", path, nil).Text("title"); got != "Handrail loose" {
			t.Errorf("the issue is called %q", got)
		}
		desk.reads("Handrail loose") // beside the drawing
		desk.shot("desk-issue")
		// Its state shows on the drawing, by its colour and its shape.
		s.bob.Want(200, "PATCH", path, map[string]any{"status": "closed"})
		desk.soon(`document.querySelector('.layer [data-kind=stamp] circle')?.getAttribute('fill') === '#ffffff'`, func() string {
			return "the pin does not show that the issue is closed"
		})
		// A link to the pin leads to it.
		desk.look(sheet + "?mark=" + pin["uid"].(string))
		desk.soon(`document.querySelector('.layer .chosen') && document.querySelector('aside.issue')`, func() string {
			return "the link does not lead to the pin"
		})
		desk.key(kb.Escape)
		desk.key(kb.Escape)
	})

	desk.step("scale and snapshot", func(t *testing.T) {
		desk.press("More")
		desk.press("Set the scale")
		desk.press("Draw the line")
		desk.drag(spot{0.2, 0.4}, spot{0.3, 0.4}, spot{0.4, 0.4})
		desk.write("Its length", "far")
		desk.press("Save")
		desk.problem("Its length", "Write a length")
		desk.write("Its length", "10 m")
		desk.press("Save")
		desk.patiently(func() bool {
			scale, _ := s.ada.Want(200, "GET", "/projects/"+s.project+"/sheets/"+s.now, nil).Value("scale")
			return scale != nil
		}, "the scale never arrived")
		desk.soon(`[...document.querySelectorAll('.layer [data-kind=measure] text')].length === 2`, func() string {
			return "the measures tell nothing"
		})
		desk.press("More")
		desk.press("Snapshot")
		desk.soon(`document.querySelector('dialog img')?.naturalWidth > 100`, func() string { return "there is no picture" })
		whole := eval[[]int](desk.tab, `(i => [i.naturalWidth, i.naturalHeight])(document.querySelector('dialog img'))`)
		desk.crop()
		desk.shot("snapshot")
		desk.press("Save the snapshot")
		var sent apitest.Response
		desk.patiently(func() bool {
			sent = s.ada.Want(200, "GET", "/projects/"+s.project+"/snapshots", nil)
			of, err := sent.Value("data.0.sheet.uid")
			return err == nil && of == s.now
		}, "the snapshot never arrived")
		img, err := png.DecodeConfig(bytes.NewReader(s.Fetch(sent.Text("data.0.url"), nil).Body))
		off := func(got, all int) int { return max(got-all/2, all/2-got) }
		if err != nil || max(off(img.Width, whole[0]), off(img.Height, whole[1])) > 8 {
			t.Errorf("of a picture of %v there came %+v: %v", whole, img, err)
		}
	})

	desk.step("words, links, versions", func(t *testing.T) {
		desk.press("Search on this sheet")
		desk.write("Words on this sheet", "stair")
		desk.soon(`document.querySelectorAll('.layer .found, .layer .now').length > 0`, func() string {
			return "no place is shown: " + eval[string](desk.tab, shown)
		})
		desk.shot("desk-find")
		desk.press("Close the panel")
		if n := eval[int](desk.tab, `document.querySelectorAll('.layer .link').length`); n == 0 {
			t.Error("references are no links")
		}
		desk.press("Next sheet")
		desk.soon(`document.querySelector('h1 .number').innerText !== `+fmt.Sprintf("%q", s.page.Number), func() string {
			return "the next sheet does not come"
		})
		desk.key("[")
		desk.soon(`document.querySelector('h1 .number').innerText === `+fmt.Sprintf("%q", s.page.Number), func() string {
			return "the sheet before does not come"
		})
	})

	desk.step("compare", func(t *testing.T) {
		desk.open(s.URL + sheet + "?compare=" + s.old)
		desk.soon(`document.querySelector('.pair[aria-busy=false]') && Number(document.querySelector('[data-changes]').dataset.changes) > 0`,
			func() string { return "no change was found: " + eval[string](desk.tab, shown) })
		desk.press("Next change")
		desk.reads("Change 1 of")
		desk.shot("compare-over")
		desk.press("Side by side")
		desk.drawn()
		desk.shot("compare-side")
		desk.press("Curtain")
		desk.shot("compare-curtain")
		desk.press("Align")
		for _, p := range []spot{{0.7, 0.3}, {0.2, 0.31}, {0.9, 0.8}, {0.4, 0.81}} {
			desk.tap(p)
		}
		desk.reads("The versions are aligned.")
		desk.patiently(func() bool {
			points, _ := s.ada.Want(200, "GET", "/projects/"+s.project+"/sheets/"+s.now, nil).Value("alignment.points")
			return points != nil
		}, "the alignment never arrived")
		desk.press("Remove the alignment")
		desk.press("End comparing")
		desk.sharp()
	})

	desk.step("no barriers at a desk", func(t *testing.T) {
		desk.press("Marks")
		desk.choose("cloud")
		desk.barriersIn(themes, "desk")
	})

	desk.step("on a phone", func(t *testing.T) {
		desk.phoned()
		desk.look(sheet)
		// Who sees all of it still does when the phone is turned, and back.
		fills := `(([x, y]) => Math.abs(x) < 2 || Math.abs(y) < 2)(
			document.querySelector('.stage').dataset.view.split(' ').map(Number))`
		turned := func(width int) {
			desk.soon(fmt.Sprintf(`innerWidth === %d && %s`, width, fills), func() string {
				view := eval[string](desk.tab, `document.querySelector('.stage').dataset.view`)
				return "not all of it is seen when the phone is turned: " + view
			})
		}
		desk.do(chromedp.EmulateViewport(740, 360))
		turned(740)
		desk.phoned()
		turned(360)
		desk.shot("phone")
		desk.choose("cloud")
		desk.drag(spot{0.3, 0.45}, spot{0.4, 0.5}, spot{0.6, 0.55})
		desk.marks("cloud", 2)
		desk.kept(s.ada, s.project, "cloud", 2)
		desk.shot("phone-drawn")
		// Two fingers zoom, whatever the tool.
		scale := func() float64 {
			return eval[float64](desk.tab, `Number(document.querySelector('.stage').dataset.view.split(' ')[2])`)
		}
		was := scale()
		desk.choose("pen")
		x, y := desk.at(spot{0.5, 0.5})
		desk.fingers("touchStart", finger(x-20, y, 1))
		desk.fingers("touchStart", finger(x-20, y, 1), finger(x+20, y, 2))
		for i := range 6 {
			d := float64(20 + 15*i)
			desk.fingers("touchMove", finger(x-d, y, 1), finger(x+d, y, 2))
		}
		desk.fingers("touchEnd")
		desk.patiently(func() bool { return scale() > was*2 }, "two fingers do not zoom")
		desk.marks("pen", 1)
		desk.shot("phone-zoomed")
		desk.barriersIn(themes, "phone")
	})

	elsewhere, console := desk.seen(s.URL)
	elsewhere = slices.DeleteFunc(elsewhere, func(url string) bool { return strings.HasPrefix(url, "blob:"+s.URL) })
	if len(elsewhere) > 0 || len(console) > 0 {
		t.Errorf("asked elsewhere: %q; the console says: %q", elsewhere, console)
	}
}

// barriersIn looks for barriers in themes, as wide as the window, with nothing that is hard to hit.
func (h *hand) barriersIn(themes []string, name string) {
	h.t.Helper()
	if small := eval[[]string](h.tab, tooSmall(h.touches)); len(small) > 0 {
		h.t.Errorf("%s has what is hard to hit: %q", name, small)
	}
	if wide := eval[int](h.tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		h.t.Errorf("%s is %d px too wide", name, wide)
	}
	for i, theme := range themes {
		eval[bool](h.tab, `(document.documentElement.dataset.theme = '`+theme+`', true)`)
		h.shot(name + "-" + theme)
		for _, barrier := range h.axe(i > 0) {
			h.t.Errorf("%s, %s: %s", name, theme, barrier)
		}
	}
}

// phoned makes a tab one of a phone, which is touched.
func (h *hand) phoned() {
	h.t.Helper()
	h.do(chromedp.EmulateViewport(360, 740))
	touched := emulation.SetTouchEmulationEnabledParams{Enabled: true}
	_, err := chromedp.Call(h.ctx, emulation.SetTouchEmulationEnabled, touched)
	if err != nil {
		h.t.Fatal(err)
	}
	h.touches = true
}
