package pgtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMajor(t *testing.T) {
	for text, want := range map[string]int{
		"postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 17beta1\n":                        17,
		"postgres (PostgreSQL) 18":                               18,
		"postgres":                                               0,
		"":                                                       0,
	} {
		got, err := major(text)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("major(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

// ask runs a query that gives one text on a database.
func ask(t *testing.T, database, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var answer string
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestDatabaseIsEmptyAndItsOwnerIsNoSuperuser(t *testing.T) {
	one, two := Database(t), Database(t)
	if one == two {
		t.Fatalf("two tests got one database: %s", one)
	}
	if got := ask(t, one, "SELECT CAST(count(*) AS TEXT) FROM pg_tables WHERE schemaname = 'public'"); got != "0" {
		t.Errorf("a new database has %s tables", got)
	}
	if got := ask(t, one,
		"SELECT CONCAT(rolsuper, rolbypassrls, rolcreatedb, rolcreaterole) FROM pg_roles WHERE rolname = current_user"); got != "fftt" {
		t.Errorf("superuser, bypass, createdb, createrole = %s; want fftt", got)
	}
}

func TestMigratedCopiesOneTemplate(t *testing.T) {
	prepared := 0
	prepare := func(url string) error {
		prepared++
		return execute(url, "CREATE TABLE tried (x BIGINT)")
	}
	for range 2 {
		database := Migrated(t, prepare)
		if got := ask(t, database, "SELECT CAST(count(*) AS TEXT) FROM tried"); got != "0" {
			t.Errorf("the copy shows %s rows of another test", got)
		}
		if err := execute(database, "INSERT INTO tried VALUES (1)"); err != nil {
			t.Fatal(err)
		}
	}
	if prepared != 1 {
		t.Errorf("the template was prepared %d times", prepared)
	}
}

// childVariable makes this test binary play the process that dies.
const childVariable = "GROUNDWORK_PGTEST_CHILD"

func TestServerEndsWithItsProcess(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		t.Setenv(Variable, "")
		c, err := Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("\nfolder=" + c.folder + "\n")
		kill(t)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestServerEndsWithItsProcess$")
	child.Env = append(os.Environ(), childVariable+"=1")
	var stdout, stderr strings.Builder
	child.Stdout, child.Stderr = &stdout, &stderr
	// Run returns when nobody holds the other end of stderr any more: the child is dead and its guard has finished.
	err := child.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("the child should have been killed: %v\n%s%s", err, &stdout, &stderr)
	}
	_, folder, found := strings.Cut(stdout.String(), "\nfolder=")
	if !found {
		t.Fatalf("the child started no server:\n%s%s", &stdout, &stderr)
	}
	folder, _, _ = strings.Cut(folder, "\n")
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%s is still there: %v", folder, err)
	}
}

// kill ends this process as abruptly as the kernel does when memory runs out.
func kill(t *testing.T) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {}
}
