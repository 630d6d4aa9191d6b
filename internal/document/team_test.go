package document

import (
	"groundwork/internal/auth"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// firstName is a placeholder type as a noun declares it.
type firstName uint8

func (f firstName) MarshalJSON() ([]byte, error)     { return MarshalNumber("m", uint64(f)) }
func (f *firstName) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "m", f) }

func (firstName) Placeholder() Placeholder {
	return Placeholder{
		Letter: 'm', Schema: Schema{"type": "string"},
		Expand: func(buf []byte, e *Expander, _ []byte, l *store.Line) []byte {
			return AppendText(buf, *e.Team.Person(l.ID.Ordinal()).FirstName)
		},
	}
}

func teamOf(uids ...string) *auth.Team {
	var people []auth.Person
	for _, uid := range uids {
		first := "First " + uid
		people = append(people, auth.Person{
			Account: identity.Account{UID: uid, Email: uid + `@"x`, FirstName: &first}, Role: auth.Collaborator,
		})
	}
	return auth.TeamOf(people...)
}
