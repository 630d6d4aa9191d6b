package api

import (
	"sync"
)

// An answer is built in memory before it is sent, and stays there for as long as a slow caller takes to read it. Most
// have a few dozen kilobytes. Those that have more take what they need of one budget, so that no number of large
// answers, and no number of slow readers, takes all memory of the server.
const (
	// smallAnswer is up to how many bytes an answer is not counted: the number of requests in flight bounds those.
	smallAnswer = 256 << 10
	// copies is how often an answer is in memory while it is built: as stored, as sent, and while either grows.
	copies = 3
	// mostLarge is what all large answers may take together, mostLargeOfOne those of one account. A single answer may
	// be larger than its share where there is no other: otherwise it could never be had.
	mostLarge, mostLargeOfOne = 192 << 20, 48 << 20
)

// answers counts the memory of large answers.
type answers struct {
	mu  sync.Mutex
	all int
	by  map[string]int
}

// take counts further bytes of one account; had is what the same answer has already.
func (a *answers) take(who string, had, more int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all > had && a.all+more > mostLarge || a.by[who] > had && a.by[who]+more > mostLargeOfOne {
		return false
	}
	if a.by == nil {
		a.by = map[string]int{}
	}
	a.all += more
	a.by[who] += more
	return true
}

func (a *answers) give(who string, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all -= bytes
	if a.by[who] -= bytes; a.by[who] == 0 {
		delete(a.by, who)
	}
}
