package backup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"groundwork/internal/store"
)

// A row is its columns one after the other: null, an integer, or a text with its length.
const (
	tagNull = iota
	tagInt
	tagText
)

// appendRow appends a row of a table; key is where its key ends.
func appendRow(buf []byte, t store.Table, c *store.Cols) (row []byte, key int) {
	for i, column := range t.Columns {
		if i == t.Key {
			key = len(buf)
		}
		switch {
		case c.Null(i):
			buf = append(buf, tagNull)
		case column.Text:
			text := c.Bytes(i)
			buf = append(binary.AppendUvarint(append(buf, tagText), uint64(len(text))), text...)
		default:
			buf = binary.AppendVarint(append(buf, tagInt), c.Int(i))
		}
	}
	if t.Key == len(t.Columns) {
		key = len(buf)
	}
	return buf, key
}

var errDamaged = errors.New("it is damaged")

// readRow reads the next row of a chunk into values, and gives what is left.
func readRow(chunk []byte, t store.Table, values []any) (left []byte, err error) {
	for i, column := range t.Columns {
		if len(chunk) == 0 {
			return nil, errDamaged
		}
		tag := chunk[0]
		chunk = chunk[1:]
		switch {
		case tag == tagNull:
			values[i] = nil
		case tag == tagInt && !column.Text:
			v, n := binary.Varint(chunk)
			if n <= 0 {
				return nil, errDamaged
			}
			values[i], chunk = v, chunk[n:]
		case tag == tagText && column.Text:
			length, n := binary.Uvarint(chunk)
			if n <= 0 || length > uint64(len(chunk)-n) {
				return nil, errDamaged
			}
			text := string(chunk[n : n+int(length)])
			if !utf8.ValidString(text) {
				return nil, fmt.Errorf("a row of %s has a text that is not UTF-8", t.Name)
			}
			values[i], chunk = text, chunk[n+int(length):]
		default:
			return nil, errDamaged
		}
	}
	return chunk, nil
}

// Chunks end where the key of a row says so, with a probability by the row's length, so that a changed row changes one
// chunk and a new one no more than two.
const (
	leastChunk = 8 << 10
	usualChunk = 24 << 10 // beyond the least
	mostChunk  = 256 << 10
)

// cutter cuts rows into chunks and shows each.
type cutter struct {
	buf  []byte
	rows int64
	each func(content []byte, rows int64) error
}

func (c *cutter) add(t store.Table, row *store.Cols) error {
	from := len(c.buf)
	var key int
	c.buf, key = appendRow(c.buf, t, row)
	c.rows++
	ends := xxhash.Sum64(c.buf[from:key])%usualChunk < uint64(len(c.buf)-from)
	if len(c.buf) >= mostChunk || len(c.buf) >= leastChunk && ends {
		return c.end()
	}
	return nil
}

// end shows what is left.
func (c *cutter) end() error {
	if c.rows == 0 {
		return nil
	}
	err := c.each(c.buf, c.rows)
	c.buf, c.rows = c.buf[:0], 0
	return err
}
