package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// Link is a bad network between a service and something that it needs: a process of its own, built from tools/link.
type Link struct {
	Address string
	mu      sync.Mutex
	orders  io.WriteCloser
	answers *bufio.Reader
	cmd     *exec.Cmd
}

// NewLink puts a link before an address, HOST:PORT. At first it is a good one.
func NewLink(t *Trial, to string) (*Link, error) {
	program, err := t.Lab.BuildTool(t, "link")
	if err != nil {
		return nil, err
	}
	l := &Link{cmd: exec.Command(program, to)}
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
	t.AtEnd(func() error {
		_ = l.orders.Close()
		_ = l.cmd.Wait() // it was told to end
		return nil
	})
	l.answers = bufio.NewReader(out)
	l.Address, err = l.answers.ReadString('\n')
	l.Address = strings.TrimSpace(l.Address)
	return l, err
}

// Tell gives the link an order: heal, cut, or a toxic in JSON.
func (l *Link) Tell(orders ...string) error {
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
