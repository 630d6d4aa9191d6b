package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	. "groundwork/internal/apitest"
	"groundwork/internal/app"
	"groundwork/internal/draft"
	"groundwork/internal/store"
)

// sheetSaying is a PDF of one sheet with this number and title, and with what else is to stand in its title block.
func sheetSaying(number, title string, more ...string) []byte {
	text := func(size, x, y int, s string) string {
		return fmt.Sprintf("BT /F %d Tf %d %d Td (%s) Tj ET\n", size, x, y, s)
	}
	content := text(24, 1060, 40, number) + text(7, 1060, 68, "SHEET NO.") + text(14, 1000, 110, title) +
		text(7, 1000, 130, "SHEET TITLE")
	for i, s := range more {
		content += text(7, 1000, 150+12*i, s)
	}
	return fmt.Appendf(nil, "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1224 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj 5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"+
		"trailer<</Root 1 0 R/Size 6>>\n%%%%EOF", len(content), content)
}

// about is what a sheet, or a page that will be one, shows of its discipline.
type about struct {
	UID, Name  string
	Discipline *string
	SortKey    string `json:"sort_key"`
}

func (a about) is(word string) bool {
	return word == "" && a.Discipline == nil || a.Discipline != nil && *a.Discipline == word
}

func listed(t *testing.T, p *Person, project, query string) (out []about) {
	t.Helper()
	var list struct{ Data []about }
	if err := json.Unmarshal(p.Want(http.StatusOK, "GET", "/projects/"+project+"/sheets?"+query, nil).Body,
		&list); err != nil {
		t.Fatal(err)
	}
	return list.Data
}

// TestDisciplines: a set has the disciplines that it shows, lists are filtered by them and can be sorted, and what an
// Admin corrects is the project's word for the sets that follow.
func TestDisciplines(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("P")
		ada.Invite(project, bob, "Power Collaborator")
		at := "/projects/" + project
		content, truth := drawn(t, draft.Options{Seed: 5, Sheets: 6, Plain: true})
		ada.UploadSet(project, "Issue 1", true, SetFile{"set.pdf", content})
		s.Work()
		sheets := listed(t, bob, project, "")
		var architectural []about
		for i, page := range truth.Pages {
			if i >= len(sheets) || sheets[i].Name != page.Number || sheets[i].Discipline == nil ||
				!strings.EqualFold(*sheets[i].Discipline, page.Discipline) {
				t.Fatalf("the sheets are not %s, %s: %+v", page.Number, page.Discipline, sheets)
			}
			if page.Discipline == "ARCHITECTURAL" {
				architectural = append(architectural, sheets[i])
			}
		}
		if got := listed(t, bob, project, "discipline=Architectural&current=true"); len(architectural) < 3 ||
			!slices.EqualFunc(got, architectural, func(a, b about) bool { return a.UID == b.UID }) {
			t.Fatalf("of %+v are architectural: %+v", sheets, got)
		}
		if got := listed(t, bob, project, "discipline="); len(got) > 0 {
			t.Errorf("without a discipline are %+v", got)
		}
		sorted := slices.Clone(sheets)
		slices.SortFunc(sorted, func(a, b about) int { return strings.Compare(a.SortKey, b.SortKey) })
		if !sorted[0].is("General") || !sorted[1].is("Structural") || !sorted[2].is("Architectural") ||
			!sheets[1].is("Architectural") {
			t.Errorf("sorted they are %+v", sorted)
		}

		// Corrected by an Admin, and by nobody else.
		one := at + "/sheets/" + architectural[0].UID
		bob.Want(http.StatusForbidden, "PATCH", one, map[string]any{"discipline": "Hochbau"})
		for _, wrong := range []map[string]any{
			{"discipline": strings.Repeat("x", 256)}, {"discipline": 4}, {"sort_key": "00"},
		} {
			ada.Want(http.StatusBadRequest, "PATCH", one, wrong)
		}
		for _, blank := range []any{nil, " "} {
			ada.Want(http.StatusOK, "PATCH", one, map[string]any{"discipline": "x"})
			cleared := ada.Want(http.StatusOK, "PATCH", one, map[string]any{"discipline": blank})
			if cleared.Text("discipline") != "null" && cleared.Text("discipline") != "" {
				t.Errorf("cleared with %q it is %s", blank, cleared.Body)
			}
			if got := listed(t, bob, project, "discipline="); len(got) != 1 || got[0].SortKey < sorted[len(sorted)-1].SortKey {
				t.Errorf("without a discipline are %+v", got)
			}
		}
		for _, a := range architectural[:len(architectural)-1] {
			ada.Want(http.StatusOK, "PATCH", at+"/sheets/"+a.UID, map[string]any{"discipline": "Hochbau"})
		}
		if got := listed(t, bob, project, "discipline=Hochbau"); len(got) != len(architectural)-1 {
			t.Errorf("corrected are %+v", got)
		}
		last := architectural[len(architectural)-1]
		letters := strings.TrimRight(last.Name, "0123456789.-")

		// The next set: former versions, new drawings with the same letters, others, and what somebody says of pages.
		files := []SetFile{
			{"1.pdf", sheetSaying(architectural[0].Name, "STRUCTURAL PLAN")},
			{"2.pdf", sheetSaying(last.Name, "PLAN")},
			{"3.pdf", sheetSaying(letters+"-998", "ELEVATIONS")},
			{"4.pdf", sheetSaying("L-901", "PLANTING PLAN")},
			{"5.pdf", sheetSaying(letters+"-997", "SECTIONS")},
			{"6.pdf", sheetSaying(letters+"-996", "DETAILS")},
			{"7.pdf", sheetSaying("L-902", "DETAILS")},
		}
		set := ada.UploadSet(project, "Issue 2", false, files...)
		s.Work()
		var upload struct {
			Processing struct{ Files []struct{ Pages []about } }
		}
		if err := json.Unmarshal(ada.Want(http.StatusOK, "GET", at+"/sheets/uploads/"+set, nil).Body, &upload); err != nil {
			t.Fatal(err)
		}
		const most = "Hochbau"
		for i, want := range []string{"Hochbau", "Architectural", most, "Landscape", most, most, "Landscape"} {
			if got := upload.Processing.Files[i].Pages[0]; !got.is(want) {
				t.Errorf("%s will be %v, not %s", got.Name, got.Discipline, want)
			}
		}
		ada.Want(http.StatusBadRequest, "PATCH", at+"/version_sets/"+set,
			map[string]any{"pages": []any{map[string]any{"file": 5, "page": 1, "discipline": strings.Repeat("x", 256)}}})
		ada.Want(http.StatusOK, "PATCH", at+"/version_sets/"+set, map[string]any{"pages": []any{
			map[string]any{"file": 5, "page": 1, "discipline": "Rohbau"},
			map[string]any{"file": 6, "page": 1, "discipline": ""},
			map[string]any{"file": 7, "page": 1, "name": architectural[0].Name},
			map[string]any{"file": 1, "page": 1, "skip": true},
		}})
		ada.Want(http.StatusOK, "POST", at+"/version_sets/"+set+"/publish", nil)
		got := map[string]about{}
		for _, a := range listed(t, bob, project, "version_set="+set) {
			got[a.Name] = a
		}
		for name, want := range map[string]string{
			last.Name: "Architectural", letters + "-998": most, "L-901": "Landscape", letters + "-997": "Rohbau",
			letters + "-996": "", architectural[0].Name: "Hochbau",
		} {
			if a, there := got[name]; !there || !a.is(want) {
				t.Errorf("%s is %+v, not %s", name, a, want)
			}
		}
		if len(got) != 6 {
			t.Errorf("published are %+v", got)
		}
	})
}

// TestSheetsOfVersionThree: a sheet of a release that knew no disciplines is shown with what its number and title tell,
// and can be filtered by it when the work that a new release leaves is done.
func TestSheetsOfVersionThree(t *testing.T) {
	t.Parallel()
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Older")
		_, uids := ada.Drawings(project, "S-2", "ZK-7", "A-101")
		p, err := s.App.Store.Project(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		const sheets store.Kind = 14
		err = s.App.Store.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
			for _, uid := range uids {
				row, _, err := tx.Get(sheets, uid)
				if err != nil {
					return err
				}
				before, rest, found := strings.Cut(string(row.Doc), `"discipline":`)
				_, behind, also := strings.Cut(rest, `"version_set":`)
				if !found || !also {
					t.Errorf("the document is %s", row.Doc)
				}
				terms := strings.Split(row.Terms, "\t")
				terms = slices.DeleteFunc(terms, func(term string) bool { return strings.HasPrefix(term, "discipline=") })
				row.Version, row.Doc = 3, []byte(before+`"version_set":`+behind)
				row.Terms = strings.Join(terms, "\t")
				if err := tx.Show(&row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			t.Helper()
			got := listed(t, ada, project, "")
			if len(got) != 3 || !got[0].is("Structural") || !got[1].is("") || !got[2].is("Architectural") ||
				got[0].SortKey >= got[2].SortKey || got[2].SortKey >= got[1].SortKey {
				t.Errorf("%s they are %+v", when, got)
			}
			verify(t, s)
		}
		filtered := func(word string) int { return len(listed(t, ada, project, "discipline="+url.QueryEscape(word))) }
		check("before they are rewritten")
		if n := filtered("Structural"); n != 0 {
			t.Errorf("before they are rewritten %d are found", n)
		}
		if err := app.Catalog().Upgrade(t.Context(), s.App.Store); err != nil {
			t.Fatal(err)
		}
		check("rewritten")
		if filtered("Structural") != 1 || filtered("") != 1 {
			t.Error("rewritten they are not found")
		}
		// What somebody took away stays away.
		ada.Want(http.StatusOK, "PATCH", "/projects/"+project+"/sheets/"+uids[0], map[string]any{"discipline": nil})
		if got := listed(t, ada, project, ""); !got[0].is("") {
			t.Errorf("cleared it is %+v", got[0])
		}
		verify(t, s)
	})
}
