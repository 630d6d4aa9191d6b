package main

import "golang.org/x/sys/unix"

// hide makes this process one that only the superuser can look into: its memory, its open files, and the environment it
// was started with under /proc. It leaves no core file.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
