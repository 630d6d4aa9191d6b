package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogBeginsAnew writes several times what the log may hold, beside readers that keep their transactions: it stays
// bounded, and its file keeps its length.
func TestLogBeginsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.db")
	s, err := Open(t.Context(), Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	greatest, last := int64(0), int64(0)
	for i := range 3 * walFull * pageSize >> 20 {
		text := strings.Repeat(string(rune('a'+i%2)), 1<<20) // what stays the same is not written
		err := s.Write(t.Context(), func(tx *Tx) error {
			return tx.Exec("INSERT INTO instance (name, value) VALUES ('x', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value", text)
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		last = info.Size()
		greatest = max(greatest, last)
	}
	const bound = 64 << 20
	if greatest > bound || last < walFull*pageSize {
		t.Errorf("the log grew to %d bytes and is %d long in the end", greatest, last)
	}
}

// TestLogUnderSnapshot writes more than the log usually holds while there is a snapshot: no write waits for it, and
// when it is gone, the log begins anew.
func TestLogUnderSnapshot(t *testing.T) {
	tries := 0
	s, err := Open(t.Context(), Config{
		URL: "sqlite:" + filepath.Join(t.TempDir(), "log.db"),
		Trace: func(sql string) {
			if strings.Contains(sql, "RESTART") { // only the writer does
				tries++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	written := 0
	write := func(mb int) {
		for range mb {
			written++
			text := strings.Repeat(string(rune('a'+written%2)), 1<<20) // what stays the same is not written
			if err := s.Write(t.Context(), func(tx *Tx) error {
				return tx.Exec("INSERT INTO instance (name, value) VALUES ('x', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value", text)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(3 * walFull * pageSize >> 20)
	if tries > 0 {
		t.Errorf("with a snapshot the log was to begin anew %d times", tries)
	}
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	write(walFull * pageSize >> 20)
	if tries == 0 {
		t.Error("after it the log did not begin anew")
	}
}
