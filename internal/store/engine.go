package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"groundwork/internal/fault"
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

// view reads in one transaction over a connection of its own.
type view interface {
	query(ctx context.Context, sql string, args []any, each func(*Cols) error) error
	catalog(ctx context.Context) ([]catalogRow, error)
	// eachRow shows all rows of a table in its order, whatever walls stand.
	eachRow(ctx context.Context, t Table, each func(*Cols) error) error
	// rowsOf shows those of one project; within reads any that belong to it.
	rowsOf(ctx context.Context, t Table, project int64, each func(*Cols) error) error
	within(ctx context.Context, project int64, sql string, args []any, each func(*Cols) error) error
	close() error
}

// dialect is how an engine's text index is written and asked.
type dialect struct {
	put, find string // statements
	quote     string // around the words of a query
	prefix    string // after those that begin others
	and       string // between them
	later     bool   // put only lets the words wait until they are filed
	// tables are where words lie, in the order in which they go, and key is what the last of them has records by.
	tables []string
	key    string
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

// Finding is one thing that Doctor looked at; Err says what is wrong with it.
type Finding struct {
	Name string
	Err  error
}

var errClosed = fault.Busy(errors.New("store: closed"))

// readWithin is how long a read may take on either engine: many times what the greatest index takes to load, and short
// enough that clients still wait. A read that nobody waits for any more, or that takes longer, is ended in its middle:
// a connection that is never given back is one less for everybody.
const readWithin = 10 * time.Second

// errTooLong says that a read took longer than it was given.
var errTooLong = errors.New("store: the read took too long")

// errEnough ends a statement whose remaining rows nobody wants.
var errEnough = errors.New("store: enough rows")

// ended is what a read failed with; nothing where it was ended with errEnough.
func ended(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
