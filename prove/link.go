package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// link is a bad network between a service and something that it needs: a process of its own, built from tools/link.
type link struct {
	address string
	mu      sync.Mutex
	orders  io.WriteCloser
	answers *bufio.Reader
	cmd     *exec.Cmd
}

// newLink puts a link before an address, HOST:PORT. At first it is a good one.
func newLink(t *trial, to string) (*link, error) {
	program, err := t.lab.tool(t, "link")
	if err != nil {
		return nil, err
	}
	l := &link{cmd: exec.Command(program, to)}
	l.cmd.Stderr = os.Stderr
	if l.orders, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	t.atEnd(func() error {
		_ = l.orders.Close()
		_ = l.cmd.Wait() // it was told to end
		return nil
	})
	l.answers = bufio.NewReader(out)
	l.address, err = l.answers.ReadString('\n')
	l.address = strings.TrimSpace(l.address)
	return l, err
}

// tell gives the link an order: heal, cut, or a toxic in JSON.
func (l *link) tell(orders ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, order := range orders {
		if _, err := fmt.Fprintln(l.orders, order); err != nil {
			return err
		}
		answer, err := l.answers.ReadString('\n')
		if err != nil {
			return err
		}
		if answer != "done\n" {
			return errors.New("the link says: " + strings.TrimSpace(answer))
		}
	}
	return nil
}

// tool builds a program of tools, which has a module of its own, once.
func (l *lab) tool(t *trial, name string) (string, error) {
	if path := l.programs[name]; path != "" {
		return path, nil
	}
	path := filepath.Join(l.folder, name)
	build := exec.CommandContext(t, "go", "build", "-trimpath", "-buildvcs=false", "-o", path, ".")
	build.Dir = filepath.Join(l.top, "tools", name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tools/%s: %w\n%s", name, err, out)
	}
	l.programs[name] = path
	return path, nil
}
