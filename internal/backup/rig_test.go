package backup_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// moments is when the tests play: later than what is stored.
var moments = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

// engines runs a test on each engine; url makes a new, empty database.
func engines(t *testing.T, test func(t *testing.T, url func() string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, func() string { return lite(t) }) })
	t.Run("postgres", func(t *testing.T) { test(t, func() string { return pgtest.Database(t) }) })
}

func lite(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "a?b.db") }

func folder(t *testing.T) blob.Store {
	return must(blob.Open(t.Context(), "file:"+t.TempDir(), nil))(t)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func openStore(t *testing.T, url string) *store.Store {
	t.Helper()
	s := must(store.Open(t.Context(), store.Config{URL: url}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// traps are texts that go wrong on the way where something decodes, compares or cuts them.
var traps = []string{
	"", "'", `"`, `\`, `\N`, "%s", "\t\r\n\v", "é", "e\u0301", "\U0001f3d7\ufe0f", "\u202e\u05d0\u05d1", "\ufeff", "\uffff",
	"\U0010ffff", "ß\u1e9e", "$1", "null", "-0", "9007199254740993", strings.Repeat("x", 300_000),
}

// estate makes an installation with so many rows in every table, and the files that they name.
func estate(t *testing.T, url string, rows int) (*store.Store, blob.Store) {
	t.Helper()
	blobs := folder(t)
	r := must(store.Restore(t.Context(), store.Config{URL: url}, 23, func(bool) error { return nil }))(t)
	dice := rand.New(rand.NewPCG(1, 2))
	for _, table := range r.Tables() {
		n := 0
		err := r.Fill(t.Context(), table, func() ([]any, error) {
			if n++; n > rows || table.Name == "projects" && n > 100 {
				return nil, nil
			}
			return invented(t, table, n, dice, blobs), nil
		})
		if err != nil {
			t.Fatal(table.Name, err)
		}
	}
	if err := r.Finish(t.Context(), moments.Add(-24*time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, url)
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO sessions (hash, uid, account, agent, address, created_at, expires_at) VALUES ('h', 'u', 'a', 'é', '', 1, 2)")
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, blobs
}

// projects is how many projects an estate has.
const projects = 3

// invented makes row n of a table.
func invented(t *testing.T, table store.Table, n int, dice *rand.Rand, blobs blob.Store) []any {
	row := make([]any, len(table.Columns))
	content := []byte(fmt.Sprintf("file %d of %s %s", n, table.Name, strings.Repeat("y", dice.IntN(5000))))
	sum := sha256.Sum256(content)
	for i, c := range table.Columns {
		project := int64(1 + n%projects)
		switch {
		case c.Name == "object" && (table.Name == "files" || table.Name == "uploads"):
			row[i] = blob.NewName()
			if _, err := blobs.Put(t.Context(), row[i].(string), bytes.NewReader(content)); err != nil {
				t.Fatal(err)
			}
		case c.Name == "sha256":
			row[i] = hex.EncodeToString(sum[:])
		case c.Name == "size":
			row[i] = int64(len(content))
		case c.Name == "id" && table.Name == "projects":
			row[i] = int64(n)
		case c.Name == "seq":
			row[i] = int64(n)
		case c.Name == "project":
			row[i] = project
		case (c.Name == "id" || c.Name == "owner") && !c.Text: // the first are the projects' own records
			row[i] = int64(store.MakeID(project, store.Kind(1+(n-1)/projects%40), uint32(1+(n-1)/projects/40)))
			if table.Name == "changes" {
				row[i] = project<<39 | int64(n)
			}
		case c.Text && i < table.Key || c.Text && slices.Contains(unique, c.Name):
			row[i] = fmt.Sprintf("%s-%d-%d-Ä", c.Name, n*7919%10007, n)
		case c.Text && (c.Name == "private" || c.Name == "diff" || c.Name == "was") && n%3 == 0:
			row[i] = nil
		case c.Text:
			row[i] = traps[dice.IntN(len(traps)-1)] + fmt.Sprint(dice.Int64())
			if n == 5 && c.Name == "doc" {
				row[i] = traps[len(traps)-1]
			}
		case c.Name == "completed":
			row[i] = int64(n % 2)
		case i < table.Key:
			row[i] = int64(n)
		case strings.HasSuffix(c.Name, "_at") || c.Name == "clock":
			row[i] = dice.Int64() - dice.Int64()
		default:
			row[i] = int64(dice.IntN(30_000))
		}
	}
	return row
}

// unique are columns beside keys that have no value twice.
var unique = []string{"uid", "email_key", "hash", "token", "code", "mark", "key"}

// dump gives all rows of all tables as text, in order.
func dump(t *testing.T, s *store.Store) map[string][]string {
	t.Helper()
	snap := must(s.Snapshot(t.Context()))(t)
	defer snap.Close()
	all := map[string][]string{}
	for _, table := range snap.Tables() {
		all[table.Name] = []string{}
		err := snap.Each(t.Context(), table, func(c *store.Cols) error {
			var row []string
			for i, column := range table.Columns {
				switch {
				case c.Null(i):
					row = append(row, column.Name+" null")
				case column.Text:
					row = append(row, fmt.Sprintf("%s %q", column.Name, c.Text(i)))
				default:
					row = append(row, fmt.Sprintf("%s %d", column.Name, c.Int(i)))
				}
			}
			all[table.Name] = append(all[table.Name], strings.Join(row, ", "))
			return nil
		})
		if err != nil {
			t.Fatal(table.Name, err)
		}
	}
	return all
}

// settled takes out of a dump what a restore changes on purpose; TestWhatARestoreEnds looks at that.
func settled(all map[string][]string) map[string][]string {
	out := map[string][]string{}
	for name, rows := range all {
		for _, row := range rows {
			switch {
			case name == "sessions", name == "capabilities",
				name == "instance" && (strings.Contains(row, `"restored"`) || strings.Contains(row, `"words/`)),
				name == "changes" && strings.Contains(row, "actor 0, ") && strings.Contains(row, "op 7, "):
				continue
			case name == "projects":
				before, _, _ := strings.Cut(row, "seq ")
				row = before
			}
			out[name] = append(out[name], row)
		}
	}
	return out
}

func same(t *testing.T, want, got map[string][]string) {
	t.Helper()
	rows := 0
	for name := range want {
		rows += len(want[name])
		if !slices.Equal(want[name], got[name]) {
			at := 0
			for at < min(len(want[name]), len(got[name])) && want[name][at] == got[name][at] {
				at++
			}
			t.Errorf("%s differs: %d rows, want %d, from row %d on:\n%.300s\nwant\n%.300s", name, len(got[name]),
				len(want[name]), at, first(got[name], at), first(want[name], at))
		}
	}
	if len(want) != len(got) || rows < 50 {
		t.Errorf("%d tables with %d rows, want %d", len(got), rows, len(want))
	}
}

func first(rows []string, at int) string {
	if at < len(rows) {
		return rows[at]
	}
	return "nothing"
}

// sameFiles compares two file stores.
func sameFiles(t *testing.T, want, got blob.Store) {
	t.Helper()
	read := func(s blob.Store) map[string]string {
		all := map[string]string{}
		if err := s.Each(t.Context(), func(i blob.Info) error {
			content, err := s.Range(t.Context(), i.Name, 0, i.Size)
			all[i.Name] = string(content)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	a, b := read(want), read(got)
	for name, content := range b {
		if a[name] != content {
			t.Errorf("the file %s differs", name)
		}
	}
	if len(b) == 0 || len(b) > len(a) {
		t.Errorf("%d files, want about %d", len(b), len(a))
	}
}

func quiet(int) {}

// back makes a backup.
func back(t *testing.T, to *backup.Place, s *store.Store, blobs blob.Store, secret backup.Secret) backup.Made {
	t.Helper()
	return must(backup.Make(t.Context(), to, source(t, s, blobs), secret, quiet))(t)
}

func source(t *testing.T, s *store.Store, blobs blob.Store) backup.Source {
	return backup.Source{Store: s, Blobs: blobs, Release: "test", Spool: t.TempDir()}
}

func place(t *testing.T, at string) *backup.Place {
	return must(backup.Open(t.Context(), at, true, nil))(t)
}

// restore restores the newest backup and opens it.
func restore(t *testing.T, from *backup.Place, url string, secret backup.Secret) (*store.Store, blob.Store) {
	t.Helper()
	blobs := folder(t)
	must(backup.Restore(t.Context(), from, time.Time{}, secret,
		backup.Target{Database: store.Config{URL: url}, Blobs: blobs, Now: moments}, quiet))(t)
	return openStore(t, url), blobs
}
