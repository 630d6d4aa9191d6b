package resource

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// The address of a drawing in tiles is PROJECT/tiles/OBJECT/END.MARK/HASH.dzi, and that of a tile PROJECT/tiles/OBJECT/END.MARK/HASH_files/LEVEL/COLUMN_ROW.png:
// viewers make the second of the first.

// appendTiles appends the address of tiles, "object/hash", from the project's on.
func appendTiles(buf []byte, seal *auth.Seal, tiles []byte) []byte {
	slash := bytes.IndexByte(tiles, '/')
	buf = append(append(append(buf, "/tiles/"...), tiles[:slash]...), '/')
	buf = append(strconv.AppendInt(buf, seal.Until, 10), '.')
	buf = append(seal.Append(buf, tiles), tiles[slash:]...)
	return append(buf, ".dzi"...)
}

// TilesURL is the address of tiles of the caller's project; object may be more than one, as whoever serves them understands it.
func TilesURL(c *api.Call, tiles Tiles) string {
	p := c.Scope.Project()
	return c.Base + "/projects/" + p.UID + string(appendTiles(nil, c.Auth.Seal(p.UID, c.TilesUntil()), []byte(tiles)))
}

// OpensTiles tells until when an address of tiles is good: fault.Forbidden when it was altered or has ended.
func OpensTiles(c *api.Call, p *store.Project, tiles Tiles, pass string) (until time.Time, err error) {
	end, mark, _ := strings.Cut(pass, ".")
	seconds, err := strconv.ParseInt(end, 10, 64)
	until = time.Unix(seconds, 0)
	if err != nil || !c.Auth.Seal(p.UID, until).Opens(string(tiles), mark) {
		return until, fault.New(fault.Forbidden, "The address of this drawing is not valid. Get the sheet again: it shows a good one.")
	}
	if !c.Began().Before(until) {
		return until, fault.New(fault.Forbidden, "The address of this drawing has expired. Get the sheet again: it shows a new one.")
	}
	return until, nil
}
