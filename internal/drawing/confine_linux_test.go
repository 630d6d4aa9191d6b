package drawing

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// yielding counts the threads of a process, and those that give way at the processor.
func yielding(t *testing.T, process string) (all, give int) {
	t.Helper()
	threads, err := os.ReadDir("/proc/" + process + "/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		a, err := unix.SchedGetAttr(id, 0)
		if err != nil { // it has ended
			continue
		}
		all++
		// Before Linux 6.12 there are no slices of one's own, and none is told.
		if a.Policy == unix.SCHED_BATCH && a.Nice >= niceness && (a.Runtime == 0 || a.Runtime == uint64(longSlice)) {
			give++
		}
	}
	return all, give
}

// processors counts those on which a process may run.
func processors(t *testing.T, pid int) int {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		t.Fatal(err)
	}
	return set.Count()
}

func TestChildrenGiveWayAndTheServiceDoesNot(t *testing.T) {
	_, before := yielding(t, "self")
	f := bring(t, open(t, Config{Children: 1}), []byte("hello"))
	pid, err := ask[int](t, f, "pid")
	if err != nil {
		t.Fatal(err)
	}
	if all, give := yielding(t, fmt.Sprint(pid)); all < 2 || give < all {
		t.Errorf("%d of the child's %d threads give way", give, all)
	}
	// A child has one processor, and all of them for what somebody waits for.
	hurried["pid"] = true
	other, err := ask[int](t, f, "pid")
	delete(hurried, "pid")
	if err != nil || processors(t, pid) != 1 || processors(t, other) != runtime.NumCPU() ||
		processors(t, 0) != runtime.NumCPU() {
		t.Errorf("a child may run on %d processors, one that is waited for on %d, we on %d of %d; %v",
			processors(t, pid), processors(t, other), processors(t, 0), runtime.NumCPU(), err)
	}
	// The control: of this process only the thread that starts children does. Those of workshops that were closed
	// before may take a moment to end.
	all, give := yielding(t, "self")
	for end := time.Now().Add(5 * time.Second); give > before+1 &&
		time.Now().Before(end); all, give = yielding(t, "self") {
		runtime.Gosched()
	}
	if all < 2 || give > before+1 {
		t.Errorf("%d of our %d threads give way, %d before", give, all, before)
	}
}
