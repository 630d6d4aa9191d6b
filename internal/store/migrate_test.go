package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// earlier makes a database of an earlier release, without an account.
func earlier(t *testing.T, url string, schema int64) {
	t.Helper()
	r, err := store.Restore(t.Context(), store.Config{URL: url}, schema, func(bool) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Finish(t.Context(), time.UnixMicro(1_800_000_000_000_000), nil), r.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestBeforeTablesChange: who opens a database of an earlier release is asked before, once, and can stop it; a new one
// and one of this release ask nobody.
func TestBeforeTablesChange(t *testing.T) {
	for name, url := range map[string]string{
		"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "a.db"), "postgres": pgtest.Database(t),
	} {
		t.Run(name, func(t *testing.T) {
			earlier(t, url, 23)
			refuses := errors.New("not today")
			var asked []int64
			open := func(answer error) error {
				before := func(_ context.Context, from, to int64) error {
					if asked = append(asked, from); to <= from {
						t.Errorf("from %d to %d", from, to)
					}
					return answer
				}
				s, err := store.Open(t.Context(), store.Config{URL: url, Before: before})
				if err == nil {
					err = s.Close()
				}
				return err
			}
			if err := open(refuses); !errors.Is(err, refuses) {
				t.Errorf("refused, and it said %v", err)
			}
			for range 2 {
				if err := open(nil); err != nil {
					t.Fatal(err)
				}
			}
			if len(asked) != 2 || asked[0] != 23 || asked[1] != 23 {
				t.Errorf("asked at %d", asked)
			}
		})
	}
}

// TestLaterDatabase: a database of a later release is served where that release says so, and left as it is; else it is
// refused, and the sentence names the release.
func TestLaterDatabase(t *testing.T) {
	for name, url := range map[string]string{
		"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "a.db"), "postgres": pgtest.Database(t),
	} {
		t.Run(name, func(t *testing.T) {
			open := func() (release string, err error) {
				s, err := store.Open(t.Context(), store.Config{URL: url, Release: "0.1.0"})
				if err != nil {
					return "", err
				}
				release, err = s.Note(t.Context(), "schema_release")
				return release, errors.Join(err, s.Close())
			}
			if release, err := open(); err != nil || release != "0.1.0" {
				t.Fatalf("noted %q %v", release, err)
			}
			asOwner(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)",
				"UPDATE instance SET value = '9.9.9' WHERE name = 'schema_release'",
				"UPDATE instance SET value = '1' WHERE name = 'schema_floor'")
			if release, err := open(); err != nil || release != "9.9.9" {
				t.Errorf("a program that may serve it noted %q %v", release, err)
			}
			for _, floor := range []string{
				"UPDATE instance SET value = '9999' WHERE name = 'schema_floor'",
				"DELETE FROM instance WHERE name = 'schema_floor'",
			} {
				asOwner(t, url, floor)
				if _, err := open(); !errors.Is(err, store.ErrLater) || !strings.Contains(err.Error(), "9.9.9") {
					t.Errorf("after %s it said %v", floor, err)
				}
			}
		})
	}
}

// asOwner runs statements as nobody of the service does.
func asOwner(t *testing.T, url string, statements ...string) {
	t.Helper()
	driver, at := "pgx", url
	if path, local := strings.CutPrefix(url, "sqlite:"); local {
		driver, at = "sqlite", "file:"+path
	}
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range statements {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(text, err)
		}
	}
}
