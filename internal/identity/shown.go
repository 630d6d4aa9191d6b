package identity

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/store"
)

// Shown is what a project shows of a member who has not come to it yet, or has left. It is kept with the team record,
// and only then: of whoever is there, the account itself is shown. So what people say of themselves reaches a project
// when they come to it, and no longer once they have left.
type Shown struct {
	Email     string  `json:"email"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Language  *string `json:"language"`
	Company   *string `json:"company"`
	Title     *string `json:"title"`
}

// As is what an invitation itself says of somebody.
func (who Invitee) As() Shown {
	return Shown{
		Email: who.Email, FirstName: store.OrNull(who.FirstName), LastName: store.OrNull(who.LastName),
		Language: store.OrNull(who.Language),
	}
}

// Keep is how a team record keeps it.
func (s Shown) Keep() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic("auth: " + err.Error()) // texts that were valid when they came in
	}
	return text
}

// KeptAs reads what a team record keeps; nil where it keeps nothing, since the person is there.
func KeptAs(private []byte) (*Shown, error) {
	if len(private) == 0 {
		return nil, nil
	}
	s := new(Shown)
	return s, json.Unmarshal(private, s)
}

// As shows an account in a project with what its team record keeps.
func (a *Account) As(private []byte) (there bool, err error) {
	s, err := KeptAs(private)
	if err != nil || s == nil || plantedProfile {
		return s == nil, err
	}
	a.Email, a.FirstName, a.LastName = s.Email, s.FirstName, s.LastName
	a.Language, a.Company, a.Title = s.Language, s.Company, s.Title
	return false, nil
}

// Freeze has a team record keep what the project shows of its account at this moment.
func Freeze(tx *store.Tx, row *store.Row) error {
	if len(row.Private) > 0 {
		return nil
	}
	a, err := AccountIn(tx, row.UID)
	if err != nil || a == nil {
		return err
	}
	row.Private = a.Shown().Keep()
	return nil
}

// Shown is what a project shows of an account at this moment.
func (a *Account) Shown() Shown {
	return Shown{a.Email, a.FirstName, a.LastName, a.Language, a.Company, a.Title}
}
