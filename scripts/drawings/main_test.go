package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"groundwork/internal/drawing"
)

// TestMain lets this test program be the child that opens PDF files.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

func TestDrawings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.pdf")
	if err := run(t.Context(), os.Stdout, []string{"draw", "3", path}); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := run(t.Context(), &said, []string{"render", "2", path}); err != nil {
		t.Fatal(err)
	}
	if each, err := strconv.ParseFloat(strings.TrimSpace(said.String()), 64); err != nil || each <= 0 {
		t.Errorf("a page takes %q", said.String())
	}
	for _, args := range [][]string{nil, {"draw", "none", path}, {"erase", "3", path}, {"render", "1", path + "x"}} {
		if err := run(t.Context(), &said, args); err == nil {
			t.Errorf("%q is understood", args)
		}
	}
}
