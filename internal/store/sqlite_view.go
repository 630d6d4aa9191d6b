package store

import (
	"context"
	"errors"
)

// liteView is a connection in a transaction.
type liteView struct {
	c   *liteConn
	end func() // nil, or told that it is closed
}

func (e *lite) view(ctx context.Context) (view, error) {
	c, err := openLiteConn(e.path, e.trace, "PRAGMA query_only=ON", "PRAGMA cache_size=-8000")
	if err != nil {
		return nil, err
	}
	c.conn.SetInterrupt(ctx.Done())
	e.views.Add(1)
	v := liteView{c, func() { e.views.Add(-1) }}
	// What it sees is settled by the first read, not by BEGIN.
	if err := errors.Join(c.run("BEGIN", nil, nil), c.run(schemaOf, nil, nil)); err != nil {
		return nil, errors.Join(err, v.close())
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

func (v liteView) rowsOf(ctx context.Context, t Table, project int64, each func(*Cols) error) error {
	where, args, err := t.condition(project)
	if err != nil {
		return err
	}
	return v.query(ctx, t.rows(where, ""), args, each)
}

func (v liteView) within(ctx context.Context, _ int64, sql string, args []any, each func(*Cols) error) error {
	return v.query(ctx, sql, args, each)
}

func (v liteView) close() error {
	err := v.c.conn.Close()
	if v.end != nil {
		v.end()
	}
	return err
}
