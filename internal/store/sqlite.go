package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // database/sql driver, for the migrations only
	"zombiezen.com/go/sqlite"

	"groundwork/internal/fault"
)

const (
	pageSize = 8192
	// The checkpointer copies the log back once walBusy pages of it are not. At walFull the writer, which looks after
	// so many commits, begins it anew: as soon as no more than walLeft are left to copy, since writes wait for that,
	// and whatever is left at walMost.
	walBusy   = 4 << 20 / pageSize
	walFull   = 32 << 20 / pageSize
	walLeft   = 1 << 20 / pageSize
	walMost   = 40 << 20 / pageSize
	lookEvery = 16

	busyTimeout = 10 * time.Second
)

// lite is the engine of one machine: one writer, several readers, one file.
type lite struct {
	path    string
	trace   func(string)
	writer  *liteConn
	done    atomic.Int64 // counts commits, and the looks of the checkpointer
	commits int          // since the writer looked how long the log is
	retry   int64        // length of the log, in pages, at which the writer next tries to begin it anew
	readers *readers
	full    chan struct{} // tells the checkpointer that the writer wants to begin the log anew
	stop    chan struct{}
	stopped sync.WaitGroup

	logs    sync.Mutex // guards what follows, and is held where the log may begin anew
	tail    *Tail      // who follows the log; nil when nobody does
	copying bool       // the checkpointer copies the log back
}

func openLite(ctx context.Context, path string, c Config) (engine, error) {
	trace := c.Trace
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := makeLite(path); err != nil {
		return nil, err
	}
	db, err := openLiteDB(path)
	if err != nil {
		return nil, err
	}
	if err = unfinishedLite(ctx, db); err == nil && !c.AsIs {
		_, err = migrate(ctx, "sqlite3", db, c)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	n := 2*runtime.GOMAXPROCS(0) + 2
	e := &lite{
		path: path, trace: trace, readers: newReaders(n), full: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	synchronous := "PRAGMA synchronous=FULL"
	if plantedSyncNormal {
		synchronous = "PRAGMA synchronous=NORMAL"
	}
	if e.writer, err = openLiteConn(path, trace, synchronous, "PRAGMA wal_autocheckpoint=0",
		"PRAGMA journal_size_limit="+strconv.Itoa(walMost*pageSize), "PRAGMA cache_size=-16000",
		"PRAGMA foreign_keys=OFF"); err != nil {
		return nil, err
	}
	for range n {
		r, err := openLiteConn(path, trace, "PRAGMA query_only=ON", "PRAGMA cache_size=-3000")
		if err != nil {
			return nil, errors.Join(err, e.close())
		}
		e.readers.add(r)
	}
	keeper, err := openLiteConn(path, nil, "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0")
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.stopped.Add(2)
	go e.checkpoint(keeper)
	go e.watch()
	return e, nil
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

// unfinishedLite refuses a database into which a restore was not finished.
func unfinishedLite(ctx context.Context, db *sql.DB) error {
	var n int
	err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name = ?", restoringMark).Scan(&n)
	if err == nil && n > 0 {
		err = ErrUnfinished
	}
	return err
}

// uriPath escapes what would end the path inside a file: URI.
func uriPath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

func (e *lite) name() string     { return "sqlite" }
func (e *lite) reads() int       { return cap(e.readers.free) }
func (e *lite) shared() bool     { return false }
func (e *lite) lane(int64) int64 { return 0 }
func (e *lite) group() int       { return 256 }
func (e *lite) lock() string     { return "" }
func (e *lite) again(error) bool { return false }

func (e *lite) words() dialect {
	return dialect{
		put: awaitFiling, find: "SELECT rowid FROM words WHERE words MATCH $1",
		quote: `"`, prefix: "*", and: " AND ", later: true, tables: []string{"wording", "words"}, key: "rowid",
	}
}

func (e *lite) fault(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		return &fault.Error{
			Kind: fault.Full, Message: "The disk of the service is full. Nothing was stored.", Cause: err,
		}
	case sqlite.ResultIOErr, sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultCantOpen, sqlite.ResultInterrupt:
		return fault.Busy(err)
	default:
		return err
	}
}

func (e *lite) close() error {
	var errs []error
	close(e.stop)
	e.stopped.Wait()
	e.readers.clear()
	e.logs.Lock()
	if e.tail != nil {
		e.tail.lose(errClosed)
	}
	e.logs.Unlock()
	if e.writer != nil {
		_ = e.writer.run("PRAGMA wal_checkpoint(TRUNCATE)", nil, nil)
		errs = append(errs, e.writer.conn.Close())
	}
	e.readers.mu.Lock()
	defer e.readers.mu.Unlock()
	for _, r := range e.readers.stack {
		errs = append(errs, r.conn.Close())
	}
	return errors.Join(errs...)
}

func (e *lite) read(ctx context.Context, _ tenant, stmts ...statement) error {
	r, err := e.readers.take(ctx)
	if err != nil {
		return err
	}
	defer e.readers.give(r)
	return e.readOn(r, stmts)
}

func (e *lite) readFor(ctx context.Context, within time.Duration, _ tenant, stmts ...statement) error {
	if within <= 0 {
		return errTooLong
	}
	r, err := e.readers.take(ctx)
	if err != nil {
		return err
	}
	defer e.readers.give(r)
	turn := r.turn
	late := time.AfterFunc(within, func() { e.readers.stopTurn(r, turn) })
	err = e.readOn(r, stmts)
	if !late.Stop() && sqlite.ErrCode(err) == sqlite.ResultInterrupt && ctx.Err() == nil {
		return errTooLong
	}
	return err
}

func (e *lite) readOn(r *liteConn, stmts []statement) error {
	if err := r.at(e.done.Load()); err != nil {
		return err
	}
	for i := range stmts {
		if err := r.run(stmts[i].sql, stmts[i].args, stmts[i].each); err != nil {
			_ = r.leave()
			return err
		}
	}
	return nil
}

func (e *lite) begin(context.Context, bool) (session, error) {
	if err := e.writer.run("BEGIN IMMEDIATE", nil, nil); err != nil {
		return nil, err
	}
	return &liteSession{c: e.writer, done: &e.done}, nil
}

// liteSession is the writer between BEGIN and COMMIT. It takes no savepoints: with one, the first change to each page
// copies the page, for every write of a group, while nearly all writes that fail do so before they changed anything.
type liteSession struct {
	c     *liteConn
	done  *atomic.Int64
	wrote bool // since the last mark
}

func (s *liteSession) exec(sql string, args ...any) error {
	s.wrote = true
	return s.c.run(sql, args, nil)
}

func (s *liteSession) query(sql string, args []any, each func(*Cols) error) error {
	s.wrote = s.wrote || !reads(sql)
	return s.c.run(sql, args, each)
}

func (s *liteSession) tenant(tenant) error { return nil }

func (e *lite) wall() string {
	return "SQLite has no row-level security: the program alone keeps projects apart"
}

func (s *liteSession) mark() error {
	s.wrote = false
	return nil
}

func (s *liteSession) undo() bool { return !s.wrote }

// commit counts before anybody is told: whoever reads afterwards sees it.
func (s *liteSession) commit() error {
	defer s.done.Add(1)
	return s.c.run("COMMIT", nil, nil)
}

func (s *liteSession) abort() {
	if !s.c.conn.AutocommitEnabled() {
		_ = s.c.run("ROLLBACK", nil, nil)
	}
}

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

func (c *liteConn) prepare(text string) (*liteStmt, error) {
	if s := c.stmts[text]; s != nil {
		return s, nil
	}
	stmt, err := c.conn.Prepare(text)
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

// doctor asks over a connection of its own: where one has searched before, the check of the text index goes by what it
// remembers of it, and takes what was filed since for damage.
func (e *lite) doctor(context.Context) []Finding {
	conn, err := openLiteConn(e.path, e.trace, "PRAGMA query_only=ON")
	if err != nil {
		return []Finding{{"database opens", err}}
	}
	defer conn.conn.Close()
	ask := func(pragma, want string) Finding {
		var got string
		err := conn.run("PRAGMA "+pragma, nil, func(c *Cols) error { got = c.Text(0); return nil })
		if err == nil && got != want {
			err = fmt.Errorf("%s is %q and should be %q", pragma, got, want)
		}
		return Finding{"database " + pragma, err}
	}
	return []Finding{ask("journal_mode", "wal"), ask("page_size", strconv.Itoa(pageSize)), ask("quick_check", "ok")}
}
