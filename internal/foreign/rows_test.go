package foreign

import (
	"path/filepath"
	"strings"
	"testing"
)

// rowsOf reads the rows of a table into a project where nothing is.
func rowsOf(t *testing.T, o Options, lines ...string) (*bringing, *reader) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	put(t, path, strings.Join(lines, "\n")+"\n")
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bringing{Target: Target{Project: "p"}, Options: s.options, found: s.found}
	r := b.reader()
	b.items = r.items()
	b.name()
	return b, r
}

// Rows get uids of their own, whatever they are called, and other ones where the file is another.
func TestNamesOfRows(t *testing.T) {
	uids := map[string]bool{}
	count := func(o Options, want int, lines ...string) {
		t.Helper()
		b, _ := rowsOf(t, o, lines...)
		for _, it := range b.items {
			uids[it.uid] = true
		}
		if len(uids) != want || uids[""] {
			t.Errorf("%d uids, want %d", len(uids), want)
		}
	}
	lines := []string{"Number,Title,Stamp", "5,Door,x", "5 (2),Wall,x", "5,Roof,x", "5,Roof,x", "5,Roof,x"}
	count(Options{}, 5, lines...)
	count(Options{}, 5, lines...)
	count(Options{Source: "North"}, 10, lines...)
	count(Options{}, 10, "Number,Title,Stamp,Late", "5,Door,x,")
}

// The example that is told of days is true.
func TestOrderIsTold(t *testing.T) {
	lines := []string{"#,Title,Stamp,Room,Due Date", "1,a,b,c,4/13/2026", "2,a,b,c,4/3/2026"}
	for dayFirst, want := range map[bool]string{
		false: "Days such as 4/3/2026 were read month first, as others of the file show.",
		true: "Days such as 4/3/2026 were read day first, as --day-first says, although others of the file show the " +
			"month first.",
	} {
		if _, r := rowsOf(t, Options{DayFirst: dayFirst}, lines...); r.aboutOrder() != want {
			t.Errorf("with --day-first %v: %s", dayFirst, r.aboutOrder())
		}
	}
}

// A row that has only a number is a record, and one that says nothing is none.
func TestOnlyNumber(t *testing.T) {
	b, _ := rowsOf(t, Options{From: "plangrid", Kind: "tasks"}, "Number,Description", "1,a", "2,", "\x01,\x02")
	if len(b.items) != 2 {
		t.Errorf("%d records", len(b.items))
	}
}

// All rows that have the number of another are told, or how many more there are.
func TestTwinsAreTold(t *testing.T) {
	lines := []string{"#,Title,Stamp,Room"}
	for range 50 {
		lines = append(lines, "1,a,b,c")
	}
	_, r := rowsOf(t, Options{}, lines...)
	if said := strings.Join(r.notes(), "\n"); !strings.Contains(said, " 22, 29 more.") {
		t.Errorf("49 twins are told as: %s", said)
	}
}
