package main

import (
	"slices"
	"strings"
)

// quick is the argument for the tests that a person waits for while they write: on SQLite alone, and without those that
// take seconds each. What it leaves out, make test runs.
const quick = "-quick"

// slow are tests that quick leaves out: parts of names, as -skip takes them.
var slow = []string{
	"/postgres",
	// They play everything, many times.
	"Mutants", "^TestRights", "^TestTokenRights", "^TestSessionRights",
	// They build the program or parts of it.
	"^TestNounCanBeDeleted",
	// They draw, read and print.
	"^TestPackets", "^TestReportsOf", "^TestSet", "^TestSheet", "^TestTiles", "^TestUncutSheet", "^TestCompare",
	"^TestPhoto", "^TestDemo", "^TestTheTruthIsOnThePages", "^TestQuotaOfWhatIsMade",
	// They wait for something to be found dead, or do a thing very often.
	"^TestReadyTellsOfADeadStore", "^TestAnnounceMany", "^TestAddressesAreUpgraded", "^TestLarge",
}

// unhurried are packages of which quick runs nothing, unless they are asked for by name: browsers, processes, drawings.
var unhurried = []string{
	"groundwork/cmd/groundwork", "groundwork/internal/web", "groundwork/internal/drawing",
	"groundwork/internal/drawing/read",
}

// hurry gives the arguments of `go test` for quick; listed are the packages of the module.
func hurry(args, listed []string) []string {
	out := []string{"-skip", strings.Join(slow, "|")}
	for _, a := range args {
		switch a {
		case quick:
		case "./...":
			for _, p := range listed {
				if !slices.Contains(unhurried, p) {
					out = append(out, p)
				}
			}
		default:
			out = append(out, a)
		}
	}
	return out
}
