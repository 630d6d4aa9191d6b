package upload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"groundwork/internal/blob"
	"groundwork/internal/store"
)

// Store keeps a file that comes without a form, as far as the limits of forms go: fault.TooLarge. No record has it yet.
func (d *Desk) Store(ctx context.Context, s *store.Store, p *store.Project, r io.Reader) (File, error) {
	room, err := d.room(func(sql string, args []any, each func(*store.Cols) error) error {
		return s.QueryIn(ctx, p, sql, args, each)
	}, p, &Upload{})
	if err != nil {
		return File{}, err
	}
	in := &measured{r, measure{hash: sha256.New(), most: d.Most, room: room}}
	f := File{Object: blob.NewName()}
	if _, err := d.Blobs.Put(ctx, f.Object, in); err != nil {
		return File{}, err
	}
	f.Size, f.SHA256 = in.size, in.sum()
	return f, nil
}

// Discard removes files that no record has.
func (d *Desk) Discard(ctx context.Context, files []File) {
	for _, f := range files {
		d.drop(ctx, f.Object)
	}
}

// measured is a file on its way into the store.
type measured struct {
	from io.Reader
	measure
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if over := m.count(p[:n]); over != nil {
		return 0, over
	}
	return n, err
}

// measure counts and hashes what passes, and refuses what is too much.
type measure struct {
	hash hash.Hash
	size int64
	// most is what a form admits, room what the project has left; negative is no bound.
	most, room int64
}

func (m *measure) count(p []byte) error {
	m.hash.Write(p)
	switch m.size += int64(len(p)); {
	case m.size > m.most:
		return tooLong(m.most)
	case m.room >= 0 && m.size > m.room:
		return noRoom()
	}
	return nil
}

func (m *measure) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }
