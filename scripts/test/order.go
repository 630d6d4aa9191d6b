package main

import "slices"

// longest are the packages whose tests take longest: they begin first, so that none of them is left to run alone at the
// end, on one of several processors.
var longest = []string{
	"groundwork/internal/web", "groundwork/internal/apitest", "groundwork/cmd/groundwork", "groundwork/internal/drawing",
	"groundwork/internal/backup", "groundwork/internal/archive", "groundwork/internal/app", "groundwork/internal/foreign",
}

// longestFirst gives the arguments of `go test` with the packages in the order in which they are best begun.
func longestFirst(args, listed []string) (out []string) {
	for _, a := range args {
		if a != "./..." {
			out = append(out, a)
			continue
		}
		for _, p := range longest {
			if slices.Contains(listed, p) {
				out = append(out, p)
			}
		}
		for _, p := range listed {
			if !slices.Contains(longest, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
