package drawing

import "golang.org/x/sys/unix"

// machineCalls are those of programCalls that not all machines have.
var machineCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK,
	unix.SYS_ARCH_PRCTL,
}
