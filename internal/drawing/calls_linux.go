package drawing

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// machines are the names by which the kernel tells a filter how a call was made.
var machines = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// allowedCalls are those that the runtime of Go and reading, writing and computing need, whatever their arguments. None
// of them takes the name of a file, an address or another process.
var allowedCalls = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_LSEEK,
	unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_FTRUNCATE,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_RECVMSG,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK,
	unix.SYS_MINCORE,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_GETPID,
	unix.SYS_GETTID,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
}

// A call that makes a thread says so with these flags, and asks for nothing new of its own.
const (
	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD
	otherFlags  = unix.CLONE_SYSVSEM | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID |
		unix.CLONE_CHILD_SETTID | unix.CLONE_DETACHED
)

// fileCalls are what may be done with an open file beside reading and writing: to look at its flags, and to copy it
// within the process. To have signals sent for it is not among them.
var fileCalls = []uint32{unix.F_GETFL, unix.F_GETFD, unix.F_SETFD, unix.F_DUPFD_CLOEXEC}

// filter is a program for the kernel's filter of calls.
type filter []unix.SockFilter

// Where a filter finds the number of a call, the machine it was made for, and the lower half of its arguments, on
// machines that store that half first.
const callAt, machineAt, argumentsAt = 0, 4, 16

const refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)

func (f *filter) load(at uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at})
}

func (f *filter) give(k uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k})
}

// unless skips the next instructions unless what was loaded is k.
func (f *filter) unless(k uint32, skip int) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(skip), K: k})
}

// call answers a call by a check of its own, which ends with an answer.
func (f *filter) call(nr uint32, check func(*filter)) {
	var body filter
	check(&body)
	f.unless(nr, len(body))
	*f = append(*f, body...)
}

// one allows a call whose argument is one of some, and refuses it otherwise.
func (f *filter) one(argument uint32, of ...uint32) {
	f.load(argumentsAt + 8*argument)
	for _, k := range of {
		f.unless(k, 1)
		f.give(unix.SECCOMP_RET_ALLOW)
	}
	f.give(refuse)
}

// callFilter is the whole program: what is not on the list is refused, as if there were no right to it. more adds to
// the list.
func callFilter(machine uint32, process int, more func(*filter)) filter {
	var f filter
	f.load(machineAt)
	f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: machine})
	f.give(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(callAt)
	for _, nr := range allowedCalls {
		f.unless(nr, 1)
		f.give(unix.SECCOMP_RET_ALLOW)
	}
	more(&f)
	// A thread of this process, and nothing more than that. Its newer form hides its flags from filters; programs then
	// use the older one.
	f.call(unix.SYS_CLONE3, func(f *filter) { f.give(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)) })
	f.call(unix.SYS_CLONE, func(f *filter) {
		f.load(argumentsAt)
		*f = append(*f, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: ^uint32(otherFlags)})
		f.unless(threadFlags, 1)
		f.give(unix.SECCOMP_RET_ALLOW)
		f.give(refuse)
	})
	// Signals to itself: the runtime interrupts its threads so.
	f.call(unix.SYS_TGKILL, func(f *filter) { f.one(0, uint32(process)) })
	f.call(unix.SYS_FCNTL, func(f *filter) { f.one(1, fileCalls...) })
	// Names for its own memory, which the runtime gives.
	f.call(unix.SYS_PRCTL, func(f *filter) { f.one(0, unix.PR_SET_VMA) })
	f.give(refuse)
	return f
}

// filterCalls has the kernel answer only what is on the list, to all threads and for good.
func filterCalls() error {
	machine, known := machines[runtime.GOARCH]
	if !known {
		return fmt.Errorf("system calls cannot be filtered on %s", runtime.GOARCH)
	}
	program := callFilter(machine, os.Getpid(), func(*filter) {})
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&whole)))
	runtime.KeepAlive(program)
	if failed != 0 {
		return fmt.Errorf("system calls cannot be filtered: %w", failed)
	}
	return nil
}
