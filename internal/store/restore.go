package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// ErrNotEmpty says that there is something in a database that a backup was to be restored into.
var ErrNotEmpty = errors.New("The database is not empty. A backup is restored into a new one only; nothing was changed.")

// ErrNewer says that a backup is of a later release.
var ErrNewer = errors.New("The backup was made by a later release than this one. Restore it with that release.")

// Restoring is a database that is being filled from a backup. Nothing of it counts before Finish: until then the
// database has a mark, with which it is not opened.
type Restoring struct {
	loader loader
	tables []Table
}

// loader is a view that also writes; all in one transaction.
type loader interface {
	view
	exec(ctx context.Context, sql string, args ...any) error
	// copy inserts rows as long as next gives some; nil is the end.
	copy(ctx context.Context, t Table, next func() ([]any, error)) error
}

// Restore makes the tables of a schema in an empty database, or in one where an earlier restore was not finished, and
// marks it. ErrNotEmpty where anything else is there, ErrNewer where the schema is not known yet. Before it makes
// anything it asks begin, and tells it whether an earlier restore was not finished.
func Restore(ctx context.Context, c Config, schema int64, begin func(again bool) error) (r *Restoring, err error) {
	r = &Restoring{}
	if newest, err := newestSchema(); err != nil || schema > newest {
		return nil, errors.Join(err, ErrNewer)
	}
	if path, local := strings.CutPrefix(c.URL, "sqlite:"); local {
		r.loader, err = restoreLite(ctx, strings.TrimPrefix(path, "//"), schema, begin)
	} else {
		url := c.OwnerURL
		if url == "" {
			url = c.URL
		}
		r.loader, err = restorePostgres(ctx, url, schema, begin)
	}
	if err != nil {
		return nil, err
	}
	if r.tables, err = readTables(ctx, r.loader); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Tables are the tables to be filled.
func (r *Restoring) Tables() []Table { return r.tables }

// Fill inserts the rows of a table that next gives, an int64, a string or nil for each column; a nil row is the end.
func (r *Restoring) Fill(ctx context.Context, t Table, next func() ([]any, error)) error {
	return r.loader.copy(ctx, t, next)
}

// Each shows the rows of a table as they are now, in the order of its key.
func (r *Restoring) Each(ctx context.Context, t Table, each func(*Cols) error) error {
	return r.loader.eachRow(ctx, t, each)
}

// restoredNote says, by the time in microseconds, that the database was restored from a backup.
const restoredNote = "restored"

// Finish makes the rows an installation that goes on at now: what was only true at the time of the backup ends, and
// each project's change log goes on beyond every number that it can have had before, so that whoever followed it is
// told to begin again. notes are what the installation is to find under their names. With the commit the mark is gone.
func (r *Restoring) Finish(ctx context.Context, now time.Time, notes map[string]string) error {
	type project struct{ id, seq int64 }
	var projects []project
	err := r.loader.query(ctx, "SELECT id, seq FROM projects ORDER BY id", nil, func(c *Cols) error {
		projects = append(projects, project{c.Int(0), c.Int(1)})
		return nil
	})
	for _, p := range projects {
		if err != nil {
			return err
		}
		seq, own := restoredSeq(p.seq, now), int64(MakeID(p.id, 1, 1))
		found := false
		err = r.loader.query(ctx, recordByID, []any{own}, func(*Cols) error { found = true; return nil })
		if err == nil && found {
			err = errors.Join(
				r.loader.exec(ctx, "INSERT INTO changes (id, record, clock, op, actor) SELECT $1, id, clock, $2, 0 FROM records WHERE id = $3",
					p.id<<projectShift|seq, int64(Shown), own),
				r.loader.exec(ctx, "UPDATE projects SET seq = $2 WHERE id = $1", p.id, seq))
		}
	}
	for _, statement := range []string{
		"DELETE FROM sessions", "DELETE FROM capabilities", // who has signed out, or used a link, has done so
		"DELETE FROM instance WHERE name LIKE 'words/%' OR name LIKE '" + HerePrefix + "%' OR name = '" + restoredNote + "'",
		"DROP TABLE " + restoringMark,
	} {
		if err == nil {
			err = r.loader.exec(ctx, statement)
		}
	}
	if err == nil {
		err = r.loader.exec(ctx, "INSERT INTO instance (name, value) VALUES ($1, $2)", restoredNote,
			fmt.Sprint(now.UnixMicro()))
	}
	for name, value := range notes {
		if err == nil {
			err = r.loader.exec(ctx, writeNote, name, value)
		}
	}
	if err == nil {
		err = r.loader.exec(ctx, "COMMIT")
	}
	return err
}

// Close ends what is open. Without Finish before, the tables are empty and the mark stays.
func (r *Restoring) Close() error { return r.loader.close() }

// restoredSeq is where the sequence of a project goes on after a restore: 256 for each second since 2026, which is more
// than a project changes in the long run, so that no number of what the restore took back comes again.
func restoredSeq(seq int64, now time.Time) int64 {
	const since = 1767225600
	return max((seq>>restoredShift+1)<<restoredShift, (now.Unix()-since)<<restoredShift)
}

const restoredShift = 8

// liteLoader is the one connection to a database file that is being filled.
type liteLoader struct{ liteView }

func restoreLite(ctx context.Context, path string, schema int64, begin func(bool) error) (loader, error) {
	again, err := emptyLite(path)
	if err == nil {
		err = begin(again)
	}
	if err != nil {
		return nil, err
	}
	if again { // it was empty when that restore began
		for _, end := range []string{"-wal", "-shm", ""} {
			if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := makeLite(path); err != nil {
		return nil, err
	}
	mark, err := openLiteConn(path, nil, "PRAGMA synchronous=FULL")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(mark.run("CREATE TABLE "+restoringMark+" (begun TEXT)", nil, nil), mark.conn.Close()); err != nil {
		return nil, err
	}
	db, err := openLiteDB(path)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(migrateTo(ctx, "sqlite3", db, schema), db.Close()); err != nil {
		return nil, err
	}
	c, err := openLiteConn(path, nil, "PRAGMA synchronous=FULL", "PRAGMA cache_size=-64000", "PRAGMA foreign_keys=OFF")
	if err != nil {
		return nil, err
	}
	c.conn.SetInterrupt(ctx.Done())
	if err := c.run("BEGIN IMMEDIATE", nil, nil); err != nil {
		return nil, errors.Join(err, c.conn.Close())
	}
	return liteLoader{liteView{c: c}}, nil
}

// emptyLite refuses a database file that has anything in it but a restore that was not finished.
func emptyLite(path string) (again bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c, err := openLiteConn(path, nil)
	if err != nil {
		return false, err
	}
	n := 0
	err = c.run("SELECT name FROM sqlite_master", nil, func(c *Cols) error {
		n++
		again = again || c.Text(0) == restoringMark
		return nil
	})
	if err = errors.Join(err, c.conn.Close()); err == nil && n > 0 && !again {
		err = ErrNotEmpty
	}
	return again, err
}

func (l liteLoader) exec(_ context.Context, sql string, args ...any) error {
	return l.c.run(sql, args, nil)
}

func (l liteLoader) copy(_ context.Context, t Table, next func() ([]any, error)) error {
	for insert := t.insert(); ; {
		row, err := next()
		if err != nil || row == nil {
			return err
		}
		if err := l.c.run(insert, row, nil); err != nil {
			return err
		}
	}
}

// pgLoader is a connection of the role that owns the tables. There are no walls yet: Open lays them.
type pgLoader struct{ *pgView }

func restorePostgres(ctx context.Context, url string, schema int64, begin func(bool) error) (loader, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	var n int
	var again bool
	err = db.QueryRowContext(ctx, `SELECT count(*), coalesce(bool_or(relname = $1), false) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`, restoringMark).Scan(&n, &again)
	if err == nil && n > 0 && !again {
		err = ErrNotEmpty
	}
	if err == nil {
		err = begin(again)
	}
	if err == nil {
		_, err = db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+restoringMark+" (begun TEXT)")
	}
	if err == nil {
		err = migrateTo(ctx, "postgres", db, schema)
	}
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return pgLoader{&pgView{conn: conn}}, nil
}

func (l pgLoader) exec(ctx context.Context, sql string, args ...any) error {
	_, err := l.conn.Exec(ctx, sql, args...)
	return err
}

func (l pgLoader) copy(ctx context.Context, t Table, next func() ([]any, error)) error {
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	_, err := l.conn.CopyFrom(ctx, pgx.Identifier{t.Name}, columns, pgx.CopyFromFunc(next))
	return err
}
