package drawing

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// apart puts a child into a group of its own, which keyboards do not reach, and has the kernel end it with its parent.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// yield has this thread, and all processes that it will start, give way at the processor. Being nice is not enough: since Linux 6.6 who is woken waits until the one that
// runs has had its slice, up to the next tick. Since 6.12 a thread may ask for a slice of its own, and one that asked for a long one is interrupted by those with shorter ones.
func yield() error {
	now, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_BATCH, Nice: max(now.Nice, niceness), Runtime: uint64(longSlice)}, 0)
}

// berth is which of the processors a child keeps to. A request's thread that was interrupted for a moment may find a child in its place until the next tick; on the processors
// that no child uses it does not.
type berth struct {
	all unix.CPUSet
	now int
}

// keepTo has all threads of this process keep to so many of the processors that it was started with; 0 is all of them.
func (b *berth) keepTo(processors int) error {
	if processors == b.now {
		return nil
	}
	if b.all.Count() == 0 {
		if err := unix.SchedGetaffinity(0, &b.all); err != nil {
			return err
		}
	}
	set := b.all
	for cpu := 0; processors > 0 && set.Count() > processors; cpu++ {
		set.Clear(cpu)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err == nil {
			err = unix.SchedSetaffinity(id, &set)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) { // that one has ended
			return err
		}
	}
	b.now = processors
	return nil
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

// busy is the time that a process spent on processors, all its threads together. In the numbers of the kernel a tick is a hundredth of a second.
func busy(pid int) (spent time.Duration, visible bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The name of the program stands in brackets and may hold anything.
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	const user, system = 11, 12
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

// confine gives this process its walls: no more memory than most says, no core file, no network and no other program.
// RLIMIT_AS would count the address space that Go reserves without using it; RLIMIT_DATA counts what can be written.
func confine(memory int64) error {
	limit := &unix.Rlimit{Cur: uint64(most(memory)), Max: uint64(most(memory))}
	return errors.Join(
		unix.Setrlimit(unix.RLIMIT_DATA, limit),
		unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}),
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		filterCalls(),
	)
}

// machines are the names by which the kernel tells a filter how a call was made.
var machines = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// refusedCalls are those of the kernel that reach the network, another process or another program. A ring would make them unseen.
var refusedCalls = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_IO_URING_SETUP,
}

// filterCalls has the kernel refuse those calls to all threads for good.
func filterCalls() error {
	machine, known := machines[runtime.GOARCH]
	if !known {
		return fmt.Errorf("calls are not filtered on %s", runtime.GOARCH)
	}
	const nrOffset, archOffset, refuse = 0, 4, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	program := []unix.SockFilter{load(archOffset), equal(machine, 1, 0), give(unix.SECCOMP_RET_KILL_PROCESS), load(nrOffset)}
	// The 32-bit names of calls on amd64 begin here.
	program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jt: 0, Jf: 1, K: 0x40000000}, give(refuse))
	for _, nr := range refusedCalls {
		program = append(program, equal(nr, 0, 1), give(refuse))
	}
	program = append(program, give(unix.SECCOMP_RET_ALLOW))
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&whole)))
	runtime.KeepAlive(program)
	if failed != 0 {
		return fmt.Errorf("calls cannot be filtered: %w", failed)
	}
	return nil
}
