package sheet

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"groundwork/internal/api"
	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
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

// viewing is how sheets are looked at: in tiles, and two laid over each other.
func viewing(desk *upload.Desk) []api.Route {
	r := &rack{desk: desk, indexes: map[string]*drawing.Tiles{}, laid: map[string][]byte{}}
	const place = "/projects/{project}/tiles/{archive}/{pass}/"
	return []api.Route{
		{
			Method: "GET", Pattern: place + "{descriptor}", Access: api.Public, Do: r.describe,
			Summary: "Get the Deep Zoom descriptor of a sheet or a comparison, at the address that it shows. Viewers such as OpenSeadragon open it and find the tiles by it. It needs no credentials and ends.",
			Tag:     "sheets", Extension: true, Gives: "application/xml", Status: 200, Also: []int{304}, Errors: []int{403, 404},
		},
		{
			Method: "GET", Pattern: place + "{folder}/{level}/{tile}", Access: api.Public, Do: r.give,
			Summary: "Get a tile, where the descriptor has viewers look for it.",
			Tag:     "sheets", Extension: true, Gives: "image/*", Status: 200, Also: []int{304}, Errors: []int{403, 404},
		},
		compare(),
	}
}

func (r *rack) describe(c *api.Call) error {
	hash, is := strings.CutSuffix(c.Param("descriptor"), ".dzi")
	if !is {
		return fault.Missing("Descriptor", c.Param("descriptor"))
	}
	return r.send(c, hash, func(ctx context.Context, archives []string) (*api.Piece, error) {
		layout, err := r.layout(ctx, archives)
		if err != nil {
			return nil, err
		}
		return &api.Piece{Content: []byte(layout.Descriptor()), Type: "application/xml", Tag: hash}, nil
	})
}

func (r *rack) layout(ctx context.Context, archives []string) (*drawing.Tiles, error) {
	if len(archives) == 1 {
		return r.open(ctx, archives[0])
	}
	pair, err := r.union(ctx, archives)
	if err != nil {
		return nil, err
	}
	return pair.Tiles, nil
}

func (r *rack) give(c *api.Call) error {
	name := c.Param("level") + "/" + c.Param("tile")
	hash, is := strings.CutSuffix(c.Param("folder"), "_files")
	level, column, row, ok := place(c.Param("level"), c.Param("tile"))
	if !is || !ok {
		return fault.Missing("Tile", name)
	}
	return r.send(c, hash, func(ctx context.Context, archives []string) (*api.Piece, error) {
		piece := &api.Piece{Tag: fmt.Sprintf("%s-%d-%d-%d", hash, level, column, row)}
		var err error
		if len(archives) > 1 {
			piece.Content, piece.Type, err = r.overlay(ctx, archives, level, column, row)
		} else {
			piece.Content, piece.Type, err = r.tile(ctx, archives[0], level, column, row)
		}
		if err == nil && piece.Content == nil {
			err = fault.Missing("Tile", name)
		}
		return piece, err
	})
}

// send answers with a piece of an archive, or of two of which a dot separates the names, to whoever has its address.
func (r *rack) send(c *api.Call, hash string, make func(ctx context.Context, archives []string) (*api.Piece, error)) error {
	p, err := c.Store.Project(c.Context(), c.Param("project"))
	if err != nil {
		return err
	}
	archives := c.Param("archive")
	until, err := resource.OpensTiles(c, p, resource.Tiles(archives+"/"+hash), c.Param("pass"))
	if err != nil {
		return err
	}
	piece, err := make(c.Context(), strings.Split(archives, "."))
	if err != nil {
		return err
	}
	piece.MaxAge = until.Sub(c.Began())
	return c.SendPiece(*piece)
}

// place reads where a tile is: 12 and 3_4.png.
func place(first, last string) (level, column, row int, ok bool) {
	number := func(text string) int {
		n, err := strconv.ParseUint(text, 10, 20)
		ok = ok && err == nil
		return int(n)
	}
	last, ok = strings.CutSuffix(last, ".png")
	x, y, _ := strings.Cut(last, "_")
	return number(first), number(x), number(y), ok
}

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
func (r *rack) tile(ctx context.Context, archive string, level, column, row int) (content []byte, kind string, err error) {
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
		return &fault.Error{Kind: fault.Internal, Message: "The drawing is missing in the store of this service. The team has been notified.", Cause: err}
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
