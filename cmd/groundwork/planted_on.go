//go:build planted

package main

import (
	"os"
	"strings"
	"time"
)

// plantedClock goes wrong by the duration that the file named in GROUNDWORK_CLOCK_OFFSET holds at the moment, such as
// -1h.
func plantedClock() func() time.Time {
	file := os.Getenv("GROUNDWORK_CLOCK_OFFSET")
	if file == "" {
		return nil
	}
	return func() time.Time {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		wrong, err := time.ParseDuration(strings.TrimSpace(string(text)))
		if err != nil {
			panic(err)
		}
		// Rounding drops the monotonic reading: a clock that was set has none.
		return time.Now().Round(0).Add(wrong)
	}
}
