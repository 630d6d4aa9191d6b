// Package lab is what experiments are made with: the built programs and databases, a trial with its figures and
// verdict, an installation of the service with its process, clients, and parts that can be made to fail. It refuses to
// know what any experiment promises.
package lab

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"groundwork/internal/pgtest"
)

// Lab holds what all experiments share: a folder, the built programs, the database server.
type Lab struct {
	folder       string
	SourceFolder string // of the sources

	mu       sync.Mutex // trials of two engines run at once in the short form
	programs map[string]string
	cluster  *pgtest.Cluster
	made     int // databases
}

// The tags of the two builds: the program as it is released, and the one that faults can be planted in.
const (
	Released = ""
	Planted  = "planted"
)

// Open finds the sources of the service and makes a folder; programs and databases are made when they are asked for.
func Open(ctx context.Context) (*Lab, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "groundwork").Output()
	if err != nil {
		return nil, fmt.Errorf("find the sources: %w", err)
	}
	folder, err := os.MkdirTemp("", "groundwork-prove-")
	if err != nil {
		return nil, err
	}
	return &Lab{folder: folder, SourceFolder: strings.TrimSpace(string(out)), programs: map[string]string{}}, nil
}

// Close ends the database server and removes the folder.
func (l *Lab) Close() error {
	var err error
	if l.cluster != nil {
		err = l.cluster.Stop()
	}
	return errors.Join(err, os.RemoveAll(l.folder))
}

// Build gives the path of the binary, built once.
func (l *Lab) Build(ctx context.Context, tag string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if path := l.programs[tag]; path != "" {
		return path, nil
	}
	path := filepath.Join(l.folder, "groundwork"+tag)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags", tag, "-o", path,
		"./cmd/groundwork")
	build.Dir = l.SourceFolder
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	l.programs[tag] = path
	return path, nil
}

// database makes an empty database on the server, which is started at its first use, and gives its URL.
func (l *Lab) database(t *Trial) (string, error) {
	server, made, err := l.server(t)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("prove_%d_%d", os.Getpid(), made)
	if err := execute(t, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	t.AtEnd(func() error { return execute(context.WithoutCancel(t), server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u.Path = "/" + name
	return u.String(), nil
}

// server gives the URL of the database server, and how many databases were asked for.
func (l *Lab) server(t *Trial) (address string, made int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	if address = os.Getenv(pgtest.Variable); address != "" {
		return address, l.made, nil
	}
	if l.cluster == nil {
		if err := pgtest.Installed(); err != nil {
			return "", 0, CannotRun(err.Error())
		}
		if l.cluster, err = pgtest.Start(t); err != nil {
			return "", 0, err
		}
	}
	return l.cluster.URL, l.made, nil
}

func execute(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// BuildTool builds a program of tools, which has a module of its own, once.
func (l *Lab) BuildTool(t *Trial, name string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if path := l.programs[name]; path != "" {
		return path, nil
	}
	path := filepath.Join(l.folder, name)
	build := exec.CommandContext(t, "go", "build", "-trimpath", "-buildvcs=false", "-o", path, ".")
	build.Dir = filepath.Join(l.SourceFolder, "tools", name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tools/%s: %w\n%s", name, err, out)
	}
	l.programs[name] = path
	return path, nil
}
