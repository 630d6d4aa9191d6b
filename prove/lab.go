package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"groundwork/internal/pgtest"
)

// lab holds what all experiments share: a folder, the built programs, the database server.
type lab struct {
	folder   string
	top      string // of the sources
	programs map[string]string
	cluster  *pgtest.Cluster
	made     int // databases
}

// The tags of the two builds: the program as it is released, and the one that faults can be planted in.
const (
	released = ""
	planted  = "planted"
)

func openLab(ctx context.Context) (*lab, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the sources: %w", err)
	}
	folder, err := os.MkdirTemp("", "groundwork-prove-")
	if err != nil {
		return nil, err
	}
	return &lab{folder: folder, top: strings.TrimSpace(string(out)), programs: map[string]string{}}, nil
}

func (l *lab) close() error {
	var err error
	if l.cluster != nil {
		err = l.cluster.Stop()
	}
	return errors.Join(err, os.RemoveAll(l.folder))
}

// program gives the path of the binary, built once.
func (l *lab) program(ctx context.Context, tag string) (string, error) {
	if path := l.programs[tag]; path != "" {
		return path, nil
	}
	path := filepath.Join(l.folder, "groundwork"+tag)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags", tag, "-o", path, "./cmd/groundwork")
	build.Dir = l.top
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	l.programs[tag] = path
	return path, nil
}

// database makes an empty database on the server, which is started at its first use, and gives its URL.
func (l *lab) database(t *trial) (string, error) {
	server := os.Getenv(pgtest.Variable)
	if server == "" && l.cluster == nil {
		if err := pgtest.Installed(); err != nil {
			return "", errNotRun{err.Error()}
		}
		cluster, err := pgtest.Start(t)
		if err != nil {
			return "", err
		}
		l.cluster = cluster
	}
	if server == "" {
		server = l.cluster.URL
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	l.made++
	name := fmt.Sprintf("prove_%d_%d", os.Getpid(), l.made)
	if err := execute(t, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	t.atEnd(func() error { return execute(context.WithoutCancel(t), server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u.Path = "/" + name
	return u.String(), nil
}

func execute(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
