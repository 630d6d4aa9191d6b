package tenancy

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"

	"groundwork/internal/store"
)

// escapes are statements by which a login would leave the wall, or take it down; owner is the role that owns the
// tables.
func escapes(owner string) []string {
	return append([]string{
		"SET ROLE " + owner, "SET SESSION AUTHORIZATION " + owner, "SET ROLE postgres",
		"GRANT " + owner + " TO CURRENT_USER", "CREATE ROLE more", "CREATE TABLE mine (x int)",
		"ALTER TABLE jobs DISABLE ROW LEVEL SECURITY", "DROP POLICY tenant ON requests",
		"CREATE POLICY more ON jobs USING (true)", "TRUNCATE jobs, requests",
		"SET LOCAL row_security = off; SELECT id FROM jobs", "UPDATE goose_db_version SET version_id = 1",
		"COPY (SELECT 1) TO PROGRAM 'true'",
	}, powers...)
}

// behind are the tables that show nothing to who names no project, account or office.
var behind = []string{
	"records", "links", "changes", "words", "files", "uploads", "shareables", "version_uploads",
	"version_files", "version_pages", "requests", "jobs",
}

// asService gives the service a login of its own, and tries to leave the wall with it: as the role that it logs in as,
// and as those that it may become.
func (w *wall) asService() error {
	owner, err := pgx.Connect(w.t, w.url)
	if err != nil {
		return err
	}
	defer owner.Close(context.WithoutCancel(w.t))
	role := "service_" + strings.ToLower(rand.Text())
	if _, err := owner.Exec(w.t, "CREATE ROLE "+role+" LOGIN"); err != nil {
		return err
	}
	w.t.AtEnd(func() error {
		conn, err := pgx.Connect(context.WithoutCancel(w.t), w.url)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(w.t))
		_, err = conn.Exec(context.WithoutCancel(w.t), "DROP ROLE "+role)
		return err
	})
	u, err := url.Parse(w.url)
	if err != nil {
		return err
	}
	u.User = url.User(role)
	s, err := store.Open(w.t, store.Config{URL: u.String(), OwnerURL: w.url})
	if err != nil {
		return err
	}
	defer s.Close()
	w.t.Require(s.Wall() == "row-level security binds the service's own login", "%s", s.Wall())
	jobs := 0
	err = s.In(store.JobsOffice).Query(w.t, "SELECT id FROM jobs", nil, func(*store.Cols) error { jobs++; return nil })
	if err != nil {
		return err
	}
	w.t.Require(jobs > 0, "there are no jobs: that none is seen says nothing")
	conn, err := pgx.Connect(w.t, u.String())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(w.t))
	for _, become := range []string{
		"SELECT 1", "SET ROLE groundwork_app", "RESET ROLE",
		"SET SESSION AUTHORIZATION DEFAULT", "RESET ALL",
	} {
		if _, err := conn.Exec(w.t, become); err != nil {
			return err
		}
		for _, table := range behind {
			w.tried++
			var n int
			if err := conn.QueryRow(w.t, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
				return fmt.Errorf("%s, %s: %w", become, table, err)
			}
			w.note(reading, w.projects[1], n, "the service's login, after "+become+", from "+table)
		}
		for _, sql := range escapes(owner.Config().User) {
			w.tried++
			tx, err := conn.Begin(w.t)
			if err != nil {
				return err
			}
			_, err = tx.Exec(w.t, sql, pgx.QueryExecModeSimpleProtocol)
			w.t.Require(err != nil, "the service's login may %s", sql)
			if err := tx.Rollback(w.t); err != nil {
				return err
			}
		}
	}
	return nil
}
