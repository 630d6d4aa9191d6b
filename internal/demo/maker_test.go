package demo

import (
	"bytes"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/draft"
)

// written is everything that a maker makes, as text.
func written(t *testing.T, seed uint64, day time.Time) string {
	t.Helper()
	m, all := NewMaker(seed, day), []any{}
	for i := range 200 {
		body, about := m.Issue()
		rfi, answer := m.RFI(i)
		all = append(all, body, about, rfi, answer, m.Comment(), m.Report(i))
	}
	text, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSameSeedSameText(t *testing.T) {
	day := time.Date(2027, 2, 28, 17, 0, 0, 0, time.UTC)
	first := written(t, 1, day)
	if again := written(t, 1, day.Add(time.Hour)); first != again {
		t.Error("the same seed and day gave another text")
	}
	if written(t, 2, day) == first {
		t.Error("another seed gave the same text")
	}
	if later := written(t, 1, day.AddDate(0, 0, 1)); later == first || strings.Contains(later, "2025-") ||
		!strings.Contains(later, "2027-03-01") {
		t.Error("dates do not follow the day")
	}
}

// TestIssuesAreVaried looks for what would show that nobody wrote these.
func TestIssuesAreVaried(t *testing.T) {
	m := NewMaker(43, time.Now())
	titles, inLists, where := map[string]bool{}, map[int]int{}, map[string]bool{}
	for range allIssues {
		body, about := m.Issue()
		title := body["title"].(string)
		titles[title], where[body["room"].(string)] = true, true
		inLists[about.List]++
		if len(title) > 255 || about.Person < 0 || about.Person >= len(People()) {
			t.Errorf("%q, for %d", title, about.Person)
		}
	}
	if len(titles) < allIssues*9/10 || len(inLists) != len(lists) || len(where) < 25 {
		t.Errorf("%d titles, %d lists, %d rooms", len(titles), len(inLists), len(where))
	}
	for _, d := range append(defects, planned...) {
		for i := range d.in {
			if len(sorted[d.in[i]]) == 0 {
				t.Errorf("%q is found in rooms of the sort %c, of which there is none", d.title, d.in[i])
			}
		}
	}
}

func TestPhotographs(t *testing.T) {
	taken, seen := time.Date(2027, 2, 27, 15, 4, 0, 0, time.UTC), map[string]bool{}
	for i, p := range pictures {
		file, err := photograph(uint64(i), p.title, taken, p.draw)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil || picture.Bounds().Dx() != photoWidth || picture.Bounds().Dy() != photoHeight {
			t.Errorf("%s: %v", p.title, err)
		}
		if !bytes.Contains(file[:200], []byte("2027:02:27 15:04:00\x00")) {
			t.Errorf("%s does not say when it was taken", p.title)
		}
		if seen[string(file)] {
			t.Errorf("%s was seen before", p.title)
		}
		seen[string(file)] = true
	}
}

func TestDated(t *testing.T) {
	day := time.Date(2027, 3, 10, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"a {9}, {0}": "a 2027-03-01, 2027-03-10", "{x}": "{x}", "{": "{",
		"": "",
	} {
		if got := dated(text, day); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestDrawingsAreOfTheProject holds the name of the project against the title blocks of its drawings.
func TestDrawingsAreOfTheProject(t *testing.T) {
	set, err := draft.Write(io.Discard, draft.Options{Seed: drawings, Sheets: 1, Plain: true})
	if err != nil || !strings.EqualFold(set.Project, Name) {
		t.Errorf("the drawings are of %q, %v", set.Project, err)
	}
}
