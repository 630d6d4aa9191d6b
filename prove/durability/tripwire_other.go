//go:build !linux

package durability

import "errors"

// RunTripwire needs ptrace as Linux has it.
func RunTripwire([]string) error { return errors.New("tracing is written for Linux") }
