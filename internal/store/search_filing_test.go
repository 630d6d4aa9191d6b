package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"groundwork/internal/await"
)

// TestFiling opens a database in which more words wait than the service knows of, and writes on: all are filed.
func TestFiling(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "words.db")
	open := func() *Store {
		s, err := Open(t.Context(), Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	word := func(from, to int) {
		t.Helper()
		err := s.Write(t.Context(), func(tx *Tx) error {
			for i := from; i < to; i++ {
				if err := tx.Word(MakeID(1, 1, uint32(i)), "door"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const all = mostWaiting + 3*mostFiled + 1
	word(1, all)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	word(all-1, all+1) // one of them once more
	var waits, filed int64
	await.Until(t, time.Minute, func() string {
		err := s.read(t.Context(), tenant{},
			statement{"SELECT COUNT(*) FROM wording", nil, func(c *Cols) error { waits = c.Int(0); return nil }},
			statement{"SELECT COUNT(*) FROM words", nil, func(c *Cols) error { filed = c.Int(0); return nil }})
		if err != nil {
			t.Fatal(err)
		}
		if filed == all && waits == 0 && s.waiting.Load() == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d records are filed, %d wait, and %d are thought to", filed, all, waits, s.waiting.Load())
	})
	if got := s.waiting.Load(); got != 0 {
		t.Errorf("%d are thought to wait when none does", got)
	}
}

func TestRushed(t *testing.T) {
	for _, test := range []struct {
		before, waiting int64
		want            bool
	}{
		{0, 0, false},
		{0, rush, false},
		{0, rush + 1, true},
		{100, 101, false},
		{100, 100 + 2*rush, true},
		{mostWaiting - rush - 2, mostWaiting - 1, true},
		{mostWaiting - rush - 2, mostWaiting, false},
		{mostWaiting, 2 * mostWaiting, false},
	} {
		if got := rushed(test.before, test.waiting); got != test.want {
			t.Errorf("from %d to %d in a tick: rushed is %t", test.before, test.waiting, got)
		}
	}
}
