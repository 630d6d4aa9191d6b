//go:build !linux && !windows

package drawing

import (
	"fmt"
	"syscall"
)

// confine has no walls here.
func (l *launching) confine() (become func() error, w Walls) {
	return func() error {
		return fmt.Errorf("%s cannot be started: %w", l.Program,
			syscall.Exec(l.Program, append([]string{l.Program}, l.Args...), environment()))
	}, Walls{Missing: []string{onlyLinux}}
}
