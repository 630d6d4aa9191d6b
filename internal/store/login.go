package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// login is what the role of the database URL could do beside acting as the application's: the role, itself or another
// one that it may become, that row-level security does not bind; empty where there is none.
type login string

// bound tells whether whoever has the connection stays behind the wall, whatever statements they send.
func (l login) bound() bool { return l == "" }

// Roles that the login may become and that are behind no wall: superusers and who bypasses policies, who may make
// themselves members of others, owners of our tables, who could take the policies away, and who reads files of the
// server.
const leaving = `SELECT r.rolname FROM pg_roles r WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND (r.rolsuper
OR r.rolbypassrls OR r.rolcreaterole
	OR r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
	OR EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relowner = r.oid)
	OR EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND d.datdba = r.oid))
	ORDER BY r.rolname <> session_user, r.rolname LIMIT 1`

// prepare brings the database to this release, as its owner, and tells what the service's own login could do. Without
// an owner's URL that login is the owner's; or there is nothing to do, as another process did it.
func prepare(ctx context.Context, service *pgx.ConnConfig, c Config) (login, error) {
	owner := c.OwnerURL
	if err := unfinished(ctx, service); err != nil {
		return "", err
	}
	if owner != "" {
		cfg, err := pgx.ParseConfig(owner)
		if err != nil {
			return "", fmt.Errorf("URL of the database's owner: %w", err)
		}
		if err := raiseWall(ctx, cfg, service.User, c); err != nil {
			return "", err
		}
	}
	db := stdlib.OpenDB(*service)
	defer db.Close()
	var can login
	err := db.QueryRowContext(ctx, leaving).Scan(&can)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", raised(ctx, db)
	case err != nil:
		return "", err
	case owner != "":
		return "", fmt.Errorf(
			"the login %s of the database URL can act as %s, which row-level security does not bind; give the service a login that owns nothing: "+
				"CREATE ROLE … LOGIN PASSWORD '…', without further rights", service.User, can)
	}
	return can, raiseWall(ctx, service.Copy(), "", c)
}

// unfinished refuses a database into which a restore was not finished.
func unfinished(ctx context.Context, cfg *pgx.ConnConfig) error {
	db := stdlib.OpenDB(*cfg.Copy())
	defer db.Close()
	var marked bool
	err := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = $1",
		restoringMark).Scan(&marked)
	if err == nil && marked {
		err = ErrUnfinished
	}
	return err
}

// raised holds, as a role that could not mend it, that the database is as this release needs it.
func raised(ctx context.Context, db *sql.DB) error {
	const advice = "start once with --database-owner-url, the URL of the role that owns its tables"
	p, err := migrator("postgres", db)
	if err != nil {
		return err
	}
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("the database is not as this release needs it; %s: %w", advice, err)
	}
	if want, err := newestSchema(); err != nil || has > want {
		return errors.Join(err, servable(ctx, db, want))
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("the database is not as this release needs it; %s: %w", advice, err)
	}
	if pending {
		return errors.New("the database is of an earlier release; " + advice)
	}
	for _, part := range strings.Split(wall, "\n-- wall of ")[1:] {
		table, text, _ := strings.Cut(part, "\n")
		if there, _, err := stands(ctx, db, table, text); err != nil || !there {
			return errors.Join(fmt.Errorf("the row-level security of the table %s is not as this release needs it; %s",
				table, advice), err)
		}
	}
	return nil
}
