package intake

import (
	"testing"

	"groundwork/internal/sheet/pending"
)

func TestRecognisable(t *testing.T) {
	set := &pending.Set{Files: []pending.File{{Place: 1, Pages: 900}, {Place: 2, Pages: 500}, {Place: 3, Pages: 10}}}
	for _, c := range []struct {
		file, page int
		want       bool
	}{{0, 1, true}, {0, 900, true}, {1, 100, true}, {1, 101, false}, {2, 1, false}} {
		if got := recognisable(set, &set.Files[c.file], c.page); got != c.want {
			t.Errorf("page %d of file %d: %t", c.page, c.file+1, got)
		}
	}
}
