package backup_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/backup"
)

// TestRestoreEndsAtTheMoment: nothing of after the moment that was asked for is restored, whatever the heads of
// segments say that anybody can write; the moments that lists print can be typed.
func TestRestoreEndsAtTheMoment(t *testing.T) {
	d := newDock(t, backup.Secret{})
	var moments []time.Time
	for n := range 8 {
		d.note(t, "n", fmt.Sprint(n))
		moments = append(moments, d.shipped(t).Truncate(time.Millisecond))
		await.True(t, time.Minute, "another millisecond", func() bool { return time.Since(moments[n]) > 2*time.Millisecond })
	}
	d.ship.Stop()
	all := segments(t, d.at)
	was := map[string][]byte{}
	for _, path := range all {
		was[path] = must(os.ReadFile(path))(t)
	}
	for name, harm := range map[string][]string{
		"nothing": nil, "the last": all[len(all)-1:], "the last half": all[len(all)/2:],
		"one in the middle": all[len(all)/2 : len(all)/2+1],
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range harm {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := os.WriteFile(path, was[path], 0o600); err != nil {
						t.Fatal(err)
					}
				}()
			}
			s, _, done := d.back(t, lite(t), moments[1])
			value := must(s.Note(t.Context(), "n"))(t)
			if value != "1" || done.Moment.After(moments[1].Add(time.Millisecond)) {
				t.Errorf("restored %q of %s, asked for %s", value, done.Moment, moments[1])
			}
		})
	}
	stretches, _, err := place(t, d.at).Stretches(t.Context())
	if err != nil || len(stretches) != 1 {
		t.Fatalf("%v %v", stretches, err)
	}
	for typed, want := range map[time.Time]string{stretches[0].From: "", stretches[0].To: "7"} {
		s, _, _ := d.back(t, lite(t), must(time.Parse(time.RFC3339, backup.Moment(typed)))(t))
		if value := must(s.Note(t.Context(), "n"))(t); value != want {
			t.Errorf("of %s it is %q, want %q", typed, value, want)
		}
	}
}

// TestNewerBackupThanWhatIsWhole: where what was shipped breaks off before a later backup, the backup is restored.
func TestNewerBackupThanWhatIsWhole(t *testing.T) {
	d := newDock(t, backup.Secret{})
	for n := range 4 {
		d.note(t, "n", fmt.Sprint(n))
		d.shipped(t)
	}
	all := segments(t, d.at)
	must(backup.Make(t.Context(), place(t, d.at), source(t, d.Store, d.blobs), backup.Secret{}, quiet))(t)
	d.note(t, "n", "after the backup")
	d.shipped(t)
	d.ship.Stop()
	if err := os.WriteFile(all[len(all)-2], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, done := d.back(t, lite(t), time.Time{})
	if value := must(s.Note(t.Context(), "n"))(t); value != "3" || done.Shipped || done.Stopped == "" {
		t.Errorf("restored %q, %+v", value, done)
	}
}

// TestManifestRemoved: where somebody removes what is being shipped, that is noticed, and it begins anew.
func TestManifestRemoved(t *testing.T) {
	d := newDock(t, backup.Secret{})
	d.ship.Stop()
	d.ship = backup.Ship(backup.Shipping{
		Source: source(t, d.Store, d.blobs), Renew: time.Hour, Log: slog.New(slog.DiscardHandler),
		Place: func(ctx context.Context) (*backup.Place, error) { return backup.Open(ctx, d.at, true, nil) },
	}.LookOften())
	t.Cleanup(d.ship.Stop)
	d.shipped(t)
	since := d.ship.State().Since
	if err := filepath.WalkDir(filepath.Join(d.at, "stretches"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			err = os.Remove(path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	d.note(t, "n", "later")
	await.True(t, time.Minute, "a new stretch", func() bool { return d.ship.State().Since.After(since) })
	d.shipped(t)
	d.ship.Stop()
	s, _, _ := d.back(t, lite(t), time.Time{})
	if value := must(s.Note(t.Context(), "n"))(t); value != "later" {
		t.Errorf("restored %q", value)
	}
}
