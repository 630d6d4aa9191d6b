package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type place struct{ N int }

// After a kill at any moment there are exactly the lines of which the note says so.
func TestLinesAndNoteAgree(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	for n := 0; n < 20; n++ {
		var at place
		j, err := Open(folder, "lines", &at)
		if err != nil {
			t.Fatal(err)
		}
		if at.N != n {
			t.Fatalf("it is at %d, not %d", at.N, n)
		}
		count := 0
		if err := j.Each(func(int64, []byte) error { count++; return nil }); err != nil || count != n {
			t.Fatalf("%d lines, not %d: %v", count, n, err)
		}
		where, err := j.Append([]byte(fmt.Sprint("line ", n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Commit(place{n + 1}); err != nil {
			t.Fatal(err)
		}
		if text, err := j.Read(where, 6); err != nil || string(text) != "line "+fmt.Sprint(n)[:1] {
			t.Errorf("%q %v", text, err)
		}
		// What comes after the note is not there any more, whatever reached the disk.
		if _, err := j.Append([]byte(strings.Repeat("lost", 50_000))); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What cannot be used is said.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	var at place
	j, err := Open(folder, "lines", &at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, "lines", &at); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
	if _, err := j.Append([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := j.Commit(place{1}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(folder, "lines.state")
	good, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{", `{"length":-1}`, `{"length":1000}`, `{"length":2,"state":"x"}`} {
		if err := os.WriteFile(state, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder, "lines", &at); err == nil || !strings.Contains(err.Error(), "begin again") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := os.WriteFile(state, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if j, err = Open(folder, "lines", &at); err != nil || at.N != 1 {
		t.Fatal(err, at)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
