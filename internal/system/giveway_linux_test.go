package system

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGiveWay: all threads of a process that gives way do, and so do those that it begins afterwards.
func TestGiveWay(t *testing.T) {
	const child = "GROUNDWORK_GIVES_WAY"
	if os.Getenv(child) != "" {
		GiveWay()
		const threads = 24 // more than there are by now
		var all, done sync.WaitGroup
		all.Add(threads)
		for range threads {
			done.Go(func() {
				runtime.LockOSThread() // until all have a thread of their own
				defer runtime.UnlockOSThread()
				all.Done()
				all.Wait()
				a, err := unix.SchedGetAttr(0, 0)
				if err != nil || a.Policy != unix.SCHED_BATCH || a.Nice != gentle {
					t.Errorf("a thread does not give way: %+v, %v", a, err)
				}
			})
		}
		done.Wait()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGiveWay$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
