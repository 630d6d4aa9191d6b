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
	_, err := fmt.Fprintln(c.Out, versionLine())
	return err
}

// versionLine is what people are told of the program.
func versionLine() string {
	return fmt.Sprintf("groundwork %s (commit %s, %s %s/%s)", release(),
		cmp.Or(commit, built("vcs.revision"), "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
