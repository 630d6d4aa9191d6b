package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

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

func (v *pgView) rowsOf(ctx context.Context, t Table, project int64, each func(*Cols) error) error {
	where, args, err := t.condition(project)
	if err != nil {
		return err
	}
	return v.within(ctx, project, t.rows(where, byBytes), args, each)
}

func (v *pgView) within(ctx context.Context, project int64, sql string, args []any, each func(*Cols) error) error {
	if err := v.name(ctx, tenant{project: project}); err != nil {
		return err
	}
	return v.query(ctx, sql, args, each)
}

// name says whose rows the statements that follow show.
func (v *pgView) name(ctx context.Context, t tenant) error {
	_, err := v.conn.Exec(ctx, setTenant, t.projects(), t.account, string(t.office))
	return err
}

func (v *pgView) close() error { return v.conn.Close(context.Background()) }
