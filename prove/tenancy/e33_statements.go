package tenancy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// setting is a tenant as it might be set, rightly or by mistake.
type setting struct {
	projects, account string
	right             bool // it names the caller's own project and nothing else
}

func (w *wall) settings() []setting {
	own, foreign := strconv.FormatInt(w.projects[0], 10), strconv.FormatInt(w.projects[1], 10)
	out := []setting{
		{own, "", true}, {own, "nobody", true}, {own, w.account, true}, {"", w.account, false}, {"", "", false},
	}
	for _, text := range []string{
		"x", "0", "-1", "1 OR 1=1", own + ";" + foreign, "{" + own + "," + foreign + "}", "NULL", "*", "%", ",", " ",
		"99999999999999999999", "1e3", "0x" + foreign,
		"''", foreign + "--", "ARRAY[" + foreign + "]", "(SELECT id FROM projects)", "\t", "٢", foreign + ".0", "true",
	} {
		out = append(out, setting{projects: text})
	}
	for _, text := range []string{"x", "%", "' OR ''='", "*", w.account + " ", strings.ToUpper(w.account)} {
		out = append(out, setting{account: text})
	}
	return out
}

// reads are statements whose first column is the id of a row; none names the caller's project.
func (w *wall) reads() []string {
	f := w.projects[1]
	return []string{
		"SELECT id FROM records", "SELECT owner FROM links", "SELECT target FROM links", "SELECT id FROM changes",
		"SELECT record FROM changes",
		fmt.Sprintf("SELECT id FROM records WHERE id >> 39 = %d", f),
		fmt.Sprintf("SELECT owner FROM links WHERE owner >> 39 = %d", f),
		fmt.Sprintf("SELECT id FROM changes WHERE id >> 39 = %d", f),
		fmt.Sprintf("SELECT id FROM records WHERE id BETWEEN %d AND %d", f<<39, (f+1)<<39),
		"SELECT r.id FROM changes c JOIN records r ON r.id = c.record",
		"SELECT c.id FROM records r LEFT JOIN changes c ON c.record = r.id WHERE c.id IS NOT NULL",
		"SELECT id FROM records UNION ALL SELECT id FROM changes UNION ALL SELECT owner FROM links",
		"SELECT max(id) FROM records HAVING max(id) IS NOT NULL",
		"SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id DESC) FROM records) x",
		"WITH x AS MATERIALIZED (SELECT * FROM records) SELECT id FROM x",
		"SELECT id FROM records FOR UPDATE",
		"SELECT id FROM records WHERE doc LIKE '%Secret%'",
		// Rows that are not shown must not be computed with either.
		fmt.Sprintf("SELECT id FROM records WHERE 1 / (CASE WHEN id >> 39 = %d THEN 0 ELSE 1 END) = 1", f),
		fmt.Sprintf("SELECT %d FROM projects p WHERE EXISTS (SELECT FROM records r WHERE r.id >> 39 = %d) LIMIT 1",
			f<<39, f),
	}
}

// writes are statements without a condition: they may reach what is the caller's own.
func (w *wall) writes() []string {
	return []string{
		"UPDATE records SET tally = 'x'", "UPDATE records SET doc = '{}', clock = 0, deleted = 1",
		"UPDATE links SET place = place + 1000", "DELETE FROM links", "UPDATE changes SET op = 7",
		"UPDATE records SET terms = c.id::text FROM changes c WHERE c.record = records.id",
	}
}

// forbidden are statements that can only do harm.
func (w *wall) forbidden() []string {
	f, move := w.projects[1], (w.projects[1]-w.projects[0])<<39
	record := fmt.Sprintf("INSERT INTO records (id, uid, clock, version, doc) VALUES (%d, 'x', 1, 1, '{}')",
		f<<39|100<<32|1)
	taken := fmt.Sprintf(
		"INSERT INTO records (id, uid, clock, version, doc) SELECT (%d::bigint << 39) | (id & 549755813887), 'x', 1, 1, '{}' FROM records WHERE id >> 39 = %d", f, w.projects[0])
	return []string{
		record, record + " ON CONFLICT (id) DO UPDATE SET doc = '{}'",
		taken + " ON CONFLICT (id) DO UPDATE SET doc = '{}'",
		fmt.Sprintf("UPDATE records SET id = id + %d", move),
		fmt.Sprintf("UPDATE records SET doc = '{}' WHERE id >> 39 = %d", f),
		fmt.Sprintf("INSERT INTO links (owner, field, place, target) VALUES (%d, 1, 1, 1)", f<<39|100<<32|1),
		fmt.Sprintf("UPDATE links SET owner = owner + %d", move),
		fmt.Sprintf("DELETE FROM links WHERE owner >> 39 = %d", f),
		fmt.Sprintf("INSERT INTO changes (id, record, clock, op, actor) VALUES (%d, 1, 1, 1, 1)", f<<39|1<<30),
		fmt.Sprintf("UPDATE changes SET id = id + %d", move),
	}
}

// powers are statements that the application's role must not be allowed at all.
var powers = []string{
	"DELETE FROM records", "DELETE FROM changes", "DELETE FROM projects", "TRUNCATE records", "TRUNCATE links",
	"TRUNCATE changes", "DROP TABLE links",
	"ALTER TABLE records DISABLE ROW LEVEL SECURITY", "ALTER TABLE records NO FORCE ROW LEVEL SECURITY",
	"DROP POLICY tenant ON records",
	"CREATE POLICY more ON records USING (true)", "ALTER ROLE groundwork_app BYPASSRLS",
	"SET LOCAL row_security = off; SELECT id FROM records",
}

// all tries every statement with each of the settings.
func (w *wall) all(settings []setting) error {
	for _, s := range settings {
		for _, sql := range w.reads() {
			if err := w.read(s, sql); err != nil {
				return fmt.Errorf("%+v: %s: %w", s, sql, err)
			}
		}
		if err := w.copyOut(s); err != nil {
			return err
		}
		for _, sql := range w.writes() {
			if err := w.write(s, sql, s.right); err != nil {
				return fmt.Errorf("%+v: %s: %w", s, sql, err)
			}
		}
		for _, sql := range w.forbidden() {
			if err := w.write(s, sql, false); err != nil {
				return fmt.Errorf("%+v: %s: %w", s, sql, err)
			}
		}
	}
	if err := w.leftOver(); err != nil {
		return err
	}
	var bound bool
	if err := w.conn.QueryRow(w.t, "SELECT current_user = 'groundwork_app'").Scan(&bound); err != nil || !bound {
		return err
	}
	for _, sql := range powers {
		w.tried++
		err := w.as(strconv.FormatInt(w.projects[0], 10), "", func(tx pgx.Tx) error {
			_, err := tx.Exec(w.t, sql, pgx.QueryExecModeSimpleProtocol)
			return err
		})
		w.t.Require(refused(err), "the application's role may %s: %v", sql, err)
	}
	return nil
}

// refused tells whether the database did not allow a statement.
func refused(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "42501"
}

// unread tells whether the database could not make sense of a setting or a row; then it shows nothing.
func unread(err error) bool {
	var pe *pgconn.PgError
	// division by zero tells of a row
	return errors.As(err, &pe) && strings.HasPrefix(pe.Code, "22") && pe.Code != "22012"
}

func (w *wall) read(s setting, sql string) error {
	w.tried++
	err := w.as(s.projects, s.account, func(tx pgx.Tx) error {
		rows, err := tx.Query(w.t, sql)
		if err != nil {
			return err
		}
		var id int64
		_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
			w.note(reading, id>>39, 1, sql)
			return nil
		})
		return err
	})
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe) && pe.Code == "22012":
		w.note(reading, w.projects[1], 1, sql)
		return nil
	case !s.right && unread(err):
		return nil
	}
	return err
}

// copyOut reads a table in the form of a backup.
func (w *wall) copyOut(s setting) error {
	w.tried++
	var out strings.Builder
	err := w.as(s.projects, s.account, func(tx pgx.Tx) error {
		_, err := tx.Conn().PgConn().CopyTo(w.t, &out, "COPY (SELECT id FROM records) TO STDOUT")
		return err
	})
	for line := range strings.Lines(out.String()) {
		id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return err
		}
		w.note(reading, id>>39, 1, "COPY")
	}
	if !s.right && unread(err) {
		return nil
	}
	return err
}

// write runs a statement, looks at every project as its own tenant, and takes it all back.
func (w *wall) write(s setting, sql string, may bool) error {
	w.tried++
	err := w.as(s.projects, s.account, func(tx pgx.Tx) error {
		tag, err := tx.Exec(w.t, sql)
		if err != nil {
			return err
		}
		after, err := w.digests(w.t, tx)
		if err != nil {
			return err
		}
		var changed []int64
		for i, p := range w.projects {
			if after[i] != w.before[i] {
				changed = append(changed, p)
			}
		}
		for _, p := range changed {
			w.note(writing, p, max(1, int(tag.RowsAffected())/len(changed)), sql) // they are all of one size
		}
		return nil
	})
	if !may && (refused(err) || unread(err)) {
		return nil
	}
	var pe *pgconn.PgError
	if !may && errors.As(err, &pe) && pe.Code == "23505" {
		// That a row is there already is known only to who can see it.
		w.note(writing, w.projects[1], 1, sql)
		return nil
	}
	return err
}

// leftOver looks whether a tenant outlives its transaction.
func (w *wall) leftOver() error {
	w.tried++
	if err := w.as(strconv.FormatInt(w.projects[1], 10), w.account,
		func(tx pgx.Tx) error { return tx.Commit(w.t) }); err != nil {
		return err
	}
	var n int
	if err := w.conn.QueryRow(w.t, "SELECT count(*) FROM records").Scan(&n); err != nil {
		return err
	}
	w.note(reading, w.projects[1], n, "a setting of an earlier transaction")
	return nil
}
