package store

import (
	"strconv"

	"zombiezen.com/go/sqlite"
)

// Cols are the columns of one row. They are valid only inside the call that got them.
type Cols struct {
	lite *sqlite.Stmt
	raw  [][]byte
	bin  []bool // which of raw are in binary form
}

// Int gives column i as an integer; null is 0.
func (c *Cols) Int(i int) int64 {
	if c.lite != nil {
		return c.lite.ColumnInt64(i)
	}
	b := c.raw[i]
	if c.bin[i] {
		var v uint64
		for _, x := range b {
			v = v<<8 | uint64(x)
		}
		if shift := uint(64 - 8*len(b)); len(b) > 0 {
			return int64(v<<shift) >> shift
		}
		return 0
	}
	v, _ := strconv.ParseInt(string(b), 10, 64)
	return v
}

// Text gives column i as text; null is "".
func (c *Cols) Text(i int) string {
	if c.lite != nil {
		return c.lite.ColumnText(i)
	}
	return string(c.raw[i])
}

// Null tells whether column i is null.
func (c *Cols) Null(i int) bool {
	if c.lite != nil {
		return c.lite.ColumnIsNull(i)
	}
	return c.raw[i] == nil
}

// OptionalInt is the number in a column; nil for null.
func (c *Cols) OptionalInt(i int) *int64 {
	if c.Null(i) {
		return nil
	}
	n := c.Int(i)
	return &n
}

// Bytes gives a copy of column i.
func (c *Cols) Bytes(i int) []byte { return c.Append(i, nil) }

// Append appends column i to buf.
func (c *Cols) Append(i int, buf []byte) []byte {
	if c.lite == nil {
		return append(buf, c.raw[i]...)
	}
	// Asking for the length first would cost as much as the column: what leaves room behind it was whole.
	at := len(buf)
	if n := c.lite.ColumnBytes(i, buf[at:cap(buf)]); at+n < cap(buf) {
		return buf[:at+n]
	}
	n := c.lite.ColumnLen(i)
	if cap(buf)-at < n {
		grown := make([]byte, at, max(2*cap(buf), at+n))
		copy(grown, buf)
		buf = grown
	}
	buf = buf[:at+n]
	c.lite.ColumnBytes(i, buf[at:])
	return buf
}

// statement is one read: SQL with $1, $2, … and what to do with each row.
type statement struct {
	sql  string
	args []any
	each func(*Cols) error
}

// OrNull is a text as the database keeps it where it may be missing: null for an empty one.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
