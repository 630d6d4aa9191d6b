package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// site is a service with two versions of a plan and of a sheet that it refers to.
type site struct {
	*apitest.Server
	t        *testing.T
	ada, bob *apitest.Person
	project  string
	old, now string // the plan
	other    string // what it refers to, now
	link     draft.Callout
	page     draft.Page
	pdf      []byte // the plan, now
}

// build uploads both versions as anybody would, and waits until they can be looked at.
func build(t *testing.T) *site {
	t.Helper()
	s := &site{Server: apitest.Start(t, apitest.SQLite, apitest.Reachable()), t: t}
	s.ada, s.bob = s.Account("ada", "Ada Lovelace"), s.Account("bob")
	s.project = s.ada.Project("Harbour School")
	s.ada.Invite(s.project, s.bob, "Power Collaborator")
	work(t, s.Server)
	for revision, version := range []string{"Issued for permit", "Issued for construction"} {
		var b bytes.Buffer
		set, err := draft.Write(&b, draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: revision})
		if err != nil {
			t.Fatal(err)
		}
		plan := slices.IndexFunc(revised(t), func(p draft.Page) bool { return p.Changed && len(p.Callouts) > 0 })
		s.page = set.Pages[plan]
		s.link = s.page.Callouts[0]
		target := slices.IndexFunc(set.Pages, func(p draft.Page) bool { return p.Number == s.link.Target })
		var files []apitest.SetFile
		for _, at := range []int{plan, target} {
			files = append(files, apitest.SetFile{
				Name: fmt.Sprintf("%s.pdf", set.Pages[at].Number), Content: s.split(b.Bytes(), at+1),
			})
		}
		s.pdf = files[0].Content
		uploaded := s.ada.UploadSet(s.project, version, true, files...)
		s.old, s.now, s.other = s.now, s.sheet(uploaded, s.page.Number), s.sheet(uploaded, s.link.Target)
	}
	return s
}

// work has what waits in the background done while the test runs.
func work(t *testing.T, s *apitest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.App.Jobs.Start(ctx)
	t.Cleanup(func() {
		cancel()
		within, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.App.Jobs.Stop(within); err != nil {
			t.Error(err)
		}
	})
}

// revised are the pages of the set after its revision, which say what it changed.
func revised(t *testing.T) []draft.Page {
	t.Helper()
	set, err := draft.Write(new(bytes.Buffer), draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	return set.Pages
}

func (s *site) split(pdf []byte, page int) []byte {
	s.t.Helper()
	f, err := s.App.Drawing.Bring(bytes.NewReader(pdf))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	path, err := f.Split(s.t.Context(), page)
	if err != nil {
		s.t.Fatal(err)
	}
	one, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return one
}

// sheet waits until a sheet of a set is cut into tiles.
func (s *site) sheet(set, number string) (uid string) {
	s.t.Helper()
	await.Until(s.t, 3*time.Minute, func() string {
		list := s.ada.Want(200, "GET", "/projects/"+s.project+"/sheets?version_set="+set, nil)
		for i := range 2 {
			at := fmt.Sprintf("data.%d.", i)
			if tiles, _ := list.Value(at + "tiles_url"); tiles != nil && list.Text(at+"name") == number {
				uid = list.Text(at + "uid")
				return ""
			}
		}
		return fmt.Sprintf("there is no sheet %s in tiles: %s", number, list.Body)
	})
	return uid
}

// drawing is the plan as it is, 200 dots to the inch.
func (s *site) drawing() image.Image {
	s.t.Helper()
	f, err := s.App.Drawing.Bring(bytes.NewReader(s.pdf))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	picture, err := f.Render(s.t.Context(), 1, 200)
	if err != nil {
		s.t.Fatal(err)
	}
	content, err := os.ReadFile(picture.Path)
	if err != nil {
		s.t.Fatal(err)
	}
	return decode(s.t, content)
}

func decode(t *testing.T, content []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// seen is what the stage shows, and where on it the sheet lies: the place of its top left corner, and how wide it is.
type seen struct {
	image.Image
	Left, Top, Width   float64
	StageX, StageY     float64
	StageWide, StageHi float64
}

// look waits until all tiles are there.
func (v *visitor) look() seen {
	v.t.Helper()
	v.wait(`document.getElementById('stage').dataset.shown`)
	// After a movement it takes a frame or two until it is known which tiles are wanted, and another one until the last
	// is drawn.
	eval[bool](v.tab, `new Promise(done => {
		const stage = document.getElementById('stage');
		let calm = 0, before = '';
		const look = () => {
			calm = stage.ariaBusy === 'false' && stage.dataset.shown === before ? calm + 1 : 0;
			before = stage.dataset.shown;
			if (calm > 15) done(true); else requestAnimationFrame(look);
		};
		look();
	})`)
	s := eval[seen](v.tab, `(() => {
		const stage = document.getElementById('stage'), r = stage.getBoundingClientRect(), [left, top, width] = stage.dataset.shown.split(',').map(Number);
		return {Left: left, Top: top, Width: width, StageX: r.left, StageY: r.top, StageWide: r.width, StageHi: r.height};
	})()`)
	shot, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		v.t.Fatal(err)
	}
	s.Image = decode(v.t, shot)
	return s
}

// like is how well what is seen goes together with a drawing that lies where the page says, moved by so many dots: 1 is
// perfect. Squares of a few dots are compared, for what lies between two dots is drawn differently here and there. The
// toolbar is left out.
func (s seen) like(drawing image.Image, moved int) float64 {
	scale := float64(drawing.Bounds().Dx()) / s.Width
	const square = 4
	var n, sa, sb, saa, sbb, sab float64
	for y := int(s.StageY); y < int(s.StageY+s.StageHi)-90; y += square {
		for x := int(s.StageX); x < int(s.StageX+s.StageWide)-square; x += square {
			x0, y0 := (float64(x+moved)-s.StageX-s.Left)*scale, (float64(y)-s.StageY-s.Top)*scale
			if x0 < 0 || y0 < 0 || x0+square*scale >= float64(drawing.Bounds().Dx()) ||
				y0+square*scale >= float64(drawing.Bounds().Dy()) {
				continue
			}
			a, b := mean(s, float64(x), float64(y), square), mean(drawing, x0, y0, square*scale)
			n, sa, sb, saa, sbb, sab = n+1, sa+a, sb+b, saa+a*a, sbb+b*b, sab+a*b
		}
	}
	return (sab - sa*sb/n) / math.Sqrt((saa-sa*sa/n)*(sbb-sb*sb/n))
}

func grey(c color.Color) float64 { return float64(color.GrayModel.Convert(c).(color.Gray).Y) }

// mean is the mean grey of a square.
func mean(img image.Image, x, y, side float64) float64 {
	var sum, n float64
	for py := int(y); py < max(int(y)+1, int(y+side)); py++ {
		for px := int(x); px < max(int(x)+1, int(x+side)); px++ {
			sum += grey(img.At(px, py))
			n++
		}
	}
	return sum / n
}

// TestSheet looks at a drawing in a real browser, as wide as a phone's and a desk's.
func TestSheet(t *testing.T) {
	s := build(t)
	drawing := s.drawing()
	annotations, page := "/projects/"+s.project+"/annotations", "/r/"+s.project+"/sheets/"
	draw := func(by *apitest.Person, sheet, kind, text, visibility string, more map[string]any,
		points ...float64,
	) string {
		places := []map[string]any{}
		for i := 0; i < len(points); i += 2 {
			places = append(places, map[string]any{"x": points[i], "y": points[i+1]})
		}
		body := map[string]any{
			"sheet_uid": sheet, "kind": kind, "text": text, "visibility": visibility,
			"geometry": map[string]any{"points": places},
		}
		for k, v := range more {
			body[k] = v
		}
		return by.Want(201, "POST", annotations, body).Text("uid")
	}
	issue := s.bob.Want(201, "POST", "/projects/"+s.project+"/issues", map[string]any{
		"title": "Door swings into the <stairs>",
	}).Text("uid")
	pin := draw(s.bob, s.old, "stamp", "", "user", map[string]any{
		"issue_uid": issue, "stamp": "AR", "color": "#B3261E",
	}, 0.3, 0.3)
	draw(s.bob, s.now, "cloud", "Wall moved, see the minutes", "master", map[string]any{"color": "#7A1FA2"}, 0.45, 0.4,
		0.6, 0.55)
	draw(s.ada, s.old, "arrow", "", "user", map[string]any{"color": "#10693A"}, 0.2, 0.6, 0.28, 0.5)
	draw(s.bob, s.now, "rectangle", "bob alone sees this", "user", nil, 0.1, 0.1, 0.2, 0.2)

	b := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			v := &visitor{
				tab: b.tab(t, size.width, size.height, "light"), width: size.width, server: s.Server,
				shown: map[string]bool{},
			}
			v.open(s.URL + page + s.now)
			if eval[bool](v.tab, `location.pathname === '/sign-in'`) {
				v.fill("#email", s.ada.Email, "#password", anvils)
				v.press("Sign in")
			}
			first := v.look()
			v.page("sheet")
			for _, text := range []string{
				s.page.Number, "Harbour School", "current", "Door swings into the <stairs>",
				"made on Issued for permit", "Wall moved, see the minutes", "only you see it", "Issued for permit",
			} {
				v.says(text)
			}
			if strings.Contains(eval[string](v.tab, `document.documentElement.outerHTML`), "bob alone") {
				t.Error("what is personal is shown to somebody else")
			}
			if drawn := eval[[]int](v.tab,
				`[document.querySelectorAll('.layer .line').length, document.querySelectorAll('.layer .pin').length, document.querySelectorAll('.layer .callout').length]`); drawn[0] != 2 || drawn[1] != 1 || drawn[2] < 1 {
				t.Errorf("%v lines, pins and references are drawn", drawn)
			}

			// What is seen is the drawing: as a whole, and closer, by button and by key.
			eval[bool](v.tab, `(document.getElementById('marks').click(), document.querySelectorAll('.callout').forEach(e => e.remove()), true)`)
			s.same(t, "the whole", v.look(), drawing)
			for range 3 {
				eval[bool](v.tab, `(document.getElementById('in').click(), true)`)
			}
			near := v.look()
			s.same(t, "near", near, drawing)
			v.do(chromedp.Focus(chromedp.CSS(".openseadragon-canvas")), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"),
				chromedp.KeyEvent("d"))
			nearer := v.look()
			s.same(t, "nearer", nearer, drawing)
			if near.Width < 3*first.Width || nearer.Width <= near.Width {
				t.Errorf("the sheet was %v wide, then %v, then %v", first.Width, near.Width, nearer.Width)
			}
			v.do(chromedp.KeyEvent("0"))
			if home := v.look(); math.Abs(home.Width-first.Width) > 1 {
				t.Errorf("the whole sheet is %v wide again instead of %v", home.Width, first.Width)
			}

			// A search marks every place, and what is found lies where it was drawn.
			v.open(s.URL + "/r/" + s.project + "/sheets")
			v.pictures(2)
			v.fill("#q", s.link.Target)
			v.press("Search")
			v.follow(`.tile[href*="` + s.now + `"]`)
			v.look()
			v.page("sheet-found")
			places, err := s.ada.Want(200, "GET", "/projects/"+s.project+"/sheets/"+s.now+"/text?q="+s.link.Target,
				nil).Value("total_count")
			if err != nil {
				t.Fatal(err)
			}
			if drawn := eval[int](v.tab,
				`document.querySelectorAll('.layer .found').length`); fmt.Sprint(drawn) != fmt.Sprint(places) ||
				drawn == 0 {
				t.Errorf("%d places are marked, and there are %v", drawn, places)
			}
			x, y := (s.link.Box.X0+s.link.Box.X1)/2/s.page.Width, (s.link.Box.Y0+s.link.Box.Y1)/2/s.page.Width
			if !eval[bool](v.tab, fmt.Sprintf(`[...document.querySelectorAll('.layer .found')].some(r => {
				const [x, y, w, h] = ['x', 'y', 'width', 'height'].map(n => Number(r.getAttribute(n)));
				return x < %[1]g && %[1]g < x + w && y < %[2]g && %[2]g < y + h && w < 0.2;
			})`, x, y)) {
				t.Errorf("what refers to %s at %g, %g is not marked", s.link.Target, x, y)
			}
			if !eval[bool](v.tab,
				`document.querySelector('.hit').ariaCurrent === 'true' && document.querySelector('.layer .found').classList.contains('chosen')`) {
				t.Error("the first place is not shown first")
			}
			eval[bool](v.tab, `([...document.querySelectorAll('.hit .find')].at(-1).click(), true)`)
			if at := v.look(); !eval[bool](v.tab, fmt.Sprintf(`(() => {
				const r = document.querySelector('.layer .chosen').getBoundingClientRect(), middle = r.left + r.width / 2;
				return Math.abs(middle - %g) < %g;
			})()`, at.StageX+at.StageWide/2, at.StageWide/4)) {
				t.Error("the last place is not in the middle when it is to be shown")
			}
			v.open(s.URL + page + s.now + "?q=xylophone")
			v.says("It is not written on this sheet.")
			v.follow("a[rel=next]")
			if at := eval[string](v.tab, `location.pathname`); at != page+s.other {
				t.Errorf("the next sheet is %s", at)
			}
			v.follow("#list")
			if at := eval[string](v.tab, `location.pathname + location.search`); at != "/r/"+s.project+"/sheets" {
				t.Errorf("all sheets are at %s", at)
			}

			// A search leads to a place, an issue to its pin, and a reference to its sheet.
			v.open(s.URL + page + s.now + "?at=0.6,0.2,0.65,0.23")
			if at := v.look(); math.Abs(at.Left+0.625*at.Width-at.StageWide/2) > at.StageWide/4 ||
				!eval[bool](v.tab, `Boolean(document.querySelector('.found'))`) {
				t.Errorf("the place is at %v of %v", at.Left+0.625*at.Width, at.StageWide)
			}
			v.open(s.URL + "/r/" + s.project + "/issues/" + issue)
			v.press("Its place on the drawing")
			if at := v.look(); math.Abs(at.Left+0.3*at.Width-at.StageWide/2) > 2 ||
				!eval[bool](v.tab, `document.getElementById('mark-`+pin+`').ariaCurrent === 'true'`) {
				t.Errorf("the pin is at %v of %v", at.Left+0.3*at.Width, at.StageWide)
			}
			if at := eval[string](v.tab, `location.pathname`); at != page+s.old {
				t.Errorf("the pin is on %s", at)
			}
			v.open(s.URL + page + s.now)
			v.look()
			eval[bool](v.tab, `(scrollTo(0, document.body.scrollHeight), document.querySelector('.reference .find').click(), true)`)
			at := v.look()
			middle := func(a, b, whole float64) float64 { return (a + b) / 2 / whole * at.Width }
			v.pressAt(at.StageX+at.Left+middle(s.link.Box.X0, s.link.Box.X1, s.page.Width),
				at.StageY+at.Top+middle(s.link.Box.Y0, s.link.Box.Y1, s.page.Width))
			if at := eval[string](v.tab, `location.pathname`); at != page+s.other {
				t.Errorf("the reference leads to %s", at)
			}

			v.open(s.URL + page + s.now)
			v.press("Compare with previous version")
			v.says("only in Issued for permit")
			v.look()
			v.page("compare")
			v.open(eval[string](v.tab, `location.href`) + "&at=0.2,0.1,0.3,0.25") // where the cloud is
			eval[bool](v.tab, `(document.querySelector('.found').remove(), true)`)
			both := v.look()
			reds, blues := 0, 0
			for y := int(both.StageY); y < int(both.StageY+both.StageHi)-90; y++ {
				for x := int(both.StageX); x < int(both.StageX+both.StageWide); x++ {
					switch r, _, bl, _ := both.At(x, y).RGBA(); {
					case r > bl+0x3000:
						reds++
					case bl > r+0x3000:
						blues++
					}
				}
			}
			if reds < 10 || blues < 10 {
				t.Errorf("%d red and %d blue dots", reds, blues)
			}
			elsewhere, console := v.seen(s.URL)
			if len(elsewhere) > 0 || len(console) > 0 {
				t.Errorf("asked elsewhere: %q; the console says: %q", elsewhere, console)
			}
			for path, says := range map[string]string{
				page + s.project:           "does not exist",
				page + s.now + "?at=1,2,3": "at must be", page + s.now + "?compare=" + s.project: "does not exist",
			} {
				v.open(s.URL + path)
				v.says(says)
			}
		})
	}
}

// same holds that what is seen is the drawing, and that the test would notice if it lay elsewhere.
func (s *site) same(t *testing.T, what string, got seen, drawing image.Image) {
	t.Helper()
	if there, moved := got.like(drawing, 0), got.like(drawing, 24); there < 0.9 || moved > there-0.1 {
		t.Errorf("%s is like the drawing by %.3f, and by %.3f where it were moved", what, there, moved)
	}
}

// pressAt clicks a place and waits for the page that follows.
func (v *visitor) pressAt(x, y float64) {
	v.t.Helper()
	eval[bool](v.tab, `window.before = true`)
	v.do(chromedp.MouseClickXY(x, y))
	v.arrived()
}

// TestSheetAfterSomebodyLeft: the addresses of tiles end when somebody leaves the project. Whoever is looking at a
// drawing goes on looking.
func TestSheetAfterSomebodyLeft(t *testing.T) {
	s := build(t)
	drawing := s.drawing()
	v := &visitor{
		tab: openBrowser(t).tab(t, 1280, 900, "light"), width: 1280, server: s.Server, shown: map[string]bool{},
	}
	v.open(s.URL + "/r/" + s.project + "/sheets/" + s.now)
	v.fill("#email", s.ada.Email, "#password", anvils)
	v.press("Sign in")
	v.look()
	const address = `document.getElementById('stage').dataset.tiles`
	old := eval[string](v.tab, address)
	s.ada.Want(204, "DELETE", "/projects/"+s.project+"/users/"+s.bob.UID, nil)
	eval[bool](v.tab, `(document.getElementById('marks').click(), document.querySelectorAll('.callout').forEach(e => e.remove()), true)`)
	for range 4 {
		eval[bool](v.tab, `(document.getElementById('in').click(), true)`)
	}
	v.wait(fmt.Sprintf(`%s !== %q`, address, old)) // else the page goes on with an address that has ended
	s.same(t, "after somebody left", v.look(), drawing)
}
