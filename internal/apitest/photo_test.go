package apitest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/blob"
)

// landscape is a picture that is red above and green below.
func landscape(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{220, 30, 20, 255}
			if y >= h/2 {
				c = color.RGBA{20, 200, 30, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// heic is the small photograph of package drawing's tests: 192 × 128, taken in Portland, Oregon, on 4 July 2026 at
// 15:30:05 -07:00.
func heic(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile("../drawing/testdata/quarters.heic")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// jpegOf is the landscape as a JPEG with what the camera wrote into the other one.
func jpegOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, landscape(w, h), nil); err != nil {
		t.Fatal(err)
	}
	other := heic(t)
	block := append([]byte("Exif\x00\x00"), other[bytes.Index(other, []byte("II*\x00")):]...)
	out := append([]byte{}, plain.Bytes()[:2]...)
	out = binary.BigEndian.AppendUint16(append(out, 0xff, 0xe1), uint16(len(block)+2))
	return append(append(out, block...), plain.Bytes()[2:]...)
}

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, landscape(w, h)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// developed waits until a photo was looked at.
func developed(t *testing.T, p *Person, path string) (r Response) {
	t.Helper()
	await.Until(t, 2*time.Minute, func() string {
		r = p.Want(http.StatusOK, "GET", path, nil)
		thumbnail, _ := r.Value("thumbnail_url")
		wrong, _ := r.Value("image_error")
		if thumbnail != nil || wrong != nil {
			return ""
		}
		return fmt.Sprintf("nobody looked at the photo: %s", r.Body)
	})
	return r
}

// objects counts what is in the store of files.
func objects(t *testing.T, s *Server) (n int) {
	t.Helper()
	if err := s.App.Blob.Each(t.Context(), func(blob.Info) error {
		n++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// work lets the service do its background work until the test ends.
func work(t *testing.T, s *Server) {
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

func TestPhotosAreDeveloped(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Collaborator")
		work(t, s)
		cut := jpegOf(t, 640, 480)
		cases := []struct {
			name, kind    string
			content       []byte
			width, height float64
			exif          bool
			pictures      int
			wrong         string
		}{
			{"jpeg", "image/jpeg", jpegOf(t, 2000, 1000), 2000, 1000, true, 2, ""},
			{"png", "image/png", pngOf(t, 300, 600), 300, 600, false, 3, ""},
			{"heic", "image/heic", heic(t), 192, 128, true, 3, ""},
			{"jpeg that is a png", "image/png", jpegOf(t, 400, 300), 400, 300, true, 2, ""},
			{"cut", "image/jpeg", cut[:len(cut)-3000], 0, 0, false, 0, "The image is damaged: it ends too early."},
			{
				"no picture", "image/png", []byte("Not every file is a picture."), 0, 0, false, 0,
				"The image is neither JPEG, PNG nor HEIC; other formats are kept but not shown.",
			},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				before := objects(t, s)
				made := bob.Upload(project, "photos", map[string]any{"content_type": c.kind, "title": c.name},
					string(c.content))
				r := developed(t, bob, "/projects/"+project+"/photos/"+made.Text("uid"))
				if got := objects(t, s) - before; got != 1+c.pictures {
					t.Errorf("%d objects; want %d", got, 1+c.pictures)
				}
				if r.Text("updated_at") <= made.Text("updated_at") || r.Text("updated_by.email") != "bob@example.com" ||
					r.Text("created_by.email") != "bob@example.com" {
					t.Errorf("it was %s, it is %s", made.Body, r.Body)
				}
				if file := s.Fetch(r.Text("url"), nil); !file.Is(c.content) {
					t.Errorf("its url gives %d other bytes", len(file.Body))
				}
				if c.wrong != "" {
					for _, field := range []string{
						"width", "height", "taken_at", "display_url", "preview_url",
						"thumbnail_url",
					} {
						if v, err := r.Value(field); v != nil || err != nil {
							t.Errorf("%s is %v, %v", field, v, err)
						}
					}
					if r.Text("image_error") != c.wrong {
						t.Errorf("it says %q", r.Text("image_error"))
					}
					return
				}
				checkPictures(t, s, r, c.width, c.height)
				checkCamera(t, r, c.exif)
			})
		}
		changes := ada.Want(http.StatusOK, "GET", "/projects/"+project+"/changes?limit=1000", nil)
		if n := strings.Count(string(changes.Body), `"operation":"update"`); n != len(cases) {
			t.Errorf("%d changes for %d photos: %s", n, len(cases), changes.Body)
		}
	})
}

// checkPictures fetches the pictures of a photo and looks at them.
func checkPictures(t *testing.T, s *Server, r Response, width, height float64) {
	t.Helper()
	for field, side := range map[string]float64{"thumbnail_url": 320, "preview_url": 1600, "display_url": 4096} {
		file := s.Fetch(r.Text(field), nil)
		img, err := jpeg.Decode(bytes.NewReader(file.Body))
		if err != nil || file.Header.Get("Content-Type") != "image/jpeg" {
			t.Fatalf("%s: %v, %s", field, err, file.Header.Get("Content-Type"))
		}
		scale := min(1, side/max(width, height))
		if b := img.Bounds(); math.Abs(float64(b.Dx())-width*scale) > 1 || math.Abs(float64(b.Dy())-height*scale) > 1 {
			t.Errorf("%s is %v of %v × %v", field, b, width, height)
		}
		if field != "display_url" && bytes.Contains(file.Body, []byte("Exif")) {
			t.Errorf("%s carries what the camera wrote", field)
		}
	}
	if w, h := number(t, r, "width"), number(t, r, "height"); w != width || h != height {
		t.Errorf("it is said to be %v × %v", w, h)
	}
}

// number is a field that holds one.
func number(t *testing.T, r Response, field string) float64 {
	t.Helper()
	v, err := r.Value(field)
	n, is := v.(json.Number)
	if err != nil || !is {
		t.Fatalf("%s is %v, %v", field, v, err)
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func checkCamera(t *testing.T, r Response, has bool) {
	t.Helper()
	if !has {
		for _, field := range []string{"taken_at", "taken_offset", "latitude", "longitude"} {
			if v, err := r.Value(field); v != nil || err != nil {
				t.Errorf("%s is %v, %v", field, v, err)
			}
		}
		return
	}
	if at := r.Text("taken_at"); at != "2026-07-04T22:30:05+00:00" {
		t.Errorf("taken at %s", at)
	}
	for field, want := range map[string]float64{"taken_offset": -420, "latitude": 45.520067, "longitude": -122.675167} {
		if got := number(t, r, field); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s is %v; want %v", field, got, want)
		}
	}
}

// TestPhotoAfterDeath begins where an attempt died that had stored some pictures: one whole, one of an earlier release.
// Nothing is left over, and who changed the photo meanwhile stays who did.
func TestPhotoAfterDeath(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Collaborator")
		first := bob.Upload(project, "photos", map[string]any{"content_type": "image/jpeg"},
			string(jpegOf(t, 640, 480)))
		link := first.Text("url")
		object := link[strings.LastIndex(link, "/")+1 : strings.Index(link, "?")]
		if _, err := s.App.Blob.Put(t.Context(), blob.Part(object, "thumbnail"),
			strings.NewReader("of an earlier release")); err != nil {
			t.Fatal(err)
		}
		path := "/projects/" + project + "/photos/" + first.Text("uid")
		ada.Want(http.StatusOK, "PATCH", path, map[string]any{"title": "Stairs"})
		work(t, s)
		r := developed(t, ada, path)
		checkPictures(t, s, r, 640, 480)
		if objects(t, s) != 3 {
			t.Errorf("%d objects", objects(t, s))
		}
		if r.Text("updated_by.email") != "ada@example.com" || r.Text("title") != "Stairs" {
			t.Errorf("it is %s", r.Body)
		}
		ada.Want(http.StatusOK, "PATCH", path, map[string]any{"title": "Roof"})
		if name := s.Fetch(r.Text("preview_url"), nil).Header.Get("Content-Disposition"); !strings.Contains(name,
			"Roof.jpg") {
			t.Errorf("the preview is saved as %s", name)
		}
	})
}
