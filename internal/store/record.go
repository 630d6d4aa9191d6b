package store

// Op says what a change did.
type Op uint8

// The operations of the change log. Shown is a change of what is shown but not of the record: it moves seq and no
// clock.
const (
	Created Op = iota + 1
	Updated
	Deleted
	Restored
	Linked
	Unlinked
	Shown
)

// Row is a record as it is stored.
type Row struct {
	ID      ID
	UID     string
	Clock   int64
	Deleted bool
	Version int
	Tally   string
	Terms   string
	Doc     []byte
	Private []byte
	// Wiped says that nothing is kept of a deleted record but that it was there: see Blank.
	Wiped bool
	// Hides says that not everybody sees all records of the kind: the log keeps the terms that a change takes from it.
	Hides bool

	was *string // the terms as they were read
}

// wiped is what a record is marked with of which nothing is kept but that it was there and is deleted.
const wiped = 2

// mark is how the row says whether it is deleted.
func (row *Row) mark() int64 {
	switch {
	case row.Deleted && row.Wiped:
		return wiped
	case row.Deleted:
		return 1
	default:
		return 0
	}
}

func whole(c *Cols) Row {
	terms := c.Text(5)
	return Row{
		ID: ID(c.Int(0)), UID: c.Text(1), Clock: c.Int(2), Deleted: c.Int(3) != 0, Tally: c.Text(4), Terms: terms,
		Version: int(c.Int(6)), Doc: c.Bytes(7), Private: c.Bytes(8), Wiped: c.Int(3) == wiped, was: &terms,
	}
}
