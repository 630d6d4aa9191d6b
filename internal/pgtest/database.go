package pgtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Server gives the URL of the server that this test process uses. Without one the test fails; it is never skipped.
func Server(t testing.TB) string {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return c.URL
}

// shared starts the process's own server at most once; the guard ends it with the process. It keeps the whole Cluster:
// were that collected as garbage, the pipe to the guard would close and the server end in the middle of a test.
var shared = sync.OnceValues(func() (*Cluster, error) {
	if server := os.Getenv(Variable); server != "" {
		return &Cluster{URL: server}, nil
	}
	return Start(context.Background())
})

// Database gives the URL of a new, empty database that is the test's own. It is dropped when the test ends; a
// connection that the test left open fails it.
func Database(t testing.TB) string {
	t.Helper()
	return create(t, "template1")
}

// Migrated gives a copy of a database that prepare filled. The first call in a test process runs prepare on a template,
// later ones only copy it: every call must mean the same prepare, which must close its connections.
func Migrated(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	template.Do(func() {
		name := newName()
		if template.err = execute(Server(t), "CREATE DATABASE "+name); template.err != nil {
			return
		}
		if template.err = prepare(named(t, Server(t), name)); template.err == nil {
			template.name = name
		}
	})
	if template.err != nil {
		t.Fatalf("prepare the template database: %v", template.err)
	}
	return create(t, template.name)
}

// template is made once and lives as long as the server: a process that shares one leaves a few megabytes behind until
// the run ends.
var template struct {
	sync.Once
	name string
	err  error
}

func create(t testing.TB, from string) string {
	t.Helper()
	server, name := Server(t), newName()
	// Copying files costs a third of writing each page to the log as well, which nobody reads here.
	if err := execute(server, "CREATE DATABASE "+name+" TEMPLATE "+from+" STRATEGY FILE_COPY"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Without FORCE the server waits five seconds for connections to end by themselves, then refuses.
		if err := execute(server, "DROP DATABASE "+name); err != nil {
			t.Errorf("the test left a connection open: %v", err)
			if err := execute(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
				t.Error(err)
			}
		}
	})
	return named(t, server, name)
}

func execute(server, statement string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// newName is lower-case letters and digits, so that it needs no quotes.
func newName() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails
	for i := range raw {
		raw[i] = letters[raw[i]%32]
	}
	return "test_" + string(raw)
}

// named is the server's URL with another database.
func named(t testing.TB, server, database string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + database
	return u.String()
}

// Login makes a role that can log in and do nothing else, and gives the URL of a database as that role. It is gone when
// the test is.
func Login(t testing.TB, database string) string {
	t.Helper()
	server, name := Server(t), newName()
	if err := execute(server, "CREATE ROLE "+name+" LOGIN"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(server, "DROP ROLE "+name); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(name)
	return u.String()
}
