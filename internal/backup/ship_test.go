package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

	"filippo.io/age"

	"groundwork/internal/await"
	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/pgtest"
	"groundwork/internal/redact"
	"groundwork/internal/s3test"
	"groundwork/internal/store"
)

// dock is an installation that is shipped.
type dock struct {
	*store.Store
	blobs  blob.Store
	at     string
	secret backup.Secret
	ship   *backup.Shipper
}

func newDock(t *testing.T, secret backup.Secret) *dock {
	t.Helper()
	s, blobs := estate(t, lite(t), 300)
	d := &dock{Store: s, blobs: backup.Hold(blobs), at: filepath.Join(t.TempDir(), "place"), secret: secret}
	d.begin(t, time.Hour)
	return d
}

func (d *dock) begin(t *testing.T, renew time.Duration) {
	t.Helper()
	d.ship = backup.Ship(backup.Shipping{
		Source: source(t, d.Store, d.blobs), Secret: d.secret, Renew: renew, Log: slog.New(slog.DiscardHandler),
		Place: func(ctx context.Context) (*backup.Place, error) { return backup.Open(ctx, d.at, true, nil) },
	})
	t.Cleanup(d.ship.Stop)
	d.shipped(t)
}

// shipped waits until everything that was committed by now is at the place, and gives the moment.
func (d *dock) shipped(t *testing.T) time.Time {
	t.Helper()
	now := time.Now()
	await.Until(t, time.Minute, func() string {
		state := d.ship.State()
		if !state.Since.IsZero() && state.Sent.After(now) && state.Files == 0 {
			return ""
		}
		return fmt.Sprintf("%+v", state)
	})
	return time.Now()
}

func (d *dock) note(t *testing.T, name, value string) {
	t.Helper()
	if err := d.SetNote(t.Context(), name, value); err != nil {
		t.Fatal(err)
	}
}

// file stores a file, and a row that names it.
func (d *dock) file(t *testing.T, content string) (object string) {
	t.Helper()
	object = blob.NewName()
	if _, err := d.blobs.Put(t.Context(), object, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	if err := d.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO files (object, project, record, type, name, size, sha256, created_at) VALUES ($1, 1, 1, '', '', $2, $3, 1)",
			object, len(content), hex.EncodeToString(sum[:]))
	}); err != nil {
		t.Fatal(err)
	}
	return object
}

// back restores what was shipped up to a moment.
func (d *dock) back(t *testing.T, url string, at time.Time) (*store.Store, blob.Store, backup.Restored) {
	t.Helper()
	blobs := folder(t)
	from := must(backup.Open(t.Context(), d.at, false, nil))(t)
	done := must(backup.Restore(t.Context(), from, at, d.secret, backup.Target{
		Database: store.Config{URL: url}, Blobs: blobs, Now: time.Now(), Spool: t.TempDir(),
	}, quiet))(t)
	return openStore(t, url), blobs, done
}

// TestShip: what is committed is at the place within a moment, in a state that existed, and restored on either engine
// to any moment. A job compares it with the live database.
func TestShip(t *testing.T) {
	for name, secret := range map[string]backup.Secret{"open": {}, "sealed": {Passphrase: "correct horse"}} {
		t.Run(name, func(t *testing.T) {
			d := newDock(t, secret)
			whole := dump(t, d.Store)
			first := d.shipped(t)
			for n := range 200 {
				d.note(t, fmt.Sprint("n", n), strings.Repeat("x", n*100))
			}
			object := d.file(t, "a file that came later")
			later := dump(t, d.Store)
			d.shipped(t)
			done := must(d.ship.Compare(t.Context(), quiet))(t)
			if done.Rows == 0 || done.Segments == 0 || done.Missing != 0 {
				t.Errorf("compared %+v", done)
			}
			urls := []string{lite(t)}
			if secret.Passphrase == "" {
				urls = append(urls, pgtest.Database(t))
			}
			for _, url := range urls {
				s, blobs, done := d.back(t, url, time.Time{})
				same(t, settled(later), settled(dump(t, s)))
				sameFiles(t, d.blobs, blobs)
				if content, err := blobs.Range(t.Context(), object, 0, 6); string(content) != "a file" {
					t.Errorf("%q %v", content, err)
				}
				if !done.Shipped || done.Stopped != "" || len(done.Missing) > 0 || done.Engine != "sqlite" {
					t.Errorf("restored %+v", done)
				}
			}
			s, _, at := d.back(t, lite(t), first)
			same(t, settled(whole), settled(dump(t, s)))
			if at.Moment.After(first) {
				t.Errorf("of %s, asked for %s", at.Moment, first)
			}
		})
	}
}

// segments are the files of the segments at a place.
func segments(t *testing.T, at string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(at, "segments"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if text, err := os.ReadFile(path); err == nil && bytes.HasPrefix(text, []byte(`{"groundwork_segment"`)) {
				all = append(all, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	number := func(path string) string {
		text := must(os.ReadFile(path))(t)
		_, rest, _ := strings.Cut(string(text), `"number":`)
		digits, _, _ := strings.Cut(rest, ",")
		return fmt.Sprintf("%09s", digits)
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(number(a), number(b)) })
	return all
}

// TestSegmentsThatAreWrong: what comes before a segment that is missing, damaged or another one's is restored, and it
// is said.
func TestSegmentsThatAreWrong(t *testing.T) {
	d := newDock(t, backup.Secret{})
	var states []string
	for n := range 8 {
		d.note(t, "n", fmt.Sprint(n))
		d.shipped(t)
		states = append(states, fmt.Sprint(n))
	}
	all := segments(t, d.at)
	if len(all) < 8 {
		t.Fatalf("%d segments", len(all))
	}
	read := func(path string) []byte { return must(os.ReadFile(path))(t) }
	put := func(path string, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := all[len(all)-4]
	was := read(at)
	for name, harm := range map[string]func(){
		"missing": func() {
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
		},
		"a bit": func() {
			other := bytes.Clone(was)
			other[len(other)/2] ^= 1
			put(at, other)
		},
		"cut":       func() { put(at, was[:len(was)-1]) },
		"empty":     func() { put(at, nil) },
		"the next":  func() { put(at, read(all[len(all)-3])) },
		"the first": func() { put(at, read(all[0])) },
		"forged sum": func() {
			put(at, summed(bytes.Replace(was[:len(was)-32], []byte(`"size":`), []byte(`"size":1`), 1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			harm()
			defer put(at, was)
			s, _, done := d.back(t, lite(t), time.Time{})
			if done.Stopped == "" {
				t.Error("nothing is said")
			}
			value := must(s.Note(t.Context(), "n"))(t)
			if !slices.Contains(states[:6], value) {
				t.Errorf("restored %q", value)
			}
			_, _, wrong, found, err := place(t, d.at).VerifyShipped(t.Context(), time.Time{}, backup.Secret{}, quiet)
			if err != nil || !found || len(wrong) == 0 {
				t.Errorf("verify says %v %v", wrong, err)
			}
		})
	}
	s, _, done := d.back(t, lite(t), time.Time{})
	if value := must(s.Note(t.Context(), "n"))(t); value != states[len(states)-1] || done.Stopped != "" {
		t.Errorf("put back, it is %q %s", value, done.Stopped)
	}
}

func summed(text []byte) []byte {
	sum := sha256.Sum256(text)
	return append(text, sum[:]...)
}

// TestShipToABucket: sealed for a public key, so that the server cannot read what it ships; who has the key restores
// it, and nobody else does.
func TestShipToABucket(t *testing.T) {
	identity := must(age.GenerateX25519Identity())(t)
	s, blobs := estate(t, lite(t), 60)
	d := &dock{
		Store: s, blobs: backup.Hold(blobs), at: s3test.Shared(t).URL("shipped"),
		secret: backup.Secret{Recipient: identity.Recipient().String()},
	}
	d.begin(t, time.Hour)
	d.note(t, "n", "sealed")
	d.file(t, "sealed, too")
	later := dump(t, d.Store)
	d.shipped(t)
	if _, err := d.ship.Compare(t.Context(), quiet); err == nil {
		t.Error("the server reads what it has shipped")
	}
	d.secret = backup.Secret{}
	_, err := backup.Restore(t.Context(), place(t, d.at), time.Time{}, d.secret, backup.Target{
		Database: store.Config{URL: lite(t)}, Now: time.Now(), Spool: t.TempDir(),
	}, quiet)
	if err == nil || !strings.Contains(err.Error(), "--identity-file") {
		t.Errorf("without a key: %v", err)
	}
	d.secret.Identity = redact.Secret(identity.String())
	back, files, done := d.back(t, lite(t), time.Time{})
	same(t, settled(later), settled(dump(t, back)))
	sameFiles(t, d.blobs, files)
	if len(done.Missing) > 0 || done.Encrypted != "recipient" {
		t.Errorf("restored %+v", done)
	}
}

// TestLostBase: without a part of its base nothing is made of a stretch, and it is said.
func TestLostBase(t *testing.T) {
	d := newDock(t, backup.Secret{})
	d.ship.Stop()
	if err := os.RemoveAll(filepath.Join(d.at, "parts")); err != nil {
		t.Fatal(err)
	}
	_, err := backup.Restore(t.Context(), place(t, d.at), time.Time{}, backup.Secret{}, backup.Target{
		Database: store.Config{URL: lite(t)}, Blobs: folder(t), Now: time.Now(), Spool: t.TempDir(),
	}, quiet)
	if err == nil || !strings.Contains(err.Error(), "Nothing was made of it") {
		t.Errorf("said %v", err)
	}
}

// TestPlaceAway: while the place does not answer, writers go on; when it does again, everything comes.
func TestPlaceAway(t *testing.T) {
	d := newDock(t, backup.Secret{})
	away := func(is bool) {
		from, to := filepath.Join(d.at, "segments"), d.at+"-away"
		if !is {
			if err := os.Remove(from); err != nil {
				t.Fatal(err)
			}
			from, to = to, from
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		if is {
			if err := os.WriteFile(from, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	away(true)
	for n := range 100 {
		d.note(t, fmt.Sprint("away", n), strings.Repeat("y", 20_000))
	}
	await.True(t, time.Minute, "nothing is said", func() bool {
		state := d.ship.State()
		return state.Failed != "" && !state.Waits.IsZero()
	})
	away(false)
	later := dump(t, d.Store)
	d.shipped(t)
	if state := d.ship.State(); state.Failed != "" {
		t.Errorf("still said: %s", state.Failed)
	}
	s, _, _ := d.back(t, lite(t), time.Time{})
	same(t, settled(later), settled(dump(t, s)))
	must(d.ship.Compare(t.Context(), quiet))(t)
}

// TestStretchesFollowEachOther: a new base does not interrupt what is shipped, moves little, and the rule of what is
// kept removes whole stretches with what only they need.
func TestStretchesFollowEachOther(t *testing.T) {
	d := newDock(t, backup.Secret{})
	d.note(t, "n", "of the first")
	between := d.shipped(t)
	d.ship.Stop()
	size := func() (n int64) {
		_ = filepath.WalkDir(filepath.Join(d.at, "parts"), func(_ string, e fs.DirEntry, _ error) error {
			if info, err := e.Info(); err == nil && !e.IsDir() {
				n += info.Size()
			}
			return nil
		})
		return n
	}
	before := size()
	d.begin(t, 500*time.Millisecond)
	if after := size(); after > before+before/3 {
		t.Errorf("a second base brought %d bytes to %d", after-before, before)
	}
	for n := range 40 {
		d.note(t, "n", fmt.Sprint(n))
		d.shipped(t)
	}
	object := d.file(t, "needed")
	d.shipped(t)
	p := place(t, d.at)
	await.True(t, time.Minute, "stretches", func() bool {
		all, damaged, err := p.Stretches(t.Context())
		return err == nil && damaged == 0 && len(all) > 3
	})
	d.ship.Stop()
	s, _, _ := d.back(t, lite(t), between)
	if value := must(s.Note(t.Context(), "n"))(t); value != "of the first" {
		t.Errorf("it is %q", value)
	}
	kept := must(backup.ParseKeep("1d"))(t)
	all, _, err := p.Stretches(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// All of a day can be restored.
	if removed := must(p.Tidy(t.Context(), kept))(t); removed.Stretches != 0 || removed.Later != "" {
		t.Errorf("removed %+v of %d", removed, len(all))
	}
	earlier := 0 // where nothing happened, one stretch ends at the moment at which the next one does
	for _, one := range all {
		if !one.To.Equal(all[len(all)-1].To) {
			earlier++
		}
	}
	removed := must(p.Tidy(t.Context(), backup.KeepOne()))(t)
	if removed.Stretches != earlier || earlier == 0 || removed.Later != "" {
		t.Errorf("removed %+v of %d, %d of them earlier", removed, len(all), earlier)
	}
	last, blobs, done := d.back(t, lite(t), time.Time{})
	if value := must(last.Note(t.Context(), "n"))(t); value != "39" || len(done.Missing) > 0 {
		t.Errorf("it is %q %v", value, done.Missing)
	}
	if content, err := blobs.Range(t.Context(), object, 0, 6); string(content) != "needed" {
		t.Errorf("%q %v", content, err)
	}
	if left := segments(t, d.at); len(left) > 60 {
		t.Errorf("%d segments are left", len(left))
	}
	_, err = backup.Restore(t.Context(), p, between, backup.Secret{}, backup.Target{
		Database: store.Config{URL: lite(t)}, Now: time.Now(), Spool: t.TempDir(),
	}, quiet)
	if err == nil {
		t.Error("what was removed is restored")
	}
}

// TestShipNeedsALog: a database server ships its log itself.
func TestShipNeedsALog(t *testing.T) {
	s := openStore(t, pgtest.Database(t))
	if _, err := s.Tail(t.Context()); !errors.Is(err, store.ErrNoTail) {
		t.Errorf("got %v", err)
	}
}
