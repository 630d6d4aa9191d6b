package main

import (
	"slices"
	"strings"
)

// raced begins the argument that names the packages to run with the race detector.
const raced = "-raced="

// splitRaced gives the arguments of one `go test` or, with -raced, of two: the packages that it names with the race
// detector, and the others without. A package then runs once, not once each way.
func splitRaced(args []string, list func(patterns ...string) ([]string, error)) ([][]string, error) {
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, raced) })
	if at < 0 {
		if !slices.Contains(args, "./...") {
			return [][]string{args}, nil
		}
		all, err := list("./...")
		return [][]string{longestFirst(args, all)}, err
	}
	with, err := list(strings.Split(strings.TrimPrefix(args[at], raced), ",")...)
	if err != nil {
		return nil, err
	}
	all, err := list("./...")
	if err != nil {
		return nil, err
	}
	flags := slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return strings.HasPrefix(a, raced) || a == "./..."
	})
	without := slices.DeleteFunc(all, func(p string) bool { return slices.Contains(with, p) })
	return [][]string{
		slices.Concat([]string{"-race"}, flags, with),
		slices.Concat(flags, longestFirst([]string{"./..."}, without)),
	}, nil
}
