// Package s3test owns the S3 server that tests and experiments run against: a real one, built from a module of its own
// under tools, on a port of the loopback interface, gone when the process that started it is gone. It is imported by
// tests, the test runner and the experiments, never by the service.
package s3test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Server is a running store with one empty bucket.
type Server struct {
	// Endpoint is where it answers, http://HOST:PORT.
	Endpoint string
	// Key, Secret and Bucket are all that there is on it.
	Key, Secret, Bucket string
	// Folder is where it keeps everything.
	Folder string

	leash io.Closer // the server lives as long as this end of the pipe is open
	cmd   *exec.Cmd
}

// URL is a blob URL of everything under a prefix; options such as redirect=true go behind it.
func (s *Server) URL(prefix string, options ...string) string {
	query := append([]string{"endpoint=" + url.QueryEscape(s.Endpoint)}, options...)
	return fmt.Sprintf("s3://%s:%s@%s/%s?%s", s.Key, s.Secret, s.Bucket, prefix, strings.Join(query, "&"))
}

// Start builds the server, where it is not built yet, and starts it in a new temporary folder.
func Start() (*Server, error) {
	program, err := build()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "groundwork-s3-")
	if err != nil {
		return nil, err
	}
	s := &Server{Key: "groundwork", Secret: "not-a-secret-outside-of-tests", Bucket: "groundwork-test", Folder: folder}
	if err := s.launch(program); err != nil {
		return nil, errors.Join(fmt.Errorf("start the S3 server: %w", err), os.RemoveAll(folder))
	}
	return s, nil
}

func (s *Server) launch(program string) error {
	s.cmd = exec.Command(program, s.Folder, s.Key, s.Secret, s.Bucket)
	s.cmd.Stderr = os.Stderr
	leash, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.leash = leash
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if text := lines.Text(); strings.HasPrefix(text, "http://") {
			s.Endpoint = text
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	return errors.Join(errors.New("it ended before it answered"), s.cmd.Wait())
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() error {
	_ = s.leash.Close()
	_ = s.cmd.Wait() // it was told to end; how it does so says nothing
	return os.RemoveAll(s.Folder)
}

// build makes the program once for every state of its sources; go build itself knows when there is nothing to do.
func build() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "groundwork").Output()
	if err != nil {
		return "", fmt.Errorf("find the sources: %w", err)
	}
	top := strings.TrimSpace(string(out))
	program := filepath.Join(top, "bin", "s3")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, ".")
	cmd.Dir = filepath.Join(top, "tools", "s3")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, text)
	}
	return program, nil
}

// shared starts the process's own server at most once; the pipe ends it with the process.
var shared = sync.OnceValues(Start)

// Shared gives the server of this test process; tests keep apart by their prefixes. Without one the test fails; it is
// never skipped.
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
