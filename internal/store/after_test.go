package store

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"groundwork/internal/pgtest"
)

// TestAfter commits one group of hand-made writes: what they wanted to be told of comes after the commit, and only from
// those that were kept.
func TestAfter(t *testing.T) {
	urls := map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "after.db") },
		"postgres": func(t *testing.T) string { return pgtest.Database(t) },
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, err := Open(t.Context(), Config{URL: urls[engine](t)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			refused := errors.New("refused")
			var told []string
			write := func(name string, do func(*Tx) error) *command {
				return &command{ctx: t.Context(), done: make(chan struct{}), fn: func(tx *Tx) error {
					tx.After(func() {
						told = append(told, name)
						seen := ""
						if err := s.Query(t.Context(), "SELECT value FROM instance WHERE name = $1", []any{name},
							func(c *Cols) error { seen = c.Text(0); return nil }); err != nil {
							t.Error(err)
						}
						if seen != "v" && name != "read only" {
							t.Errorf("%s was told before its commit", name)
						}
					})
					return do(tx)
				}}
			}
			insert := func(name string) func(*Tx) error {
				return func(tx *Tx) error {
					return tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", name, "v")
				}
			}
			for _, test := range []struct {
				name  string
				group []*command
				want  []string
			}{
				{"kept, refused before anything is sent, kept", []*command{
					write("a", insert("a")),
					write("b", func(tx *Tx) error { return errors.Join(insert("b")(tx), refused) }),
					write("c", insert("c")),
				}, []string{"a", "c"}},
				{"kept, refused after it was sent, kept", []*command{
					write("d", insert("d")),
					write("e", func(tx *Tx) error {
						return errors.Join(insert("e")(tx), tx.Query("SELECT name FROM instance", nil, nil), refused)
					}),
					write("f", insert("f")),
				}, []string{"d", "f"}},
				{"refused alone", []*command{
					write("g", func(tx *Tx) error { return errors.Join(insert("g")(tx), refused) }),
				}, nil},
				{
					"nothing written",
					[]*command{write("read only", func(*Tx) error { return nil })},
					[]string{"read only"},
				},
				{"written by a query", []*command{write("h", func(tx *Tx) error {
					return tx.Query("INSERT INTO instance (name, value) VALUES ($1, $2) RETURNING name",
						[]any{"h", "v"}, nil)
				})}, []string{"h"}},
				{
					"a panic",
					[]*command{write("i", func(*Tx) error { panic("no") }), write("j", insert("j"))},
					[]string{"j"},
				},
				// the commit, or the statement, fails
				{"twice the same name", []*command{write("a", insert("a"))}, nil},
			} {
				told = nil
				together(s, test.group...)
				if !slices.Equal(told, test.want) {
					t.Errorf("%s: told %q, want %q", test.name, told, test.want)
				}
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			told = nil
			c := write("k", insert("k"))
			c.ctx = gone
			if together(s, c); told != nil || c.err == nil {
				t.Errorf("a write whose caller left: told %q, error %v", told, c.err)
			}
		})
	}
}
