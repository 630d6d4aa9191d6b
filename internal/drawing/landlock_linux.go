package drawing

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbidden is what a process gives up, in the kernel's own form.
type forbidden struct{ files, network, scopes uint64 }

// landlock gives up, for all threads and for good, everything that the kernel's version of Landlock knows: to open or
// change any file by its name, TCP, and signals and sockets to processes outside. There is no exception, as open files
// are handed in.
func landlock() (version int, err error) {
	version, rules, err := ruleset()
	if err != nil {
		return 0, err
	}
	defer unix.Close(int(rules))
	return version, restrict(version, rules)
}

// ruleset makes rules that forbid everything.
func ruleset() (version int, rules uintptr, err error) {
	n, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if failed != 0 {
		return 0, 0, fmt.Errorf("this kernel has no Landlock: %w", failed)
	}
	version = int(n)
	// The first version knows 13 accesses to files; the second can also forbid to link and rename between folders, the
	// third to truncate, the fifth to steer devices.
	what, size := forbidden{files: 1<<13 - 1}, uintptr(8)
	for from, access := range map[int]uint64{
		2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
	} {
		if version >= from {
			what.files |= access
		}
	}
	if version >= 4 {
		what.network, size = unix.LANDLOCK_ACCESS_NET_BIND_TCP|unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, 16
	}
	if version >= 6 {
		what.scopes, size = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, 24
		// Kernels without this correction also forbid signals between the threads of one process, which Go needs.
		const threadsMaySignal = 1 << 1
		if mended, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0,
			unix.LANDLOCK_CREATE_RULESET_ERRATA); failed == 0 && mended&threadsMaySignal != 0 {
			what.scopes |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	rules, _, failed = unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&what)), size, 0)
	if failed != 0 {
		return 0, 0, fmt.Errorf("Landlock cannot be used: %w", failed)
	}
	return version, rules, nil
}

// except allows something below a folder, or with a file.
func except(rules uintptr, path string, what uint64) error {
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: what, Parent_fd: int32(at)}
	if _, _, failed := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); failed != 0 {
		return fmt.Errorf("Landlock cannot be used for %s: %w", path, failed)
	}
	return nil
}

// restrict takes the rules for all threads.
func restrict(version int, rules uintptr) error {
	if version >= 8 {
		if _, _, failed := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, unix.LANDLOCK_RESTRICT_SELF_TSYNC,
			0); failed != 0 {
			return fmt.Errorf("Landlock cannot be used: %w", failed)
		}
		return nil
	}
	_, _, failed := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
	if failed == 0 {
		_, _, failed = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0)
	}
	switch {
	case errors.Is(failed, unix.ENOTSUP):
		return errors.New("a program that was built with cgo cannot use Landlock for all its threads before Linux 7")
	case failed != 0:
		return fmt.Errorf("Landlock cannot be used: %w", failed)
	}
	return nil
}
