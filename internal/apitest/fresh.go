package apitest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"groundwork/internal/store"
)

// databaseFile is where an installation without a database server has its database, in its data folder.
const databaseFile = "groundwork.db"

// copyFresh puts a database with the tables of this release, and nothing else, into a data folder. Making the tables
// takes as long as all else that a start does, so they are made once in a test process, as on the other engine. That a
// service makes them by itself is held by the tests of store and of the command.
func copyFresh(t testing.TB, data string) {
	t.Helper()
	content, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, databaseFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fresh is the file of such a database.
var fresh = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "groundwork-fresh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, databaseFile)
	if err := migrate("sqlite:" + file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// migrate brings an empty database to this release.
func migrate(url string) error {
	s, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}
