package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/store"
)

// TestUpgradeIsAskedOnce: a start leaves the work of rewriting documents unless it was done for the same versions.
func TestUpgradeIsAskedOnce(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		start := func() (jobs int) {
			t.Helper()
			if err := a.askUpgrade(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := a.Jobs.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.Jobs.Wait()
			err := a.Store.In(store.JobsOffice).Query(t.Context(), "SELECT state FROM jobs WHERE kind = $1",
				[]any{upgradeKind}, func(c *store.Cols) error {
					if jobs++; c.Int(0) != 2 {
						t.Errorf("the job is in state %d", c.Int(0))
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			return jobs
		}
		if first, second := start(), start(); first != 1 || second != 1 {
			t.Errorf("after one start there were %d jobs, after two %d", first, second)
		}
		if err := a.Store.SetNote(t.Context(), writtenName, "issues=1"); err != nil {
			t.Fatal(err)
		}
		if third := start(); third != 2 {
			t.Errorf("after a start with documents of another release there were %d jobs", third)
		}
		written, err := a.Store.Note(t.Context(), writtenName)
		if err != nil {
			t.Fatal(err)
		}
		if written != Catalog().Versions() {
			t.Errorf("documents are written as %q", written)
		}
	})
}

// TestCopiedBeforeUpgrade: a database file of an earlier release is kept as it was, in the last few copies; with a
// place for backups it is kept there, of either engine, and can be restored.
func TestCopiedBeforeUpgrade(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		c, err := c.settled()
		if err != nil {
			t.Fatal(err)
		}
		earlier := func(c Config) {
			t.Helper()
			r, err := store.Restore(t.Context(), store.Config{URL: string(c.DatabaseURL)}, 23,
				func(bool) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			err = r.Finish(t.Context(), time.Now(), map[string]string{"kept": "as it was"})
			if err = errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
		}
		earlier(c)
		c.Backups.To = filepath.Join(t.TempDir(), "place")
		a := open(t, c)
		if note, err := a.Store.Note(t.Context(), "kept"); err != nil || note != "as it was" {
			t.Errorf("after the upgrade: %q %v", note, err)
		}
		back := Config{Data: t.TempDir(), Log: discard()}
		if _, err := Restore(t.Context(), sharing(back), c.Backups.To, time.Time{}, c.Backups.Secret, nil,
			func(int) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(back.Data, upgradeFolder)); err == nil {
			t.Error("a new database was copied")
		}
		// Without a place a file is copied beside it, and of five copies three stay.
		if c.file() == "" {
			return
		}
		alone := Config{Data: t.TempDir(), Log: discard()}
		if alone, err = sharing(alone).settled(); err != nil {
			t.Fatal(err)
		}
		earlier(alone)
		folder := filepath.Join(alone.Data, upgradeFolder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"schema-020-1.db", "schema-021-1.db", "schema-022-1.db", "schema-022-2.db"} {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		open(t, alone)
		all, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(all) != keptCopies || !strings.Contains(all[2], "schema-023-") {
			t.Fatalf("copies: %q %v", all, err)
		}
		was, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + all[2]})
		if err != nil {
			t.Fatal(err)
		}
		note, err := was.Note(t.Context(), "kept")
		if err = errors.Join(err, was.Close()); err != nil || note != "as it was" {
			t.Errorf("in the copy: %q %v", note, err)
		}
	})
}
