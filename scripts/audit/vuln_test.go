package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFindings(t *testing.T) {
	const stream = `{"config":{"protocol_version":"v1.0.0","db":"file:///x","db_last_modified":"2026-11-01T00:00:00Z"}}
{"progress":{"message":"Scanning"}}
{"osv":{"id":"GO-1"}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"m","version":"v1.1.0"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"m","version":"v1.1.0","package":"m/p"}]}}
{"finding":{"osv":"GO-1","fixed_version":"v1.2.0","trace":[{"module":"m","version":"v1.1.0","package":"m/p","function":"Do"},{"module":"groundwork","package":"groundwork","function":"main"}]}}
{"finding":{"osv":"GO-2","trace":[{"module":"n","version":"v0.1.0","package":"n"}]}}
{"finding":{"osv":"GO-3","trace":[{"module":"n","version":"v0.1.0","package":"n","function":"F"}]}}
`
	called, present, err := findings(strings.NewReader(stream))
	want := []string{
		"GO-1: m v1.1.0, m/p.Do can be called; fixed in v1.2.0.",
		"GO-3: n v0.1.0, n.F can be called; there is no version without it.",
	}
	if err != nil || strings.Join(called, "\n") != strings.Join(want, "\n") || strings.Join(present, "\n") != "GO-2" {
		t.Errorf("called %q, present %q, %v", called, present, err)
	}
	if _, _, err := findings(strings.NewReader(`{"finding":`)); err == nil {
		t.Error("a torn stream is taken for a whole one")
	}
}

func TestDated(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "index"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{`{"modified":"2026-11-14T10:00:00Z"}`: true, `{}`: false, `{`: false} {
		if err := os.WriteFile(filepath.Join(folder, "index", "db.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		date, err := dated(t.Context(), "file://"+folder)
		if (err == nil) != ok || ok && date.Format(time.DateOnly) != "2026-11-14" {
			t.Errorf("%s: %s, %v", text, date, err)
		}
	}
	var skipped notRun
	if _, err := vulnerabilities(t.Context(), filepath.Join(folder, "nowhere")); !errors.As(err, &skipped) {
		t.Errorf("a database that is not there: %v", err)
	}
}
