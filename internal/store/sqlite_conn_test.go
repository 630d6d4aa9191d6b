package store

import (
	"path/filepath"
	"reflect"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// TestLimitsAreCompiledOnce: a statement with a bound LIMIT is compiled when it is prepared, and not again with each
// use. The control is the same statement as SQLite would get it.
func TestLimitsAreCompiledOnce(t *testing.T) {
	c, err := openLiteConn(filepath.Join(t.TempDir(), "limits.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.conn.Close()
	const text = "SELECT name FROM sqlite_schema WHERE name > $1 ORDER BY name LIMIT $2"
	for i := range 3 {
		if err := c.run(text, []any{"a", i + 1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := compiledAgain(c, c.stmts[text]); n != 0 {
		t.Errorf("the statement was compiled %d times more", n)
	}

	bare, err := c.conn.Prepare(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &liteStmt{stmt: bare}
	for i := range 3 {
		bare.BindText(1, "a")
		bare.BindInt64(2, int64(i+1))
		if err := s.rows(&c.cols, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := compiledAgain(c, s); n == 0 {
		t.Error("SQLite does not compile a bare LIMIT again any more: the expression is no longer needed")
	}
}

// compiledAgain asks SQLite how often it has compiled a statement again. The driver does not pass that on.
func compiledAgain(c *liteConn, s *liteStmt) int32 {
	tls := (*libc.TLS)(unsafe.Pointer(reflect.ValueOf(c.conn).Elem().FieldByName("tls").Pointer()))
	stmt := uintptr(reflect.ValueOf(s.stmt).Elem().FieldByName("stmt").Uint())
	return sqlite3.Xsqlite3_stmt_status(tls, stmt, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0)
}
