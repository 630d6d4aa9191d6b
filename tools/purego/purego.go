// Package purego stands in for the package of the same path, by which the HEIC decoder would look for a libheif on the
// machine and load it into the process. Here nothing is ever loaded: HEIC is decoded by the WebAssembly module that the
// decoder carries, confined and the same everywhere, and the binary stays static.
package purego

import "errors"

// The flags of Dlopen have no meaning here.
const (
	RTLD_NOW    = 0
	RTLD_GLOBAL = 0
)

// Dlopen refuses.
func Dlopen(string, int) (uintptr, error) { return 0, errors.New("no library is loaded") }

// RegisterLibFunc is never called, as no library is ever open.
func RegisterLibFunc(any, uintptr, string) { panic("no library is loaded") }
