package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// site is an installation of the service with its process.
type site struct {
	t       *trial
	program string
	around  []string // a program that runs it, with the options of that
	place   []string // the options that name it
	level   string   // of the log; warn when it is empty
	options []string // of the server alone
	env     []string // of the server; what is planted there must not touch the commands that prepare it
	data    string
	address string
	base    string
	key     string
	server  *exec.Cmd
	log     *os.File
	ended   chan struct{} // closed when the process is gone
}

// newSite makes an empty installation with one account and a key that no limit holds back. It is not started.
func newSite(t *trial, tag string, env ...string) (*site, error) {
	s, err := newPlace(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if err := s.newAccount(); err != nil {
		return nil, err
	}
	s.key, err = s.newKey(ada)
	return s, err
}

// newPlace names an installation; nothing of it exists yet.
func newPlace(t *trial, tag string, env ...string) (*site, error) {
	program, err := t.lab.program(t, tag)
	if err != nil {
		return nil, err
	}
	s := &site{t: t, program: program, data: t.path("data"), env: append(env, "HOME="+t.folder)}
	s.place = []string{"--data", s.data}
	if t.engine == postgres {
		database, err := t.lab.database(t)
		if err != nil {
			return nil, err
		}
		s.place = append(s.place, "--database-url", database)
	}
	if s.address, err = freeAddress(t); err != nil {
		return nil, err
	}
	s.base = "http://" + s.address
	t.atEnd(s.end)
	return s, nil
}

// ada is who writes.
const ada = "ada@example.com"

func (s *site) newAccount() error {
	_, err := s.command("a crane over the harbour at dawn\n", "account", "create", "--email", ada, "--name", "Ada Lovelace", "--password-stdin")
	return err
}

func (s *site) newKey(email string) (string, error) {
	return s.command("", "key", "create", "--email", email, "--limit", "all/1=1000000")
}

// freeAddress gives a loopback address outside of the range from which the kernel takes the ports of clients: between a kill and the
// restart a client could otherwise take it, or even connect to itself.
func freeAddress(t *trial) (string, error) {
	random := t.random(int(time.Now().UnixNano()))
	var err error
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+random.IntN(12000)))
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", err
}

// line is the command line that runs the program.
func (s *site) line(args ...string) []string {
	return slices.Concat(s.around, []string{s.program}, args, s.place)
}

// command runs a command of the program to its end and gives what it printed.
func (s *site) command(stdin string, args ...string) (string, error) {
	line := s.line(args...)
	cmd := exec.CommandContext(s.t, line[0], line[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = strings.NewReader(stdin), &out, &errs, []string{"HOME=" + s.t.folder}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("groundwork %s: %w\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return strings.TrimSpace(out.String()), nil
}

// start starts the server and gives the time until it answers.
func (s *site) start() (time.Duration, error) {
	if s.log == nil {
		var err error
		if s.log, err = os.Create(s.t.path("log")); err != nil {
			return 0, err
		}
	}
	// Each request is a line at level info; nobody reads them here.
	line := s.line(append([]string{"serve", "--listen", s.address, "--log-level", cmp.Or(s.level, "warn")}, s.options...)...)
	s.server = exec.Command(line[0], line[1:]...)
	s.server.Env, s.server.Stdout, s.server.Stderr = s.env, s.log, s.log
	began := time.Now()
	if err := s.server.Start(); err != nil {
		return 0, err
	}
	ended, server := make(chan struct{}), s.server
	s.ended = ended
	go func() {
		_ = server.Wait() // how it ended is in ProcessState
		close(ended)
	}()
	err := await(s.t, s.base, ended)
	if err != nil {
		return 0, fmt.Errorf("%w; the server said:\n%s", err, s.said())
	}
	return time.Since(began), nil
}

// await returns when the service answers.
func await(ctx context.Context, base string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	probe := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/healthz", nil)
		if err != nil {
			return err
		}
		if response, err := probe.Do(r); err == nil {
			_ = response.Body.Close() // only the status matters
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ended:
			return errors.New("the server ended")
		case <-ctx.Done():
			return fmt.Errorf("no answer from the server: %w", ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
}

// said is the end of what the server logged.
func (s *site) said() string {
	const most = 4000
	text, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// kill ends the server as the kernel does when memory runs out.
func (s *site) kill() error {
	err := s.server.Process.Kill()
	<-s.ended
	return err
}

// stop asks the server to end; it gives the time that took.
func (s *site) stop() (time.Duration, error) {
	began := time.Now()
	if err := s.server.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case <-s.ended:
	case <-time.After(time.Minute):
		return 0, errors.Join(errors.New("the server did not stop within a minute"), s.kill())
	}
	if code := s.server.ProcessState.ExitCode(); code != 0 {
		return 0, fmt.Errorf("the server stopped with exit code %d and said:\n%s", code, s.said())
	}
	return time.Since(began), nil
}

// end makes sure that nothing of the site runs.
func (s *site) end() error {
	if s.server != nil {
		select {
		case <-s.ended:
		default:
			_ = s.kill()
		}
	}
	if s.log != nil {
		return s.log.Close()
	}
	return nil
}

// verify has the program examine everything that is stored.
func (s *site) verify() error {
	out, err := s.command("", "doctor", "--verify", "--files")
	if err != nil {
		return err
	}
	if strings.Contains(out, "BAD") {
		return errors.New(out)
	}
	return nil
}

// crew runs n workers and waits for them.
func crew(n int, work func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { work(i) })
	}
	wg.Wait()
}
