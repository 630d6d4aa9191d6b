package document

// State is a record of a small kind, which its ref tag names, by ordinal. It shows that record's uid, label and color
// as they are now: to rename a state rewrites nothing that is in it. A body gives its uid.
type State uint32

// MarshalJSON gives the placeholder.
func (s State) MarshalJSON() ([]byte, error) { return MarshalNumber("s", uint64(s)) }

// UnmarshalJSON reads the placeholder.
func (s *State) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "s", s) }

// ShownState is what a state shows.
type ShownState struct {
	UID   string `json:"uid"`
	Label string `json:"label"`
	Color string `json:"color"`
}

// States are the states of a project, ready to be copied, by ordinal - 1. They are kept with the project until one
// changes.
type States struct{ Shown, UIDs [][]byte }

// Ordinal finds a state by its uid; 0 where there is none.
func (s *States) Ordinal(uid string) uint32 {
	quoted := string(AppendText(nil, uid))
	for i := range s.UIDs {
		if string(s.UIDs[i]) == quoted {
			return uint32(i + 1)
		}
	}
	return 0
}
