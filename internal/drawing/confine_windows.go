package drawing

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// apart puts a child into a group of its own, which keyboards do not reach, without a window. It ends with its parent
// when its orders end.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP |
		windows.BELOW_NORMAL_PRIORITY_CLASS}
}

// keepFiles is not needed: children inherit what is on their list.
func keepFiles() {}

// yield is not needed: children are started with a lower priority.
func yield() error { return nil }

// berth is not known here.
type berth struct{}

func (*berth) keepTo(int) error { return nil }

// resident is not known here; the job of the child bounds its memory.
func resident(int) int64 { return 0 }

// busy is the time that a process spent on processors, all its threads together.
func busy(pid int) (spent time.Duration, visible bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(process)
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		return 0, false
	}
	for _, f := range []windows.Filetime{kernel, user} {
		spent += time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100 // units of 100 ns
	}
	return spent, true
}

// threads is not known here.
func threads(int) int { return 0 }

// onlyLinux says what a job is not: a wall around files.
const onlyLinux = "only Linux can keep a process from all other files"

// confine puts this process into a job: it can start no other process, and has no more memory than it may map.
func confine(s setup) Walls {
	w := Walls{Missing: []string{onlyLinux}}
	job, err := confined(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
				windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
			ActiveProcessLimit: 1,
		},
		ProcessMemoryLimit: uintptr(most(s.Memory)),
	})
	if err == nil {
		// The limits stay; who has no handle of the job cannot lift them.
		err = windows.CloseHandle(job)
	}
	if err != nil {
		w.Missing = append(w.Missing, err.Error())
	}
	return w
}

// confined puts this process into a new job with limits.
func confined(limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) (job windows.Handle, err error) {
	if job, err = windows.CreateJobObject(nil, nil); err != nil {
		return 0, fmt.Errorf("a job cannot be made: %w", err)
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("a job cannot be used: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

// confine has a job bound what the program takes, and end it with this process. A process cannot become another one
// here: it starts the program and waits for it.
func (l *launching) confine() (become func() error, w Walls) {
	w.Missing = []string{onlyLinux}
	_, err := confined(windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
				windows.JOB_OBJECT_LIMIT_PROCESS_TIME,
			PerProcessUserTimeLimit: l.Seconds * int64(time.Second/100), // units of 100 ns
		},
		ProcessMemoryLimit: uintptr(l.Memory),
	})
	if err != nil {
		w.Missing = append(w.Missing, err.Error())
	}
	return func() error {
		cmd := exec.Command(l.Program, l.Args...)
		cmd.Env, cmd.Dir = environment(), `\`
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err := cmd.Run()
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			os.Exit(ended.ExitCode())
		}
		if err == nil {
			os.Exit(0)
		}
		return fmt.Errorf("%s cannot be started: %w", l.Program, err)
	}, w
}
