package resource

import (
	"reflect"
	"strconv"
	"strings"

	"groundwork/internal/fault"
)

// Holes stand in stored documents for what is known better when they are read: a person's address, a reference's URL, a count. Each is an
// object with one member whose name begins with a tilde. Inside a JSON string a quote is always escaped, so {"~ occurs only where one of
// the types below wrote it, and no text a client sends can forge one.

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

// refTo refers to a record of a kind; the project itself has no path but its own.
func refTo(plural, uid string, self bool) Ref {
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

// Tiles shows the address of a drawing in tiles, good for a day at least, by "object/hash": the name of the archive in the file store, and a hash of what is
// in it; "" shows null.
type Tiles string

// Object is the name of the archive.
func (t Tiles) Object() string {
	object, _, _ := strings.Cut(string(t), "/")
	return object
}

// Coll shows how many records are in the collection of a slot, and where. Slot gives it.
type Coll uint8

// Updated shows the record's clock.
type Updated struct{}

// Number shows the record's ordinal; an imported record keeps the number it came with.
type Number uint32

// Member shows a field of the account that a team record belongs to.
type Member uint8

// The fields of an account that a team record shows.
const (
	MemberEmail Member = iota + 1
	MemberFirstName
	MemberLastName
	MemberLanguage
	MemberCompany
	MemberTitle
)

func hole(letter string, n uint64) ([]byte, error) {
	return append(strconv.AppendUint(append(append([]byte(`{"~`), letter...), `":`...), n, 10), '}'), nil
}

// readHole reads a hole's value, or null as 0.
func readHole[N ~uint8 | ~uint32](text []byte, letter string, into *N) error {
	if string(text) == "null" {
		*into = 0
		return nil
	}
	s, found := strings.CutPrefix(string(text), `{"~`+letter+`":`)
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "}"), 10, 32)
	if !found || err != nil {
		return fault.New(fault.Internal, "%s is stored where a hole of the form ~%s belongs.", text, letter)
	}
	*into = N(n)
	return nil
}

// textHole is a hole with a text that needs no escapes, or null for none.
func textHole(letter, text string) ([]byte, error) {
	if text == "" {
		return []byte("null"), nil
	}
	return []byte(`{"~` + letter + `":"` + text + `"}`), nil
}

// readText reads a hole's text, or null as none.
func readText[S ~string](text []byte, letter string, into *S) error {
	if string(text) == "null" {
		*into = ""
		return nil
	}
	s, found := strings.CutPrefix(string(text), `{"~`+letter+`":"`)
	s, closed := strings.CutSuffix(s, `"}`)
	if !found || !closed {
		return fault.New(fault.Internal, "%s is stored where a hole of the form ~%s belongs.", text, letter)
	}
	*into = S(s)
	return nil
}

// MarshalJSON gives the hole, or null for nobody.
func (p Person) MarshalJSON() ([]byte, error) {
	if p == 0 {
		return []byte("null"), nil
	}
	return hole("p", uint64(p))
}

// UnmarshalJSON reads the hole.
func (p *Person) UnmarshalJSON(text []byte) error { return readHole(text, "p", p) }

// MarshalJSON gives the hole.
func (p PersonUID) MarshalJSON() ([]byte, error) { return hole("u", uint64(p)) }

// UnmarshalJSON reads the hole.
func (p *PersonUID) UnmarshalJSON(text []byte) error { return readHole(text, "u", p) }

var people = shapeOf(reflect.TypeFor[[]Person]())

// MarshalJSON gives the people, or null for none.
func (p PeopleOrNull) MarshalJSON() ([]byte, error) {
	if len(p) == 0 {
		return []byte("null"), nil
	}
	return people.write(nil, reflect.ValueOf([]Person(p)))
}

// MarshalJSON gives the hole, or null for none.
func (r Ref) MarshalJSON() ([]byte, error) { return textHole("r", string(r)) }

// UnmarshalJSON reads the hole.
func (r *Ref) UnmarshalJSON(text []byte) error { return readText(text, "r", r) }

// MarshalJSON gives the hole, or null for none.
func (f File) MarshalJSON() ([]byte, error) { return textHole("f", string(f)) }

// UnmarshalJSON reads the hole.
func (f *File) UnmarshalJSON(text []byte) error { return readText(text, "f", f) }

// MarshalJSON gives the hole, or null for none.
func (t Tiles) MarshalJSON() ([]byte, error) { return textHole("z", string(t)) }

// UnmarshalJSON reads the hole.
func (t *Tiles) UnmarshalJSON(text []byte) error { return readText(text, "z", t) }

// MarshalJSON gives the hole.
func (c Coll) MarshalJSON() ([]byte, error) { return hole("n", uint64(c)) }

// UnmarshalJSON reads the hole.
func (c *Coll) UnmarshalJSON(text []byte) error { return readHole(text, "n", c) }

// MarshalJSON gives the hole.
func (Updated) MarshalJSON() ([]byte, error) { return hole("t", 0) }

// UnmarshalJSON reads the hole.
func (*Updated) UnmarshalJSON(text []byte) error { return readHole(text, "t", new(uint8)) }

// MarshalJSON gives the hole, or the number that an imported record came with.
func (n Number) MarshalJSON() ([]byte, error) {
	if n > 0 {
		return strconv.AppendUint(nil, uint64(n), 10), nil
	}
	return hole("i", 0)
}

// UnmarshalJSON reads the hole or the number.
func (n *Number) UnmarshalJSON(text []byte) error {
	if given, err := strconv.ParseUint(string(text), 10, 32); err == nil {
		*n = Number(given)
		return nil
	}
	return readHole(text, "i", n)
}

// MarshalJSON gives the hole.
func (m Member) MarshalJSON() ([]byte, error) { return hole("m", uint64(m)) }

// UnmarshalJSON reads the hole.
func (m *Member) UnmarshalJSON(text []byte) error { return readHole(text, "m", m) }
