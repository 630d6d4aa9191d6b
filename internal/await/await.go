// Package await is how a test waits for what comes by itself, in another goroutine or process: it looks again and
// again, and gives up with a sentence. A test that must pause for another reason moves a clock it was given.
package await

import (
	"testing"
	"time"
)

// The first looks follow each other closely; later ones leave the machine to what is waited for, and a look that is a
// request stays far below the 40 in a second that an account may make.
const (
	soonest = time.Millisecond
	latest  = 100 * time.Millisecond
)

// Until looks until what it looks for is there: look gives "" then, and before that what it sees instead. The test
// fails with that when within has passed.
func Until(t testing.TB, within time.Duration, look func() string) {
	t.Helper()
	end := time.Now().Add(within)
	for pause := soonest; ; pause = min(2*pause, latest) {
		seen := look()
		if seen == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s: %s", within, seen)
		}
		time.Sleep(pause)
	}
}

// True looks until is holds; what says what did not come.
func True(t testing.TB, within time.Duration, what string, is func() bool) {
	t.Helper()
	Until(t, within, func() string {
		if is() {
			return ""
		}
		return what
	})
}
