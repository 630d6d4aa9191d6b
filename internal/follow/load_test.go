package follow_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"groundwork/internal/apitest"
	"groundwork/internal/follow"
)

// load brings the lines of a copy into a table, from where an earlier call stopped, and gives how many there were. Line
// and place are stored in one transaction: whatever is killed, each line is loaded once.
func load(db *sql.DB, folder string) (n int, err error) {
	const tables = `CREATE TABLE IF NOT EXISTS records (kind TEXT, uid TEXT, record TEXT, PRIMARY KEY (kind, uid));
CREATE TABLE IF NOT EXISTS place (bytes INTEGER); INSERT INTO place SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM place)`
	if _, err := db.Exec(tables); err != nil {
		return 0, err
	}
	file, err := os.Open(filepath.Join(folder, "changes.jsonl"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // what is committed stays
	var place int64
	if err := tx.QueryRow("SELECT bytes FROM place").Scan(&place); err != nil {
		return 0, err
	}
	if _, err := file.Seek(place, 0); err != nil {
		return 0, err
	}
	for lines := bufio.NewReader(file); ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil { // the end; what is not a whole line yet comes next time
			break
		}
		var l struct {
			Kind, UID, Operation string
			Record               json.RawMessage
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return n, err
		}
		switch l.Operation {
		case "begin_again":
			_, err = tx.Exec("DELETE FROM records")
		case "hide":
			_, err = tx.Exec("DELETE FROM records WHERE kind = ? AND uid = ?", l.Kind, l.UID)
		default:
			_, err = tx.Exec("INSERT INTO records VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET record = excluded.record",
				l.Kind, l.UID, string(l.Record))
		}
		if err != nil {
			return n, err
		}
		place += int64(len(text))
	}
	if _, err := tx.Exec("UPDATE place SET bytes = ?", place); err != nil {
		return n, err
	}
	return n, tx.Commit()
}

// The example of docs/mirror.md loads what is there, and then only what is new.
func TestLoaded(t *testing.T) {
	s := start(t, apitest.SQLite)
	folder := t.TempDir()
	first := s.issue("one")
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "warehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	brings := func(least int) {
		t.Helper()
		if err := follow.Run(t.Context(), s.client(t), s.project, folder, s.options(t)); err != nil {
			t.Fatal(err)
		}
		if n, err := load(db, folder); err != nil || n < least {
			t.Fatalf("%d lines: %v", n, err)
		}
		if n, err := load(db, folder); err != nil || n != 0 {
			t.Fatalf("%d lines were loaded twice: %v", n, err)
		}
	}
	brings(10)
	s.ada.Want(200, "PATCH", "/projects/"+s.project+"/issues/"+first, map[string]any{"status": "closed"})
	s.issue("two")
	brings(2)
	var all, closed int
	const query = "SELECT count(*), sum(record ->> 'status' = 'closed') FROM records WHERE kind = 'issues'"
	if err := db.QueryRow(query).Scan(&all, &closed); err != nil || all != 2 || closed != 1 {
		t.Errorf("%d issues, %d closed: %v", all, closed, err)
	}
}
