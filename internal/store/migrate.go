package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// schemaFloor is the oldest schema whose programs can serve a database of this release: its migrations add and never
// take away what those use. Raise it with a migration that does, one minor version after the last program that used it.
const schemaFloor = 26

// The notes of what may be opened by which program.
const (
	floorNote   = "schema_floor"
	releaseNote = "schema_release"
)

// migrate brings the schema to this release. later says that it is of a later release already, and that this program
// can serve it too: then nothing is changed. ErrLater where it cannot.
func migrate(ctx context.Context, dialect string, db *sql.DB, c Config) (later bool, err error) {
	p, err := migrator(dialect, db)
	if err != nil {
		return false, err
	}
	has, err := p.GetDBVersion(ctx)
	if err != nil {
		return false, err
	}
	want, err := newestSchema()
	if err != nil || has > want {
		return true, errors.Join(err, servable(ctx, db, want))
	}
	if has > 0 && has < want && c.Before != nil {
		if err := c.Before(ctx, has, want); err != nil {
			return false, err
		}
	}
	if _, err = p.Up(ctx); err != nil {
		return false, err
	}
	floor := strconv.Itoa(schemaFloor)
	if plantedNoWayBack {
		floor = "9000"
	}
	for name, value := range map[string]string{floorNote: floor, releaseNote: c.Release} {
		if _, err := db.ExecContext(ctx, fmt.Sprintf(
			"INSERT INTO instance (name, value) VALUES ('%s', '%s') ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE instance.value <> EXCLUDED.value",
			name, strings.ReplaceAll(value, "'", "''"))); err != nil {
			return false, err
		}
	}
	return false, nil
}

// ErrLater says that a database is of a release that this program knows nothing of.
var ErrLater = errors.New("the database is of a later release")

// servable refuses a database of a later release that a program with a schema cannot serve.
func servable(ctx context.Context, db *sql.DB, schema int64) error {
	notes := map[string]string{}
	rows, err := db.QueryContext(ctx, fmt.Sprintf("SELECT name, value FROM instance WHERE name IN ('%s', '%s')", floorNote,
		releaseNote))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		notes[name] = value
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if floor, err := strconv.ParseInt(notes[floorNote], 10, 64); err == nil && floor <= schema {
		return nil
	}
	return fmt.Errorf("%w, %s, which this program cannot serve: start that release or a later one; to go back, restore the backup that was made before the upgrade",
		ErrLater, cmp.Or(notes[releaseNote], "unknown"))
}

// migrationFolder has the migrations of this release.
func migrationFolder() (fs.FS, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err == nil && plantedNext() {
		return plantedFolder(files), nil
	}
	return files, err
}

func migrator(dialect string, db *sql.DB) (*goose.Provider, error) {
	files, err := migrationFolder()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.Dialect(dialect), db, migrations{files, dialect})
}

// migrations gives the one text of each migration as an engine takes it: without the parts that begin with a line "--
// only" and another engine's name.
type migrations struct {
	fs.FS
	dialect string
}

func (m migrations) Open(name string) (fs.File, error) {
	return openEdited(m.FS, name, func(text []byte) []byte {
		var out strings.Builder
		mine := true
		for line := range strings.Lines(string(text)) {
			if only, is := strings.CutPrefix(strings.TrimSpace(line), "-- only "); is {
				mine = only == m.dialect || only == "both"
			}
			if mine {
				out.WriteString(line)
			}
		}
		if m.dialect == "sqlite3" {
			// only that is the rowid
			return []byte(strings.ReplaceAll(out.String(), "BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY"))
		}
		return []byte(out.String())
	})
}

func (m migrations) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(m.FS, name) }

// openEdited opens a file of fsys with its text changed; folders are opened as they are.
func openEdited(fsys fs.FS, name string, edit func([]byte) []byte) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return f, err
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return edited{f, bytes.NewReader(edit(text))}, nil
}

type edited struct {
	fs.File
	text *bytes.Reader
}

func (e edited) Read(p []byte) (int, error) { return e.text.Read(p) }

const schemaOf = "SELECT MAX(version_id) FROM goose_db_version"

// ErrUnfinished says that a restore into the database was begun and not finished: it is no installation.
var ErrUnfinished = errors.New(
	"a restore into this database was begun and not finished; run groundwork restore again, or remove the database")

// newestSchema is the number of the last migration of this release.
func newestSchema() (newest int64, err error) {
	folder, err := migrationFolder()
	if err != nil {
		return 0, err
	}
	files, err := fs.ReadDir(folder, ".")
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, err
		}
		newest = max(newest, n)
	}
	return newest, err
}

// migrateTo brings a schema to an earlier release's, or to this one's.
func migrateTo(ctx context.Context, dialect string, db *sql.DB, schema int64) error {
	p, err := migrator(dialect, db)
	if err != nil {
		return err
	}
	if has, err := p.GetDBVersion(ctx); err != nil || has > schema {
		return errors.Join(err, errors.New(
			"The database has the tables of a later release, from a restore that was not finished. Drop it, make it anew, and try again."))
	}
	_, err = p.UpTo(ctx, schema)
	return err
}
