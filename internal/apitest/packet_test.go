package apitest_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/drawing"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// page is a PDF of one page of this size; content is what it draws.
func page(width, height, rotate int, content string) []byte {
	return fmt.Appendf(nil,
		"%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Rotate %d/Contents 4 0 R>>endobj\n4 0 obj<</Length %d>>stream\n%s\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n",
		width, height, rotate, len(content), content)
}

// sheetOf is a page of a version set with a file.
func sheetOf(s *Server, number string, width, height float64, file []byte) register.Page {
	return register.Page{FileName: "set.pdf", Name: number, Width: width, Height: height, File: s.Object(file)}
}

// delivered asks for a shareable, has it made, and gives how it ended.
func delivered(s *Server, p *Person, path string, body any) Response {
	uid := p.Want(http.StatusCreated, "POST", path, body).Text("uid")
	s.Work()
	return p.Want(http.StatusOK, "GET", path+"/"+uid, nil)
}

// fetched is the file of a shareable, which qpdf finds nothing wrong with.
func fetched(t *testing.T, p *Person, r Response) []byte {
	t.Helper()
	if r.Text("status") != "complete" {
		t.Fatalf("it is not complete: %s", r.Body)
	}
	content := p.Want(http.StatusOK, "GET", r.Text("file_url"), nil).Body
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v\n%s", err, out)
	}
	return content
}

// pictured draws a page with one dot for each point.
func pictured(t *testing.T, w *drawing.Workshop, content []byte, number int) image.Image {
	t.Helper()
	f, err := w.Bring(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := f.Render(t.Context(), number, 72)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	img, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestPacketsShowWhatTheAskerSees draws in squares of the page, each in its own colour: a packet shows those that the
// asker sees.
func TestPacketsShowWhatTheAskerSees(t *testing.T) {
	folder := t.TempDir()
	shop, err := drawing.Open(drawing.Config{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shop.Close() })
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("Tower")
		ada.Invite(project, bob, "Collaborator")
		path := "/projects/" + project
		plan := page(1000, 600, 0, "")
		_, sheets := ada.Publish(project, []register.Page{
			sheetOf(s, "A101", 1000, 600, plan), sheetOf(s, "A102", 1000, 600, plan),
		})
		// Each mark fills a square of a row of ten.
		mark := func(who *Person, on string, square int, colour string, more map[string]any) string {
			x := float64(square) / 10
			body := map[string]any{"sheet_uid": on, "kind": "highlight", "color": colour, "geometry": map[string]any{
				"points": []any{map[string]any{"x": x, "y": 0.0}, map[string]any{"x": x + 0.1, "y": 0.2}},
			}}
			for k, v := range more {
				body[k] = v
			}
			return who.Want(http.StatusCreated, "POST", path+"/annotations", body).Text("uid")
		}
		issue := func(who *Person) string {
			return who.Want(http.StatusCreated, "POST", path+"/issues", map[string]any{"title": "Crack"}).Text("uid")
		}
		pinned := issue(ada)
		mark(ada, sheets[0], 0, "#FF0000", map[string]any{"visibility": "master"})
		mark(ada, sheets[0], 1, "#FF0000", nil)
		mark(bob, sheets[0], 2, "#FF0000", nil)
		mark(ada, sheets[0], 3, "#FF0000", map[string]any{"issue_uid": pinned})
		ada.Want(http.StatusNoContent, "DELETE",
			path+"/annotations/"+mark(ada, sheets[0], 4, "#FF0000", map[string]any{"visibility": "master"}), nil)
		closed := issue(ada)
		mark(ada, sheets[0], 5, "#FF0000", map[string]any{"issue_uid": closed})
		ada.Want(http.StatusNoContent, "DELETE", path+"/issues/"+closed, nil)
		ada.Want(http.StatusCreated, "POST", path+"/annotations", map[string]any{
			"sheet_uid": sheets[0], "visibility": "master", "text": "It is nowhere.",
		})
		mark(ada, sheets[1], 6, "#FF0000", map[string]any{"visibility": "master"})
		// A later version is turned inside its file; the next one is larger.
		_, later := ada.Publish(project, []register.Page{sheetOf(s, "A101", 1000, 600, page(600, 1000, 90, ""))})
		mark(ada, later[0], 7, "#FF0000", map[string]any{"visibility": "master"})
		_, last := ada.Publish(project, []register.Page{sheetOf(s, "A101", 1200, 720, page(1200, 720, 0, ""))})

		squares := func(who *Person, sheet string, more map[string]any) (got []int) {
			t.Helper()
			body := map[string]any{"sheet_uids": []string{sheet}}
			for k, v := range more {
				body[k] = v
			}
			img := pictured(t, shop, fetched(t, who, delivered(s, who, path+"/sheets/packets", body)), 1)
			for i := range 10 {
				c := color.RGBAModel.Convert(img.At(img.Bounds().Dx()*(2*i+1)/20, img.Bounds().Dy()/10)).(color.RGBA)
				if c.R > 200 && c.G < 200 {
					got = append(got, i)
				}
			}
			return got
		}
		for _, c := range []struct {
			what  string
			who   *Person
			sheet string
			more  map[string]any
			want  []int
		}{
			{"what Ada sees", ada, sheets[0], nil, []int{0, 1, 3}},
			{"what Bob sees", bob, sheets[0], nil, []int{0, 2, 3}},
			{"of the later version", bob, later[0], map[string]any{"include_annotations": true}, []int{0, 2, 3, 7}},
			{"of one of another size", bob, last[0], nil, nil},
			{"of another sheet", bob, sheets[1], nil, []int{6}},
			{"without annotations", bob, sheets[0], map[string]any{"include_annotations": false}, nil},
		} {
			if got := squares(c.who, c.sheet, c.more); !slices.Equal(got, c.want) {
				t.Errorf("%s: the squares %v are marked, want %v", c.what, got, c.want)
			}
		}
	})
}

func TestPacketsOfManySheets(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		_, sheets := ada.Drawings(project, "A101", "A102")
		many := make([]string, 1001)
		for i := range many {
			many[i] = sheets[i%2]
		}
		if r := ada.Want(http.StatusBadRequest, "POST", path,
			map[string]any{"sheet_uids": many}); !strings.Contains(r.Text("message"), "1000") {
			t.Errorf("1,001 sheets: %s", r.Body)
		}
		content := fetched(t, ada, delivered(s, ada, path, map[string]any{"sheet_uids": many[:1000], "cover": true}))
		if n := bytes.Count(content, []byte("/Type/Page/")); n < 1020 || n > 1060 {
			t.Errorf("there are %d pages", n)
		}
	})
}

// TestPacketsNameWhatIsDamaged shows how a packet ends of which one sheet cannot be read.
func TestPacketsNameWhatIsDamaged(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		good := page(1000, 600, 0, "")
		lost := sheetOf(s, "A103", 1000, 600, good)
		_, sheets := ada.Publish(project, []register.Page{
			sheetOf(s, "A101", 1000, 600, good), sheetOf(s, "A102", 1000, 600, []byte("no drawing")), lost,
		})
		if err := s.App.Blob.Delete(t.Context(), lost.File); err != nil {
			t.Fatal(err)
		}
		s.Work() // the tiles
		before := objects(t, s)
		for name, uid := range map[string]string{"A102": sheets[1], "A103": sheets[2]} {
			r := delivered(s, ada, path, map[string]any{"sheet_uids": []string{sheets[0], uid}})
			if link, _ := r.Value("file_url"); link != nil || r.Text("status") != "errored" ||
				!strings.Contains(r.Text("message"), "Sheet "+name+" ") {
				t.Errorf("%s: %s", name, r.Body)
			}
		}
		if now := objects(t, s); now != before {
			t.Errorf("%d objects were left", now-before)
		}
	})
}

// TestPacketsBeginAgain shows what becomes of a packet whose process died: it is made by the next one, which removes
// what was left; and it is errored when every process dies of it.
func TestPacketsBeginAgain(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		_, sheets := ada.Drawings(project, "A101")
		die := func(attempts int) string {
			uid := ada.Want(http.StatusCreated, "POST", path, map[string]any{"sheet_uids": sheets}).Text("uid")
			left := s.Object([]byte("half a packet"))
			p, err := s.App.Store.Project(t.Context(), project)
			if err != nil {
				t.Fatal(err)
			}
			err = s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
				if err := tx.Exec("UPDATE shareables SET object = $3 WHERE project = $1 AND uid = $2", p.ID, uid,
					left); err != nil {
					return err
				}
				return tx.In(store.JobsOffice, func() error {
					return tx.Exec("UPDATE jobs SET state = 1, attempt = $1, run_at = $2 WHERE kind = 'sheets/packets' AND state = 0", int64(attempts), tx.Now()-1)
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			return uid
		}
		s.Work() // the tiles
		before := objects(t, s)
		uid := die(1)
		s.Work()
		fetched(t, ada, ada.Want(http.StatusOK, "GET", path+"/"+uid, nil))
		if now := objects(t, s); now != before+1 {
			t.Errorf("there are %d objects, want the packet and %d", now, before)
		}
		uid = die(5)
		s.Work()
		if r := ada.Want(http.StatusOK, "GET", path+"/"+uid, nil); r.Text("status") != "errored" ||
			!strings.Contains(r.Text("message"), "ask for it again") {
			t.Errorf("all processes died: %s", r.Body)
		}
	})
}

// TestPacketsSurviveKills kills the process that puts packets together, in the middle, again and again: every packet
// ends, and none shows a part of a file.
func TestPacketsSurviveKills(t *testing.T) {
	const rounds = 20
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		s.App.Jobs.Only("sheets/packets") // tiles would take their turn, and leave objects
		work(t, s)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		var pages []register.Page
		for i := range 40 {
			// Enough to read that there is a middle.
			pages = append(pages, sheetOf(s, fmt.Sprintf("A%d", 100+i), 1000, 600,
				page(1000, 600, 0, strings.Repeat(fmt.Sprintf("%d 0 m 9 9 l S\n", i), 5_000))))
		}
		_, sheets := ada.Publish(project, pages)
		before := objects(t, s)
		kills, complete := 0, 0
		for end := time.Now().Add(3 * time.Minute); kills < rounds; {
			if time.Now().After(end) {
				t.Fatalf("only %d were killed", kills)
			}
			uid := ada.Want(http.StatusCreated, "POST", path, map[string]any{"sheet_uids": sheets}).Text("uid")
			struck := time.Now().Add(rand.N(100 * time.Millisecond))
			var r Response
			await.Until(t, 5*time.Minute, func() string {
				r = ada.Want(http.StatusOK, "GET", path+"/"+uid, nil)
				if r.Text("status") != "incomplete" {
					return ""
				}
				if link, _ := r.Value("file_url"); link != nil {
					t.Fatalf("an incomplete packet shows a file: %s", r.Body)
				}
				if n := killWorkersAfter(t, struck); n > 0 {
					kills += n
					// Half of them are left alone the second time: they must be made.
					if struck = time.Now().Add(rand.N(300 * time.Millisecond)); rand.N(2) == 0 {
						struck = end
					}
				}
				return "the packet is incomplete"
			})
			if r.Text("status") == "complete" {
				complete++
				if n := bytes.Count(fetched(t, ada, r), []byte("/Type/Page/")); n != len(sheets) {
					t.Errorf("a packet has %d of %d pages", n, len(sheets))
				}
			}
		}
		if now := objects(t, s); now != before+complete {
			t.Errorf("there are %d objects, want %d and %d packets", now, before, complete)
		}
		if complete == 0 {
			t.Error("no packet was made in spite of a kill")
		}
	})
}

// killWorkersAfter kills, from a moment on, the children of this process that read files, and tells how many.
func killWorkersAfter(t *testing.T, moment time.Time) (killed int) {
	t.Helper()
	if time.Now().Before(moment) {
		return 0
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if f := strings.Fields(rest); len(f) < 2 || f[1] != strconv.Itoa(os.Getpid()) ||
			!bytes.Contains(command, []byte(drawing.WorkerCommand)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}
