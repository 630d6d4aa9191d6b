package project

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// AccountField shows a field of the account that a team record belongs to.
type AccountField uint8

// The fields of an account that a team record shows. They are stored facts: never change or reuse one.
const (
	accountEmail AccountField = iota + 1
	accountFirstName
	accountLastName
	accountLanguage
	accountCompany
	accountTitle
	accountProven
)

// AccountProven shows whether the account that a team record belongs to is proven, once the person has come: nobody
// learns it of an address by inviting it.
type AccountProven struct{}

// MarshalJSON gives the placeholder.
func (AccountProven) MarshalJSON() ([]byte, error) {
	return document.MarshalNumber("m", uint64(accountProven))
}

// UnmarshalJSON reads the placeholder.
func (*AccountProven) UnmarshalJSON(text []byte) error {
	return document.UnmarshalNumber(text, "m", new(uint8))
}

// MarshalJSON gives the placeholder.
func (f AccountField) MarshalJSON() ([]byte, error) { return document.MarshalNumber("m", uint64(f)) }

// UnmarshalJSON reads the placeholder.
func (f *AccountField) UnmarshalJSON(text []byte) error {
	return document.UnmarshalNumber(text, "m", f)
}

// Placeholder says how team records show the field.
func (AccountField) Placeholder() document.Placeholder {
	return document.Placeholder{
		Letter: 'm', Expand: expandAccount, Holds: isField, Shown: accountShown,
		Schema: document.Schema{"type": []any{"string", "null"}},
	}
}

// accountFields are the names under which team records show the fields.
var accountFields = map[string]AccountField{
	"email": accountEmail, "first_name": accountFirstName, "last_name": accountLastName,
	"language": accountLanguage, "company": accountCompany, "title": accountTitle, "proven": accountProven,
}

// accountShown is the stored value of a field, whatever another server shows in it: that is said of the person.
func accountShown(field string, _ []byte) (string, bool) {
	n, ok := accountFields[field]
	return strconv.Itoa(int(n)), ok
}

// Placeholder says how team records show it.
func (AccountProven) Placeholder() document.Placeholder {
	return document.Placeholder{
		Letter: 'm', Expand: expandAccount, Holds: isField, Shown: accountShown, Schema: document.Schema{
			"type": "boolean", "description": "Whether the person has come, and their address is proven.",
		},
	}
}

// isField tells whether a stored value is one of the fields.
func isField(value []byte) bool {
	return len(value) == 1 && value[0] >= '0'+byte(accountEmail) && value[0] <= '0'+byte(accountProven)
}

// expandAccount shows a field of the account of the team record that a row is.
func expandAccount(buf []byte, e *document.Expander, value []byte, l *store.Line) []byte {
	m := e.Team.Person(l.ID.Ordinal())
	if m == nil {
		return append(buf, "null"...)
	}
	field := AccountField(value[0] - '0') // there are fewer than ten
	if field == accountProven {
		return strconv.AppendBool(buf, m.Here && m.Proven)
	}
	text := accountText(m, field)
	if text == nil {
		return append(buf, "null"...)
	}
	buf, _ = jsontext.AppendQuote(buf, *text) // the text was valid UTF-8 when it was stored
	return buf
}

func accountText(m *auth.Person, field AccountField) *string {
	switch field {
	case accountEmail:
		return &m.Email
	case accountFirstName:
		return m.FirstName
	case accountLastName:
		return m.LastName
	case accountLanguage:
		return m.Language
	case accountCompany:
		return m.Company
	case accountTitle:
		return m.Title
	default:
		return nil
	}
}
