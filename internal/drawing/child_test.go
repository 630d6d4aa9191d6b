package drawing

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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
		{"hang", "within 1s"},
		{"spin", "within 1s"},
		{"gradually", "more than 200 MB of memory"},
		{"at once", "more than 200 MB of memory"},
		{"crash", "stops the program"},
		{"exit", "stops the program"},
		{"panic", "damaged"},
		{"bad", "The file is ugly."},
	}
	w := open(t, Config{Children: 1, Memory: 200 << 20, Within: time.Second})
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
			if d := time.Since(begun); d > 10*time.Second {
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
	if got, err := ask[string](t, f, "once"); err != nil || got != "second" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestKilledAgainAndAgain kills the child of fifty photographs, each at another moment: every one is read all the same, and nothing is left.
func TestKilledAgainAndAgain(t *testing.T) {
	w := open(t, Config{Children: 1})
	photo := withEXIF(asJPEG(t, quarters(900, 600)), site(6))
	for i := range 50 {
		f := bring(t, w, photo)
		pid, err := ask[int](t, f, "pid")
		if err != nil {
			t.Fatal(err)
		}
		killed := time.AfterFunc(time.Duration(i)*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
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
	for task, want := range map[string]string{"network": "operation not permitted", "program": "operation not permitted"} {
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
	for end := time.Now().Add(10 * time.Second); !gone(pid); {
		if time.Now().After(end) {
			t.Fatal("it still runs")
		}
		<-time.After(time.Millisecond)
	}
	works(t, f)
}

// TestBound has more tasks than children: no more than two children ever exist.
func TestBound(t *testing.T) {
	w := open(t, Config{Children: 2})
	var mu sync.Mutex
	pids := map[int]bool{}
	var all sync.WaitGroup
	for range 10 {
		f := bring(t, w, []byte("hello"))
		all.Go(func() {
			pid, err := ask[int](t, f, "pid")
			mu.Lock()
			defer mu.Unlock()
			if pids[pid] = true; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(pids) > 2 {
		t.Errorf("%d children", len(pids))
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
