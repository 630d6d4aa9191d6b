package drawing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/fault"
)

// ask has a planted task done.
func ask[T any](t *testing.T, f *File, task string) (T, error) {
	t.Helper()
	var result T
	_, err := f.do(t.Context(), "The file", task, struct{}{}, &result)
	return result, err
}

// works is the control: after whatever happened, an honest task succeeds.
func works(t *testing.T, f *File) {
	t.Helper()
	if n, err := ask[int](t, f, "sum"); err != nil || n != 5 {
		t.Errorf("an honest task gave %d, %v", n, err)
	}
}

func gone(pid int) bool { return syscall.Kill(pid, 0) != nil }

func TestHarm(t *testing.T) {
	cases := []struct{ task, words string }{
		{"hang", "within 5s"},
		{"spin", "within 5s"},
		{"gradually", "more than 200 MB of memory"},
		{"at once", "more than 200 MB of memory"},
		{"crash", "stops the program"},
		{"exit", "stops the program"},
		{"panic", "damaged"},
		{"bad", "The file is ugly."},
	}
	w := open(t, Config{Children: 1, Memory: 200 << 20, Within: 5 * time.Second})
	f := bring(t, w, []byte("hello"))
	for _, c := range cases {
		t.Run(c.task, func(t *testing.T) {
			works(t, f)
			before, err := ask[int](t, f, "pid")
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			_, err = ask[any](t, f, c.task)
			invalid(t, err, c.words)
			if d := time.Since(begun); d > time.Minute {
				t.Errorf("it took %v", d)
			}
			if c.task != "bad" && c.task != "panic" && !gone(before) {
				t.Errorf("child %d still runs", before)
			}
			works(t, f)
		})
	}
}

// TestMemoryControl shows that the limit is what ends a child: half as much is allowed.
func TestMemoryControl(t *testing.T) {
	f := bring(t, open(t, Config{Memory: 200 << 20}), []byte("hello"))
	if n, err := ask[int](t, f, "take"); err != nil || n != 100<<20 {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestLastWordsAreKept(t *testing.T) {
	f := bring(t, open(t, Config{}), []byte("hello"))
	_, err := ask[any](t, f, "exit")
	if err == nil || !strings.Contains(err.Error(), "a last word") || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("got %v", err)
	}
	if fault.Of(err).Message != "The file could not be read: it stops the program that reads it." {
		t.Errorf("the sender is told %q", fault.Of(err).Message)
	}
}

func TestTroubleIsNotTheFile(t *testing.T) {
	f := bring(t, open(t, Config{}), []byte("hello"))
	_, err := ask[any](t, f, "other")
	if err == nil || fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
}

func TestKilledFromOutsideIsTriedAgain(t *testing.T) {
	f := bring(t, open(t, Config{}), []byte("hello"))
	go func() {
		await.True(t, time.Minute, "the child did not reach its file", func() bool { return f.reached.Load() > 0 })
		if err := os.WriteFile(filepath.Join(f.folder, "1"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	if got, err := ask[string](t, f, "once"); err != nil || got != "second" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestKilledAgainAndAgain kills the child of some photographs, each at another moment: every one is read all the same,
// and nothing is left.
func TestKilledAgainAndAgain(t *testing.T) {
	w := open(t, Config{Children: 1})
	photo := withEXIF(asJPEG(t, quarters(900, 600)), site(6))
	for i := range 15 {
		f := bring(t, w, photo)
		pid, err := ask[int](t, f, "pid")
		if err != nil {
			t.Fatal(err)
		}
		killed := time.AfterFunc(time.Duration(3*i)*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		p, err := f.Photo(t.Context())
		killed.Stop()
		if err != nil || p.Width != 600 {
			t.Fatalf("round %d: %+v, %v", i, p, err)
		}
		see(t, p.Thumbnail)
		see(t, p.Preview)
		see(t, *p.Display)
	}
}

func TestNoiseIsNoAnswer(t *testing.T) {
	f := bring(t, open(t, Config{}), []byte("hello"))
	if got, err := ask[string](t, f, "noise"); err != nil || got != "whole" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestChildKnowsNothing(t *testing.T) {
	t.Setenv("GROUNDWORK_SECRET", "canary")
	f := bring(t, open(t, Config{}), []byte("hello"))
	env, err := ask[[]string](t, f, "environment")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range env {
		if strings.Contains(line, "canary") || strings.HasPrefix(line, "PATH=") {
			t.Errorf("the child has %s", line)
		}
	}
	for task, want := range map[string]string{
		"network": "operation not permitted",
		"program": "operation not permitted",
	} {
		if got, err := ask[string](t, f, task); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v", task, got, err)
		}
	}
	// The control: what the child may not do, this process may.
	if got, err := planted()["network"](order{}); err != nil || strings.Contains(got.(string), "not permitted") {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestReuse(t *testing.T) {
	w := open(t, Config{Children: 1, Tasks: 3})
	f := bring(t, w, []byte("hello"))
	var pids []int
	for range 6 {
		pid, err := ask[int](t, f, "pid")
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if pids[0] != pids[2] || pids[2] == pids[3] || pids[3] != pids[5] {
		t.Errorf("children were %v; each should do three tasks", pids)
	}
}

func TestIdleChildEnds(t *testing.T) {
	w := open(t, Config{Idle: time.Millisecond})
	f := bring(t, w, []byte("hello"))
	pid, err := ask[int](t, f, "pid")
	if err != nil {
		t.Fatal(err)
	}
	await.True(t, time.Minute, "it still runs", func() bool { return gone(pid) })
	works(t, f)
}

// TestBound has more files than children: never more than two are at work, and no more than three wait for their file's
// next task. No child sees two files.
func TestBound(t *testing.T) {
	w := open(t, Config{Children: 2})
	var mu sync.Mutex
	seen := map[int]*File{}
	alive := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for pid := range seen {
			if !gone(pid) {
				n++
			}
		}
		return n
	}
	var all sync.WaitGroup
	for range 10 {
		f := bring(t, w, []byte("hello"))
		all.Go(func() {
			for range 3 {
				pid, err := ask[int](t, f, "pid")
				mu.Lock()
				if of := seen[pid]; of != nil && of != f {
					t.Errorf("child %d has seen two files", pid)
				}
				seen[pid] = f
				mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if n := alive(); n > 2+3 {
					t.Errorf("%d children", n)
				}
			}
		})
	}
	all.Wait()
	if len(seen) < 10 {
		t.Errorf("%d children saw ten files", len(seen))
	}
}

// A child ends with its file: the next file, perhaps somebody else's, is never seen by it.
func TestChildEndsWithItsFile(t *testing.T) {
	w := open(t, Config{Children: 1})
	f, err := w.Bring(strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := ask[int](t, f, "pid")
	if err != nil {
		t.Fatal(err)
	}
	if gone(pid) {
		t.Error("the child is gone before its file")
	}
	if err := f.Close(); err != nil || !gone(pid) {
		t.Errorf("the child of a file that was closed still runs; %v", err)
	}
}

func TestContextEndsTheTask(t *testing.T) {
	w := open(t, Config{Children: 1})
	f := bring(t, w, []byte("hello"))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := f.do(ctx, "The file", "spin", struct{}{}, new(int)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	works(t, f)
}

func TestLeftoversAreRemoved(t *testing.T) {
	c := Config{Folder: t.TempDir()}
	w, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Bring(strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	beside, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.folder); err != nil {
		t.Errorf("what another process works on is gone: %v", err)
	}
	// The process ends here without closing anything but what the system does; the next one opens.
	if err := errors.Join(w.bench.lock.Close(), beside.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestWorkerCannotStartOthers(t *testing.T) {
	t.Setenv(marker, "1")
	if _, err := Open(Config{Folder: t.TempDir()}); err == nil {
		t.Error("it can")
	}
}
