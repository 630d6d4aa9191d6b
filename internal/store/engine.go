package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// engine is what differs between the two databases. There is one implementation per database, chosen by the URL.
type engine interface {
	name() string
	// read runs the statements in order as one request of the tenant.
	read(ctx context.Context, t tenant, stmts ...statement) error
	// readFor is read for no longer than within: errTooLong where that is not enough.
	readFor(ctx context.Context, within time.Duration, t tenant, stmts ...statement) error
	// reads is how many reads can run at once.
	reads() int
	// begin opens a writing transaction; one that is long has no bounds of time.
	begin(ctx context.Context, long bool) (session, error)
	// shared tells whether other processes may write to the same database.
	shared() bool
	// lane names the queue in which the writes of a project are put in order.
	lane(project int64) int64
	// group is the most writes that one commit takes.
	group() int
	// lock is appended to the SELECT that takes a project's row.
	lock() string
	// again tells whether a failed transaction may simply be run once more.
	again(err error) bool
	// fault translates an error of the driver.
	fault(err error) error
	// eraseRows is the statement that deletes some rows of a project, $1, at most $2, from a table of the ledger.
	eraseRows(table string) string
	// words says how the text index is written and asked.
	words() dialect
	// idle is called after each commit, while the writer has nothing open.
	idle()
	doctor(ctx context.Context) []Finding
	// view opens the whole database as it is now, over a connection of its own.
	view(ctx context.Context) (view, error)
	// wall says, for people, what keeps tenants apart below the program itself.
	wall() string
	close() error
}

// session is one writing transaction. exec may be sent together with the next query or the commit.
type session interface {
	exec(sql string, args ...any) error
	query(sql string, args []any, each func(*Cols) error) error
	// tenant says whose rows the statements that follow may touch.
	tenant(t tenant) error
	// mark remembers a place; undo takes back all since the last mark, or tells that only abort can.
	mark() error
	undo() bool
	commit() error
	abort()
}

// tenant says whose rows a statement may see; the second wall where the database has row-level security.
type tenant struct {
	project int64
	more    []int64 // further projects
	account string  // uid: the caller's own team records in every project, and kept answers
	office  Office
}

func (t tenant) projects() string {
	if t.project == 0 && len(t.more) == 0 {
		return ""
	}
	var b strings.Builder
	if t.project != 0 {
		b.WriteString(strconv.FormatInt(t.project, 10))
	}
	for _, p := range t.more {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(p, 10))
	}
	return b.String()
}

// statement is one read: SQL with $1, $2, … and what to do with each row.
type statement struct {
	sql  string
	args []any
	each func(*Cols) error
}

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

// plain brings an argument to the few types that both drivers take.
func plain(arg any) any {
	switch v := arg.(type) {
	case nil, int64, string:
		return v
	case int:
		return int64(v)
	case Op:
		return int64(v)
	case uint32:
		return int64(v)
	case ID:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case []byte:
		if v == nil {
			return nil
		}
		return string(v)
	case *string:
		if v == nil {
			return nil
		}
		return *v
	default:
		panic(fmt.Sprintf("store: argument of type %T", arg))
	}
}
