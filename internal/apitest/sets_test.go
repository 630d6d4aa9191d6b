package apitest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	. "groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/sheet/pagetext"
	"groundwork/internal/store"
)

// drawn draws a set.
func drawn(t *testing.T, o draft.Options) ([]byte, *draft.Set) {
	t.Helper()
	var b bytes.Buffer
	truth, err := draft.Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), truth
}

// plainPDF is a PDF of pages that have these sizes, and no text.
func plainPDF(boxes ...string) []byte {
	var b bytes.Buffer
	kids := ""
	for i := range boxes {
		kids += fmt.Sprintf("%d 0 R ", 4+i)
	}
	content := "10 10 80 80 re f"
	fmt.Fprintf(&b, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[%s]/Count %d>>endobj\n", kids, len(boxes))
	fmt.Fprintf(&b, "3 0 obj<</Length %d>>stream\n%s\nendstream endobj\n", len(content), content)
	for i, box := range boxes {
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 3 0 R/Resources<<>>>>endobj\n", 4+i,
			box)
	}
	fmt.Fprintf(&b, "trailer<</Root 1 0 R/Size %d>>\n%%%%EOF", 4+len(boxes))
	return b.Bytes()
}

func locked(t *testing.T, content []byte) []byte {
	t.Helper()
	api.DisableConfigDir()
	var out bytes.Buffer
	conf := model.NewDefaultConfiguration()
	conf.UserPW, conf.OwnerPW = "open", "sesame"
	if err := api.Encrypt(bytes.NewReader(content), &out, conf); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// reading is what a version upload shows of how far it was read.
type reading struct {
	Status     string
	Processing struct {
		Status     string
		Published  bool
		PagesTotal int `json:"pages_total"`
		PagesDone  int `json:"pages_done"`
		Files      []struct {
			FileName string `json:"file_name"`
			Status   string
			Error    string
			Pages    []struct {
				Page                           int
				Name, Description, Date, Error string
				NumberConfidence               *float64 `json:"number_confidence"`
				DescriptionConfidence          *float64 `json:"description_confidence"`
			}
		}
	}
}

func progress(t *testing.T, p *Person, project, set string) (r reading) {
	t.Helper()
	answer := p.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets/uploads/"+set, nil)
	if err := json.Unmarshal(answer.Body, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// until looks at a version upload again and again until it is as it should be.
func until(t *testing.T, p *Person, project, set string, done func(reading) bool) (r reading) {
	t.Helper()
	await.Until(t, 5*time.Minute, func() string {
		if r = progress(t, p, project, set); done(r) {
			return ""
		}
		return fmt.Sprintf("nobody read the set: %+v", r)
	})
	return r
}

func ended(r reading) bool {
	return r.Processing.Status == "complete" || r.Processing.Status == "errored"
}

// shown is what a sheet shows.
type shown struct {
	UID, Name, Description, Date string
	UploadedFileName             string `json:"uploaded_file_name"`
	VersionName                  string `json:"version_name"`
	HistorySetUID                string `json:"history_set_uid"`
	FileURL                      string `json:"file_url"`
	ThumbnailURL                 string `json:"thumbnail_url"`
	TilesURL                     string `json:"tiles_url"`
	Current                      bool
	Supersedes                   struct{ UID string }
	Width, Height                float64
	NumberConfidence             *float64 `json:"number_confidence"`
	Tags                         []string
	Links                        []struct {
		Sheet          struct{ UID string }
		Text           string
		X0, Y0, X1, Y1 float64
	}
}

func sheetsOf(t *testing.T, p *Person, project, query string) []shown {
	t.Helper()
	var list struct{ Data []shown }
	if err := json.Unmarshal(p.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets?"+query, nil).Body,
		&list); err != nil {
		t.Fatal(err)
	}
	return list.Data
}

// TestSets: good files among bad ones become sheets with what the drawings say, and a later version supersedes them.
func TestSets(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		work(t, s)
		content, truth := drawn(t, draft.Options{Seed: 5, Sheets: 3, Plain: true})
		files := []SetFile{
			{"Übersichtspläne №1 – 図面 مخطط тест.pdf", content},
			{"Dear colleagues.pdf", []byte("please find attached")},
			{"geheim.pdf", locked(t, content)},
			{"schéma 平面.PDF", plainPDF("0 0 612 792", "0 0 20000 100")},
			{"empty.pdf", nil},
		}
		set := ada.UploadSet(project, "Issue 1", true, files...)
		r := until(t, ada, project, set, ended)
		wrong := []string{
			"", "The file is no PDF, or it is damaged.",
			"The PDF is protected by a password. Remove the protection and upload it again.", "", "The PDF is empty.",
		}
		for i, f := range r.Processing.Files {
			status := map[bool]string{true: "complete", false: "errored"}[wrong[i] == ""]
			if f.FileName != files[i].Name || f.Error != wrong[i] || f.Status != status {
				t.Errorf("file %d is %+v", i+1, f)
			}
		}
		if r.Status != "complete" || !r.Processing.Published || r.Processing.PagesTotal != 5 ||
			r.Processing.PagesDone != 5 {
			t.Errorf("the upload is %+v", r)
		}
		if pages := r.Processing.Files[3].Pages; len(pages) != 2 || pages[0].Name != "schéma 平面 p001" ||
			*pages[0].NumberConfidence != 0 ||
			pages[1].Error != "Page 2 is 278 inches long; at most 200 are read." {
			t.Errorf("the pages without text are %+v", pages)
		}
		first := sheetsOf(t, ada, project, "")
		if len(first) != 4 {
			t.Fatalf("%d sheets", len(first))
		}
		for i, page := range truth.Pages {
			checkSheet(t, s, project, first[i], page, files[0].Name)
		}
		if last := first[3]; last.Name != "schéma 平面 p001" || last.Width != 612 || last.Description != "" {
			t.Errorf("the page without text is %+v", last)
		}
		if disposition := s.Fetch(first[3].FileURL,
			nil).Header.Get("Content-Disposition"); !strings.Contains(disposition,
			"sch%C3%A9ma%20%E5%B9%B3%E9%9D%A2%20p001.pdf") {
			t.Errorf("it is saved as %s", disposition)
		}
		checkLinks(t, first, truth)

		newer, _ := drawn(t, draft.Options{Seed: 5, Sheets: 3, Plain: true, Revision: 1})
		second := ada.UploadSet(project, "Issue 2", true, SetFile{"set 2.pdf", newer})
		until(t, ada, project, second, ended)
		now := sheetsOf(t, ada, project, "current=true")
		if len(now) != 4 || now[0].VersionName != "Issue 2" || now[3].VersionName != "Issue 1" {
			t.Fatalf("now there are %+v", now)
		}
		for i := range truth.Pages {
			versions := sheetsOf(t, ada, project, "history_set_uid="+first[i].HistorySetUID)
			if len(versions) != 2 || versions[0].UID != now[i].UID || versions[1].UID != first[i].UID ||
				!versions[0].Current || versions[1].Current {
				t.Errorf("%s has the versions %+v", first[i].Name, versions)
			}
		}

		junk := ada.UploadSet(project, "Issue 3", true, SetFile{"a.pdf", []byte("a")}, SetFile{"b.pdf", []byte("b")})
		if r := until(t, ada, project, junk, ended); r.Status != "errored" || r.Processing.Published {
			t.Errorf("nothing of it can be read: %+v", r)
		}
		ada.Want(http.StatusBadRequest, "POST", "/projects/"+project+"/version_sets/"+junk+"/publish", nil)
		var lost []string
		if err := s.App.Files.Audit(t.Context(), s.App.Store, true, func(finding string) {
			lost = append(lost, finding)
		}); err != nil || len(lost) > 0 {
			t.Errorf("the store of files: %v %v", lost, err)
		}
	})
}

// checkSheet holds a sheet against what was drawn.
func checkSheet(t *testing.T, s *Server, project string, got shown, page draft.Page, file string) {
	t.Helper()
	if got.Name != page.Number || got.Description != page.Title || got.Date != page.Date || got.Width != page.Width ||
		got.Height != page.Height || got.UploadedFileName != file {
		t.Errorf("got %+v; drawn were %s, %s, %s", got, page.Number, page.Title, page.Date)
	}
	if pdf := s.Fetch(got.FileURL, nil); !bytes.HasPrefix(pdf.Body, []byte("%PDF")) ||
		pdf.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("its file is %d bytes of %s", len(pdf.Body), pdf.Header.Get("Content-Type"))
	}
	thumbnail, err := jpeg.DecodeConfig(bytes.NewReader(s.Fetch(got.ThumbnailURL, nil).Body))
	if err != nil || max(thumbnail.Width, thumbnail.Height) != 512 {
		t.Errorf("its thumbnail is %+v, %v", thumbnail, err)
	}
	var hidden struct{ Text, Words string }
	at, err := s.App.Store.Project(t.Context(), project)
	if err == nil {
		err = s.App.Store.QueryIn(t.Context(), at, "SELECT private FROM records WHERE uid = $1", []any{got.UID},
			func(c *store.Cols) error {
				return json.Unmarshal(c.Bytes(0), &hidden)
			})
	}
	if err != nil {
		t.Fatal(err)
	}
	if words := strings.Fields(page.Title); !strings.Contains(" "+hidden.Words+" ", " "+words[0]+" ") {
		t.Errorf("%s is not among its words", words[0])
	}
	text, err := pagetext.Read(t.Context(), s.App.Blob, hidden.Text)
	if err != nil || text.Width != page.Width {
		t.Fatalf("its text: %+v, %v", text, err)
	}
	for _, l := range text.Lines {
		if len(strings.Fields(l.Text)) != len(l.Words) {
			t.Errorf("%q has %d places", l.Text, len(l.Words))
		}
		for _, a := range l.Words {
			if a[0] >= a[2] || a[1] >= a[3] || a[0] < -0.1 || a[3] > 1.1 {
				t.Errorf("%q stands at %v", l.Text, a)
			}
		}
	}
}

// checkLinks holds the links of a set against the references that were drawn.
func checkLinks(t *testing.T, sheets []shown, truth *draft.Set) {
	t.Helper()
	names := map[string]string{}
	for _, s := range sheets {
		names[s.UID] = s.Name
	}
	for i, page := range truth.Pages {
		drawn := map[string]bool{}
		for _, c := range page.Callouts {
			drawn[c.Target] = true
		}
		for _, l := range sheets[i].Links {
			if !drawn[names[l.Sheet.UID]] || l.X0 >= l.X1 || l.Y1 > 1 {
				t.Errorf("%s links to %s at %+v", page.Number, names[l.Sheet.UID], l)
			}
			delete(drawn, names[l.Sheet.UID])
		}
		if len(drawn) > 0 {
			t.Errorf("%s does not link to %v", page.Number, drawn)
		}
	}
}

// TestSetGoesOn: a process that dies in the middle of a set leaves what was read, and the next one does not read it
// again. A worker that is killed is replaced.
func TestSetGoesOn(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		clock := NewClock()
		s := Start(t, engine, At(clock))
		ada := s.Account("ada")
		project := ada.Project("P")
		content, truth := drawn(t, draft.Options{Seed: 9, Sheets: 4, Plain: true})
		set := ada.UploadSet(project, "Issue 1", true, SetFile{"plans.pdf", content})
		ctx, cancel := context.WithCancel(context.Background())
		s.App.Jobs.Start(ctx)
		until(t, ada, project, set, func(r reading) bool { return r.Processing.PagesDone > 0 })
		killed := killWorkers(t)
		until(t, ada, project, set, func(r reading) bool { return r.Processing.PagesDone > 1 })
		cancel()
		gone, end := context.WithCancel(context.Background())
		end()
		if err := s.App.Jobs.Stop(gone); err != nil {
			t.Fatal(err)
		}
		s.App.Jobs.Wait()
		left := progress(t, ada, project, set)
		if left.Processing.PagesDone >= len(truth.Pages) || left.Processing.Status != "running" {
			t.Fatalf("it was too quick: %+v", left)
		}
		thumbnail := objectOf(t, s, project, set, 1)
		if err := s.App.Blob.Delete(t.Context(), thumbnail); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		work(t, s)
		r := until(t, ada, project, set, ended)
		if r.Status != "complete" || r.Processing.PagesDone != len(truth.Pages) {
			t.Errorf("after %d killed workers: %+v", killed, r)
		}
		for i, got := range sheetsOf(t, ada, project, "") {
			if got.Name != truth.Pages[i].Number {
				t.Errorf("sheet %d is %s, drawn was %s", i, got.Name, truth.Pages[i].Number)
			}
		}
		if _, err := s.App.Blob.Open(t.Context(), thumbnail); !fault.Is(err, fault.NotFound) {
			t.Errorf("page 1 was read before, and was read again: %v", err)
		}
	})
}

// killWorkers kills the drawing workers of this process, and says how many.
func killWorkers(t *testing.T) (n int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		command, err := os.ReadFile(line)
		if err != nil || !strings.Contains(string(command), drawing.WorkerCommand) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(line), "stat"))
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(line)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) &&
			syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// objectOf is the thumbnail of a page that is no sheet yet.
func objectOf(t *testing.T, s *Server, project, set string, page int) string {
	t.Helper()
	var made struct{ Thumbnail string }
	p, err := s.App.Store.Project(t.Context(), project)
	if err == nil {
		err = s.App.Store.QueryIn(t.Context(), p,
			"SELECT made FROM version_pages WHERE project = $1 AND upload = $2 AND page = $3", []any{p.ID, set, page},
			func(c *store.Cols) error {
				return json.Unmarshal(c.Bytes(0), &made)
			})
	}
	if err != nil || made.Thumbnail == "" {
		t.Fatalf("page %d has no thumbnail: %v", page, err)
	}
	return made.Thumbnail
}
