package main

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

// cluster is a PostgreSQL server of our own that keeps what it has acknowledged, reachable through a socket in its
// folder.
type cluster struct {
	folder string
	leash  io.Closer
	guard  *exec.Cmd
}

// durable is what such a server is given beyond its defaults, none of which trades safety for speed.
var durable = []string{
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=256MB",
	"max_wal_size=4GB", "listen_addresses=",
}

// guardScript runs the server for as long as its standard input stays open.
const guardScript = `bin=$1 at=$2; shift 2
"$bin/initdb" -D "$at/data" -U postgres -E UTF8 --no-locale --auth=trust >"$at/log" 2>&1 || exit 1
"$bin/postgres" -D "$at/data" -k "$at" "$@" >>"$at/log" 2>&1 </dev/null &
server=$!; cat >/dev/null; kill -INT "$server"; wait "$server"; rm -rf "$at"`

func startCluster(ctx context.Context) (*cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return nil, err
	}
	if one, err := exec.LookPath("initdb"); err == nil {
		if one, err = filepath.EvalSymlinks(one); err == nil {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("PostgreSQL is not installed")
	}
	c := &cluster{}
	if c.folder, err = os.MkdirTemp("", "groundwork-bench-pg-"); err != nil {
		return nil, err
	}
	args := []string{"-c", guardScript, "guard", filepath.Dir(found[len(found)-1]), c.folder}
	for _, setting := range durable {
		args = append(args, "-c", setting)
	}
	c.guard = exec.Command("/bin/sh", args...)
	c.guard.Dir = c.folder
	c.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		// PostgreSQL refuses root; its package made an account for it.
		who, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.ParseUint(who.Uid, 10, 32)
		gid, _ := strconv.ParseUint(who.Gid, 10, 32)
		c.guard.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(c.folder, int(uid), int(gid)); err != nil {
			return nil, err
		}
	}
	if c.leash, err = c.guard.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.guard.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err = c.execute(ctx, "CREATE ROLE groundwork LOGIN CREATEDB CREATEROLE"); err == nil {
			return c, nil
		}
		if time.Now().After(until) || ctx.Err() != nil {
			c.stop()
			return nil, fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
	}
}

func (c *cluster) url(role, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: "host=" + url.QueryEscape(c.folder),
	}
	return u.String()
}

func (c *cluster) execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, c.url("postgres", "postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// database makes a database, a copy of another when that is named.
func (c *cluster) database(ctx context.Context, name, from string) (string, error) {
	statement := "CREATE DATABASE " + name + " OWNER groundwork"
	if from != "" {
		statement += " TEMPLATE " + from
	}
	return c.url("groundwork", name), c.execute(ctx, statement)
}

func (c *cluster) stop() {
	_ = c.leash.Close()
	_ = c.guard.Wait() // how the guard ended says nothing
}
