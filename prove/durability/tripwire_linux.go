package durability

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tripwireCalls are the calls that wait for the disk, and those that give a file its final name.
var tripwireCalls = []uint64{unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}

// RunTripwire runs a program, counts such calls of all its threads, and kills it before the n-th happens; with n = 0 it
// only counts. It writes the count into a file and ends as the program ended. (strace can inject a signal too, but
// counts per thread, and a Go program chooses its threads as it likes.)
func RunTripwire(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	file, command := args[1], args[2:]
	// Only the thread that started the program may trace it.
	runtime.LockOSThread()
	pid, err := syscall.ForkExec(command[0], command, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return fmt.Errorf("trace %s: %w", command[0], err)
	}
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for s := range stops {
			_ = syscall.Kill(pid, s.(syscall.Signal)) // it may be gone already
		}
	}()
	count, status, err := trace(pid, n)
	if err == nil {
		err = os.WriteFile(file, []byte(strconv.Itoa(count)), 0o600)
	}
	if err != nil {
		return errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
	}
	if status.Exited() {
		os.Exit(status.ExitStatus())
	}
	os.Exit(128 + int(status.Signal()))
	return nil
}

// trace follows the stopped process until it ends.
func trace(pid, n int) (count int, end unix.WaitStatus, err error) {
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_EXITKILL
	known := map[int]bool{}
	for {
		var status unix.WaitStatus
		thread, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return count, status, err
		}
		if !status.Stopped() {
			if thread == pid {
				return count, status, nil
			}
			continue
		}
		deliver := 0
		switch s := status.StopSignal(); {
		case !known[thread]:
			// The stop after the start, or after a thread was made.
			known[thread] = true
			if thread == pid {
				if err := unix.PtraceSetOptions(pid, options); err != nil {
					return count, status, err
				}
			}
		case s == unix.SIGTRAP|0x80:
			is, err := enters(thread)
			if err != nil {
				return count, status, err
			}
			if is {
				count++
			}
			if is && count == n {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		case s != unix.SIGTRAP:
			deliver = int(s)
		}
		// A thread that was killed meanwhile cannot go on; its end is reported next.
		_ = unix.PtraceSyscall(thread, deliver)
	}
}

// enters tells whether the thread stands before one of the calls.
func enters(thread int) (bool, error) {
	var info struct {
		op    uint8
		_     [3]uint8
		arch  uint32
		place [2]uint64
		call  uint64
		args  [7]uint64
	}
	const entry = 1
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(info),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 && errno != unix.ESRCH { // that one was killed meanwhile
		return false, os.NewSyscallError("ptrace", errno)
	}
	return errno == 0 && info.op == entry && slices.Contains(tripwireCalls, info.call), nil
}
