package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// What the linker sets; a plain go build leaves them empty.
var version, commit string

type versionCommand struct{}

// Run prints the version on one line.
func (*versionCommand) Run(c *call) error {
	_, err := fmt.Fprintf(c.Out, "groundwork %s (commit %s, %s %s/%s)\n", release(),
		cmp.Or(commit, built("vcs.revision"), "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// release is the version of this program.
func release() string { return cmp.Or(version, "dev") }

// built is a setting with which the program was built.
func built(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == name {
			return s.Value
		}
	}
	return ""
}
