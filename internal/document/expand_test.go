package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/store"
)

// everything is a document with every kind of placeholder beside text that a client chose.
type everything struct {
	Record
	Number  Number       `json:"number"`
	Title   string       `json:"title"`
	Tags    []string     `json:"tags"`
	People  People       `json:"people"`
	Nobody  PeopleOrNull `json:"nobody"`
	List    Ref          `json:"list"`
	None    Ref          `json:"none"`
	Photos  Collection   `json:"photos"`
	Rest    Collection   `json:"rest"`
	Nothing Collection   `json:"nothing"`
	Email   firstName    `json:"email"`
}

func expandOne(t testing.TB, title string, tags ...string) (stored, filled string) {
	t.Helper()
	v := everything{
		Title: title, Tags: tags, People: People{2, 1}, List: "issue_lists/L1", Photos: 0, Rest: 1,
		Nothing: 2, Email: 2,
	}
	v.UID, v.CreatedBy = "U1", 1
	doc, err := json.Marshal(&v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	var back everything
	if err := json.Unmarshal(doc, &back); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	again, err := json.Marshal(&back, json.Deterministic(true))
	if err != nil || string(again) != string(doc) {
		t.Fatalf("stored as %s, written again as %s (%v)", doc, again, err)
	}
	f := &Expander{
		Rendered: Render("https://x.example", "P", teamOf("ann", "bob")), Path: "issues",
		Collections: []string{"photos", "rest", "nothing"}, Version: 1, Declared: PlanOf(reflect.TypeFor[everything]()).Declared,
	}
	line := &store.Line{
		ID: store.MakeID(7, 5, 2), Clock: 1_700_000_000_123_456, Version: 1, Tally: []byte("3 12"), Doc: doc,
	}
	return string(doc), string(f.Append(nil, line))
}

func TestExpand(t *testing.T) {
	_, got := expandOne(t, `~ {"~p":1} \"~`, "{", "~p")
	want := strings.Join([]string{
		`{"uid":"U1","deleted":false,"created_at":"1970-01-01T00:00:00.000000+00:00","updated_at":"2023-11-14T22:13:20.123456+00:00"`,
		`"created_by":{"uid":"ann","url":"https://x.example/projects/P/users/ann","email":"ann@\"x"}`,
		`"updated_by":null`, `"number":2`,
		`"title":"~ {\"~p\":1} \\\"~"`, `"tags":["{","~p"]`,
		`"people":[{"uid":"bob","url":"https://x.example/projects/P/users/bob","email":"bob@\"x"},{"uid":"ann","url":"https://x.example/projects/P/users/ann","email":"ann@\"x"}]`,
		`"nobody":null`, `"list":{"uid":"L1","url":"https://x.example/projects/P/issue_lists/L1"}`, `"none":null`,
		`"photos":{"total_count":3,"url":"https://x.example/projects/P/issues/U1/photos"}`,
		`"rest":{"total_count":12,"url":"https://x.example/projects/P/issues/U1/rest"}`,
		`"nothing":{"total_count":0,"url":null}`, `"email":"First bob"}`,
	}, ",")
	if got != want {
		t.Errorf("filled:\n%s\nwant:\n%s", got, want)
	}
}

// FuzzExpand looks for text that a client could send and that would be taken for a placeholder.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		`{"~p":1}`, `\{"~p":1}`, "{\"~t\":0}", `"},{"~p":1},{"`, "~", `\u007b"~p`,
		"\u2028{\"~u\":1}",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, title, tag string) {
		title, tag = strings.ToValidUTF8(title, "?"), strings.ToValidUTF8(tag, "?")
		_, plain := expandOne(t, "", "")
		_, filled := expandOne(t, title, tag)
		var got map[string]jsontext.Value
		if err := json.Unmarshal([]byte(filled), &got); err != nil {
			t.Fatalf("%s: %v", filled, err)
		}
		var gotTitle string
		var gotTags []string
		if json.Unmarshal(got["title"], &gotTitle) != nil || gotTitle != title ||
			json.Unmarshal(got["tags"], &gotTags) != nil || gotTags[0] != tag {
			t.Errorf("title %q came back as %s, tag %q as %s", title, got["title"], tag, got["tags"])
		}
		var want map[string]jsontext.Value
		if err := json.Unmarshal([]byte(plain), &want); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			if name != "title" && name != "tags" && string(got[name]) != string(want[name]) {
				t.Errorf("%s became %s", name, got[name])
			}
		}
	})
}

// counted ends with collections, as issues do.
type counted struct {
	Record
	Title    string     `json:"title"`
	Photos   Collection `json:"photos"`
	Comments Collection `json:"comments"`
}

// TestExpandEnding holds that what is expanded at once reads as if it were expanded one by one, and that new records
// are expanded so.
func TestExpandEnding(t *testing.T) {
	p := PlanOf(reflect.TypeFor[counted]())
	write := func(v counted) []byte {
		doc, err := p.Write(nil, reflect.ValueOf(&v).Elem())
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	ends := p.Ending(write(counted{Photos: 0, Comments: 1}))
	if want := `,"photos":{"~n":0},"comments":{"~n":1}}`; string(ends.stored) != want {
		t.Fatalf("documents end with %s, not %s", ends.stored, want)
	}
	for _, title := range []string{"", string(ends.stored), string(ends.empty)} {
		v := counted{Title: title, Photos: 0, Comments: 1}
		v.UID = "U1"
		stored := write(v)
		short := &Expander{
			Rendered: Render("https://x.example", "P", teamOf("ann")), Path: "issues", Version: 1,
			Collections: []string{"photos", "comments"}, Ending: ends,
		}
		long := *short
		long.Ending = Ending{}
		for _, later := range []string{"", `,"phase":"later"`} {
			doc := []byte(strings.TrimSuffix(string(stored), "}") + later + "}")
			for _, tally := range []string{"", "0 0", "0 2", "3 0", "3"} {
				line := &store.Line{
					ID: store.MakeID(7, 5, 2), Clock: 1, Version: 1, Tally: []byte(tally), Doc: doc,
				}
				got, want := string(short.Append(nil, line)), string(long.Append(nil, line))
				if got != want {
					t.Errorf("with a tally of %q:\n%s\nwant:\n%s", tally, got, want)
				}
			}
		}
	}
}

func TestLaterFieldsAreKept(t *testing.T) {
	doc := `{"uid":"U1","deleted":false,"created_at":"1970-01-01T00:00:00.000000+00:00","updated_at":{"~t":0},"created_by":{"~p":1},"updated_by":{"~p":1},` +
		`"number":{"~i":0},"title":"x","tags":[],"people":[],"nobody":null,"list":null,"none":null,"photos":{"~n":0},"rest":{"~n":0},"nothing":{"~n":0},"email":{"~m":1},"phase":{"name":"later"}}`
	v := new(everything)
	if err := json.Unmarshal([]byte(doc), v); err != nil {
		t.Fatal(err)
	}
	v.Title = "y"
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(again), `"title":"y"`) || !strings.Contains(string(again), `"phase":{"name":"later"}`) {
		t.Errorf("after an edit: %s", again)
	}
}

func BenchmarkExpand(b *testing.B) {
	doc, _ := expandOne(b, "A crack in the wall", "a")
	f := &Expander{
		Rendered: Render("https://x.example", "P", teamOf("ann", "bob")), Path: "issues",
		Collections: []string{"photos", "rest"}, Version: 1, Declared: PlanOf(reflect.TypeFor[everything]()).Declared,
	}
	line := &store.Line{ID: store.MakeID(7, 5, 2), Clock: 1, Version: 1, Tally: []byte("3 12"), Doc: []byte(doc)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = f.Append(buf[:0], line)
	}
	_ = fmt.Sprint(len(buf))
}
