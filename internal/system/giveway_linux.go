package system

import (
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// gentle is how nice a process is that gives way.
const gentle = 15

// GiveWay has this process, and those that it starts, give way to others at the processor. It is a wish: where the
// system refuses, or was asked for more, nothing changes.
func GiveWay() {
	// A new thread is what the one is that began it: what began between the two looks gives way too.
	for range 2 {
		threads, _ := filepath.Glob("/proc/self/task/*")
		for _, t := range threads {
			id, err := strconv.Atoi(filepath.Base(t))
			if err != nil {
				continue
			}
			is, err := unix.SchedGetAttr(id, 0)
			if err != nil || is.Policy != unix.SCHED_NORMAL || is.Nice >= gentle {
				continue
			}
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: gentle}, 0)
		}
	}
}
