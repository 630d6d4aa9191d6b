package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/pgtest"
)

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "groundwork-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		program = filepath.Join(folder, "groundwork")
		if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		return m.Run()
	}())
}

// place is an installation: the options that name it.
type place []string

// folder is the data folder.
func (p place) folder() string { return p[1] }

// database is the URL of the database server, "" where there is none.
func (p place) database() string {
	if len(p) < 4 {
		return ""
	}
	return p[3]
}

// places runs a test once on each engine.
func places(t *testing.T, test func(t *testing.T, p place)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, newPlace(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, append(newPlace(t), "--database-url", pgtest.Database(t))) })
}

func newPlace(t *testing.T) place { return place{"--data", filepath.Join(t.TempDir(), "data")} }

// result is what a command left.
type result struct {
	exit     int
	out, err string
}

// environment is that of a program under test: nothing of the person's own.
func environment(t *testing.T) []string {
	return []string{"HOME=" + t.TempDir(), "GROUNDWORK_DRAWING_CACHE=" + apitest.DrawingCache()}
}

// command runs the program to its end.
func command(t *testing.T, p place, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, p...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = environment(t)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// works is command for one that must succeed, silently but for its output, which it gives without the last newline.
func works(t *testing.T, p place, stdin string, args ...string) string {
	t.Helper()
	r := command(t, p, stdin, args...)
	if r.exit != 0 || r.err != "" {
		t.Fatalf("%q: exit %d\n%s%s", args, r.exit, r.out, r.err)
	}
	return strings.TrimSuffix(r.out, "\n")
}

// fails is command for one that must fail with one line that has the text.
func fails(t *testing.T, p place, text, stdin string, args ...string) {
	t.Helper()
	r := command(t, p, stdin, args...)
	if r.exit != exitFailure || r.out != "" || strings.Count(r.err, "\n") != 1 ||
		!strings.HasPrefix(r.err, "groundwork: ") || !strings.Contains(r.err, text) {
		t.Errorf("%q: exit %d, want 1 and one line with %q\nstdout: %s\nstderr: %s", args, r.exit, text, r.out, r.err)
	}
}

// server is a running service.
type server struct {
	*exec.Cmd
	base    string // the public URL
	address string // host:port
	said    string // what it printed before it was ready
	errs    *bytes.Buffer
	out     *bufio.Reader
}

// readAll reads what a demo prints: up to the empty line after its curl line.
func (s *server) readAll(t *testing.T) {
	t.Helper()
	s.read(t, func() bool { return strings.Contains(s.said, "curl ") && strings.HasSuffix(s.said, "\n\n") })
}

// readTo reads until something was printed.
func (s *server) readTo(t *testing.T, text string) {
	t.Helper()
	s.read(t, func() bool { return strings.Contains(s.said, text) })
}

func (s *server) read(t *testing.T, enough func() bool) {
	t.Helper()
	for !enough() {
		line, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("the service printed %q, then %v", s.said, err)
		}
		s.said += line
	}
}

var (
	printedBase    = regexp.MustCompile(`https?://[^\s/]+`)
	printedAddress = regexp.MustCompile(`[0-9.]+:[0-9]+`)
)

// serve starts the service and waits until it says where it is.
func serve(t *testing.T, p place, args ...string) *server { return serveWith(t, nil, p, args...) }

// serveWith is serve with further variables.
func serveWith(t *testing.T, variables []string, p place, args ...string) *server {
	t.Helper()
	s := &server{Cmd: exec.Command(program,
		append(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), p...)...), errs: new(bytes.Buffer)}
	s.Stderr = s.errs
	s.Env = append(environment(t), variables...)
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.ProcessState == nil {
			_ = s.Process.Kill()
			_ = s.Wait()
		}
	})
	s.out = bufio.NewReader(out)
	for s.base == "" {
		line, err := s.out.ReadString('\n')
		s.said += line
		if err != nil {
			_ = s.Wait()
			t.Fatalf("the service ended: %v\n%s", s.ProcessState, s.errs)
		}
		s.base, s.address = printedBase.FindString(line), printedAddress.FindString(line)
	}
	return s
}

// stop ends the service as an operator does, and gives its exit code.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.Wait()
	return s.ProcessState.ExitCode()
}

// get asks the service with a key.
func (s *server) get(t *testing.T, key, path string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.SetBasicAuth(key, "")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
