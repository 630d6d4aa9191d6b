package system

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGiveWay: all threads of a process that gives way do, and so do those that it begins afterwards.
func TestGiveWay(t *testing.T) {
	const child = "GROUNDWORK_GIVES_WAY"
	if os.Getenv(child) != "" {
		GiveWay()
		done := make(chan string)
		for range 8 { // on threads that are new, some of them
			go func() {
				a, err := unix.SchedGetAttr(0, 0)
				if err != nil || a.Policy != unix.SCHED_BATCH || a.Nice != gentle {
					done <- "a thread does not give way"
					return
				}
				done <- ""
			}()
		}
		for range 8 {
			if wrong := <-done; wrong != "" {
				t.Error(wrong)
			}
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGiveWay$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
