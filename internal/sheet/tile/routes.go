package tile

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/pyramid"
	"groundwork/internal/upload"
)

// Routes is how sheets are looked at: in tiles, and two laid over each other.
func Routes(desk *upload.Desk) []api.Route {
	r := &rack{desk: desk, indexes: map[string]*drawing.Tiles{}, laid: map[string][]byte{}}
	const place = "/projects/{project}/tiles/{archive}/{pass}/"
	return []api.Route{
		{
			Method: "GET", Pattern: place + "{descriptor}", Access: api.Public, Do: r.describe,
			Summary: "Get the Deep Zoom descriptor of a sheet or a comparison, at the address that it shows. Viewers such as OpenSeadragon open it and find the tiles by it. It needs no credentials and ends.",
			Tag:     "sheets", Extension: true, Gives: "application/xml", Status: 200, Also: []int{304},
			Errors: []int{403, 404},
		},
		{
			Method: "GET", Pattern: place + "{folder}/{level}/{tile}", Access: api.Public, Do: r.give,
			Summary: "Get a tile, where the descriptor has viewers look for it.",
			Tag:     "sheets", Extension: true, Gives: "image/*", Status: 200, Also: []int{304},
			Errors: []int{403, 404},
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
func (r *rack) send(c *api.Call, hash string,
	make func(ctx context.Context, archives []string) (*api.Piece, error),
) error {
	p, err := c.Store.Project(c.Context(), c.Param("project"))
	if err != nil {
		return err
	}
	archives := c.Param("archive")
	until, err := pyramid.Opens(c, p, pyramid.Tiles(archives+"/"+hash), c.Param("pass"))
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
