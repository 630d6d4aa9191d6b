package store

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"groundwork/internal/fault"
	"groundwork/internal/pgtest"
)

// TestAnnounceNew has it told in a project founded a moment before, in the same group commit, that what is shown of an
// account changed; and not in one that was refused.
func TestAnnounceNew(t *testing.T) {
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "announce.db"),
		"postgres": pgtest.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			s, err := Open(t.Context(), Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			account := NewUID()
			write := func(fn func(*Tx) error) *command {
				return &command{ctx: t.Context(), done: make(chan struct{}), fn: fn}
			}
			founding := func(uid string, end error) *command {
				return write(func(tx *Tx) error {
					if _, err := tx.Found(uid); err != nil {
						return err
					}
					if err := tx.Insert(1, &Row{UID: account, Version: 1, Doc: []byte(`{}`)}); err != nil {
						return err
					}
					return end
				})
			}
			announced := 0
			announce := func() *command {
				return write(func(tx *Tx) error { announced++; _, err := tx.Announce(account); return err })
			}
			kept, refused := NewUID(), NewUID()
			for _, group := range [][]*command{
				{founding(kept, nil), announce()},
				{founding(refused, fault.Missing("Project", "refused")), announce()},
			} {
				together(s, group...)
				for i, c := range group {
					if c.err != nil && fault.Of(c.err).Kind != fault.NotFound {
						t.Errorf("write %d: %v", i, c.err)
					}
				}
			}
			if announced > 3 { // the second group is run one by one where what was refused cannot be taken back alone
				t.Errorf("what was announced twice was tried %d times", announced)
			}
			p, err := s.Project(t.Context(), kept)
			if err != nil {
				t.Fatal(err)
			}
			var ops []Op
			clock, seq, err := s.Feed(t.Context(), p, 0, 10, func(e *Entry) bool {
				ops = append(ops, e.Op)
				return true
			})
			if err != nil || !slices.Equal(ops, []Op{Created, Shown, Shown}) || seq != 3 || clock == 0 {
				t.Errorf("the log of the new project: %v, clock %d, seq %d, %v", ops, clock, seq, err)
			}
			if found, err := s.VerifyChanges(t.Context(), p); err != nil || len(found) > 0 {
				t.Errorf("%q, %v", found, err)
			}
			if p, err := s.Project(t.Context(), refused); err == nil {
				t.Errorf("a project that was not kept is known: %v", p)
			}
		})
	}
}

// TestGroupMeets has a write that meets others each time refused alone: those of its group are kept.
func TestGroupMeets(t *testing.T) {
	s, err := Open(t.Context(), Config{URL: pgtest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(name string) *command {
		return &command{ctx: t.Context(), done: make(chan struct{}), fn: func(tx *Tx) error {
			return tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", name, "v")
		}}
	}
	group := []*command{put("a"), put("a"), put("b")}
	together(s, group...)
	var pe *pgconn.PgError
	if group[0].err != nil || !errors.As(group[1].err, &pe) || group[2].err != nil {
		t.Errorf("%v, %v, %v", group[0].err, group[1].err, group[2].err)
	}
}
