package drawing

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"groundwork/internal/fault"
)

// TestMain lets this test program be a worker, one that can also do what no file may make it do.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == WorkerCommand {
		all := tasks()
		for name, do := range planted() {
			all[name] = do
		}
		os.Exit(work(all))
	}
	os.Exit(run(m))
}

// compiled is where the children of all tests keep what the PDF library compiled.
var compiled string

func run(m *testing.M) int {
	var err error
	if compiled, err = os.MkdirTemp("", "drawing-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(compiled)
	return m.Run()
}

// hoard keeps what the planted allocation takes.
var hoard [][]byte

// planted are the misdeeds.
func planted() map[string]task {
	return map[string]task{
		"sum": func(o order) (any, error) {
			text, err := os.ReadFile(o.File)
			return len(text), err
		},
		"pid":  func(order) (any, error) { return os.Getpid(), nil },
		"hang": func(order) (any, error) { select {} },
		"spin": func(order) (any, error) {
			for turns := 0; ; turns++ {
			}
		},
		"crash": func(order) (any, error) { return nil, syscall.Kill(os.Getpid(), syscall.SIGKILL) },
		"exit": func(order) (any, error) {
			fmt.Fprintln(os.Stderr, "a last word")
			os.Exit(7)
			return nil, nil
		},
		"panic": func(order) (any, error) { panic("planted") },
		"bad":   func(order) (any, error) { return nil, bad("The file is ugly.") },
		"other": func(order) (any, error) { return nil, errors.New("the disk is full") },
		// gradually takes memory slowly enough to be seen, at once faster than anybody looks.
		"gradually": func(order) (any, error) {
			for {
				hoard = append(hoard, touched(4<<20))
				<-time.After(time.Millisecond)
			}
		},
		"at once": func(order) (any, error) {
			hoard = append(hoard, touched(1<<33))
			return nil, nil
		},
		"take": func(order) (any, error) { return len(touched(100 << 20)), nil },
		"noise": func(order) (any, error) {
			fmt.Println(strings.Repeat("noise ", 1<<20))
			return "whole", nil
		},
		"environment": func(order) (any, error) { return os.Environ(), nil },
		"network": func(order) (any, error) {
			_, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
			return fmt.Sprint(err), nil
		},
		"program": func(order) (any, error) { return fmt.Sprint(exec.Command("/bin/true").Run()), nil },
		// wait lasts until it may go.
		"wait": func(o order) (any, error) {
			beside := func(name string) string { return filepath.Join(filepath.Dir(o.File), name) }
			if err := os.WriteFile(beside("begun"), nil, 0o600); err != nil {
				return nil, err
			}
			for {
				if _, err := os.Stat(beside("go")); err == nil {
					return "went", nil
				}
				<-time.After(time.Millisecond)
			}
		},
		// once crashes the first child that meets a file, as a kill from outside would.
		"once": func(o order) (any, error) {
			mark := filepath.Join(filepath.Dir(o.File), "mark")
			_, err := os.Stat(mark)
			half, exists := os.OpenFile(filepath.Join(o.Place, "result"), os.O_CREATE|os.O_EXCL, 0o600)
			if exists != nil {
				return nil, exists
			}
			if half.Close(); err == nil {
				return "second", nil
			}
			if err := os.WriteFile(mark, nil, 0o600); err != nil {
				return nil, err
			}
			return nil, syscall.Kill(os.Getpid(), syscall.SIGKILL)
		},
	}
}

func touched(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// open makes a workshop of this program for a test.
func open(t *testing.T, c Config) *Workshop {
	t.Helper()
	c.Folder, c.Cache = t.TempDir(), compiled
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	w, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(filepath.Join(c.Folder, workingFolder)); len(left) > 0 {
			t.Errorf("Files were left: %v", left)
		}
	})
	return w
}

// bring puts bytes into a workshop.
func bring(t *testing.T, w *Workshop, content []byte) *File {
	t.Helper()
	f, err := w.Bring(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// invalid expects an error about the file that has words in its sentence.
func invalid(t *testing.T, err error, words string) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid || !strings.Contains(e.Message, words) {
		t.Errorf("got %v; want an error about the file with %q", err, words)
	}
}
