package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/backup"
)

// TestFilesThatHaveNotCome: rows do not wait for files; a restore says which are missing.
func TestFilesThatHaveNotCome(t *testing.T) {
	d := newDock(t, backup.Secret{})
	object := d.file(t, "lost on the way")
	d.shipped(t)
	if err := os.Remove(d.part(t, "lost on the way")); err != nil {
		t.Fatal(err)
	}
	_, _, done := d.back(t, lite(t), time.Time{})
	if len(done.Missing) != 1 || !strings.Contains(done.Missing[0], object) {
		t.Errorf("missing %v", done.Missing)
	}
	if c := must(d.ship.Compare(t.Context(), quiet))(t); c.Missing != 1 {
		t.Errorf("compared %+v", c)
	}
}

// TestFilesThatWait: nobody says that no file waits before all were looked for, nor while some are under way.
func TestFilesThatWait(t *testing.T) {
	s, blobs := estate(t, lite(t), 10)
	d := &dock{Store: s, blobs: backup.Hold(blobs), at: filepath.Join(t.TempDir(), "place")}
	d.file(t, "older than the shipping")
	asked, answers := make(chan struct{}), make(chan struct{})
	d.ship = backup.Ship(backup.Shipping{
		Source: source(t, d.Store, d.blobs), Renew: time.Hour, Log: slog.New(slog.DiscardHandler),
		Place: func(ctx context.Context) (*backup.Place, error) {
			close(asked)
			<-answers
			return backup.Open(ctx, d.at, true, nil)
		},
	})
	t.Cleanup(d.ship.Stop)
	<-asked
	if state := d.ship.State(); !state.Looked.IsZero() {
		t.Errorf("files were looked for before the place answers: %+v", state)
	}
	close(answers)
	d.shipped(t)
	if state := d.ship.State(); state.Looked.IsZero() {
		t.Errorf("files are not looked for with a base: %+v", state)
	}
	parts := filepath.Join(d.at, "parts")
	if err := errors.Join(os.Rename(parts, parts+"-away"), os.WriteFile(parts, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	d.file(t, "cannot come")
	await.True(t, time.Minute, "nothing is said", func() bool { return d.ship.State().Failed != "" })
	if state := d.ship.State(); state.Files != 1 {
		t.Errorf("%d files wait, want the one that cannot come: %+v", state.Files, state)
	}
	if err := errors.Join(os.Remove(parts), os.Rename(parts+"-away", parts)); err != nil {
		t.Fatal(err)
	}
	d.shipped(t)
	d.part(t, "cannot come")
}

// part finds the part at the place that has a text, as soon as it has come: rows do not wait for it.
func (d *dock) part(t *testing.T, content string) (found string) {
	t.Helper()
	await.Until(t, time.Minute, func() string {
		err := filepath.WalkDir(filepath.Join(d.at, "parts"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if string(text) == content {
				found = path
			}
			return err
		})
		if found == "" {
			return fmt.Sprint("the file is not at the place: ", err)
		}
		return ""
	})
	return found
}

// TestDamagedFiles: that the bytes of a file are others at the place is said before somebody needs them.
func TestDamagedFiles(t *testing.T) {
	d := newDock(t, backup.Secret{})
	d.file(t, "whole")
	d.shipped(t)
	must(d.ship.Compare(t.Context(), quiet))(t)
	if err := os.WriteFile(d.part(t, "whole"), []byte("WHOLE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ship.Compare(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "1 files at the place are damaged") {
		t.Errorf("compared: %v", err)
	}
	place := must(backup.Open(t.Context(), d.at, false, nil))(t)
	_, _, wrong, _, err := place.VerifyShipped(t.Context(), time.Time{}, d.secret, quiet)
	if err != nil || len(wrong) != 1 || !strings.Contains(wrong[0], "cannot be used") {
		t.Errorf("verified: %v %v", wrong, err)
	}
}

// TestFilesOfAnEarlierStretch: what an earlier stretch brought is kept for the next one, which ends before it has
// listed its files.
func TestFilesOfAnEarlierStretch(t *testing.T) {
	d := newDock(t, backup.Secret{})
	object := d.file(t, "brought by the first")
	d.shipped(t)
	d.ship.Stop()
	before := under(t, d.at, "segments")
	d.begin(t, time.Hour)
	d.ship.Stop()
	// It ended once its base was complete: of what came after its manifest nothing is there.
	manifests := under(t, d.at, "stretches")
	base := slices.MaxFunc(manifests, func(a, b string) int { return written(t, a).Compare(written(t, b)) })
	for _, path := range under(t, d.at, "segments") {
		if !slices.Contains(before, path) && written(t, path).After(written(t, base)) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := place(t, d.at)
	if removed := must(p.Tidy(t.Context(), backup.KeepOne()))(t); removed.Stretches != 1 || removed.Later != "" {
		t.Fatalf("removed %+v", removed)
	}
	_, blobs, done := d.back(t, lite(t), time.Time{})
	if len(done.Missing) > 0 {
		t.Errorf("missing %q", done.Missing)
	}
	if content, err := blobs.Range(t.Context(), object, 0, 7); string(content) != "brought" {
		t.Errorf("%q %v", content, err)
	}
}

func written(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestMissingList: where a list of the files of a stretch is missing, nobody knows which parts it needs, and none is
// removed.
func TestMissingList(t *testing.T) {
	d := newDock(t, backup.Secret{})
	d.file(t, "one")
	d.shipped(t)
	d.file(t, "two")
	d.shipped(t)
	d.note(t, "later", "so that a segment tells of all lists")
	d.shipped(t)
	d.ship.Stop()
	place := must(backup.Open(t.Context(), d.at, false, nil))(t)
	kept := must(backup.ParseKeep("7d"))(t)
	lists := 0
	for _, path := range under(t, d.at, "segments") {
		text := must(os.ReadFile(path))(t)
		if bytes.HasPrefix(text, []byte(`{"groundwork_segment"`)) {
			continue
		}
		lists++
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		removed := must(place.Tidy(t.Context(), kept))(t)
		if removed.Parts != 0 || removed.Later == "" {
			t.Errorf("without a list: %+v", removed)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if lists < 2 {
		t.Errorf("%d lists", lists)
	}
	if removed := must(place.Tidy(t.Context(), kept))(t); removed.Later != "" {
		t.Errorf("with all lists: %+v", removed)
	}
}
