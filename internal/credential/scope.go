package credential

import "strings"

// Scopes are what a token may be used for, as a set.
type Scopes uint8

// The scopes. An application that asks for none gets both, shown at consent.
const (
	WriteProjects Scopes = 1 << iota // view and manage project data
	ReadProfile                      // see who the account is
	AllScopes     = WriteProjects | ReadProfile
)

// scopeNames are in the order in which they are shown.
var scopeNames = []struct {
	scope Scopes
	name  string
}{{WriteProjects, "write:projects"}, {ReadProfile, "read:profile"}}

// ParseScopes reads names separated by spaces or commas, in any order; none at all are all scopes. It fails on a name
// that is none.
func ParseScopes(text string) (Scopes, bool) {
	var all Scopes
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		found := false
		for _, known := range scopeNames {
			if known.name == name {
				all, found = all|known.scope, true
			}
		}
		if !found {
			return 0, false
		}
	}
	if all == 0 {
		all = AllScopes
	}
	return all, true
}

// Has tells whether all of some scopes are in the set.
func (s Scopes) Has(some Scopes) bool { return s&some == some }

// String is the names with spaces between them.
func (s Scopes) String() string { return strings.Join(s.Names(), " ") }

// Names are the names of the scopes.
func (s Scopes) Names() []string {
	names := []string{}
	for _, known := range scopeNames {
		if s.Has(known.scope) {
			names = append(names, known.name)
		}
	}
	return names
}
