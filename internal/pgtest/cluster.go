// Package pgtest owns the PostgreSQL that tests run against: a real server in a temporary folder, reachable only
// through a unix socket, gone when the process that started it is gone. It is imported by tests and by the test runner,
// never by the service.
//
// When the variable GROUNDWORK_TEST_POSTGRES holds the URL of a running server (the test runner sets it, so that all
// packages share one), that server is used; otherwise the first call in a test process starts one.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Variable names the environment variable with the URL of a server to share.
const Variable = "GROUNDWORK_TEST_POSTGRES"

// owner is the role that tests log in with. It may make databases and roles but is no superuser: row-level security
// must hold.
const owner = "groundwork"

// settings trade durability and size for speed; nothing here changes what SQL means.
var settings = []string{
	"fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off", "jit=off",
	"shared_buffers=64MB", "max_connections=300", "listen_addresses=", "unix_socket_permissions=0700",
	"log_min_messages=warning",
}

// Cluster is a running server. Only one process owns it; Stop ends it, and so does the end of that process, however it
// ends.
type Cluster struct {
	// URL reaches the server's maintenance database as a role that owns what it makes and is no superuser.
	URL string

	folder string
	leash  io.Closer // the server lives as long as this end of the pipe is open
	guard  *exec.Cmd
}

// Start makes a new server in a temporary folder and waits until it answers.
func Start(ctx context.Context) (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	who, err := serverUser()
	if err != nil {
		return nil, err
	}
	folder, err := makeFolder(who)
	if err != nil {
		return nil, err
	}
	c := &Cluster{folder: folder, URL: socketURL(folder, owner)}
	if err := c.launch(bin, who); err != nil {
		return nil, errors.Join(fmt.Errorf("start PostgreSQL in %s: %w", folder, err), os.RemoveAll(folder))
	}
	if err := c.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL in %s did not become ready: %w\n%s", folder, err, c.log()),
			c.Stop())
	}
	return c, nil
}

// Stop ends the server and removes its folder.
func (c *Cluster) Stop() error {
	_ = c.leash.Close()
	_ = c.guard.Wait() // the guard's own exit code says nothing about the server
	return os.RemoveAll(c.folder)
}

// guardScript runs the server and ends it when standard input closes: the kernel closes the other end when its holder
// dies, so not even kill -9 leaves a server or a folder behind.
const guardScript = `
bin=$1 folder=$2; shift 2
"$bin/initdb" -D "$folder/data" -U postgres -E UTF8 --no-locale --auth=trust --no-sync >"$folder/log" 2>&1 || { touch "$folder/failed"; exit 1; }
"$bin/postgres" -D "$folder/data" -k "$folder" "$@" >>"$folder/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -QUIT "$server" 2>/dev/null
wait "$server"
rm -rf "$folder"
`

// launch starts the guard, which makes and runs the server. The guard has a process group of its own, so that an
// interrupt typed at the terminal reaches the tests only.
func (c *Cluster) launch(bin string, who *syscall.Credential) error {
	args := []string{"-c", guardScript, "guard", bin, c.folder}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	c.guard = exec.Command("/bin/sh", args...)
	c.guard.Dir = c.folder
	c.guard.Stderr = os.Stderr // also makes `go test` wait until the folder is gone
	c.guard.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true}
	leash, err := c.guard.StdinPipe()
	if err != nil {
		return err
	}
	c.leash = leash
	return c.guard.Start()
}

// prepare waits for the server and makes the owner role.
func (c *Cluster) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, socketURL(c.folder, "postgres"))
		if err == nil {
			_, err = conn.Exec(ctx, "CREATE ROLE "+owner+" LOGIN CREATEDB CREATEROLE")
			return errors.Join(err, conn.Close(ctx))
		}
		if _, failed := os.Stat(filepath.Join(c.folder, "failed")); failed == nil {
			return errors.New("initdb failed")
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *Cluster) log() string {
	text, err := os.ReadFile(filepath.Join(c.folder, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// socketURL addresses a server by the folder of its socket.
func socketURL(folder, role string) string {
	u := url.URL{
		Scheme: "postgres", User: url.User(role), Path: "/postgres", RawQuery: "host=" + url.QueryEscape(folder),
	}
	return u.String()
}

// serverUser is nil for an ordinary user; initdb refuses root, which lends the server the account that PostgreSQL's
// package made.
func serverUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf(
			"PostgreSQL does not run as root and there is no user named postgres; install the server with: %s: %w",
			install, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// makeFolder makes the server's folder; a socket's whole path may have about a hundred bytes.
func makeFolder(who *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp"
	}
	folder, err := os.MkdirTemp(parent, "groundwork-pg-")
	if err != nil {
		return "", err
	}
	if who == nil {
		return folder, nil
	}
	return folder, os.Chown(folder, int(who.Uid), int(who.Gid))
}
