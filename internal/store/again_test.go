package store

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"groundwork/internal/fault"
	"groundwork/internal/pgtest"
)

// TestAgain has a write that meets others tried again, and, when it meets them each time, refused as one that may be
// sent again.
func TestAgain(t *testing.T) {
	s, err := Open(t.Context(), Config{URL: pgtest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, code := range []string{"40P01", "40001", "23505"} {
		for _, c := range []struct {
			meets int
			want  fault.Kind
		}{{5, 0}, {6, fault.Unavailable}} {
			tries := 0
			err := s.Write(t.Context(), func(tx *Tx) error {
				if tries++; tries <= c.meets {
					return &pgconn.PgError{Code: code}
				}
				return tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", code, "v")
			})
			if (err != nil) != (c.want != 0) || err != nil && fault.Of(err).Kind != c.want {
				t.Errorf("%s, %d times: %v after %d tries", code, c.meets, err, tries)
			}
		}
	}
}
