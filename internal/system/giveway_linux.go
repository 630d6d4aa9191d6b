package system

import (
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// gentle is how nice a process is that gives way.
const gentle = 15

// GiveWay has this process, and those that it starts, give way to others at the processor. It is a wish: where the
// system refuses, nothing changes.
func GiveWay() {
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, t := range threads {
		if id, err := strconv.Atoi(filepath.Base(t)); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: gentle}, 0)
		}
	}
}
