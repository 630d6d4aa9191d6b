package store

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"groundwork/internal/pgtest"
)

// together commits a group in the lane of what belongs to no project, when nobody else is in it.
func together(s *Store, group ...*command) {
	key, l := s.engine.lane(0), &lane{running: true, queue: group}
	s.mu.Lock()
	for s.lanes[key] != nil {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
	s.lanes[key] = l
	s.running.Add(1)
	s.mu.Unlock()
	s.drain(key, l)
}

// TestFirst has what is done once in a transaction done by the first write that is kept.
func TestFirst(t *testing.T) {
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "first.db"),
		"postgres": pgtest.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			s, err := Open(t.Context(), Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			type key struct{ name string }
			var first []string
			write := func(name string, end error) *command {
				return &command{ctx: t.Context(), done: make(chan struct{}), fn: func(tx *Tx) error {
					if tx.First(key{"a"}) {
						first = append(first, name)
					}
					if tx.First(key{"a"}) || tx.First(key{"b"}) != (first[len(first)-1] == name) {
						t.Errorf("%s: a key is not known again, or is taken for another", name)
					}
					if end != nil {
						return end
					}
					return tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", name, "v")
				}}
			}
			together(s, write("refused", errors.New("refused")), write("kept", nil), write("later", nil))
			together(s, write("next", nil))
			if want := []string{"refused", "kept", "next"}; !slices.Equal(first, want) {
				t.Errorf("first were %q, want %q", first, want)
			}
		})
	}
}
