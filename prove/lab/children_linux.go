package lab

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ChildProcesses are the processes that a process started.
func ChildProcesses(parent int) (pids []int, err error) {
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
