package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	pageSize    = 8192
	busyTimeout = 10 * time.Second
)

// liteConn is a connection with its prepared statements.
type liteConn struct {
	conn  *sqlite.Conn
	trace func(string)
	stmts map[string]*liteStmt
	cols  Cols

	// Of a reader:
	seen    int64 // how many commits it has seen at least
	mayKeep bool
	keeps   bool // its transaction is open
	halt    chan struct{}
	// Guarded by the lock of the readers:
	halted bool            // halt is closed: what is run fails until renew
	reads  context.Context //nolint:containedctx // of the read under way; nil between reads
	looks  int             // how often that read was looked at
	turn   uint64          // counts reads
}

// liteStmt maps $n to the driver's index, which goes by first appearance.
type liteStmt struct {
	stmt  *sqlite.Stmt
	index []int
}

func openLiteConn(path string, trace func(string), pragmas ...string) (*liteConn, error) {
	if err := useLiteCache(); err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	c := &liteConn{conn: conn, trace: trace, stmts: map[string]*liteStmt{}}
	for _, p := range pragmas {
		if err := c.run(p, nil, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", p, err), conn.Close())
		}
	}
	return c, nil
}

// limit is a LIMIT that is a parameter alone. SQLite plans by its value, and so compiles the statement anew each time
// that the parameter is bound; that of an expression it does not look at.
var limit = regexp.MustCompile(`LIMIT \$(\d+)`)

func (c *liteConn) prepare(text string) (*liteStmt, error) {
	if s := c.stmts[text]; s != nil {
		return s, nil
	}
	stmt, err := c.conn.Prepare(limit.ReplaceAllString(text, "LIMIT +$$$1"))
	if err != nil {
		return nil, err
	}
	s := &liteStmt{stmt: stmt, index: make([]int, stmt.BindParamCount())}
	for i := range s.index {
		n, err := strconv.Atoi(strings.TrimPrefix(stmt.BindParamName(i+1), "$"))
		if err != nil || n < 1 || n > len(s.index) {
			return nil, fmt.Errorf("store: parameter %q of %q", stmt.BindParamName(i+1), text)
		}
		s.index[n-1] = i + 1
	}
	c.stmts[text] = s
	return s, nil
}

func (c *liteConn) run(text string, args []any, each func(*Cols) error) error {
	if c.trace != nil {
		c.trace(text)
	}
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	if len(args) != len(s.index) {
		return fmt.Errorf("store: %d arguments for %q", len(args), text)
	}
	for n, arg := range args {
		i := s.index[n]
		switch v := plain(arg).(type) {
		case nil:
			s.stmt.BindNull(i)
		case int64:
			s.stmt.BindInt64(i, v)
		case string:
			s.stmt.BindText(i, v)
		}
	}
	return s.rows(&c.cols, each)
}

// rows steps through a statement. It is over afterwards, whatever happens, a panic included: one that is left in its
// middle holds what its connection sees, and whoever reads there later would not see what was written since.
func (s *liteStmt) rows(cols *Cols, each func(*Cols) error) (err error) {
	defer func() {
		if reset := s.stmt.Reset(); err == nil {
			err = reset
		}
	}()
	for {
		row, err := s.stmt.Step()
		if err != nil || !row {
			return err
		}
		if each == nil {
			continue
		}
		cols.lite = s.stmt
		if err := each(cols); err != nil {
			return err
		}
	}
}

// begin notes for whom a connection reads from now on; the caller holds the lock.
func (c *liteConn) begin(ctx context.Context) {
	c.reads, c.looks, c.turn = ctx, 0, c.turn+1
}

// renew makes a connection usable again whose statement was ended. Only whoever holds the connection may call it.
func (c *liteConn) renew() {
	c.halt, c.halted = make(chan struct{}), false
	c.conn.SetInterrupt(c.halt)
}

// stop ends the statement of a connection; the caller holds the lock.
func (c *liteConn) stop() {
	if !c.halted {
		c.halted = true
		close(c.halt)
	}
}

// at has the connection see all of the first n commits.
func (c *liteConn) at(n int64) error {
	if c.seen != n {
		if err := c.leave(); err != nil {
			return err
		}
		c.seen = n
		return nil
	}
	if c.mayKeep && !c.keeps {
		if err := c.run("BEGIN", nil, nil); err != nil {
			return err
		}
		c.keeps = true
	}
	return nil
}

// leave ends the transaction that the connection keeps. Where that fails, at tries again before anybody reads there.
func (c *liteConn) leave() error {
	if c.keeps && !c.conn.AutocommitEnabled() { // else an error has ended it
		if err := c.run("ROLLBACK", nil, nil); err != nil {
			return err
		}
	}
	c.keeps = false
	return nil
}

// walFrames runs a checkpoint and tells how many pages the log holds, and how many of them are in the file; none where
// that cannot be told at the moment.
func (c *liteConn) walFrames(mode string) (log, copied int64) {
	log, copied, _ = c.checkpoint(mode) // what was not copied is so the next time
	return log, copied
}

// errAskAgain says that how long the log is cannot be told, since a commit is changing it.
var errAskAgain = errors.New("store: the log is being written")

func (c *liteConn) checkpoint(mode string) (log, copied int64, err error) {
	var busy bool
	err = c.run("PRAGMA wal_checkpoint("+mode+")", nil, func(c *Cols) error {
		busy, log, copied = c.Int(0) != 0, c.Int(1), c.Int(2)
		return nil
	})
	// Who only asks is busy where the header in the shared memory was seen half-written: the numbers are old ones.
	if err == nil && (mode == "NOOP" && busy || log < 0) {
		return 0, 0, errAskAgain
	}
	return log, copied, err
}

// makeLite makes the database file where there is none, and holds that its pages have our size.
func makeLite(path string) error {
	// The page size must be set on the first connection, before the journal mode: later it is ignored without a word.
	first, err := openLiteConn(path, nil, "PRAGMA page_size="+strconv.Itoa(pageSize), "PRAGMA journal_mode=WAL")
	if err != nil {
		return err
	}
	var size int64
	err = errors.Join(first.run("PRAGMA page_size", nil, func(c *Cols) error { size = c.Int(0); return nil }),
		first.conn.Close())
	if err == nil && size != pageSize {
		err = fmt.Errorf("%s has pages of %d bytes; this program needs %d", path, size, pageSize)
	}
	return err
}

// openLiteDB opens the file for migrations.
func openLiteDB(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+uriPath(path)+"?_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)")
}

// uriPath escapes what would end the path inside a file: URI.
func uriPath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
}
