package drawing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
)

// TestMain lets this test program be a worker, one that can also do what no file may make it do.
func TestMain(m *testing.M) {
	if exit, is := fake(); is {
		os.Exit(exit)
	}
	if len(os.Args) == 2 && os.Args[1] == WorkerCommand {
		d := new(document)
		all := d.tasks()
		for name, do := range planted() {
			all[name] = do
		}
		all[lettersTask] = d.task(func(d *document, o pageOrder, _ maker) (any, error) { return d.letters(o) })
		for name, do := range hostile() {
			all[name] = do
		}
		os.Exit(work(all, d.start))
	}
	withLibrary[lettersTask] = true
	os.Exit(run(m))
}

// lettersTask gives the letters of a page, which no worker of a service tells.
const lettersTask = "letters"

// Page gives the letters of a page, counted from 1.
func (f *File) Page(ctx context.Context, page int) (read.Page, error) {
	var p read.Page
	_, err := f.do(ctx, name(page), lettersTask, pageOrder{Page: page}, &p)
	return p, err
}

// compiled is where the children of all tests keep what the PDF library compiled: a folder of their own unless the test
// runner names one.
var compiled string

func run(m *testing.M) int {
	var err error
	if compiled = os.Getenv("GROUNDWORK_DRAWING_CACHE"); compiled != "" {
		return m.Run()
	}
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
			in, err := o.open(inputName)
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(in)
			return len(text), errors.Join(err, in.Close())
		},
		"pid":  func(order) (any, error) { return os.Getpid(), nil },
		"hang": func(order) (any, error) { select {} },
		"spin": func(order) (any, error) {
			for turns := 0; ; turns++ {
			}
		},
		"crash": func(order) (any, error) { return nil, crash() },
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
			for range time.Tick(time.Millisecond) {
				hoard = append(hoard, touched(4<<20))
			}
			return nil, nil
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
		// wait lasts until it may go: a file 1 is there.
		"wait": func(o order) (any, error) {
			begun, err := o.create("begun.now")
			if err != nil {
				return nil, err
			}
			begun.Close()
			for range time.Tick(time.Millisecond) {
				if f, err := o.open("1"); err == nil {
					return "went", f.Close()
				}
			}
			return nil, nil
		},
		// once ends the first child that meets a file, as a kill from outside would. The test marks then that there was
		// one, by a file 1.
		"once": func(o order) (any, error) {
			half, err := o.create("result.half")
			if err != nil {
				return nil, err
			}
			half.Close()
			if mark, err := o.open("1"); err == nil {
				return "second", mark.Close()
			}
			o.reached(1)
			for range time.Tick(time.Millisecond) {
				if mark, err := o.open("1"); err == nil {
					mark.Close()
					return nil, crash()
				}
			}
			return nil, nil
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
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
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
