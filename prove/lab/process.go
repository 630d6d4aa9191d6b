package lab

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ResetPeakMemory makes the process's memory peak start from what it has now, and gives that.
func ResetPeakMemory(pid int) (int64, error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		return 0, CannotRun("the memory of a process cannot be watched here: " + err.Error())
	}
	return ProcessMemory(pid, "VmRSS")
}

// ProcessMemory gives a figure of the process in bytes.
func ProcessMemory(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d shows no %s", pid, name)
}
