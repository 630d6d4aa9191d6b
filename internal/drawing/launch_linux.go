package drawing

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// confine gives this thread its walls; become makes it the program. Walls of one thread suffice: the others end when it
// becomes another program.
func (l *launching) confine() (become func() error, w Walls) {
	missing := func(err error) bool {
		if err != nil {
			w.Missing = append(w.Missing, err.Error())
		}
		return err == nil
	}
	path, args := l.Program, append([]string{l.Program}, l.Args...)
	become = func() error {
		return fmt.Errorf("%s cannot be started: %w", path, syscall.Exec(path, args, environment()))
	}
	// All that is opened by name is opened before: another user may not find it.
	version, rules, err := l.rules()
	missing(err)
	missing(l.limit())
	// There is nothing in it to find or to change, and it is never left: without the right to open, it is only a name.
	missing(unix.Chdir(emptyFolder))
	w.Apart = missing(stepDown())
	// Who changes the user is no longer ended with its parent.
	missing(unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
	if err == nil && missing(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		_, _, failed := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0)
		if failed != 0 {
			missing(fmt.Errorf("Landlock cannot be used: %w", failed))
		} else {
			w.Landlock = version
		}
		w.Calls = missing(filterProgram())
	}
	return become, w
}

// rules are what the program may open: itself and its interpreter to run, and what it reads.
func (l *launching) rules() (version int, rules uintptr, err error) {
	if version, rules, err = ruleset(); err != nil {
		return 0, 0, err
	}
	const run, look = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE,
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	err = except(rules, l.Program, run)
	if by := interpreter(l.Program); err == nil && by != "" {
		err = except(rules, by, run)
	}
	for _, path := range l.Reads {
		info, gone := os.Stat(path)
		if err != nil || gone != nil {
			continue
		}
		what := uint64(look)
		if !info.IsDir() {
			what = unix.LANDLOCK_ACCESS_FS_READ_FILE
		}
		err = except(rules, path, what)
	}
	return version, rules, err
}

// interpreter is what the kernel starts in place of a program that has libraries; "" where it has none.
func interpreter(program string) string {
	f, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < 4096 {
			text := make([]byte, p.Filesz)
			if _, err := p.ReadAt(text, 0); err == nil {
				return strings.TrimRight(string(text), "\x00")
			}
		}
	}
	return ""
}

// limit bounds memory, time on the processor, and what is written.
func (l *launching) limit() error {
	both := func(n int64) *unix.Rlimit { return &unix.Rlimit{Cur: uint64(n), Max: uint64(n)} }
	return errors.Join(
		unix.Setrlimit(unix.RLIMIT_DATA, both(l.Memory)),
		unix.Setrlimit(unix.RLIMIT_CPU, both(l.Seconds)),
		unix.Setrlimit(unix.RLIMIT_FSIZE, both(l.Room)),
		unix.Setrlimit(unix.RLIMIT_CORE, both(0)),
		unix.Setrlimit(unix.RLIMIT_MEMLOCK, both(0)),
		unix.Setrlimit(unix.RLIMIT_MSGQUEUE, both(0)),
	)
}

// programCalls are what a program needs beside allowedCalls to be started, to find its libraries, and to read its own
// files. Which files those are, Landlock says.
var programCalls = []uint32{
	unix.SYS_EXECVE, unix.SYS_OPENAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_GETDENTS64,
	unix.SYS_SET_TID_ADDRESS,
	unix.SYS_SYSINFO, unix.SYS_UNAME, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	unix.SYS_FADVISE64, unix.SYS_READLINKAT, unix.SYS_GETCWD,
}

// filterProgram has the kernel answer only what is on the two lists, to this thread and to what it becomes.
func filterProgram() error {
	machine, known := machines[runtime.GOARCH]
	if !known {
		return fmt.Errorf("system calls cannot be filtered on %s", runtime.GOARCH)
	}
	calls := append(append([]uint32{}, programCalls...), machineCalls...)
	program := callFilter(machine, os.Getpid(), func(f *filter) {
		for _, nr := range calls {
			f.unless(nr, 1)
			f.give(unix.SECCOMP_RET_ALLOW)
		}
		// Its own limits, which it can lower.
		f.call(unix.SYS_PRLIMIT64, func(f *filter) { f.one(0, 0) })
	})
	whole := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failed := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&whole)))
	runtime.KeepAlive(program)
	if failed != 0 {
		return fmt.Errorf("system calls cannot be filtered: %w", failed)
	}
	return nil
}
