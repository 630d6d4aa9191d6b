package store

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings the schema to this release.
func migrate(ctx context.Context, dialect string, db *sql.DB) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	if dialect == "sqlite3" {
		files = liteMigrations{files}
	}
	p, err := goose.NewProvider(goose.Dialect(dialect), db, files)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
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
