package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"groundwork/internal/fault"
)

// settings of every connection. All our statements go by an index; a plan made while a table was nearly empty would
// keep scanning it after it has grown, so scans are ruled out. One plan then serves all arguments, and to compile one
// would take longer than to run it.
var settings = "SET ROLE " + appRole + "; SET statement_timeout = " + millis(readWithin) +
	"; SET idle_in_transaction_session_timeout = '30s'; " +
	"SET enable_seqscan = off; SET enable_bitmapscan = off; " +
	"SET plan_cache_mode = force_generic_plan; SET jit = off"

// setTenant holds until the end of the transaction, also of the implicit one of a pipeline.
const setTenant = "SELECT set_config('app.projects', $1, true), set_config('app.account', $2, true), set_config('app.office', $3, true)"

// setTimeout holds as long, from the next statement on.
const setTimeout = "SELECT set_config('statement_timeout', $1, true)"

// postgres is the engine of several processes: a pool, one pipeline per request.
type postgres struct {
	pool  *pgxpool.Pool
	trace func(string)
	login login
}

func openPostgres(ctx context.Context, c Config) (engine, error) {
	cfg, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if _, ok := cfg.ConnConfig.RuntimeParams["application_name"]; !ok {
		cfg.ConnConfig.RuntimeParams["application_name"] = "groundwork"
	}
	var can login
	if !c.AsIs {
		if can, err = prepare(ctx, cfg.ConnConfig, c); err != nil {
			return nil, unreached(err)
		}
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, settings, pgx.QueryExecModeSimpleProtocol)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database does not let this role act as %s (GRANT %s TO the role of the URL): %w",
			appRole, appRole, unreached(err))
	}
	return &postgres{pool: pool, trace: c.Trace, login: can}, nil
}

// unconnected is why no connection was made, in words of ours.
type unconnected struct {
	said string
	err  error
}

func (u *unconnected) Error() string { return u.said }
func (u *unconnected) Unwrap() error { return u.err }

// unreached says once why a server cannot be reached: the library tries several ways and tells of each, often the same.
func unreached(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) {
		return err
	}
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		at := net.JoinHostPort(failed.Config.Host, strconv.Itoa(int(failed.Config.Port)))
		cause := dial.Err
		if call := (*os.SyscallError)(nil); errors.As(cause, &call) {
			cause = call.Err
		}
		return &unconnected{fmt.Sprintf("no database server answers at %s: %v", at, cause), err}
	}
	if name := (*net.DNSError)(nil); errors.As(err, &name) {
		return &unconnected{fmt.Sprintf("the name of the database server, %s, is not known: %s", failed.Config.Host, name.Err), err}
	}
	var told []string
	for line := range strings.Lines(failed.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(told, line) {
			told = append(told, line)
		}
	}
	return &unconnected{strings.ReplaceAll(strings.Join(told, " "), "`", `"`), err}
}

func (e *postgres) name() string             { return "postgresql" }
func (e *postgres) reads() int               { return int(e.pool.Config().MaxConns) }
func (e *postgres) shared() bool             { return true }
func (e *postgres) lane(project int64) int64 { return project }
func (e *postgres) group() int               { return 64 }
func (e *postgres) lock() string             { return " FOR UPDATE" }
func (e *postgres) idle()                    {}
func (e *postgres) close() error             { e.pool.Close(); return nil }

func (e *postgres) words() dialect {
	return dialect{
		put: putWords,
		// The function is the only way to the index past the row-level policy, which it applies itself.
		find:  "SELECT record FROM groundwork_find($1) AS record",
		quote: "'", prefix: ":*", and: " & ", tables: []string{"words"}, key: "record",
	}
}

func (e *postgres) again(err error) bool {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		return false
	}
	// Unique violations: two processes took the same new number; the second look finds the next one.
	return pe.Code == "40P01" || pe.Code == "40001" || pe.Code == "23505"
}

func (e *postgres) fault(err error) error {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		if fault.Of(err).Kind != fault.Internal {
			return err
		}
		return fault.Busy(err) // the connection: what became of the statement is not known
	}
	switch pe.Code[:2] {
	case "53": // insufficient resources
		if pe.Code == "53100" {
			return &fault.Error{
				Kind: fault.Full, Message: "The disk of the database is full. Nothing was stored.", Cause: err,
			}
		}
		return fault.Busy(err)
	case "08", "25", "40", "55", "57":
		return fault.Busy(err)
	default:
		return err
	}
}

func (e *postgres) read(ctx context.Context, t tenant, stmts ...statement) error {
	return e.readBatch(ctx, &pgx.Batch{}, t, stmts)
}

func (e *postgres) readFor(ctx context.Context, within time.Duration, t tenant, stmts ...statement) error {
	if within <= 0 {
		return errTooLong
	}
	b := &pgx.Batch{}
	b.Queue(setTimeout, millis(max(within, time.Millisecond))) // 0 would be no bound
	err := e.readBatch(ctx, b, t, stmts)
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "57014" && ctx.Err() == nil { // the statement was cancelled
		return errTooLong
	}
	return err
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// readBatch reads after what b holds already. The database ends a statement that takes too long; the context ends the
// wait for a connection.
func (e *postgres) readBatch(ctx context.Context, b *pgx.Batch, t tenant, stmts []statement) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*readWithin)
	defer cancel()
	if t.project != 0 || t.more != nil || t.account != "" || t.office != "" {
		b.Queue(setTenant, t.projects(), t.account, string(t.office))
	}
	before := b.Len()
	for i := range stmts {
		e.queue(b, stmts[i].sql, stmts[i].args)
	}
	res := e.pool.SendBatch(ctx, b)
	defer func() { err = errors.Join(err, res.Close()) }() // after a panic too, or the connection is lost
	for range before {
		if _, err := res.Exec(); err != nil {
			return err
		}
	}
	for i := range stmts {
		if err := eachRow(res, stmts[i].each); err != nil {
			return err
		}
	}
	return nil
}

func (e *postgres) queue(b *pgx.Batch, sql string, args []any) {
	if e.trace != nil {
		e.trace(sql)
	}
	flat := make([]any, len(args))
	for i, a := range args {
		flat[i] = plain(a)
	}
	b.Queue(sql, flat...)
}

func eachRow(res pgx.BatchResults, each func(*Cols) error) error {
	rows, err := res.Query()
	if err != nil {
		return err
	}
	return showRows(rows, each)
}

func showRows(rows pgx.Rows, each func(*Cols) error) error {
	defer rows.Close()
	var c Cols
	for rows.Next() {
		if c.bin == nil {
			for _, f := range rows.FieldDescriptions() {
				c.bin = append(c.bin, f.Format == pgx.BinaryFormatCode)
			}
		}
		c.raw = rows.RawValues()
		if each == nil {
			continue
		}
		if err := each(&c); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (e *postgres) begin(ctx context.Context, long bool) (session, error) {
	// A write that was begun is finished: what a client's hang-up would leave behind is an unknown result.
	within := 15 * time.Second
	if long {
		within = 12 * time.Hour
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &pgSession{e: e, ctx: ctx, cancel: cancel, conn: conn, pending: &pgx.Batch{}, bulks: bulks()}
	s.pending.Queue("BEGIN")
	if long {
		s.pending.Queue("SET LOCAL statement_timeout = 0")
		s.pending.Queue("SET LOCAL idle_in_transaction_session_timeout = 0")
	}
	return s, nil
}

// pgSession collects writes and sends them with the next query or the commit, as one pipeline.
type pgSession struct {
	e       *postgres
	ctx     context.Context
	cancel  context.CancelFunc
	conn    *pgxpool.Conn
	pending *pgx.Batch
	bulks   map[string]*bulk // what comes after pending
	marked  int              // length of pending at the last mark
	sent    bool             // something was sent since the last mark, or can no longer be told from what was before
}

func (s *pgSession) exec(sql string, args ...any) error {
	if b := s.bulks[sql]; b != nil {
		if s.e.trace != nil {
			s.e.trace(sql)
		}
		if b.has(args[0]) {
			s.pour()
		}
		b.add(args)
		return nil
	}
	s.pour()
	s.e.queue(s.pending, sql, args)
	return nil
}

// pour puts what the bulks hold into pending.
func (s *pgSession) pour() {
	own, poured := s.pending.Len() > s.marked, false
	for _, sql := range []string{insertRecord, insertChange, putWords} {
		if b := s.bulks[sql]; len(b.rows) > 0 {
			own, poured = own || len(b.rows) > b.mark, true
			b.pour(s.pending)
		}
	}
	switch {
	case poured && own:
		s.sent = true
	case poured:
		s.marked = s.pending.Len()
	}
}

func (s *pgSession) query(sql string, args []any, each func(*Cols) error) error {
	s.pour()
	s.sent = s.sent || !reads(sql)
	s.e.queue(s.pending, sql, args)
	return s.flush(func(res pgx.BatchResults) error { return eachRow(res, each) })
}

func (s *pgSession) tenant(t tenant) error {
	s.pour()
	s.pending.Queue(setTenant, t.projects(), t.account, string(t.office))
	return nil
}

// flush sends what is pending; last reads the result of the last statement.
func (s *pgSession) flush(last func(pgx.BatchResults) error) (err error) {
	b := s.pending
	s.pending = &pgx.Batch{}
	// Anything of the current write that leaves now can only be taken back with the whole group. BEGIN and the tenant
	// come before the mark.
	s.sent = s.sent || b.Len() > s.marked+1
	s.marked = 0
	whole := false
	res := s.conn.SendBatch(s.ctx, b)
	defer func() { // after a panic too
		err = errors.Join(err, res.Close())
		s.sent = s.sent || !whole || err != nil
	}()
	for range b.Len() - 1 {
		if _, err := res.Exec(); err != nil {
			return err
		}
	}
	err = last(res)
	whole = true
	return err
}

func (s *pgSession) mark() error {
	s.marked, s.sent = s.pending.Len(), false
	for _, b := range s.bulks {
		b.mark = len(b.rows)
	}
	return nil
}

func (s *pgSession) undo() bool {
	if s.sent {
		return false
	}
	s.pending.QueuedQueries = s.pending.QueuedQueries[:s.marked]
	for _, b := range s.bulks {
		b.rows = b.rows[:b.mark]
	}
	return true
}

func (s *pgSession) commit() error {
	s.pour()
	s.pending.Queue("COMMIT")
	err := s.flush(func(res pgx.BatchResults) error {
		tag, err := res.Exec()
		if err == nil && tag.String() != "COMMIT" {
			err = errors.New("store: the commit became a " + tag.String())
		}
		return err
	})
	s.release(err != nil)
	return err
}

func (s *pgSession) abort() {
	if s.conn == nil {
		return
	}
	_, err := s.conn.Exec(s.ctx, "ROLLBACK", pgx.QueryExecModeSimpleProtocol)
	s.release(err != nil)
}

// release gives the connection back; one in doubt is closed.
func (s *pgSession) release(doubtful bool) {
	if s.conn == nil {
		return
	}
	if doubtful {
		_ = s.conn.Conn().Close(s.ctx)
	}
	s.conn.Release()
	s.conn = nil
	s.cancel()
}

func (e *postgres) wall() string {
	if e.login.bound() {
		return "row-level security binds the service's own login"
	}
	return "row-level security binds a role that the login can leave; give the service a login of its own, and --database-owner-url"
}

func (e *postgres) doctor(ctx context.Context) []Finding {
	var bound int64
	err := e.read(ctx, tenant{}, statement{
		sql:  "SELECT CASE WHEN rolsuper OR rolbypassrls THEN 0 ELSE 1 END FROM pg_roles WHERE rolname = current_user",
		each: func(c *Cols) error { bound = c.Int(0); return nil },
	})
	if err == nil && bound == 0 {
		err = errors.New("the application's role is a superuser or bypasses row-level security")
	}
	return []Finding{{"database role", err}}
}

func (e *postgres) eraseRows(table string) string {
	return "SELECT groundwork_erase('" + table + "', $1, $2)"
}
