package store

import "context"

// An installation notes a few things of itself in the table instance, each under a name that belongs to one place in
// the code.
const (
	readNote  = "SELECT value FROM instance WHERE name = $1"
	writeNote = "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"
)

// HerePrefix begins the names of what is true only where the installation is now: a restore forgets it.
const HerePrefix = "here/"

// Note gives what is noted under a name; "" when nothing is.
func (s *Store) Note(ctx context.Context, name string) (value string, err error) {
	err = s.Query(ctx, readNote, []any{name}, func(c *Cols) error { value = c.Text(0); return nil })
	return value, err
}

// SetNote notes a value under a name, in place of what was.
func (s *Store) SetNote(ctx context.Context, name, value string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.Exec(writeNote, name, value) })
}

// Note is Store.Note as the transaction sees it.
func (tx *Tx) Note(name string) (value string, err error) {
	err = tx.Query(readNote, []any{name}, func(c *Cols) error { value = c.Text(0); return nil })
	return value, err
}
