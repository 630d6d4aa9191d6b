package apitest_test

import (
	"bytes"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/draft"
)

// TestSetCorrected: what an Admin says of the pages before they are published is what they become, and nobody else sees
// anything before.
func TestSetCorrected(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Power Collaborator")
		content, truth := drawn(t, draft.Options{Seed: 5, Sheets: 3, Plain: true})
		set := ada.UploadSet(project, "Issue 1", false, SetFile{"plans.pdf", content})
		path := "/projects/" + project + "/version_sets/" + set
		early := ada.Want(http.StatusBadRequest, "PATCH", path, map[string]any{
			"pages": []any{map[string]any{"file": 1, "page": 1, "skip": true}},
		})
		if !strings.Contains(early.Text("message"), "Page 1 of file 1 (plans.pdf) was not read yet.") {
			t.Errorf("too early: %s", early.Body)
		}
		s.Work()
		if r := progress(t, ada, project, set); r.Processing.Published || r.Processing.Status != "complete" {
			t.Fatalf("it is %+v", r)
		}
		shown := ada.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets/uploads/"+set, nil)
		for _, picture := range []string{"thumbnail_url", "title_block_url"} {
			img, err := jpeg.Decode(bytes.NewReader(
				s.Fetch(shown.Text("processing.files.0.pages.2."+picture), nil).Body))
			if err != nil || max(img.Bounds().Dx(), img.Bounds().Dy()) < 500 {
				t.Errorf("%s is no picture that one can read: %v", picture, err)
			}
		}
		bob.Want(http.StatusNotFound, "GET", path, nil)
		bob.Want(http.StatusForbidden, "GET", "/projects/"+project+"/sheets/uploads/"+set, nil)
		for _, list := range []string{"/version_sets", "/sheets", "/changes"} {
			if r := bob.Want(http.StatusOK, "GET", "/projects/"+project+list, nil); strings.Contains(string(r.Body),
				set) {
				t.Errorf("%s shows others what is not published: %s", list, r.Body)
			}
		}
		linked := truth.Pages[0].Callouts[0].Target
		at := 0
		for i, page := range truth.Pages {
			if page.Number == linked {
				at = i + 1
			}
		}
		ada.Want(http.StatusOK, "PATCH", path, map[string]any{"pages": []any{
			map[string]any{"file": 1, "page": at, "name": "Z-900", "tags": []string{"checked"}},
			map[string]any{"file": 1, "page": at, "description": "Everything else", "date": "2026-02-03"},
			map[string]any{"file": 1, "page": 5 - at, "skip": true},
		}})
		for i, page := range progress(t, ada, project, set).Processing.Files[0].Pages {
			if sure := page.DescriptionConfidence; sure == nil || (*sure == 1) != (i+1 == at) || *sure < 0.6 {
				t.Errorf("the title %q of page %d is sure to %v", page.Description, i+1, sure)
			}
		}
		for _, wrong := range []string{
			`{"pages":[{"file":2,"page":1}]}`, `{"pages":[{"file":1,"page":4}]}`,
			`{"pages":[{"file":1,"page":1,"name":" "}]}`, `{"pages":[{"page":1}]}`,
			`{"pages":[{"file":1,"page":1,"width":3}]}`, `{"pages":[{"file":1,"page":1,"date":"3 May"}]}`,
		} {
			ada.Want(http.StatusBadRequest, "PATCH", path, wrong)
		}
		ada.Want(http.StatusOK, "POST", path+"/publish", nil)
		sheets := sheetsOf(t, bob, project, "")
		if len(sheets) != 2 || sheets[0].Name != truth.Pages[0].Number || sheets[1].Name != "Z-900" ||
			sheets[1].Description != "Everything else" || sheets[1].Date != "2026-02-03" ||
			len(sheets[1].Tags) != 1 || *sheets[1].NumberConfidence != 1 {
			t.Fatalf("the sheets are %+v", sheets)
		}
		for _, l := range sheets[0].Links {
			if l.Sheet.UID != sheets[1].UID {
				t.Errorf("%s leads to %s", l.Text, l.Sheet.UID)
			}
		}
		if len(sheets[0].Links) == 0 {
			t.Error("what was linked by the old name is lost")
		}
		if name := s.Fetch(sheets[1].FileURL, nil).Header.Get("Content-Disposition"); !strings.Contains(name,
			"Z-900.pdf") {
			t.Errorf("it is saved as %s", name)
		}
		ada.Want(http.StatusOK, "PATCH", "/projects/"+project+"/sheets/"+sheets[1].UID, map[string]any{"name": "Z-901"})
		if name := s.Fetch(sheets[1].FileURL, nil).Header.Get("Content-Disposition"); !strings.Contains(name,
			"Z-901.pdf") {
			t.Errorf("it is saved as %s", name)
		}
		ada.Want(http.StatusOK, "PATCH", path, map[string]any{"version_name": "Issued"})
		if sheets := sheetsOf(t, bob, project, ""); sheets[0].VersionName != "Issued" ||
			sheets[1].VersionName != "Issued" {
			t.Errorf("the sheets are of %s and %s", sheets[0].VersionName, sheets[1].VersionName)
		}
	})
}

// TestSetForgotten: an upload that nobody completes is forgotten with its files; a form that is asked for again takes
// another file.
func TestSetForgotten(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		clock := NewClock()
		s := Start(t, engine, At(clock))
		ada := s.Account("ada")
		project := ada.Project("P")
		set := ada.BeginSet(project, "Issue 1", true, SetFile{"a.pdf", []byte("first")},
			SetFile{"b.pdf", []byte("second")})
		path := "/projects/" + project + "/sheets/uploads/" + set
		request := ada.Want(http.StatusOK, "GET", path, nil).Text("file_upload_requests.0.url")
		offer := ada.Want(http.StatusCreated, "POST", request, map[string]any{"file_name": "again.pdf"})
		if r := ada.Want(http.StatusOK, "GET", path, nil); r.Text("file_upload_requests.0.status") != "issued" ||
			r.Text("processing.files.0.file_name") != "again.pdf" {
			t.Errorf("asked for again it is %s", r.Body)
		}
		ada.Want(http.StatusBadRequest, "POST", path+"/completions", nil)
		s.Post(offer, "another")
		if objects(t, s) != 2 {
			t.Errorf("%d objects for two files", objects(t, s))
		}
		clock.Advance(26 * time.Hour)
		s.Work()
		ada.Want(http.StatusNotFound, "GET", path, nil)
		if objects(t, s) != 0 {
			t.Errorf("%d objects are left", objects(t, s))
		}
	})
}
