//go:build !linux && !windows

package drawing

import (
	"syscall"
	"time"
)

// apart puts a child into a group of its own, which keyboards do not reach. It ends with its parent when its orders
// end.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// keepFiles is not known here.
func keepFiles() {}

// yield is not known here.
func yield() error { return nil }

// berth is not known here.
type berth struct{}

func (*berth) keepTo(int) error { return nil }

// resident is not known here; the child looks itself.
func resident(int) int64 { return 0 }

// busy is not known here; the limit is one of time.
func busy(int) (time.Duration, bool) { return 0, false }

// threads is not known here.
func threads(int) int { return 0 }

// onlyLinux says what is missing here.
const onlyLinux = "only Linux can keep a process from all other files"

// confine makes no core file. The guard in the child bounds its memory.
func confine(setup) Walls {
	w := Walls{Missing: []string{onlyLinux}}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		w.Missing = append(w.Missing, err.Error())
	}
	return w
}
