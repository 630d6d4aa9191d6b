package blob_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

func openStore(t *testing.T, url string) blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func folderRig(t *testing.T) *rig {
	folder := filepath.Join(t.TempDir(), "deep", "files")
	s := openStore(t, "file:"+folder)
	count := func() int {
		entries, err := os.ReadDir(filepath.Join(folder, "tmp"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	return &rig{Store: s, leftovers: count, interrupt: func(t *testing.T) {
		// What a process that dies leaves is exactly what is there while it writes.
		if err := os.WriteFile(filepath.Join(folder, "tmp", blob.NewName()+"-1"), content(0, 17<<20),
			0o600); err != nil {
			t.Fatal(err)
		}
	}}
}

func TestFolderIsForItsOwner(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "files")
	s := openStore(t, "file://"+folder)
	name := put(t, s, []byte("x"))
	seen := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s: %v", path, info.Mode())
		}
		seen++
		return nil
	})
	if err != nil || seen != 4 { // the folder, tmp, the shard, the object
		t.Errorf("%d seen, %v", seen, err)
	}
	if _, err := os.Stat(filepath.Join(folder, name[:2], name)); err != nil {
		t.Error(err)
	}
}

// TestFolderHidesWhatIsNotItsOwn holds that other files, and links that lead elsewhere, are not objects.
func TestFolderHidesWhatIsNotItsOwn(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, "file:"+folder)
	name := blob.NewName()
	outside := filepath.Join(t.TempDir(), "outside")
	errs := errors.Join(
		os.WriteFile(outside, []byte("secret"), 0o600), os.Mkdir(filepath.Join(folder, name[:2]), 0o700),
		os.Symlink(outside, filepath.Join(folder, name[:2], name)),
		os.WriteFile(filepath.Join(folder, name[:2], ".DS_Store"), nil, 0o600),
		os.WriteFile(filepath.Join(folder, "aa"), nil, 0o600), os.Mkdir(filepath.Join(folder, "lost+found"), 0),
	)
	if errs != nil {
		t.Fatal(errs)
	}
	if o, err := s.Open(t.Context(), name); err == nil {
		b, _ := io.ReadAll(o)
		t.Errorf("read %q", b)
	}
	if found := names(t, s); len(found) != 0 {
		t.Errorf("listed: %v", found)
	}
}

// TestFolderCannotBeUsed holds that the sentence names the folder, and says what is wrong with it.
func TestFolderCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := blob.Open(t.Context(), "file:"+filepath.Join(file, "x"), nil); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
	folder := t.TempDir()
	s := openStore(t, "file:"+folder)
	if err := os.Remove(filepath.Join(folder, "tmp")); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), folder) ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	if _, err := s.Put(t.Context(), blob.NewName(), strings.NewReader("x")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}
