package tile

import (
	"context"
	"fmt"

	"groundwork/internal/drawing"
)

// union is how two archives lie over each other.
func (r *rack) union(ctx context.Context, archives []string) (*drawing.Pair, error) {
	old, err := r.open(ctx, archives[0])
	if err != nil {
		return nil, err
	}
	now, err := r.open(ctx, archives[1])
	if err != nil {
		return nil, err
	}
	return drawing.PairOf(old, now), nil
}

// overlay makes a tile of a comparison; there is none where it is nil. Only those that somebody looks at are ever made,
// and these are remembered.
func (r *rack) overlay(ctx context.Context, archives []string, level, column, row int) (content []byte, kind string,
	err error,
) {
	const png = "image/png"
	key := fmt.Sprintf("%s.%s/%d/%d_%d", archives[0], archives[1], level, column, row)
	r.mu.Lock()
	known := r.laid[key]
	r.mu.Unlock()
	if known != nil {
		return known, png, nil
	}
	pair, err := r.union(ctx, archives)
	if err != nil {
		return nil, "", err
	}
	places, ok := pair.Find(level, column, row)
	if !ok {
		return nil, "", nil
	}
	var both [2][]byte
	for i, at := range places {
		if at.Length == 0 {
			continue
		}
		if both[i], err = r.desk.Blobs.Range(ctx, archives[i], at.Offset, at.Length); err != nil {
			return nil, "", lost(err)
		}
	}
	if content, err = drawing.OverlayTiles(both[0], both[1]); err != nil {
		return nil, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.laid[key] == nil {
		r.weight += len(content)
	}
	r.laid[key] = content
	for other, tile := range r.laid {
		if r.weight <= mostLaid {
			break
		}
		r.weight -= len(tile)
		delete(r.laid, other)
	}
	return content, png, nil
}
