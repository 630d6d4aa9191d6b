package apitest_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/blob"
	"groundwork/internal/s3test"
	"groundwork/internal/sheet/register"
)

// stores runs a test on both engines and on both stores of files.
func stores(t *testing.T, test func(t *testing.T, s *Server, clock *Clock)) {
	Engines(t, func(t *testing.T, engine string) {
		clock := NewClock()
		options := []Option{At(clock)}
		if engine == Postgres {
			options = append(options,
				Files(s3test.Shared(t).URL(strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")))))
		}
		test(t, Start(t, engine, options...), clock)
	})
}

// pyramid is what a descriptor says.
type pyramid struct {
	Format   string `xml:"Format,attr"`
	TileSize int    `xml:"TileSize,attr"`
	Overlap  int    `xml:"Overlap,attr"`
	Size     struct {
		Width  int `xml:"Width,attr"`
		Height int `xml:"Height,attr"`
	}
}

func describe(t *testing.T, s *Server, url string) (p pyramid, top int) {
	t.Helper()
	r := s.Fetch(url, nil)
	if r.Status != 200 || r.Header.Get("Content-Type") != "application/xml" {
		t.Fatalf("%s: %d %s %s", url, r.Status, r.Header, r.Body)
	}
	if err := xml.Unmarshal(r.Body, &p); err != nil {
		t.Fatal(err)
	}
	for 1<<top < max(p.Size.Width, p.Size.Height) {
		top++
	}
	return p, top
}

func tileAt(url string, level, column, row int) string {
	return fmt.Sprintf("%s_files/%d/%d_%d.png", strings.TrimSuffix(url, ".dzi"), level, column, row)
}

// whole puts the tiles of a level together.
func whole(t *testing.T, s *Server, url string, level int) *image.RGBA {
	t.Helper()
	p, top := describe(t, s, url)
	shrink := top - level
	w, h := (p.Size.Width+1<<shrink-1)>>shrink, (p.Size.Height+1<<shrink-1)>>shrink
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := 0; y < h; y += p.TileSize {
		for x := 0; x < w; x += p.TileSize {
			r := s.Fetch(tileAt(url, level, x/p.TileSize, y/p.TileSize), nil)
			part, format, err := image.Decode(bytes.NewReader(r.Body))
			if err != nil || r.Header.Get("Content-Type") != "image/"+format {
				t.Fatalf("tile %d/%d_%d: %d %v %s", level, x/p.TileSize, y/p.TileSize, r.Status, err, r.Header)
			}
			for py := range part.Bounds().Dy() {
				for px := range part.Bounds().Dx() {
					img.Set(x+px, y+py, part.At(px, py))
				}
			}
		}
	}
	return img
}

// rendered is a page of the service's store as a picture.
func rendered(t *testing.T, s *Server, page register.Page, dpi float64) image.Image {
	t.Helper()
	o, err := s.App.Blob.Open(t.Context(), page.File)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	f, err := s.App.Drawing.Bring(o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := f.Render(t.Context(), 1, dpi)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(picture.Path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// alike holds that a level of tiles is the drawing, so many times smaller: what is drawn where, not how much.
func alike(t *testing.T, tiles *image.RGBA, drawing image.Image, times int) {
	t.Helper()
	apart := 0
	plain := image.NewRGBA(drawing.Bounds()) // asking any image for each dot takes many times as long
	draw.Draw(plain, plain.Rect, drawing, drawing.Bounds().Min, draw.Src)
	for y := range plain.Rect.Dy() / times {
		for x := range plain.Rect.Dx() / times {
			var sum [3]int
			for i := range times * times {
				c := plain.RGBAAt(x*times+i%times, y*times+i/times)
				sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
			}
			got := tiles.RGBAAt(x, y)
			for i, v := range []uint8{got.R, got.G, got.B} {
				if d := sum[i]/times/times - int(v); d < -12 || d > 12 {
					apart++
				}
			}
		}
	}
	if n := tiles.Rect.Dx() * tiles.Rect.Dy(); apart*10_000 > n {
		t.Errorf("of %d dots %d are not what is drawn there", n, apart)
	}
}

func TestTiles(t *testing.T) {
	stores(t, func(t *testing.T, s *Server, clock *Clock) {
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Collaborator")
		page := s.Plan("A101", 0)
		_, uids := ada.Publish(project, []register.Page{page})
		path := "/projects/" + project + "/sheets/" + uids[0]
		ada.Want(200, "PATCH", path, map[string]any{"description": "First floor"})
		// An earlier attempt, of an earlier release, had died after it stored something else.
		if _, err := s.App.Blob.Put(t.Context(), blob.Part(page.File, "tiles"),
			strings.NewReader("of an earlier release")); err != nil {
			t.Fatal(err)
		}
		before := bob.Want(200, "GET", path, nil)
		if url, err := before.Value("tiles_url"); url != nil || err != nil {
			t.Errorf("before it was cut: %v %v", url, err)
		}
		s.Work()
		r := bob.Want(200, "GET", path, nil)
		url := r.Text("tiles_url")
		if r.Text("updated_at") <= before.Text("updated_at") || r.Text("updated_by.email") != ada.Email ||
			r.Text("description") != "First floor" {
			t.Errorf("it is %s", r.Body)
		}
		if n := objects(t, s); n != 2 {
			t.Errorf("%d objects", n)
		}
		for _, check := range s.App.VerifyFiles(t.Context(), false) {
			if err := check.Run(t.Context()); err != nil {
				t.Error(err)
			}
		}

		// What the tiles show is the drawing.
		p, top := describe(t, s, url)
		if p.Format != "png" || p.Overlap != 0 || p.TileSize != 512 ||
			math.Abs(float64(p.Size.Width)-page.Width*200/72) > 1 ||
			math.Abs(float64(p.Size.Height)-page.Height*200/72) > 1 {
			t.Errorf("%+v of %v × %v points", p, page.Width, page.Height)
		}
		drawn := rendered(t, s, page, 200)
		alike(t, whole(t, s, url, top), drawn, 1)
		alike(t, whole(t, s, url, top-2), drawn, 4)
		if one := whole(t, s, url, 0); one.Rect.Dx() != 1 || one.Rect.Dy() != 1 {
			t.Errorf("level 0 is %v", one.Rect)
		}

		t.Run("headers", func(t *testing.T) { tileHeaders(t, s, url, top) })
		t.Run("refusals", func(t *testing.T) { tileRefusals(t, s, url, top) })

		// The address is the same all day, and ends in time.
		clock.Advance(time.Minute)
		if again := bob.Want(200, "GET", path, nil).Text("tiles_url"); again != url {
			t.Errorf("within the day %s became %s", url, again)
		}
		tag := bob.Want(200, "GET", path, nil).Header.Get("ETag")
		clock.Advance(24 * time.Hour)
		next, err := bob.TryWith("GET", path, nil, http.Header{"If-None-Match": {tag}})
		if err != nil || next.Status != 200 || next.Text("tiles_url") == url {
			t.Errorf("the next day: %d %s", next.Status, next.Body)
		}
		if r := s.Fetch(url, nil); r.Status != 200 {
			t.Errorf("what was shown the day before is %d", r.Status)
		}
		clock.Advance(24 * time.Hour)
		for _, old := range []string{url, tileAt(url, top, 0, 0)} {
			if r := s.Fetch(old, nil); r.Status != 403 || !strings.Contains(r.Text("message"), "expired") {
				t.Errorf("after two days: %d %s", r.Status, r.Body)
			}
		}
		if img := whole(t, s.Beside(), next.Text("tiles_url"), 9); img.Rect.Dx() < 256 {
			t.Errorf("another process: %v", img.Rect)
		}
	})
}

func tileHeaders(t *testing.T, s *Server, url string, top int) {
	for _, one := range []string{url, tileAt(url, top, 1, 1)} {
		r := s.Fetch(one, http.Header{"Origin": {"https://tools.example"}, "Accept-Encoding": {"gzip"}})
		h := r.Header
		var age int
		if _, err := fmt.Sscanf(h.Get("Cache-Control"), "private, max-age=%d, immutable", &age); err != nil ||
			age < 24*3600 || age > 48*3600 {
			t.Errorf("Cache-Control is %q", h.Get("Cache-Control"))
		}
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			h.Get("Content-Encoding") != "" ||
			h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s", h)
		}
		if again := s.Fetch(one, http.Header{"If-None-Match": {h.Get("ETag")}}); again.Status != 304 ||
			len(again.Body) > 0 || again.Header.Get("Cache-Control") == "" {
			t.Errorf("again: %d %s", again.Status, again.Header)
		}
		head, err := s.Try("HEAD", one, nil, http.Header{})
		if err != nil || head.Status != 200 || head.Header.Get("Content-Length") != fmt.Sprint(len(r.Body)) ||
			len(head.Body) > 0 {
			t.Errorf("HEAD: %v %d %s", err, head.Status, head.Header)
		}
	}
}

var addressed = regexp.MustCompile(`/tiles/([a-z2-7]+)/(\d+)\.([\w-]+)/([0-9a-f]+)\.dzi$`)

func tileRefusals(t *testing.T, s *Server, url string, top int) {
	parts := addressed.FindStringSubmatch(url)
	if parts == nil {
		t.Fatalf("the address is %s", url)
	}
	flip := func(text string) string { // another letter of the alphabet in the middle
		other := "b"
		if text[5] == 'b' {
			other = "c"
		}
		return text[:5] + other + text[6:]
	}
	edit := func(part int, to string) string { return strings.Replace(url, parts[part], to, 1) }
	for name, edited := range map[string]string{
		"archive": edit(1, flip(parts[1])), "end": edit(2, parts[2]+"0"), "mark": edit(3, flip(parts[3])),
		"hash":    edit(4, flip(parts[4])),
		"no mark": edit(3, ""), "no end": edit(2, "x"), "two archives": edit(1, parts[1]+"."+parts[1]),
		"another project": strings.Replace(url, "/projects/", "/projects/0", 1),
	} {
		for _, one := range []string{edited, tileAt(edited, top, 0, 0)} {
			want := 403
			if name == "another project" {
				want = 404
			}
			if r := s.Fetch(one, nil); r.Status != want || r.Header.Get("Content-Type") != "application/json" ||
				r.Text("message") == "" || strings.Contains(r.Header.Get("Cache-Control"), "public") {
				t.Errorf("%s: %d %s %s", name, r.Status, r.Header, r.Body)
			}
		}
	}
	for _, missing := range []string{
		tileAt(url, top+1, 0, 0), tileAt(url, top, 99, 0), tileAt(url, 0, 0, 1),
		strings.TrimSuffix(url, ".dzi") + "_files/x/0_0.png", strings.TrimSuffix(url, ".dzi") + "_files/3/0.png",
		strings.TrimSuffix(url, ".dzi") + "_files/3/0_0.jpg", strings.TrimSuffix(url, ".dzi") + "_files/3/-1_0.png",
		strings.TrimSuffix(url, ".dzi") + "/3/0_0.png",
		strings.TrimSuffix(url, ".dzi") + ".xml",
		strings.TrimSuffix(url, ".dzi") + "_files/18446744073709551615/0_0.png",
	} {
		if r := s.Fetch(missing, nil); r.Status != 404 || r.Header.Get("Content-Type") != "application/json" ||
			r.Text("message") == "" {
			t.Errorf("%s: %d %s", missing, r.Status, r.Body)
		}
	}
}

// TestUncutSheet holds that a drawing that cannot be drawn says so, and is not tried for ever.
func TestUncutSheet(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		page := s.Plan("A102", 0)
		whole := page
		page.File = blob.NewName()
		if _, err := s.App.Blob.Put(t.Context(), page.File,
			strings.NewReader("%PDF-1.7 and nothing else")); err != nil {
			t.Fatal(err)
		}
		_, uids := ada.Publish(project, []register.Page{page, whole})
		s.Work()
		sheets := "/projects/" + project + "/sheets/"
		r := ada.Want(200, "GET", sheets+uids[0], nil)
		if got := r.Text("tiles_error"); got != "The file is no PDF, or it is damaged." {
			t.Errorf("it says %q", got)
		}
		c := ada.Want(200, "GET", sheets+uids[0]+"/compare/"+uids[1], nil)
		if c.Text("status") != "errored" || !strings.Contains(c.Text("message"), r.Text("tiles_error")) {
			t.Errorf("%s", c.Body)
		}
	})
}

func TestCompare(t *testing.T) {
	stores(t, func(t *testing.T, s *Server, _ *Clock) {
		ada := s.Account("ada")
		project := ada.Project("P")
		_, olds := ada.Publish(project, []register.Page{s.Plan("A101", 0)})
		small := s.Plan("A102", 1)
		small.Width -= 100
		_, news := ada.Publish(project, []register.Page{s.Plan("A101", 1), small})
		sheets := "/projects/" + project + "/sheets/"
		path := sheets + news[0] + "/compare/" + olds[0]
		if r := ada.Want(200, "GET", path, nil); r.Text("status") != "incomplete" ||
			strings.Contains(string(r.Body), "/tiles/") {
			t.Errorf("before the drawings are cut: %s", r.Body)
		}
		s.Work()
		r := ada.Want(200, "GET", path, nil)
		if r.Text("status") != "complete" || r.Text("old.uid") != olds[0] || r.Text("new.uid") != news[0] {
			t.Fatalf("%s", r.Body)
		}
		if other := ada.Want(200, "GET", sheets+olds[0]+"/compare/"+news[0], nil); !bytes.Equal(other.Body, r.Body) {
			t.Errorf("the other way round it is %s", other.Body)
		}
		url := r.Text("tiles_url")
		_, top := describe(t, s, url)
		reds, blues, both := colours(whole(t, s, url, top-1))
		if reds < 100 || blues < 100 || both < 10*(reds+blues) {
			t.Errorf("%d red, %d blue and %d grey dots", reds, blues, both)
		}
		n := objects(t, s)
		if again := whole(t, s, url, top-1); objects(t, s) != n || again.Rect.Dx() < 1000 {
			t.Error("looking at it stores something")
		}
		for _, missing := range []string{tileAt(url, top+1, 0, 0), tileAt(url, top, 99, 0)} {
			if r := s.Fetch(missing, nil); r.Status != 404 {
				t.Errorf("%s: %d %s", missing, r.Status, r.Body)
			}
		}
		swapped := regexp.MustCompile(`/tiles/([a-z2-7]+)\.([a-z2-7]+)/`).ReplaceAllString(url, "/tiles/$2.$1/")
		for _, edited := range []string{swapped, strings.Replace(url, "/tiles/", "/tiles/a", 1)} {
			if r := s.Fetch(edited, nil); r.Status != 403 && r.Status != 404 || edited == url {
				t.Errorf("%s: %d %s", edited, r.Status, r.Body)
			}
		}
		const nobody = "00000000-0000-4000-8000-000000000000"
		for path, want := range map[string]string{
			sheets + nobody + "/compare/" + olds[0]:  nobody,
			sheets + news[0] + "/compare/" + nobody:  nobody,
			sheets + news[0] + "/compare/" + news[0]: "itself",
			sheets + news[0] + "/compare/" + news[1]: "inches",
		} {
			r, err := ada.Try("GET", path, nil)
			if err != nil || r.Status != 404 && r.Status != 400 || (r.Status == 404) != (want == nobody) ||
				!strings.Contains(r.Text("message"), want) {
				t.Errorf("%s: %v %d %s", path, err, r.Status, r.Body)
			}
		}
	})
}

// colours counts the dots of a comparison.
func colours(img image.Image) (reds, blues, greys int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch r, g, bl, _ := img.At(x, y).RGBA(); {
			case r > bl+0x3000:
				reds++
			case bl > r+0x3000:
				blues++
			case g < 0xd000:
				greys++
			}
		}
	}
	return reds, blues, greys
}
