package store

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema to this release.
func migrate(ctx context.Context, dialect string, db *sql.DB) error {
	p, err := migrator(dialect, db)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

func migrator(dialect string, db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
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
