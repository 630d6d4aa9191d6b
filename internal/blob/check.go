package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// roundTrip tries everything that the service needs of a store, on an object of its own.
func roundTrip(ctx context.Context, s Store) (err error) {
	name, content := NewName(), []byte(
		"Groundwork looks whether files can be stored here. This object can be deleted.\n")
	if _, err := s.Put(ctx, name, bytes.NewReader(content)); err != nil {
		return err
	}
	// What Put made is taken away even when the caller has left meanwhile.
	defer func() { err = errors.Join(err, s.Delete(context.WithoutCancel(ctx), name)) }()
	o, err := s.Open(ctx, name)
	if err != nil {
		return err
	}
	defer o.Close()
	got, err := io.ReadAll(o)
	if err == nil && !bytes.Equal(got, content) {
		err = errors.New("what was read is not what was written")
	}
	return err
}
