package draft

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, o Options) ([]byte, *Set) {
	t.Helper()
	var b bytes.Buffer
	set, err := Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("DRAFT_KEEP"); folder != "" { // to look at them
		if err := os.WriteFile(filepath.Join(folder, t.Name()[4:]+".pdf"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes(), set
}

func TestEqualOptionsGiveEqualBytes(t *testing.T) {
	for _, layout := range []string{"", Invented} {
		a, _ := write(t, Options{Seed: 5, Sheets: 12, Layout: layout})
		b, _ := write(t, Options{Seed: 5, Sheets: 12, Layout: layout})
		c, _ := write(t, Options{Seed: 6, Sheets: 12, Layout: layout})
		if !bytes.Equal(a, b) {
			t.Errorf("%q: the same options gave two different files.", layout)
		}
		if bytes.Equal(a, c) {
			t.Errorf("%q: two seeds gave the same file.", layout)
		}
	}
}

func TestAnUnknownLayoutIsRefused(t *testing.T) {
	if _, err := Write(&bytes.Buffer{}, Options{Layout: "spiral"}); err == nil {
		t.Error("A layout that does not exist was drawn.")
	}
}

// Nothing is lettered outside its page, every sheet shows its own number, and references point to sheets of the set.
func TestTheTruthIsOnThePages(t *testing.T) {
	for i, layout := range append(Layouts(), slices.Repeat([]string{Invented}, 24)...) {
		_, set := write(t, Options{Seed: uint64(i), Sheets: 24, Layout: layout, Unseen: i%2 == 0})
		layout = fmt.Sprintf("%s, seed %d", set.Layout, i)
		numbers := map[string]bool{}
		for _, p := range set.Pages {
			numbers[p.Number] = true
		}
		for _, p := range set.Pages {
			for _, g := range p.Glyphs {
				if g.Box.X0 < 0 || g.Box.Y0 < 0 || g.Box.X1 > p.Width || g.Box.Y1 > p.Height {
					t.Errorf("%s, %s: %q stands outside the page at %v.", layout, p.Number, g.Rune, g.Box)
					break
				}
			}
			for _, c := range p.Callouts {
				if !numbers[c.Target] || c.Target == p.Number {
					t.Errorf("%s, %s refers to %s.", layout, p.Number, c.Target)
				}
			}
			if p.Outlined != (len(p.Glyphs) == 0) {
				t.Errorf("%s, %s: outlined %v with %d letters.", layout, p.Number, p.Outlined, len(p.Glyphs))
			}
		}
	}
}

// A revision changes some sheets and says which.
func TestARevisionChangesWhatItSays(t *testing.T) {
	_, first := write(t, Options{Seed: 3, Sheets: 40, Plain: true})
	_, next := write(t, Options{Seed: 3, Sheets: 40, Plain: true, Revision: 1})
	changed := 0
	for i, p := range next.Pages {
		same := len(p.Glyphs) == len(first.Pages[i].Glyphs)
		if p.Changed {
			changed++
		}
		if p.Changed == same || p.Number != first.Pages[i].Number {
			t.Errorf("%s: changed is %v, but %d letters became %d.", p.Number, p.Changed, len(first.Pages[i].Glyphs),
				len(p.Glyphs))
		}
	}
	if changed == 0 || changed == len(next.Pages) {
		t.Errorf("%d of %d sheets changed.", changed, len(next.Pages))
	}
}
