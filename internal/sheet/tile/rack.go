// Package tile owns how sheets are looked at: drawings cut into tiles, and two of them laid over each other. It refuses
// to know how a PDF is drawn, which is package drawing's; Routes hands tiles out and Work cuts them.
package tile

import (
	"context"
	"sync"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/upload"
)

// rack hands out tiles. An archive is one object; what lies where in it is remembered.
type rack struct {
	desk *upload.Desk

	mu      sync.Mutex
	indexes map[string]*drawing.Tiles
	laid    map[string][]byte // tiles of comparisons
	weight  int               // of laid, in bytes
}

// What is remembered at most: an index of a large sheet takes a few kilobytes.
const (
	mostIndexes = 2000
	mostLaid    = 32 << 20
)

// open gives the index of an archive.
func (r *rack) open(ctx context.Context, archive string) (*drawing.Tiles, error) {
	r.mu.Lock()
	known := r.indexes[archive]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	t, err := drawing.OpenTiles(object{ctx, r.desk.Blobs, archive})
	if err != nil {
		return nil, lost(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for other := range r.indexes { // whichever comes: it is soon read again
		if len(r.indexes) < mostIndexes {
			break
		}
		delete(r.indexes, other)
	}
	r.indexes[archive] = t
	return t, nil
}

// tile reads a tile; there is none where it is nil.
func (r *rack) tile(ctx context.Context, archive string, level, column, row int) (content []byte, kind string,
	err error,
) {
	t, err := r.open(ctx, archive)
	if err != nil {
		return nil, "", err
	}
	offset, length, kind, ok := t.Find(level, column, row)
	if !ok {
		return nil, "", nil
	}
	content, err = r.desk.Blobs.Range(ctx, archive, offset, length)
	return content, kind, lost(err)
}

// lost says that an archive that a record shows is not there, or not whole: it is the service's fault.
func lost(err error) error {
	if fault.Is(err, fault.NotFound) {
		return &fault.Error{
			Kind:    fault.Internal,
			Message: "The drawing is missing in the store of this service. The team has been notified.", Cause: err,
		}
	}
	return err
}

// object reads an archive where it is asked to.
type object struct {
	ctx   context.Context // of whoever asks: it lives as long as the question
	blobs blob.Store
	name  string
}

// ReadAt reads a range whole.
func (o object) ReadAt(p []byte, offset int64) (int, error) {
	part, err := o.blobs.Range(o.ctx, o.name, offset, int64(len(p)))
	return copy(p, part), err
}

// hashShown is how much of a hash an address holds.
const hashShown = 32
