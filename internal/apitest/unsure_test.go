package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	. "groundwork/internal/apitest"
	"groundwork/internal/draft"
)

// pageSaying is a PDF of one page with one text in its lower right corner.
func pageSaying(text string) []byte {
	content := "BT /F 20 Tf 500 20 Td (" + text + ") Tj ET"
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 792 612]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"+
		"trailer<</Root 1 0 R/Size 6>>\n%%%%EOF", len(content), content)
}

// waiting is what a version upload says of pages that wait.
type waiting struct {
	Processing struct {
		Published    bool
		PagesWaiting int `json:"pages_waiting"`
		Files        []struct {
			Pages []struct {
				Name, Number string
				Waits        bool
			}
		}
	}
}

// A number that is not sure supersedes nothing before somebody confirms it; the rest of its set is published.
func TestUnsureNumbersWait(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("P")
		work(t, s)
		at := "/projects/" + project
		sure, truth := drawn(t, draft.Options{Seed: 5, Sheets: 3, Plain: true})
		first := ada.UploadSet(project, "Issue 1", true, SetFile{"set.pdf", sure}, SetFile{"scan.pdf", plainPDF("0 0 612 792")})
		until(t, ada, project, first, ended)
		if n := len(sheetsOf(t, ada, project, "")); n != 4 {
			t.Fatalf("%d sheets", n)
		}

		// A code of no known kind, and the name of a file that is taken.
		second := ada.UploadSet(project, "Issue 2", true, SetFile{"set.pdf", sure}, SetFile{"odd.pdf", pageSaying("ZK-7")},
			SetFile{"scan.pdf", plainPDF("0 0 612 792")})
		until(t, ada, project, second, ended)
		var w waiting
		look := func() {
			t.Helper()
			w = waiting{}
			if err := json.Unmarshal(ada.Want(http.StatusOK, "GET", at+"/sheets/uploads/"+second, nil).Body, &w); err != nil {
				t.Fatal(err)
			}
		}
		look()
		odd := w.Processing.Files[1].Pages[0]
		if !w.Processing.Published || w.Processing.PagesWaiting != 2 || !odd.Waits || odd.Number != "ZK-7" ||
			odd.Name != "odd p001" || !w.Processing.Files[2].Pages[0].Waits {
			t.Errorf("the upload is %+v", w)
		}
		var set struct {
			PagesWaiting int `json:"pages_waiting"`
		}
		if err := json.Unmarshal(ada.Want(http.StatusOK, "GET", at+"/version_sets/"+second, nil).Body, &set); err != nil ||
			set.PagesWaiting != 2 {
			t.Errorf("the set says %+v, %v", set, err)
		}
		now := sheetsOf(t, ada, project, "current=true")
		if len(now) != 4 || now[3].Name != "scan p001" || now[3].VersionName != "Issue 1" {
			t.Fatalf("now there are %+v", now)
		}

		// To publish again changes nothing; a page that is published is not corrected; one that waits is.
		ada.Want(http.StatusOK, "POST", at+"/version_sets/"+second+"/publish", nil)
		ada.Want(http.StatusBadRequest, "PATCH", at+"/version_sets/"+second,
			map[string]any{"pages": []any{map[string]any{"file": 1, "page": 1, "name": "X-1"}}})
		ada.Want(http.StatusOK, "PATCH", at+"/version_sets/"+second, map[string]any{"pages": []any{
			map[string]any{"file": 2, "page": 1, "name": "ZK-7"}, map[string]any{"file": 3, "page": 1, "name": "scan p001"},
		}})
		ada.Want(http.StatusOK, "POST", at+"/version_sets/"+second+"/publish", nil)
		now = sheetsOf(t, ada, project, "current=true")
		if len(now) != 5 || now[0].Name != "ZK-7" || now[1].Name != "scan p001" || now[1].VersionName != "Issue 2" {
			t.Fatalf("now there are %+v", now)
		}
		if look(); w.Processing.PagesWaiting != 0 {
			t.Errorf("the upload is %+v", w)
		}

		// A set of which nothing is sure is published once somebody named its page.
		third := ada.UploadSet(project, "Issue 3", false, SetFile{"odd.pdf", pageSaying("ZK-8")})
		until(t, ada, project, third, ended)
		refused := ada.Want(http.StatusBadRequest, "POST", at+"/version_sets/"+third+"/publish", nil)
		if !strings.Contains(string(refused.Body), "no number in it is sure") {
			t.Errorf("the refusal says %s", refused.Body)
		}
		ada.Want(http.StatusOK, "PATCH", at+"/version_sets/"+third,
			map[string]any{"pages": []any{map[string]any{"file": 1, "page": 1, "name": "ZK-8"}}})
		ada.Want(http.StatusOK, "POST", at+"/version_sets/"+third+"/publish", nil)

		// What was superseded by a number that was read is seen, and is current again when the number is corrected.
		got := now[2]
		if got.Name != truth.Pages[0].Number || got.Supersedes.UID == "" {
			t.Fatalf("got %+v", got)
		}
		ada.Want(http.StatusOK, "PATCH", at+"/sheets/"+got.UID, map[string]any{"name": "X-900"})
		back := ada.Want(http.StatusOK, "GET", at+"/sheets/"+got.Supersedes.UID, nil)
		var former, renamed shown
		if err := json.Unmarshal(back.Body, &former); err != nil || !former.Current {
			t.Errorf("the former is %+v, %v", former, err)
		}
		if err := json.Unmarshal(ada.Want(http.StatusOK, "GET", at+"/sheets/"+got.UID, nil).Body, &renamed); err != nil ||
			!renamed.Current || renamed.HistorySetUID == former.HistorySetUID || renamed.Supersedes.UID != "" {
			t.Errorf("the renamed one is %+v, %v", renamed, err)
		}
	})
}
