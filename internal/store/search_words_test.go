package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/store"
)

// texts are what the records of TestSearch say, by ordinal from 1.
var texts = []string{
	"Door 104 does not latch",
	"Handrail at stair B is loose, see A-101 and A-102",
	"Größe der Tür prüfen; Straße sperren",
	"Η πόρτα δεν κλείνει",
	"Дверь не закрывается, лист А-101",
	"He said \"no\" AND then OR ('maybe') NOT; 50% & more | less",
	"Løsning: sjekk rørføring; Łódź",
	"",
	"file_name.pdf at https://example.com/a.b?c=d",
	"東京 タワー 101",
	strings.Repeat("verylongword", 30),
	"don't x 3.5 m² İstanbul ﬁre",
}

var searches = []struct {
	query string
	want  []int
}{
	{"door", []int{1}},
	{"DOOR", []int{1}},
	{"doo", []int{1}},
	{"oor", nil},
	{"door latch", []int{1}},
	{"latch  do", []int{1}},
	{"door stair", nil},
	{"104", []int{1}},
	{"10", []int{1, 2, 5, 10}},
	{"A-101", []int{2}},
	{"a101", []int{2}},
	{"A-10", []int{2}},
	{"A 101", []int{2}},
	{"a-101 a-102", []int{2}},
	{"А-101", []int{5}}, // Cyrillic А
	{"grosse", []int{3}},
	{"größe", []int{3}},
	{"GRÖSSE", []int{3}},
	{"grosse strasse", []int{3}},
	{"tur", []int{3}},
	{"tuer", nil},
	{"πορτα", []int{4}},
	{"ΠΌΡΤΑ", []int{4}},
	{"дверь", []int{5}},
	{"ДВЕРЬ лист", []int{5}},
	{"and", []int{2, 6}},
	{"AND", []int{2, 6}},
	{"no AND maybe", []int{6}},
	{"door OR stair", nil},
	{"NOT", []int{1, 6}},
	{"\"no\"", []int{1, 6}},
	{"'maybe')", []int{6}},
	{"'", nil},
	{"50%", []int{6}},
	{"more | less", []int{6}},
	{"more & less", []int{6}},
	{"door*", []int{1}},
	{"door:*", []int{1}},
	{"^door", []int{1}},
	{"words:door", nil},
	{"NEAR(door latch)", nil},
	{"losning lodz", []int{7}},
	{"Łódź", []int{7}},
	{"file_name", []int{9}},
	{"name.pdf", []int{9}},
	{"filename.pdf", []int{9}},
	{"example.com", []int{9}},
	{"東京", []int{10}},
	{"東", []int{10}},
	{"タワ", []int{10}},
	{strings.Repeat("verylongword", 30), []int{11}},
	{strings.Repeat("verylongword", 2000), []int{11}},
	{strings.Repeat("verylongword", 4) + "x", nil},
	{"dont", []int{12}},
	{"don’t", []int{12}},
	{"3.5", []int{12}},
	{"m2", []int{12}},
	{"istanbul fire", []int{12}},
	{strings.Repeat("door ", 5000), []int{1}},
	{"door \x01\x02 latch", []int{1}},
	{"door \\ latch", []int{1}},
}

// TestSearch holds what both engines find for the same queries against one list; words of other projects and kinds are
// never found.
func TestSearch(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p, other := found(t, s), found(t, s)
		put := func(p *store.Project, kind store.Kind, text string) {
			t.Helper()
			err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
				row := store.Row{UID: store.NewUID(), Version: 1, Terms: "a=1", Tally: "0 3", Doc: []byte(`{"x":1}`)}
				if err := tx.Insert(kind, &row); err != nil {
					return err
				}
				return tx.Word(row.ID, text)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for i, text := range texts {
			put(p, kind, text)
			put(p, kind+1, texts[len(texts)-1-i])
			put(other, kind, texts[(i+1)%len(texts)])
		}
		ask := func() {
			t.Helper()
			for _, try := range searches {
				words := store.Asked(try.query)
				want := try.want
				if len(words) == 0 {
					want = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
				}
				got, page := list(t, s, p, store.Select{Words: words, After: store.Always, Limit: 50})
				if !slices.Equal(got, want) || page.Total != len(want) {
					t.Errorf("%.60q, asked as %.100q, finds %v of %d, want %v", try.query, words, got, page.Total, want)
				}
			}
		}
		ask() // nothing is filed, or little
		if err := s.File(t.Context()); err != nil {
			t.Fatal(err)
		}
		ask()
		check := func(name string, sel store.Select, want []int, total int) {
			t.Helper()
			sel.Words = store.Asked("10")
			if got, page := list(t, s, p, sel); !slices.Equal(got, want) || page.Total != total {
				t.Errorf("%s: %v of %d, want %v of %d", name, got, page.Total, want, total)
			}
		}
		check("a window", store.Select{After: store.Always, Skip: 1, Limit: 2}, []int{2, 5}, 4)
		check("newest first", store.Select{After: store.Always, Newest: true, Limit: 3}, []int{10, 5, 2}, 4)
		check("with a term", store.Select{After: store.Always, Terms: [][]string{{"a=1"}}, Limit: 1}, []int{1}, 4)
		check("without a term", store.Select{After: store.Always, Not: []string{"a=1"}, Limit: 1}, nil, 0)
		check("since ever", store.Select{After: 0, Limit: 2}, []int{1, 2}, 4)
		// A text that changes is found by its new words only.
		err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
			row, _, err := tx.At(kind, 1)
			if err != nil {
				return err
			}
			if err := tx.Update(&row, store.Updated, nil); err != nil {
				return err
			}
			return tx.Word(row.ID, "Window")
		})
		if err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string][]int{"door": nil, "win": {1}} {
			if got, _ := list(t, s, p,
				store.Select{Words: store.Asked(query), After: store.Always, Limit: 50}); !slices.Equal(got, want) {
				t.Errorf("after a change %s finds %v, want %v", query, got, want)
			}
		}
	})
}

// FuzzSearch: no query can cause an error, and a text is found by any part of itself that begins with a word.
func FuzzSearch(f *testing.F) {
	for _, try := range searches {
		f.Add(try.query, try.query)
	}
	s, err := store.Open(f.Context(), store.Config{URL: "sqlite:" + f.TempDir() + "/words.db"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	p := found(f, s)
	f.Fuzz(func(t *testing.T, text, query string) {
		var ordinal uint32
		err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
			row := store.Row{UID: store.NewUID(), Version: 1, Doc: []byte(`{"x":1}`)}
			if err := tx.Insert(kind, &row); err != nil {
				return err
			}
			ordinal = row.ID.Ordinal()
			return tx.Word(row.ID, text)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{query, text} {
			page, err := s.List(t.Context(), p, store.Select{
				Kind: kind, Words: store.Asked(q), After: store.Always, Newest: true, Limit: 1,
			})
			if err != nil {
				t.Fatalf("%q: %v", q, err)
			}
			if q == text && len(text) < 1000 && (len(page.Rows) == 0 || page.Rows[0].ID.Ordinal() != ordinal) {
				t.Errorf("%q does not find itself, by %q", text, store.Asked(text))
			}
			page.Release()
		}
	})
}

// TestDoctorWhileSearching has the database examined while words are filed and looked for: nothing is wrong with it.
func TestDoctorWhileSearching(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		end := time.Now().Add(time.Second)
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for n := 0; time.Now().Before(end); n++ {
					err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
						return tx.Word(store.MakeID(p.ID, kind, uint32(1+n%50)), fmt.Sprintf("door %d of %d", n, w))
					})
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := s.List(t.Context(), p,
						store.Select{Kind: kind, Limit: 10, Words: store.Asked("door")}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for time.Now().Before(end) && !t.Failed() {
			for _, f := range s.Doctor(t.Context()) {
				if f.Err != nil {
					t.Errorf("%s: %v", f.Name, f.Err)
				}
			}
		}
		wg.Wait()
	})
}
