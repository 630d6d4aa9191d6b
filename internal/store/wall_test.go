package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// A process that starts must not wait for those that serve, nor shut them out: laying the wall again would lock every
// table.
func TestOpeningLeavesAWallThatStands(t *testing.T) {
	url := pgtest.Database(t)
	open := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s, err := store.Open(ctx, store.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	open()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run("BEGIN")
	run("SELECT id FROM records")
	run("SELECT id FROM changes")
	open()
	run("ROLLBACK")

	for _, harm := range []string{
		"ALTER TABLE records DISABLE ROW LEVEL SECURITY", "ALTER TABLE links NO FORCE ROW LEVEL SECURITY",
		"DROP POLICY tenant ON changes", "COMMENT ON POLICY tenant ON records IS 'of another release'",
	} {
		run(harm)
		open()
		var whole bool
		err := conn.QueryRow(t.Context(),
			`SELECT count(*) = 10 AND bool_and(relrowsecurity AND relforcerowsecurity
AND obj_description(p.oid) ~ '^[0-9a-f]{64}$')
			FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
WHERE relname IN ('records', 'links', 'changes', 'uploads', 'files', 'shareables', 'version_uploads', 'version_files',
'version_pages', 'presence')`).Scan(&whole)
		if err != nil || !whole {
			t.Errorf("after %s the wall is not laid again: %v", harm, err)
		}
	}
}
