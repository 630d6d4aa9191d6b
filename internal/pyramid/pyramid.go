// Package pyramid owns the addresses of image pyramids: drawings in tiles, which viewers fetch without credentials. It
// refuses to know what is drawn and where the tiles lie.
package pyramid

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Tiles shows the address of a drawing in tiles, good for a day at least, by "object/hash": the name of the archive in
// the file store, and a hash of what is in it; "" shows null.
type Tiles string

// Object is the name of the archive.
func (t Tiles) Object() string {
	object, _, _ := strings.Cut(string(t), "/")
	return object
}

// MarshalJSON gives the placeholder, or null for none.
func (t Tiles) MarshalJSON() ([]byte, error) { return document.MarshalText("z", string(t)) }

// UnmarshalJSON reads the placeholder.
func (t *Tiles) UnmarshalJSON(text []byte) error { return document.UnmarshalText(text, "z", t) }

// address is how the address of tiles ends that another installation shows.
var address = regexp.MustCompile(`/tiles/([a-z2-7]{32})/[^/"]+/([0-9a-f]{32})\.dzi"$`)

// fromAddress is the stored value of the tiles that another installation shows: they are cut again under their name.
func fromAddress(_ string, shown []byte) (string, bool) {
	parts := address.FindSubmatch(shown)
	if parts == nil {
		return "", false
	}
	return `"` + string(parts[1]) + "/" + string(parts[2]) + `"`, true
}

// stored is the form of a stored value.
var stored = regexp.MustCompile(`^"[a-z2-7]{32}/[0-9a-f]{32}"$`)

// Placeholder says how documents show the address.
func (Tiles) Placeholder() document.Placeholder {
	return document.Placeholder{
		Letter: 'z', Daily: true,
		Schema: document.Schema{
			"type": []any{"string", "null"}, "format": "uri",
			"description": "A Deep Zoom descriptor, as OpenSeadragon opens it. It and its tiles need no credentials, are good for a day at least, and never change.",
		},
		Holds: func(value []byte) bool { return stored.Match(value) },
		Shown: fromAddress,
		Remade: func(value []byte) string {
			return Tiles(bytes.Trim(value, `"`)).Object()
		},
		Expand: func(buf []byte, e *document.Expander, value []byte, _ *store.Line) []byte {
			buf = append(append(buf, '"'), e.Root...)
			return append(appendTiles(buf, e.Daily, value[1:len(value)-1]), '"')
		},
	}
}

// The address of a drawing in tiles is PROJECT/tiles/OBJECT/END.MARK/HASH.dzi, and that of a tile
// PROJECT/tiles/OBJECT/END.MARK/HASH_files/LEVEL/COLUMN_ROW.png: viewers make the second of the first.

// appendTiles appends the address of tiles, "object/hash", from the project's on.
func appendTiles(buf []byte, seal *auth.Seal, tiles []byte) []byte {
	slash := bytes.IndexByte(tiles, '/')
	buf = append(append(append(buf, "/tiles/"...), tiles[:slash]...), '/')
	buf = append(strconv.AppendInt(buf, seal.Until, 10), '.')
	buf = append(seal.Append(buf, tiles), tiles[slash:]...)
	return append(buf, ".dzi"...)
}

// URL is the address of tiles of the caller's project; object may be more than one, as whoever serves them
// understands it.
func URL(c *api.Call, tiles Tiles) string {
	p := c.Scope.Project()
	return c.Base + "/projects/" + p.UID + string(appendTiles(nil, c.Auth.Links(p, c.TilesUntil()), []byte(tiles)))
}

// Opens tells until when an address of tiles is good: fault.Forbidden when it was altered or has ended.
func Opens(c *api.Call, p *store.Project, tiles Tiles, pass string) (until time.Time, err error) {
	end, mark, _ := strings.Cut(pass, ".")
	seconds, err := strconv.ParseInt(end, 10, 64)
	until = time.Unix(seconds, 0)
	good := false
	if err == nil {
		if good, err = c.Auth.Opens(c.Context(), p, until, string(tiles), mark); err != nil {
			return until, err
		}
	}
	if !good {
		return until, fault.New(fault.Forbidden,
			"The address of this drawing is not valid, or ended when somebody left the project. Get the sheet again: it shows a good one.")
	}
	if !c.Began().Before(until) {
		return until, fault.New(fault.Forbidden,
			"The address of this drawing has expired. Get the sheet again: it shows a new one.")
	}
	return until, nil
}
