//go:build linux && !amd64

package drawing

// machineCalls are those of programCalls that not all machines have: here none.
var machineCalls []uint32
