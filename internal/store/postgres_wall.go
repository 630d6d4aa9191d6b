package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

//go:embed postgres.sql
var wall string

// appRole is the role in which every statement but the migrations runs: it owns nothing and row-level security binds
// it.
const appRole = "groundwork_app"

// raiseWall migrates and lays the row-level security, as the role that owns the tables, and lets another role act as
// the application's. Several processes may start at once, while others serve.
func raiseWall(ctx context.Context, cfg *pgx.ConnConfig, service string, c Config) error {
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	const gate = 7202611 // any number of our own
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", gate); err != nil {
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", gate) //nolint:errcheck // ends with the connection
	parts := strings.Split(wall, "\n-- wall of ")
	if before := c.Before; before != nil {
		// A database that was restored and never served has no role yet that could read it.
		c.Before = func(ctx context.Context, from, to int64) error {
			if _, err := db.ExecContext(ctx, parts[0]); err != nil {
				return err
			}
			return before(ctx, from, to)
		}
	}
	later, err := migrate(ctx, "postgres", db, c)
	if err != nil {
		return err
	}
	if later { // its walls are of the later release too
		return admit(ctx, db, service)
	}
	if _, err := db.ExecContext(ctx, parts[0]); err != nil {
		return err
	}
	for _, part := range parts[1:] {
		table, text, _ := strings.Cut(part, "\n")
		if err := wallOff(ctx, db, table, text); err != nil {
			return err
		}
	}
	return admit(ctx, db, service)
}

// wallOff lays the wall of one table, unless it stands. Laying it shuts readers out for a moment; with a lock on one
// table only it waits for them and they for it, but never both for each other.
func wallOff(ctx context.Context, db *sql.DB, table, text string) error {
	there, mark, err := stands(ctx, db, table, text)
	if err != nil || there {
		return err
	}
	_, err = db.ExecContext(ctx, text+"COMMENT ON POLICY tenant ON "+table+" IS '"+mark+"'")
	return err
}

// stands tells whether the wall of a table stands as it is written, and the mark by which that is known.
func stands(ctx context.Context, db *sql.DB, table, text string) (there bool, mark string, err error) {
	sum := sha256.Sum256([]byte(text))
	mark = hex.EncodeToString(sum[:])
	err = db.QueryRowContext(ctx,
		`SELECT count(*) = 1 AND bool_and(c.relrowsecurity AND c.relforcerowsecurity = $3
AND coalesce(obj_description(p.oid, 'pg_policy'), '') = $2)
		FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
WHERE c.oid = to_regclass($1)`, table, mark, strings.Contains(text, " FORCE ROW LEVEL SECURITY")).Scan(&there)
	return there, mark, err
}

// admit lets a role act as the application's.
func admit(ctx context.Context, db *sql.DB, role string) error {
	if role == "" {
		return nil
	}
	var known, may bool
	err := db.QueryRowContext(ctx,
		"SELECT count(*) > 0, coalesce(bool_or(pg_has_role(oid, $2, 'MEMBER')), false) FROM pg_roles WHERE rolname = $1", role, appRole).Scan(&known, &may)
	switch {
	case err != nil || may:
		return err
	case !known:
		return fmt.Errorf("the database has no role %s, which the database URL logs in as; make it: CREATE ROLE %s LOGIN PASSWORD '…'", role, role)
	}
	if _, err := db.ExecContext(ctx, "GRANT "+appRole+" TO "+pgx.Identifier{role}.Sanitize()); err != nil {
		return fmt.Errorf("the owner of the database cannot let %s act as %s (GRANT %s TO %s, as an administrator): %w",
			role, appRole, appRole, role, err)
	}
	return nil
}
