package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// EachPage shows all pages of the database, where it is a file, in the order of their numbers. What it shows is valid
// only inside the call.
func (s *Snapshot) EachPage(ctx context.Context, each func(number uint32, page []byte) error) error {
	if _, is := s.view.(liteView); !is {
		return ErrNoTail
	}
	var page []byte
	return s.view.query(ctx, "SELECT pgno, data FROM sqlite_dbpage", nil, func(c *Cols) error {
		page = c.Append(1, page[:0])
		return each(uint32(c.Int(0)), page)
	})
}

// CopyFile copies the database of a file into a new one, as it is now and without what its log still has.
func CopyFile(ctx context.Context, from, to string) error {
	db, err := openLiteDB(from)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	err = errors.Join(err, db.Close())
	if err != nil {
		_ = os.Remove(to) // what there is of it
		return err
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SnapshotFile gives the database that was put together in a file from pages, after it has looked whether it is sound.
func SnapshotFile(ctx context.Context, path string) (*Snapshot, error) {
	e := &lite{path: path}
	v, err := e.view(ctx)
	if err != nil {
		return nil, err
	}
	first := ""
	err = v.query(ctx, "PRAGMA integrity_check(1)", nil, func(c *Cols) error { first = c.Text(0); return nil })
	if err == nil && first != "ok" {
		err = fmt.Errorf("the database is damaged: %s", first)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return snapshotOf(ctx, v)
}
