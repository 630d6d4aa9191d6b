package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Snapshot is the whole database as it was at one moment, while others go on writing. It holds back what the engine
// would tidy up behind writers, so whoever has one reads and closes it without waiting for anything else.
type Snapshot struct {
	view   view
	schema int64
	tables []Table
	anew   func(context.Context) (view, error) // for what is planted only
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

// Snapshot gives the database as it is now: everything whose write was acknowledged before the call is in it.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	v, err := s.engine.view(ctx)
	if err != nil {
		return nil, s.faultOf(err)
	}
	snap, err := snapshotOf(ctx, v)
	if plantedTornSnapshot && err == nil {
		snap.anew = s.engine.view
	}
	return snap, s.faultOf(err)
}

func snapshotOf(ctx context.Context, v view) (*Snapshot, error) {
	snap := &Snapshot{view: v}
	err := v.query(ctx, schemaOf, nil, func(c *Cols) error { snap.schema = c.Int(0); return nil })
	if err == nil {
		snap.tables, err = readTables(ctx, v)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return snap, nil
}

const schemaOf = "SELECT MAX(version_id) FROM goose_db_version"

func readTables(ctx context.Context, v view) ([]Table, error) {
	rows, err := v.catalog(ctx)
	if err != nil {
		return nil, err
	}
	return tablesOf(rows)
}

// Schema is the number of the last migration of the database.
func (s *Snapshot) Schema() int64 { return s.schema }

// Tables are all tables of which a backup has the rows.
func (s *Snapshot) Tables() []Table { return s.tables }

// Each shows all rows of a table, in the order of its key.
func (s *Snapshot) Each(ctx context.Context, t Table, each func(*Cols) error) (err error) {
	v := s.view
	if plantedTornSnapshot && s.anew != nil {
		plantedPause()
		if v, err = s.anew(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.close()) }()
	}
	return v.eachRow(ctx, t, each)
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.view.close() }

// EachPage shows all pages of the database, where it is a file, in the order of their numbers. What it shows is valid
// only inside the call.
func (s *Snapshot) EachPage(ctx context.Context, each func(number uint32, page []byte) error) error {
	if _, is := s.view.(liteView); !is {
		return ErrNoTail
	}
	var page []byte
	return s.view.query(ctx, "SELECT pgno, data FROM sqlite_dbpage", nil, func(c *Cols) error {
		page = c.Append(1, page[:0])
		return each(uint32(c.Int(0)), page)
	})
}

// CopyFile copies the database of a file into a new one, as it is now and without what its log still has.
func CopyFile(ctx context.Context, from, to string) error {
	db, err := openLiteDB(from)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	err = errors.Join(err, db.Close())
	if err != nil {
		_ = os.Remove(to) // what there is of it
		return err
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SnapshotFile gives the database that was put together in a file from pages, after it has looked whether it is sound.
func SnapshotFile(ctx context.Context, path string) (*Snapshot, error) {
	e := &lite{path: path}
	v, err := e.view(ctx)
	if err != nil {
		return nil, err
	}
	first := ""
	err = v.query(ctx, "PRAGMA integrity_check(1)", nil, func(c *Cols) error { first = c.Text(0); return nil })
	if err == nil && first != "ok" {
		err = fmt.Errorf("the database is damaged: %s", first)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return snapshotOf(ctx, v)
}

// liteView is a connection in a transaction.
type liteView struct{ c *liteConn }

func (e *lite) view(ctx context.Context) (view, error) {
	c, err := openLiteConn(e.path, e.trace, "PRAGMA query_only=ON", "PRAGMA cache_size=-8000")
	if err != nil {
		return nil, err
	}
	c.conn.SetInterrupt(ctx.Done())
	v := liteView{c}
	// What it sees is settled by the first read, not by BEGIN.
	if err := errors.Join(c.run("BEGIN", nil, nil), c.run(schemaOf, nil, nil)); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	return v, nil
}

func (v liteView) query(_ context.Context, sql string, args []any, each func(*Cols) error) error {
	return v.c.run(sql, args, each)
}

func (v liteView) catalog(context.Context) (rows []catalogRow, err error) {
	err = v.c.run(`SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table'`, nil, func(c *Cols) error {
		rows = append(rows, catalogRow{table: c.Text(0), column: c.Text(1), kind: c.Text(2), key: c.Int(3)})
		return nil
	})
	return rows, err
}

func (v liteView) eachRow(ctx context.Context, t Table, each func(*Cols) error) error {
	return v.query(ctx, t.rows("", ""), nil, each)
}

func (v liteView) close() error { return v.c.conn.Close() }

// pgView is a connection in a transaction that sees one state of the database, within the walls of row-level security:
// it names each project in turn.
type pgView struct {
	conn     *pgx.Conn
	trace    func(string)
	projects []int64
}

// The bounds of requests are not those of a backup, which waits for nobody and for whom nobody waits.
const viewSettings = "; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

func (e *postgres) view(ctx context.Context) (view, error) {
	conn, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	v := &pgView{conn: conn, trace: e.trace}
	if _, err = conn.Exec(ctx, settings+viewSettings, pgx.QueryExecModeSimpleProtocol); err == nil {
		err = v.query(ctx, "SELECT id FROM projects ORDER BY id", nil, func(c *Cols) error {
			v.projects = append(v.projects, c.Int(0))
			return nil
		})
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (v *pgView) query(ctx context.Context, sql string, args []any, each func(*Cols) error) error {
	if v.trace != nil {
		v.trace(sql)
	}
	rows, err := v.conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	return showRows(rows, each)
}

const pgCatalog = `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod),
	coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)::bigint, c.relrowsecurity::int
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
	WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`

func (v *pgView) catalog(ctx context.Context) (rows []catalogRow, err error) {
	err = v.query(ctx, pgCatalog, nil, func(c *Cols) error {
		rows = append(rows, catalogRow{c.Text(0), c.Text(1), c.Text(2), c.Int(3), c.Int(4) != 0})
		return nil
	})
	return rows, err
}

const byBytes = ` COLLATE "C"`

// offices are the walls that a part of the service opens for all tenants at once.
var offices = map[string]Office{"jobs": JobsOffice, "requests": SweepOffice}

func (v *pgView) eachRow(ctx context.Context, t Table, each func(*Cols) error) error {
	office, opens := offices[t.Name]
	switch first := t.Columns[0].Name; {
	case !t.walled:
		return v.query(ctx, t.rows("", byBytes), nil, each)
	case opens:
		return errors.Join(v.name(ctx, tenant{office: office}), v.query(ctx, t.rows("", byBytes), nil, each))
	case first == "project":
		between := " WHERE project >= $1 AND project <= $2"
		return v.inProjects(ctx, t.rows(between, byBytes), each, func(p, last int64) []any { return []any{p, last} })
	case first == "id", first == "owner": // packed: the project before everything else
		between := fmt.Sprintf(" WHERE %s >= $1 AND %s < $2", quoteName(first), quoteName(first))
		return v.inProjects(ctx, t.rows(between, byBytes), each, func(p, last int64) []any {
			return []any{p << projectShift, (last + 1) << projectShift}
		})
	default:
		return fmt.Errorf("store: no backup knows whose the rows of %s are", t.Name)
	}
}

// namedAtOnce is how many projects are named at once: the database looks through their list for each row.
const namedAtOnce = 32

func (v *pgView) inProjects(ctx context.Context, sql string, each func(*Cols) error,
	args func(first, last int64) []any,
) error {
	for some := range slices.Chunk(v.projects, namedAtOnce) {
		if err := v.name(ctx, tenant{more: some}); err != nil {
			return err
		}
		if err := v.query(ctx, sql, args(some[0], some[len(some)-1]), each); err != nil {
			return err
		}
	}
	return nil
}

// name says whose rows the statements that follow show.
func (v *pgView) name(ctx context.Context, t tenant) error {
	_, err := v.conn.Exec(ctx, setTenant, t.projects(), t.account, string(t.office))
	return err
}

func (v *pgView) close() error { return v.conn.Close(context.Background()) }
