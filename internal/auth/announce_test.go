package auth_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// TestAnnounceMany changes the profile of an account with many projects: the change itself writes in none of them,
// every transaction in few, and in the end each was told, of a change made meanwhile too. However many changes come,
// one announcement tells them all that were made before it began, and the next, after a pause, all that were made
// meanwhile.
func TestAnnounceMany(t *testing.T) {
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "many.db"),
		"postgres": pgtest.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			var mu sync.Mutex
			now, most := 0, 0   // changes logged since the last commit, and the most of a transaction
			parted := func() {} // called after a part of an announcement
			s, err := store.Open(t.Context(), store.Config{URL: url, Trace: func(sql string) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case strings.HasPrefix(sql, "INSERT INTO changes"):
					now++
					most = max(most, now)
				case strings.HasPrefix(sql, "UPDATE announcements SET upto = $2"):
					parted()
				// the one ends a transaction, the other begins one
				case sql == "COMMIT" || strings.Contains(sql, "FROM announcements"):
					now = 0
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var asked []identity.Announcement
			var pauses []time.Duration
			a, err := auth.New(t.Context(), s, auth.WithMostProjects(121),
				auth.WithAnnouncements(func(_ *store.Tx, n identity.Announcement, pause time.Duration) error {
					asked, pauses = append(asked, n), append(pauses, pause)
					return nil
				}))
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			account, err := a.CreateAccount(t.Context(), identity.NewAccount{
				Email: "ada@example.com", Name: "Ada", Password: "seventeen purple anvils",
			})
			if err != nil {
				t.Fatal(err)
			}
			var projects []*store.Project
			found := func() error {
				return s.Write(t.Context(), func(tx *store.Tx) error {
					if err := a.MayFound(tx, account); err != nil {
						return err
					}
					p, err := tx.Found(store.NewUID())
					if err != nil {
						return err
					}
					projects = append(projects, p)
					return tx.Insert(auth.KindMember, &store.Row{UID: account.UID, Version: 1, Doc: []byte(`{}`)})
				})
			}
			shown := func() (told, all int) {
				t.Helper()
				for _, p := range projects {
					before := all
					_, _, err := s.Feed(t.Context(), p, 0, 10, func(e *store.Entry) bool {
						if e.Op == store.Shown {
							all++
						}
						return true
					})
					if err != nil {
						t.Fatal(err)
					}
					if all > before {
						told++
					}
				}
				return told, all
			}
			change := func(company string) {
				t.Helper()
				if err := a.UpdateProfile(t.Context(), account.UID,
					identity.Profile{FirstName: "Ada", Company: company}); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 {
				if err := found(); err != nil {
					t.Fatal(err)
				}
			}
			change("At once")
			if told, all := shown(); told != 10 || all != 10 || len(asked) != 0 {
				t.Fatalf("of 10 projects %d are told at once, %d times, and a job is asked for %d times", told, all,
					len(asked))
			}
			for range 111 {
				if err := found(); err != nil {
					t.Fatal(err)
				}
			}
			if err := found(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "--max-projects") {
				t.Errorf("one project more than may be is told %v", err)
			}
			mu.Lock()
			now, most = 0, 0
			mu.Unlock()
			change("Later")
			if told, _ := shown(); told != 10 || len(asked) != 1 || asked[0].Account != account.UID || most != 0 {
				t.Fatalf("the change of an account with 121 projects wrote in %d of them, and asked for %v", most,
					asked)
			}
			change("Later still") // nobody was told yet: it is told with the one before
			change("Last")
			ends := 0
			announce := func(ctx context.Context) error {
				return a.Announce(ctx, account.UID, func(*store.Tx) error { ends++; return nil })
			}
			// The process ends after a part, and something is changed before the next one goes on.
			ctx, cancel := context.WithCancel(t.Context())
			mu.Lock()
			parted = cancel
			mu.Unlock()
			if err := announce(ctx); err == nil || ends != 0 {
				t.Errorf("an announcement in the middle of which its process ended ended with %v, %d times", err, ends)
			}
			cancel()
			change("Meanwhile")
			change("Meanwhile once more")
			asked, pauses = nil, nil
			err = announce(t.Context())
			if told, all := shown(); err != nil || told != 121 || all != 10+121 || ends != 1 {
				t.Errorf("of 121 projects %d are told, %d times in all; %d ends, %v", told, all, ends, err)
			}
			if len(asked) != 1 || pauses[0] < time.Second {
				t.Errorf("what changed meanwhile is told by %v after %v", asked, pauses)
			}
			change("While the next one waits") // and is told by it
			err = announce(t.Context())
			if told, all := shown(); err != nil || told != 121 || all != 10+2*121 || ends != 2 || len(asked) != 2 {
				t.Errorf("of 121 projects %d are told, %d times in all; %d ends, %v; asked for were %v", told, all,
					ends, err, asked)
			}
			if most > 10 {
				t.Errorf("one transaction wrote in %d projects", most)
			}
			change("Once more")
			if len(asked) != 3 || pauses[2] != 0 {
				t.Errorf("a job is asked for %d times, after %v", len(asked), pauses)
			}
		})
	}
}
