package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"groundwork/internal/fault"
)

// Keep stores a file that the service made, under a name that follows from what it was made of. One that an earlier
// attempt left is taken when it is the same, and replaced when it is not: no record shows it yet. AddFile then notes
// it, by the name that the caller gives it.
func (d *Desk) Keep(ctx context.Context, object, path, contentType string) (File, error) {
	in, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	file := File{Object: object, Type: contentType}
	if file.Size, file.SHA256, err = sum(in); err != nil {
		return file, err
	}
	put := func() error {
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := d.Blobs.Put(ctx, object, in)
		return err
	}
	if err = put(); !fault.Is(err, fault.Conflict) {
		return file, err
	}
	if same, err := d.holds(ctx, file); same || err != nil {
		return file, err
	}
	if err := d.Blobs.Delete(ctx, object); err != nil {
		return file, err
	}
	return file, put()
}

// holds tells whether an object has the bytes of a file.
func (d *Desk) holds(ctx context.Context, f File) (bool, error) {
	o, err := d.Blobs.Open(ctx, f.Object)
	if err != nil {
		return false, err
	}
	if o.Size() != f.Size {
		return false, o.Close()
	}
	_, hash, err := sum(o)
	return hash == f.SHA256, errors.Join(err, o.Close())
}

// sum reads to the end: how many bytes there are, and their hash.
func sum(r io.Reader) (size int64, hash string, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}
