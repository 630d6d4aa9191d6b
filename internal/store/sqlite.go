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
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // database/sql driver, for the migrations only
	"zombiezen.com/go/sqlite"

	"groundwork/internal/fault"
)

const (
	// The checkpointer copies the log back once walBusy pages of it are not. At walFull the writer, which looks after
	// so many commits, begins it anew: as soon as no more than walLeft are left to copy, since writes wait for that,
	// and whatever is left at walMost.
	walBusy   = 4 << 20 / pageSize
	walFull   = 32 << 20 / pageSize
	walLeft   = 1 << 20 / pageSize
	walMost   = 40 << 20 / pageSize
	lookEvery = 16
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
	views   atomic.Int64  // snapshots that hold the log
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

// unfinishedLite refuses a database into which a restore was not finished.
func unfinishedLite(ctx context.Context, db *sql.DB) error {
	var n int
	err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name = ?", restoringMark).Scan(&n)
	if err == nil && n > 0 {
		err = ErrUnfinished
	}
	return err
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

// watch ends overdue reads until the database is closed.
func (e *lite) watch() {
	defer e.stopped.Done()
	tick := time.NewTicker(lookForOverdue)
	defer tick.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-tick.C:
			e.readers.endOverdue()
		}
	}
}

func (e *lite) eraseRows(table string) string {
	if table == "projects" {
		return "DELETE FROM projects WHERE id = $1 AND $2 > 0"
	}
	return "DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table +
		" WHERE id >= $1 << 39 AND id < ($1 + 1) << 39 ORDER BY id LIMIT $2)"
}
