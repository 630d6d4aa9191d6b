package lab

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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Site is an installation of the service with its process.
type Site struct {
	Trial         *Trial
	Program       string
	Wrapper       []string // a program that runs it, with the options of that
	Location      []string // the options that name it
	LogLevel      string   // of the log; warn when it is empty
	ServerOptions []string // of the server alone
	env           []string // of the server; what is planted there must not touch the commands that prepare it
	DataFolder    string
	Address       string
	BaseURL       string
	Key           string
	Server        *exec.Cmd
	Log           *os.File
	Ended         chan struct{} // closed when the process is gone
}

// NewSite makes an empty installation with one account and a key that no limit holds back. It is not started.
func NewSite(t *Trial, tag string, env ...string) (*Site, error) {
	s, err := NameSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if err := s.NewAccount(); err != nil {
		return nil, err
	}
	s.Key, err = s.NewKey(AdaEmail)
	return s, err
}

// environment is that of the program: nothing of the person's own. All installations share the compiled PDF library.
func (t *Trial) environment() []string {
	return []string{"HOME=" + t.Folder, "GROUNDWORK_DRAWING_CACHE=" + filepath.Join(t.Lab.folder, "drawing-cache")}
}

// NameSite names an installation; nothing of it exists yet.
func NameSite(t *Trial, tag string, env ...string) (*Site, error) {
	program, err := t.Lab.Build(t, tag)
	if err != nil {
		return nil, err
	}
	s := &Site{Trial: t, Program: program, DataFolder: t.Path("data"), env: append(env, t.environment()...)}
	s.Location = []string{"--data", s.DataFolder}
	if t.Engine == PostgreSQL {
		database, err := t.Lab.database(t)
		if err != nil {
			return nil, err
		}
		s.Location = append(s.Location, "--database-url", database)
	}
	if s.Address, err = freeAddress(t); err != nil {
		return nil, err
	}
	s.BaseURL = "http://" + s.Address
	t.AtEnd(s.end)
	return s, nil
}

// AdaEmail is who writes.
const AdaEmail = "ada@example.com"

// Password is what she signs in with.
const Password = "a crane over the harbour at dawn"

// NewAccount makes the account of AdaEmail, with Password.
func (s *Site) NewAccount() error {
	_, err := s.Command(Password+"\n", "account", "create", "--email", AdaEmail, "--name",
		"Ada Lovelace", "--password-stdin")
	return err
}

// NewKey makes a key of an account that no limit holds back.
func (s *Site) NewKey(email string) (string, error) {
	return s.Command("", "key", "create", "--email", email, "--limit", "all/1=1000000")
}

// freeAddress gives a loopback address outside of the range from which the kernel takes the ports of clients: between a
// kill and the restart a client could otherwise take it, or even connect to itself.
func freeAddress(t *Trial) (string, error) {
	random := t.Random(int(time.Now().UnixNano()))
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
func (s *Site) line(args ...string) []string {
	return slices.Concat(s.Wrapper, []string{s.Program}, args, s.Location)
}

// Command runs a command of the program to its end and gives what it printed.
func (s *Site) Command(stdin string, args ...string) (string, error) {
	line := s.line(args...)
	cmd := exec.CommandContext(s.Trial, line[0], line[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = s.Trial.environment()
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("groundwork %s: %w\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return strings.TrimSpace(out.String()), nil
}

// CommandUntil runs a command of the program, with what is planted in the site, and kills it after a while unless that
// is 0. It gives what it printed, and whether it ended well by itself.
func (s *Site) CommandUntil(after time.Duration, args ...string) (out string, ended bool, err error) {
	var kill <-chan time.Time
	if after > 0 {
		kill = time.After(after)
	}
	return s.CommandKilled(kill, args...)
}

// CommandKilled is CommandUntil with kill -9 when kill says so.
func (s *Site) CommandKilled(kill <-chan time.Time, args ...string) (out string, ended bool, err error) {
	line := s.line(args...)
	cmd := exec.Command(line[0], line[1:]...)
	var text bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, &text, &text
	if err := cmd.Start(); err != nil {
		return "", false, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
		return text.String(), err == nil, nil
	case <-kill:
	case <-s.Trial.Done():
	}
	err = cmd.Process.Kill()
	<-done
	return text.String(), false, errors.Join(err, s.Trial.Err())
}

// Start starts the server and gives the time until it answers.
func (s *Site) Start() (time.Duration, error) {
	if s.Log == nil {
		var err error
		if s.Log, err = os.Create(s.Trial.Path("log")); err != nil {
			return 0, err
		}
	}
	// Each request is a line at level info; nobody reads them here.
	line := s.line(append([]string{"serve", "--listen", s.Address, "--log-level", cmp.Or(s.LogLevel, "warn")},
		s.ServerOptions...)...)
	s.Server = exec.Command(line[0], line[1:]...)
	s.Server.Env, s.Server.Stdout, s.Server.Stderr = s.env, s.Log, s.Log
	began := time.Now()
	if err := s.Server.Start(); err != nil {
		return 0, err
	}
	ended, server := make(chan struct{}), s.Server
	s.Ended = ended
	go func() {
		_ = server.Wait() // how it ended is in ProcessState
		close(ended)
	}()
	err := await(s.Trial, s.BaseURL, ended)
	if err != nil {
		return 0, fmt.Errorf("%w; the server said:\n%s", err, s.LogTail())
	}
	return time.Since(began), nil
}

// Settle starts and stops the server once without what is planted in it. It then finds the notes by which it knows its
// file store and its secret: a fault that loses them would keep it from starting, and nothing else would be seen.
func (s *Site) Settle() error {
	planted := s.env
	s.env = s.Trial.environment()
	defer func() { s.env = planted }()
	if _, err := s.Start(); err != nil {
		return err
	}
	_, err := s.Stop()
	return err
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

// LogTail is the end of what the server logged.
func (s *Site) LogTail() string {
	const most = 4000
	text, err := os.ReadFile(s.Log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// Goroutines ends the server and tells what each of its goroutines was doing: the functions of our own on its stack.
func (s *Site) Goroutines() string {
	info, err := s.Log.Stat()
	if err != nil {
		return err.Error()
	}
	if err := s.Server.Process.Signal(syscall.SIGQUIT); err != nil {
		return err.Error()
	}
	<-s.Ended
	text, err := os.ReadFile(s.Log.Name())
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, stack := range strings.Split(string(text[info.Size():]), "\n\n") {
		lines := strings.Split(strings.TrimSpace(stack), "\n")
		if !strings.HasPrefix(lines[0], "goroutine ") {
			continue
		}
		own := lines[0]
		for _, line := range lines[1:] {
			if strings.HasPrefix(line, "groundwork/") || strings.HasPrefix(line, "created by ") {
				function, _, _ := strings.Cut(strings.TrimPrefix(line, "groundwork/internal/"), "(0x")
				own += " < " + function
			}
		}
		out = append(out, own)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// Kill ends the server as the kernel does when memory runs out.
func (s *Site) Kill() error {
	err := s.Server.Process.Kill()
	<-s.Ended
	return err
}

// Stop asks the server to end; it gives the time that took.
func (s *Site) Stop() (time.Duration, error) {
	began := time.Now()
	if err := s.Server.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case <-s.Ended:
	case <-time.After(time.Minute):
		return 0, errors.Join(errors.New("the server did not stop within a minute"), s.Kill())
	}
	if code := s.Server.ProcessState.ExitCode(); code != 0 {
		return 0, fmt.Errorf("the server stopped with exit code %d and said:\n%s", code, s.LogTail())
	}
	return time.Since(began), nil
}

// end makes sure that nothing of the site runs.
func (s *Site) end() error {
	if s.Server != nil {
		select {
		case <-s.Ended:
		default:
			_ = s.Kill()
		}
	}
	if s.Log != nil {
		return s.Log.Close()
	}
	return nil
}

// Verify has the program examine everything that is stored.
func (s *Site) Verify() error {
	out, err := s.Command("", "doctor", "--verify", "--files")
	if err != nil {
		return err
	}
	if strings.Contains(out, "BAD") {
		return errors.New(out)
	}
	return nil
}

// Parallel runs n workers and waits for them.
func Parallel(n int, work func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { work(i) })
	}
	wg.Wait()
}

// Writers is the number of clients that write at once.
const Writers = 16
