package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/store"
)

// under lists the files of a part of a place.
func under(t *testing.T, folder, part string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(folder, part), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	content := must(os.ReadFile(path))(t)
	if err := os.WriteFile(path, change(slices.Clone(content)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func flip(b []byte) []byte { b[len(b)/2] ^= 1; return b }
func cut(b []byte) []byte  { return b[:len(b)-1] }

// Whatever happens to a part or to a manifest: it is found, one sentence says so, and nothing half-restored is an
// installation. Once the place is mended the same restore goes on.
func TestDamage(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		at := t.TempDir()
		p := place(t, at)
		s, blobs := estate(t, url(), 40)
		back(t, p, s, blobs, backup.Secret{})
		parts, manifest := under(t, at, "parts"), under(t, at, "manifests")[0]
		if len(parts) < 20 {
			t.Fatalf("%d parts", len(parts))
		}
		for i, c := range []struct {
			name, file, said string
			harm             func([]byte) []byte
		}{
			{"a flipped bit", parts[1], "is not whole: its part", flip},
			{"another flipped bit", parts[len(parts)-2], "is not whole: its part", flip},
			{"a cut part", parts[2], "bytes instead of", cut},
			{"an empty part", parts[3], "bytes instead of", func([]byte) []byte { return nil }},
			{"a flipped bit of the manifest", manifest, "manifest of the backup is damaged", flip},
			{"a cut manifest", manifest, "manifest of the backup is damaged", cut},
			{"no manifest", manifest, "cannot be read", func([]byte) []byte { return []byte("x") }},
			{"a later form", manifest, "of a later release", func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"groundwork_backup":1`, `"groundwork_backup":2`, 1))
			}},
		} {
			if i > 0 && s.Engine() != "sqlite" {
				break // what a database has to do with it is the same for all, and to make one takes a second
			}
			whole := must(os.ReadFile(c.file))(t)
			edit(t, c.file, c.harm)
			target := backup.Target{Database: store.Config{URL: url()}, Blobs: folder(t), Now: moments}
			_, err := backup.Restore(t.Context(), p, time.Time{}, backup.Secret{}, target, quiet)
			if err == nil || !strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: a restore says %v", c.name, err)
			}
			if _, wrong, err := p.Verify(t.Context(), time.Time{}, backup.Secret{}, false, quiet); err == nil &&
				len(wrong) == 0 {
				t.Errorf("%s: not found by looking", c.name)
			}
			if strings.Contains(c.said, "its part") {
				if opened, err := store.Open(t.Context(), target.Database); !errors.Is(err, store.ErrUnfinished) {
					t.Errorf("%s: what is half restored opens: %v", c.name, errors.Join(err, opened.Close()))
				}
			}
			edit(t, c.file, func([]byte) []byte { return whole })
			if _, err := backup.Restore(t.Context(), p, time.Time{}, backup.Secret{}, target, quiet); err != nil {
				t.Errorf("%s: mended, but %v", c.name, err)
				continue
			}
			if c.file == parts[1] {
				same(t, settled(dump(t, s)), settled(dump(t, openStore(t, target.Database.URL))))
			}
		}
	})
}

// A part that is of something else, or missing, is found; another backup brings it again.
func TestForeignAndMissingParts(t *testing.T) {
	at := t.TempDir()
	p := place(t, at)
	s, blobs := estate(t, lite(t), 40)
	back(t, p, s, blobs, backup.Secret{})
	parts := under(t, at, "parts")
	foreign := must(os.ReadFile(parts[0]))(t)
	if err := errors.Join(os.WriteFile(parts[1], foreign, 0o600), os.Remove(parts[2])); err != nil {
		t.Fatal(err)
	}
	_, wrong, err := p.Verify(t.Context(), time.Time{}, backup.Secret{}, false, quiet)
	all := strings.Join(wrong, "\n")
	if err != nil || !strings.Contains(all, filepath.Base(parts[1])) ||
		!strings.Contains(all, filepath.Base(parts[2])+" is missing") {
		t.Errorf("looking says %v %v", wrong, err)
	}
	target := backup.Target{Database: store.Config{URL: lite(t)}, Blobs: folder(t), Now: moments}
	if _, err := backup.Restore(t.Context(), p, time.Time{}, backup.Secret{}, target, quiet); err == nil ||
		!strings.Contains(err.Error(), "Nothing was changed") {
		t.Errorf("a restore says %v", err)
	}
	// What has its length is believed until it is read.
	edit(t, parts[3], flip)
	if _, wrong, err := p.Verify(t.Context(), time.Time{}, backup.Secret{}, true, quiet); err != nil ||
		len(wrong) < 3 {
		t.Errorf("looking says %v %v", wrong, err)
	}
	back(t, p, s, blobs, backup.Secret{})
	if _, wrong, err := p.Verify(t.Context(), time.Time{}, backup.Secret{}, false, quiet); err != nil ||
		len(wrong) != 0 {
		t.Errorf("after another backup: %v %v", wrong, err)
	}
}

// Killed half-way and repeated: what was made counts for nothing and is used again.
func TestCutShort(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		at := t.TempDir()
		p := place(t, at)
		s, blobs := estate(t, url(), 200)
		halfWay := func(ctx context.Context) (context.Context, func(int)) {
			ctx, stop := context.WithCancel(ctx)
			return ctx, func(percent int) {
				if percent >= 50 {
					stop()
				}
			}
		}
		ctx, progress := halfWay(t.Context())
		if _, err := backup.Make(ctx, p, source(t, s, blobs), backup.Secret{}, progress); err == nil {
			t.Fatal("a backup that was cut short says that it was made")
		}
		if all, damaged, err := p.List(t.Context()); err != nil || len(all)+damaged != 0 {
			t.Fatalf("it is there: %v %d %v", all, damaged, err)
		}
		made := back(t, p, s, blobs, backup.Secret{})
		if made.NewParts == 0 || made.NewParts > made.AllParts*3/4 {
			t.Errorf("the next one sent %d of %d parts", made.NewParts, made.AllParts)
		}
		target := backup.Target{Database: store.Config{URL: url()}, Blobs: folder(t), Now: moments}
		ctx, progress = halfWay(t.Context())
		if _, err := backup.Restore(ctx, p, time.Time{}, backup.Secret{}, target, progress); err == nil {
			t.Fatal("a restore that was cut short says that it was made")
		}
		if _, err := store.Open(t.Context(), target.Database); !errors.Is(err, store.ErrUnfinished) {
			t.Fatalf("what is half restored opens: %v", err)
		}
		must(backup.Restore(t.Context(), p, time.Time{}, backup.Secret{}, target, quiet))(t)
		same(t, settled(dump(t, s)), settled(dump(t, openStore(t, target.Database.URL))))
		sameFiles(t, blobs, target.Blobs)
	})
}

// Nothing that is there is overwritten, and where a restore is refused nothing is made.
func TestRestoreOverwritesNothing(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		p := place(t, t.TempDir())
		s, blobs := estate(t, url(), 10)
		back(t, p, s, blobs, backup.Secret{})
		used, free := url(), url()
		other := openStore(t, used)
		before := dump(t, other)
		_, err := backup.Restore(t.Context(), p, time.Time{}, backup.Secret{},
			backup.Target{Database: store.Config{URL: used}, Blobs: folder(t), Now: moments}, quiet)
		if !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("into a database: %v", err)
		}
		if after := dump(t, other); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Error("it has changed")
		}
		_, err = backup.Restore(t.Context(), p, time.Time{}, backup.Secret{},
			backup.Target{Database: store.Config{URL: free}, Blobs: blobs, Now: moments}, quiet)
		if err == nil || !strings.Contains(err.Error(), "file store is not empty") {
			t.Errorf("into a file store: %v", err)
		}
		openStore(t, free) // it has no mark: nothing was begun
		old := moments.Add(-1000 * time.Hour)
		_, err = backup.Restore(t.Context(), p, old, backup.Secret{},
			backup.Target{Database: store.Config{URL: url()}, Blobs: folder(t), Now: moments}, quiet)
		if err == nil || !strings.Contains(err.Error(), "as old as") {
			t.Errorf("of a moment before all: %v", err)
		}
	})
}

// A file that the file store lost does not keep all others from being kept; it is told each time.
func TestLostFiles(t *testing.T) {
	p := place(t, t.TempDir())
	other, files := estate(t, lite(t), 20)
	var names []string
	if err := other.Query(t.Context(), "SELECT object FROM files ORDER BY object", nil, func(c *store.Cols) error {
		names = append(names, c.Text(0))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := files.Delete(t.Context(), names[0]); err != nil {
		t.Fatal(err)
	}
	if err := files.Delete(t.Context(), names[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Put(t.Context(), names[1], strings.NewReader("something else")); err != nil {
		t.Fatal(err)
	}
	made := back(t, p, other, files, backup.Secret{})
	if want := []string{"the file " + names[0] + " is not in the file store", "the file " + names[1] + " has other bytes than were stored"}; !slices.Equal(made.Lost, want) {
		t.Errorf("lost %q", made.Lost)
	}
	done := must(backup.Restore(t.Context(), p, time.Time{}, backup.Secret{},
		backup.Target{Database: store.Config{URL: lite(t)}, Blobs: folder(t), Now: moments}, quiet))(t)
	if len(done.Missing) != 2 || made.Missing != 2 {
		t.Errorf("the restore says %q", done.Missing)
	}
}

// A file that is removed while a backup is being made is in it.
func TestRemovedMeanwhile(t *testing.T) {
	p := place(t, t.TempDir())
	s, plain := estate(t, lite(t), 100)
	blobs := backup.Hold(plain)
	var names []string
	if err := s.Query(t.Context(), "SELECT object FROM files", nil, func(c *store.Cols) error {
		names = append(names, c.Text(0))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	removed := make(chan error, len(names))
	var once sync.Once
	made := must(backup.Make(t.Context(), p, source(t, s, blobs), backup.Secret{}, func(int) {
		once.Do(func() { // before anything is copied
			for _, name := range names {
				go func() { removed <- blobs.Delete(t.Context(), name) }()
			}
		})
	}))(t)
	for range names {
		if err := <-removed; err != nil {
			t.Error(err)
		}
	}
	if made.Files < int64(len(names)) || len(made.Lost) > 0 {
		t.Errorf("made %d files, lost %v", made.Files, made.Lost)
	}
	if _, wrong, err := p.Verify(t.Context(), time.Time{}, backup.Secret{}, false, quiet); err != nil ||
		len(wrong) > 0 {
		t.Error(wrong, err)
	}
	left := 0
	if err := plain.Each(t.Context(), func(i blob.Info) error {
		if slices.Contains(names, i.Name) {
			left++
		}
		return nil
	}); err != nil || left > 0 {
		t.Errorf("%d files stay after the backup: %v", left, err)
	}
}
