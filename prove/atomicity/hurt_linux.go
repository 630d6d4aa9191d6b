package atomicity

import "golang.org/x/sys/unix"

// hurt kills a process, stops it, or leaves it without memory; false when it is gone already.
func hurt(pid, how int) bool {
	switch how {
	case 0:
		return unix.Kill(pid, unix.SIGKILL) == nil
	case 1:
		return unix.Kill(pid, unix.SIGSTOP) == nil
	default:
		none := &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
		return unix.Prlimit(pid, unix.RLIMIT_AS, none, nil) == nil
	}
}
