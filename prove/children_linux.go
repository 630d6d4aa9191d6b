package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// children are the processes that a process started.
func children(parent int) (pids []int, err error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it is gone
		}
		rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(rest) > 1 && rest[1] == strconv.Itoa(parent) && rest[0] != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

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
