package drawing

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apart puts a child into a group of its own, which keyboards do not reach, and has the kernel end it with its parent.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// keepFiles has children inherit none of the files that this process was itself started with; what Go opens is never
// inherited. Kernels before 5.11 do not know it.
func keepFiles() { _ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) }

// yield has this thread, and all processes that it will start, give way at the processor. Being nice is not enough:
// since Linux 6.6 who is woken waits until the one that runs has had its slice, up to the next tick. Since 6.12 a
// thread may ask for a slice of its own, and one that asked for a long one is interrupted by those with shorter ones.
func yield() error {
	now, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{
		Policy: unix.SCHED_BATCH, Nice: max(now.Nice, niceness), Runtime: uint64(longSlice),
	}, 0)
}

// berth is the processors that the thread which starts children had at first. A request's thread that was interrupted
// for a moment may find a child in its place until the next tick; on the processors that no child uses it does not.
type berth struct{ all unix.CPUSet }

// keepTo has this thread, and so what it starts next, keep to so many of its processors; 0 is all of them.
func (b *berth) keepTo(processors int) error {
	if b.all.Count() == 0 {
		if err := unix.SchedGetaffinity(0, &b.all); err != nil {
			return err
		}
	}
	set := b.all
	for cpu := 0; processors > 0 && set.Count() > processors; cpu++ {
		set.Clear(cpu)
	}
	return unix.SchedSetaffinity(0, &set)
}

const (
	niceness = 10
	// longSlice is the longest that the kernel gives.
	longSlice = 100 * time.Millisecond
)

// resident is the memory that a process holds, in bytes; 0 when that cannot be seen.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// busy is the time that a process spent on processors, all its threads together. In the numbers of the kernel a tick is
// a hundredth of a second.
func busy(pid int) (spent time.Duration, visible bool) {
	const user, system = 11, 12
	fields := stat(pid)
	if len(fields) <= system {
		return 0, false
	}
	for _, at := range []int{user, system} {
		ticks, err := strconv.ParseInt(fields[at], 10, 64)
		if err != nil {
			return 0, false
		}
		spent += time.Duration(ticks) * 10 * time.Millisecond
	}
	return spent, true
}

// threads is how many a process has; 0 when that cannot be seen.
func threads(pid int) int {
	const at = 17
	fields := stat(pid)
	if len(fields) <= at {
		return 0
	}
	n, _ := strconv.Atoi(fields[at])
	return n
}

// stat is what the kernel tells of a process behind its name, which stands in brackets and may hold anything.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	return strings.Fields(rest)
}

// confine gives this process its walls, the outermost last; what is missing is told, and the service decides whether
// the rest suffices.
func confine(s setup) (w Walls) {
	missing := func(err error) bool {
		if err != nil {
			w.Missing = append(w.Missing, err.Error())
		}
		return err == nil
	}
	missing(limit(s))
	w.Apart = missing(leave())
	// Who changes the user is no longer ended with its parent.
	missing(unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
	missing(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	if missing(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		version, err := landlock()
		if missing(err) {
			w.Landlock = version
		}
		w.Calls = missing(filterCalls())
	}
	return w
}

// limit bounds memory and what is written. RLIMIT_AS would count the address space that Go reserves without using it;
// RLIMIT_DATA counts what can be written.
func limit(s setup) error {
	both := func(n int64) *unix.Rlimit { return &unix.Rlimit{Cur: uint64(n), Max: uint64(n)} }
	return errors.Join(
		unix.Setrlimit(unix.RLIMIT_DATA, both(most(s.Memory))),
		unix.Setrlimit(unix.RLIMIT_FSIZE, both(s.Room)),
		unix.Setrlimit(unix.RLIMIT_CORE, both(0)),
		unix.Setrlimit(unix.RLIMIT_MEMLOCK, both(0)),
		unix.Setrlimit(unix.RLIMIT_MSGQUEUE, both(0)),
	)
}

// nobody is the user who owns nothing.
const nobody = 65534

// leave has a process of the superuser become nobody, in a root folder that has nothing in it. The service must be able
// to end it all the same.
func leave() error {
	if err := mayLeave(); err != nil {
		return err
	}
	// Of all processes, this folder is empty and cannot be written to: nobody can make a file in it.
	if err := errors.Join(unix.Chroot(emptyFolder), unix.Chdir("/")); err != nil {
		return fmt.Errorf("the root folder cannot be left: %w", err)
	}
	return becomeNobody()
}

// stepDown is leave for a process that still needs the root folder.
func stepDown() error {
	if err := mayLeave(); err != nil {
		return err
	}
	return becomeNobody()
}

func becomeNobody() error {
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		return fmt.Errorf("the user cannot be changed: %w", err)
	}
	return nil
}

// mayLeave says why a process cannot change its user and its root folder.
func mayLeave() error {
	if os.Geteuid() != 0 {
		return errors.New("only a service that runs as root can have its workers run as another user")
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var may [2]unix.CapUserData
	if err := unix.Capget(&head, &may[0]); err != nil {
		return err
	}
	for _, one := range []int{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SYS_CHROOT, unix.CAP_KILL} {
		if may[0].Effective&(1<<one) == 0 {
			return errors.New("the service runs as root without the capabilities to run its workers as another user")
		}
	}
	return nil
}

// emptyFolder is one that every Linux has: where the kernel tells the file descriptors of a process, of the one that
// asks. What is in it are names without content.
const emptyFolder = "/proc/self/fdinfo"
