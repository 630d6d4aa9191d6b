package backup_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"

	"groundwork/internal/backup"
	"groundwork/internal/pgtest"
	"groundwork/internal/redact"
	"groundwork/internal/s3test"
	"groundwork/internal/store"
)

// Every table and every file comes back as it was, row by row.
func TestRoundTrip(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		s, blobs := estate(t, url(), 200)
		p := place(t, t.TempDir())
		made := back(t, p, s, blobs, backup.Secret{})
		if made.Rows < 3000 || made.Files < 250 || len(made.Lost) != 0 {
			t.Errorf("made %+v", made)
		}
		restored, files := restore(t, p, url(), backup.Secret{})
		same(t, settled(dump(t, s)), settled(dump(t, restored)))
		sameFiles(t, blobs, files)
	})
}

// A backup of one engine is restored on the other one, and back again.
func TestCrosswise(t *testing.T) {
	s, blobs := estate(t, lite(t), 150)
	one, two := place(t, t.TempDir()), place(t, t.TempDir())
	first := back(t, one, s, blobs, backup.Secret{})
	other, otherFiles := restore(t, one, pgtest.Database(t), backup.Secret{})
	same(t, settled(dump(t, s)), settled(dump(t, other)))
	second := back(t, two, other, otherFiles, backup.Secret{})
	third, thirdFiles := restore(t, two, lite(t), backup.Secret{})
	same(t, settled(dump(t, s)), settled(dump(t, third)))
	sameFiles(t, otherFiles, thirdFiles)
	if first.Files != second.Files {
		t.Errorf("%d files became %d", first.Files, second.Files)
	}
	// The same rows on another engine are the same chunks: only what the restore changed is new.
	if again := back(t, one, third, thirdFiles, backup.Secret{}); again.NewParts > again.AllParts/4 {
		t.Errorf("%d of %d parts are new after two restores", again.NewParts, again.AllParts)
	}
}

// A bucket is a place too, and backups can be encrypted for a public key or with a passphrase.
func TestEncryptedInABucket(t *testing.T) {
	server := s3test.Shared(t)
	identity := must(age.GenerateX25519Identity())(t)
	s, blobs := estate(t, lite(t), 60)
	for _, c := range []struct {
		name             string
		make, open       backup.Secret
		wrong, wrongSaid string
		bad              backup.Secret
	}{
		{
			name: "passphrase", make: backup.Secret{Passphrase: "correct horse"}, open: backup.Secret{Passphrase: "correct horse"},
			bad: backup.Secret{Passphrase: "wrong horse"}, wrongSaid: "passphrase is not the one",
		},
		{
			name: "recipient", make: backup.Secret{Recipient: identity.Recipient().String()},
			open:      backup.Secret{Identity: redact.Secret("# a comment\n" + identity.String() + "\n")},
			bad:       backup.Secret{Identity: redact.Secret(must(age.GenerateX25519Identity())(t).String())},
			wrongSaid: "encrypted for another key",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := place(t, server.URL("backups/"+c.name))
			back(t, p, s, blobs, c.make)
			again := back(t, p, s, blobs, c.make)
			if again.NewParts > 2 { // the note of the names came between
				t.Errorf("%d parts of an encrypted backup are new", again.NewParts)
			}
			restored, files := restore(t, p, lite(t), c.open)
			same(t, settled(dump(t, s)), settled(dump(t, restored)))
			sameFiles(t, blobs, files)
			for _, bad := range []backup.Secret{c.bad, {}} {
				_, err := backup.Restore(t.Context(), p, time.Time{}, bad,
					backup.Target{Database: store.Config{URL: lite(t)}, Blobs: folder(t), Now: moments}, quiet)
				said := c.wrongSaid
				if bad == (backup.Secret{}) {
					said = "The backup is encrypted: give --"
				}
				if err == nil || !strings.Contains(err.Error(), said) {
					t.Errorf("opened with another secret: %v", err)
				}
			}
			if c.name == "passphrase" {
				if _, err := backup.Make(t.Context(), p, source(t, s, blobs), c.bad, quiet); err == nil {
					t.Error("a backup was made with another passphrase than those before")
				}
			}
		})
	}
}

// Whoever gives a key gets what was encrypted with it, or nothing: others can write at a place, too.
func TestPlainAmongEncrypted(t *testing.T) {
	identity := must(age.GenerateX25519Identity())(t)
	for name, c := range map[string]struct{ make, open backup.Secret }{
		"passphrase": {backup.Secret{Passphrase: "correct horse"}, backup.Secret{Passphrase: "correct horse"}},
		"recipient": {
			backup.Secret{Recipient: identity.Recipient().String()},
			backup.Secret{Identity: redact.Secret(identity.String())},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, blobs := estate(t, lite(t), 60)
			p := place(t, t.TempDir())
			own := back(t, p, s, blobs, c.make)
			forged, others := estate(t, lite(t), 60)
			back(t, p, forged, others, backup.Secret{})
			try := func(at time.Time, secret backup.Secret) error {
				_, err := backup.Restore(t.Context(), p, at, secret,
					backup.Target{Database: store.Config{URL: lite(t)}, Blobs: folder(t), Now: moments}, quiet)
				return err
			}
			if err := try(time.Time{}, c.open); err == nil || !strings.Contains(err.Error(), "not encrypted") {
				t.Errorf("a backup that anybody can have made is restored with the key: %v", err)
			}
			if _, _, err := p.Verify(t.Context(), time.Time{}, c.open, false, quiet); err == nil {
				t.Error("a backup that anybody can have made is verified with the key")
			}
			if err := try(own.Moment, c.open); err != nil {
				t.Errorf("the one before: %v", err)
			}
			if err := try(time.Time{}, backup.Secret{}); err != nil {
				t.Errorf("without a key: %v", err)
			}
		})
	}
}

// While others write, a backup has a state that existed: all that was acknowledged before it began, and of each
// transaction all or nothing.
func TestUnderWrites(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		s := openStore(t, url())
		var p *store.Project
		err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
			if p, err = tx.Found(store.NewUID()); err == nil {
				err = tx.Insert(1, &store.Row{UID: p.UID, Version: 1, Doc: []byte(`{}`)})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var acknowledged atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				for ctx.Err() == nil {
					err := s.Edit(context.WithoutCancel(ctx), p, 1, func(tx *store.Tx) error {
						n, err := tx.Next(9)
						if err == nil {
							err = tx.Insert(9, &store.Row{UID: fmt.Sprint("r", n), Version: 1, Doc: []byte(`{"x":1}`)})
						}
						return errors.Join(err, tx.Exec("INSERT INTO instance (name, value) VALUES ('count', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value", fmt.Sprint(n)))
					})
					if err != nil {
						t.Error(err)
						return
					}
					acknowledged.Add(1)
				}
			})
		}
		to, blobs := place(t, t.TempDir()), folder(t)
		for range 5 {
			for before := acknowledged.Load(); acknowledged.Load() < before+50 && !t.Failed(); {
				_ = s.Ping(t.Context()) // gives way
			}
			least := acknowledged.Load()
			back(t, to, s, blobs, backup.Secret{})
			restored, _ := restore(t, to, lite(t), backup.Secret{})
			all := dump(t, restored)
			n := 0
			for _, row := range all["records"] {
				if strings.Contains(row, `uid "r`) {
					n++
				}
			}
			if int64(n) < least {
				t.Errorf("%d records, but %d were acknowledged before the backup began", n, least)
			}
			if want := fmt.Sprintf(`name "count", value "%d"`, n); !strings.Contains(strings.Join(all["instance"], "\n"), want) {
				t.Errorf("there are %d records, and the count of the same transactions is another", n)
			}
			if len(all["changes"]) != n+2 { // the project's own record, and the restore
				t.Errorf("%d changes of %d records", len(all["changes"]), n)
			}
			same := must(restored.Project(t.Context(), p.UID))(t)
			if wrong := must(restored.VerifyChanges(t.Context(), same))(t); len(wrong) != 0 {
				t.Error(wrong)
			}
		}
		stop()
		writers.Wait()
	})
}

// A second backup moves what changed.
func TestSecondBackupMovesLittle(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		s, blobs := estate(t, url(), 1000)
		p := place(t, t.TempDir())
		first := back(t, p, s, blobs, backup.Secret{})
		none := back(t, p, s, blobs, backup.Secret{})
		project := must(s.Project(t.Context(), projectUID(t, s)))(t)
		for n := range 20 {
			err := s.Edit(t.Context(), project, 1, func(tx *store.Tx) error {
				return tx.Insert(90, &store.Row{UID: fmt.Sprint("new-", n), Version: 1, Doc: []byte(`{"x":1}`)})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		second := back(t, p, s, blobs, backup.Secret{})
		t.Logf("first %d bytes in %d parts; unchanged %d in %d; 20 new records %d in %d", first.Sent, first.NewParts,
			none.Sent, none.NewParts, second.Sent, second.NewParts)
		if none.NewParts > 1 || second.NewParts > 10 || second.Sent > first.Sent/10 {
			t.Errorf("sent %d, then %d, then %d bytes", first.Sent, none.Sent, second.Sent)
		}
	})
}

func projectUID(t *testing.T, s *store.Store) (uid string) {
	err := s.Query(t.Context(), "SELECT uid FROM projects WHERE id = 1", nil, func(c *store.Cols) error {
		uid = c.Text(0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return uid
}

// After a restore it is told which numbers of a project's log were taken back, and nothing of the logs of others.
func TestNumbersTakenBack(t *testing.T) {
	engines(t, func(t *testing.T, url func() string) {
		s, _ := estate(t, url(), 60)
		p := must(s.Project(t.Context(), projectUID(t, s)))(t)
		const own, others = 3, 2 // the changes of project 1 are those that are divided by 3; of 3, with 2 left
		for seq, want := range map[int64]bool{
			0: false, own: false, others: true, 2<<39 | others: true, 2<<39 | own: true, 1<<62 | own: true,
		} {
			if gone := must(s.TakenBack(t.Context(), p, seq))(t); gone != want {
				t.Errorf("the number %d: taken back is %v", seq, gone)
			}
		}
	})
}
