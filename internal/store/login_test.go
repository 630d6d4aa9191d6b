package store_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

func openStore(t *testing.T, c store.Config) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestEveryTableHasAWall: a table of the schema has a policy that binds, or a written reason why it has none.
func TestEveryTableHasAWall(t *testing.T) {
	url := pgtest.Database(t)
	openStore(t, store.Config{URL: url})
	text, err := os.ReadFile("postgres.sql")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^-- no wall of (\w+): \S.+$`).FindAllStringSubmatch(string(text),
		-1) {
		reasons[found[1]] = true
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(),
		`SELECT relname, relrowsecurity AND (relforcerowsecurity OR relname = 'words') AND EXISTS (SELECT
FROM pg_policy p WHERE p.polrelid = c.oid)
		FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY relname`)
	if err != nil {
		t.Fatal(err)
	}
	var table string
	var walled bool
	tables := 0
	_, err = pgx.ForEachRow(rows, []any{&table, &walled}, func() error {
		tables++
		switch {
		case walled && reasons[table]:
			t.Errorf("%s has a wall, and postgres.sql says why it has none", table)
		case !walled && !reasons[table]:
			t.Errorf("%s has no wall: write its policy in postgres.sql (-- wall of %s), or why there can be none (-- no wall of %s: …)", table, table, table)
		}
		delete(reasons, table)
		return nil
	})
	if err != nil || tables < 20 {
		t.Errorf("%d tables, %v", tables, err)
	}
	for table := range reasons {
		t.Errorf("postgres.sql tells of a table %s, which there is not", table)
	}
}

// TestServiceLogin: a login of the service's own stays behind the wall, whatever statements it sends; it serves, and
// later also without the owner.
func TestServiceLogin(t *testing.T) {
	owner := pgtest.Database(t)
	service := pgtest.Login(t, owner)
	if s, err := store.Open(t.Context(), store.Config{URL: service}); err == nil ||
		!strings.Contains(err.Error(), "--database-owner-url") {
		t.Fatalf("a database that is not made: %v %v", s, err)
	}
	for range 2 {
		openStore(t, store.Config{URL: service, OwnerURL: owner})
	}
	s := openStore(t, store.Config{URL: service})
	const wall = "row-level security binds the service's own login"
	if s.Wall() != wall || !slices.ContainsFunc(s.Doctor(t.Context()), func(f store.Finding) bool {
		return f.Name == wall && f.Err == nil
	}) {
		t.Errorf("the wall: %s", s.Wall())
	}
	tower, elsewhere := found(t, s), found(t, s)
	queue := s.In(store.JobsOffice)
	err := queue.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at) VALUES ('j', 'letter', 'canary', 0, 0, 0, 0, 0)")
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO requests (account, request, digest, created_at, status, record, clock, tally, version, doc) VALUES ('ada', 'r', '', 1, 201, 1, 1, '', 1, 'canary')")
	}
	if err := s.Edit(t.Context(), tower, 1, kept); err == nil {
		t.Error("an answer is kept for an account that does not ask")
	}
	if err := s.Edit(t.Context(), tower, 1, func(tx *store.Tx) error {
		return tx.As("ada", func() error { return kept(tx) })
	}); err != nil {
		t.Error(err)
	}

	// Through the store: each part of the service meets its own rows.
	seen := func(ask func(sql string, args []any, each func(*store.Cols) error) error, sql string) (n int) {
		if err := ask(sql, nil, func(*store.Cols) error { n++; return nil }); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return n
	}
	const jobs, requests = "SELECT id FROM jobs", "SELECT doc FROM requests"
	outside := func(sql string, args []any, each func(*store.Cols) error) error {
		return s.Query(t.Context(), sql, args, each)
	}
	inJobs := func(sql string, args []any, each func(*store.Cols) error) error {
		return queue.Query(t.Context(), sql, args, each)
	}
	if n := []int{
		seen(outside, jobs), seen(outside, requests), seen(inJobs, jobs),
		seen(inJobs, requests),
	}; !slices.Equal(n, []int{0, 0, 1, 0}) {
		t.Errorf("jobs and answers that are seen outside, and by the queue: %v", n)
	}
	err = s.Edit(t.Context(), tower, 1, func(tx *store.Tx) error {
		inside := seen(tx.Query, jobs) + seen(tx.Query, requests)
		var bob, ada, after int
		err := tx.As("bob", func() error { bob = seen(tx.Query, requests); return nil })
		if err == nil {
			err = tx.As("ada", func() error { ada = seen(tx.Query, requests) + seen(tx.Query, jobs); return nil })
		}
		after = seen(tx.Query, requests)
		if inside != 0 || bob != 0 || ada != 1 || after != 0 {
			t.Errorf("in a project %d, as bob %d, as ada %d, after that %d", inside, bob, ada, after)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}

	// Past the store: what injected SQL could try.
	conn, err := pgx.Connect(t.Context(), service)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	config, err := pgx.ParseConfig(owner)
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err == nil {
			t.Errorf("the service's login may %s", sql)
		}
	}
	for _, role := range []string{"", "SET ROLE groundwork_app", "RESET ROLE", "SET SESSION AUTHORIZATION DEFAULT"} {
		if role != "" {
			if _, err := conn.Exec(t.Context(), role); err != nil {
				t.Fatal(err)
			}
		}
		for _, table := range []string{
			"records", "links", "changes", "words", "files", "uploads", "shareables",
			"version_uploads", "version_files", "version_pages", "presence", "requests", "jobs",
		} {
			var n int
			if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
				t.Errorf("after %q it sees %d rows of %s, %v", role, n, table, err)
			}
		}
		for _, sql := range []string{
			"SET ROLE " + config.User, "SET SESSION AUTHORIZATION " + config.User, "SET ROLE postgres",
			"GRANT " + config.User + " TO CURRENT_USER",
			"BEGIN; SET LOCAL row_security = off; SELECT id FROM records",
			"ALTER TABLE jobs DISABLE ROW LEVEL SECURITY", "DROP POLICY tenant ON requests", "DELETE FROM records",
			"CREATE POLICY more ON jobs USING (true)", "TRUNCATE jobs", "CREATE TABLE mine (x int)",
			"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
			"UPDATE goose_db_version SET version_id = 1", "ALTER ROLE groundwork_app BYPASSRLS", "CREATE ROLE more",
			"COPY (SELECT 1) TO PROGRAM 'true'",
		} {
			refuse(sql)
			if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if tower.ID == elsewhere.ID {
		t.Error("there is one project")
	}
}

// TestServiceLoginThatIsNone: whoever gives an owner gives a login beside it, one that cannot become the owner.
func TestServiceLoginThatIsNone(t *testing.T) {
	owner := pgtest.Database(t)
	if _, err := store.Open(t.Context(), store.Config{URL: owner, OwnerURL: owner}); err == nil ||
		!strings.Contains(err.Error(), "which row-level security does not bind") {
		t.Errorf("the owner twice: %v", err)
	}
	if s := openStore(t, store.Config{URL: owner}); !strings.Contains(s.Wall(), "the login can leave") {
		t.Errorf("the owner alone: %s", s.Wall())
	}
	member := pgtest.Login(t, owner)
	config, err := pgx.ParseConfig(member)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), "ALTER ROLE "+config.User+" CREATEROLE"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Config{URL: member, OwnerURL: owner}); err == nil ||
		!strings.Contains(err.Error(), "does not bind") {
		t.Errorf("who can make themselves members of others: %v", err)
	}
}
