package apitest

import (
	"maps"
	"regexp"
	"slices"
	"sync"
)

// statements gathers every SQL text that servers of this test process ran.
type statements struct {
	mu   sync.Mutex
	seen map[string]bool
}

// ran is all of them by engine, whichever server ran them.
var ran = map[string]*statements{SQLite: {}, Postgres: {}}

func (s *statements) add(sql string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[sql] = true
}

// all gives each text once, sorted.
func (s *statements) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.seen))
}

var (
	onRecords = regexp.MustCompile(`(?i)\brecords\b`)
	scans     = regexp.MustCompile(`(?i)\bOFFSET\b|\bCOUNT\s*\(`)
	quoted    = regexp.MustCompile(`'(?:[^']|'')*'`)
)

// scanning tells whether a statement walks over records to skip or to count them: the ordinals are dense so that nobody
// has to.
func scanning(sql string) bool {
	bare := quoted.ReplaceAllString(sql, "''")
	return onRecords.MatchString(bare) && scans.MatchString(bare)
}
