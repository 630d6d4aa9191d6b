package document

import (
	"strconv"
	"strings"

	"groundwork/internal/fault"
)

// Placeholders stand in stored documents for what is known better when they are read: a person's address, a reference's
// URL, a count. Each is an object with one member, whose name is a tilde and a letter. Inside a JSON string a quote is
// always escaped, so {"~ occurs only where a placeholder type wrote it, and no text that a client sends can forge one.
// The Expander expands them.

// Person is a member of the project's team by ordinal; 0 is nobody and shows null.
type Person uint32

// PersonUID shows only the uid of a member.
type PersonUID uint32

// People are members of the team; none shows [].
type People []Person

// PeopleOrNull are members of the team; none shows null.
type PeopleOrNull []Person

// Assignee is a member as the later form of assignment shows it.
type Assignee struct {
	Type string    `json:"type"`
	UID  PersonUID `json:"uid"`
}

// Assignees mirror people in that form.
func Assignees(people []Person) []Assignee {
	out := make([]Assignee, 0, len(people))
	for _, p := range people {
		out = append(out, Assignee{"user", PersonUID(p)})
	}
	return out
}

// Ref refers to a record of the project by "plural/uid"; "" shows null.
type Ref string

// RefTo refers to a record of a kind; the project itself has no path but its own.
func RefTo(plural, uid string, self bool) Ref {
	if self {
		plural = ""
	}
	return Ref(plural + "/" + uid)
}

// Split gives the plural and the uid that the reference names; the plural is "" for the project itself.
func (r Ref) Split() (plural, uid string) {
	plural, uid, _ = strings.Cut(string(r), "/")
	return plural, uid
}

// UID is the uid that the reference names.
func (r Ref) UID() string { return string(r)[strings.IndexByte(string(r), '/')+1:] }

// File shows a link, good for a while, to an object in the file store by its name; "" shows null.
type File string

// Collection shows how many records are in the collection of a slot, and where. Slot gives it.
type Collection uint8

// Updated shows the record's clock.
type Updated struct{}

// Number shows the record's ordinal; an imported record keeps the number it came with.
type Number uint32

// MarshalNumber gives a placeholder with a number.
func MarshalNumber(letter string, n uint64) ([]byte, error) {
	return append(strconv.AppendUint(append(append([]byte(`{"~`), letter...), `":`...), n, 10), '}'), nil
}

// UnmarshalNumber reads a placeholder with a number, or null as 0.
func UnmarshalNumber[N ~uint8 | ~uint32](text []byte, letter string, into *N) error {
	if string(text) == "null" {
		*into = 0
		return nil
	}
	s, found := strings.CutPrefix(string(text), `{"~`+letter+`":`)
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "}"), 10, 32)
	if !found || err != nil {
		return fault.New(fault.Internal, "%s is stored where a placeholder of the form ~%s belongs.", text, letter)
	}
	*into = N(n)
	return nil
}

// MarshalText gives a placeholder with a text that needs no escapes, or null for none.
func MarshalText(letter, text string) ([]byte, error) {
	if text == "" {
		return []byte("null"), nil
	}
	return []byte(`{"~` + letter + `":"` + text + `"}`), nil
}

// UnmarshalText reads a placeholder with a text, or null as none.
func UnmarshalText[S ~string](text []byte, letter string, into *S) error {
	if string(text) == "null" {
		*into = ""
		return nil
	}
	s, found := strings.CutPrefix(string(text), `{"~`+letter+`":"`)
	s, closed := strings.CutSuffix(s, `"}`)
	if !found || !closed {
		return fault.New(fault.Internal, "%s is stored where a placeholder of the form ~%s belongs.", text, letter)
	}
	*into = S(s)
	return nil
}

// MarshalJSON gives the placeholder, or null for nobody.
func (p Person) MarshalJSON() ([]byte, error) {
	if p == 0 {
		return []byte("null"), nil
	}
	return MarshalNumber("p", uint64(p))
}

// UnmarshalJSON reads the placeholder.
func (p *Person) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "p", p) }

// MarshalJSON gives the placeholder.
func (p PersonUID) MarshalJSON() ([]byte, error) { return MarshalNumber("u", uint64(p)) }

// UnmarshalJSON reads the placeholder.
func (p *PersonUID) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "u", p) }

// MarshalJSON gives the people, or null for none.
func (p PeopleOrNull) MarshalJSON() ([]byte, error) {
	if len(p) == 0 {
		return []byte("null"), nil
	}
	buf := []byte{'['}
	for i, one := range p {
		if i > 0 {
			buf = append(buf, ',')
		}
		text, err := one.MarshalJSON()
		if err != nil {
			return nil, err
		}
		buf = append(buf, text...)
	}
	return append(buf, ']'), nil
}

// MarshalJSON gives the placeholder, or null for none.
func (r Ref) MarshalJSON() ([]byte, error) { return MarshalText("r", string(r)) }

// UnmarshalJSON reads the placeholder.
func (r *Ref) UnmarshalJSON(text []byte) error { return UnmarshalText(text, "r", r) }

// MarshalJSON gives the placeholder, or null for none.
func (f File) MarshalJSON() ([]byte, error) { return MarshalText("f", string(f)) }

// UnmarshalJSON reads the placeholder.
func (f *File) UnmarshalJSON(text []byte) error { return UnmarshalText(text, "f", f) }

// MarshalJSON gives the placeholder.
func (c Collection) MarshalJSON() ([]byte, error) { return MarshalNumber("n", uint64(c)) }

// UnmarshalJSON reads the placeholder.
func (c *Collection) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "n", c) }

// MarshalJSON gives the placeholder.
func (Updated) MarshalJSON() ([]byte, error) { return MarshalNumber("t", 0) }

// UnmarshalJSON reads the placeholder.
func (*Updated) UnmarshalJSON(text []byte) error { return UnmarshalNumber(text, "t", new(uint8)) }

// MarshalJSON gives the placeholder, or the number that an imported record came with.
func (n Number) MarshalJSON() ([]byte, error) {
	if n > 0 {
		return strconv.AppendUint(nil, uint64(n), 10), nil
	}
	return MarshalNumber("i", 0)
}

// UnmarshalJSON reads the placeholder or the number.
func (n *Number) UnmarshalJSON(text []byte) error {
	if given, err := strconv.ParseUint(string(text), 10, 32); err == nil {
		*n = Number(given)
		return nil
	}
	return UnmarshalNumber(text, "i", n)
}
