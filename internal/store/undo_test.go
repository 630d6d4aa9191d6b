package store

import (
	"errors"
	"path/filepath"
	"testing"

	"groundwork/internal/pgtest"
)

// TestUndoOfWhatGivesRows takes a write back that changed a row with a statement that gives rows, in the midst of a
// group: nothing of it is kept, and the others are.
func TestUndoOfWhatGivesRows(t *testing.T) {
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "undo.db"),
		"postgres": pgtest.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			s, err := Open(t.Context(), Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			set := func(name, value string) func(*Tx) error {
				return func(tx *Tx) error {
					return tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", name, value)
				}
			}
			if err := s.Write(t.Context(), set("room", "left")); err != nil {
				t.Fatal(err)
			}
			refused := errors.New("refused")
			statements := []string{"UPDATE instance SET value = 'taken' WHERE name = 'room' RETURNING name"}
			if engine == "postgres" { // the other engine reads rows with WITH only
				statements = append(statements,
					"WITH taken AS (UPDATE instance SET value = 'taken' WHERE name = 'room' RETURNING name) SELECT name FROM taken",
					" /* a remark */ update instance SET value = 'taken' WHERE name = 'room' RETURNING name")
			}
			for _, sql := range statements {
				write := func(fn func(*Tx) error) *command {
					return &command{ctx: t.Context(), done: make(chan struct{}), fn: fn}
				}
				before, after := write(set(NewUID(), "before")), write(set(NewUID(), "after"))
				taken := write(func(tx *Tx) error {
					rows := 0
					err := tx.Query(sql, nil, func(*Cols) error { rows++; return nil })
					if err != nil || rows != 1 {
						t.Errorf("%s: %d rows, %v", sql, rows, err)
					}
					return refused
				})
				together(s, before, taken, after)
				if before.err != nil || after.err != nil || !errors.Is(taken.err, refused) {
					t.Errorf("%s: the writes ended with %v, %v, %v", sql, before.err, taken.err, after.err)
				}
				if got, err := s.Note(t.Context(), "room"); err != nil || got != "left" {
					t.Errorf("%s: what was taken back left %q, %v", sql, got, err)
				}
			}
		})
	}
}
