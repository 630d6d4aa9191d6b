package resource

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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

func writeHole(enc *jsontext.Encoder, letter string, n uint64) error {
	return enc.WriteValue(jsontext.Value(`{"~` + letter + `":` + strconv.FormatUint(n, 10) + `}`))
}

// readHole reads a hole's value, or null as 0.
func readHole(dec *jsontext.Decoder, letter string) (uint64, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return 0, err
	}
	s := string(v)
	if s == "null" {
		return 0, nil
	}
	s, found := strings.CutPrefix(s, `{"~`+letter+`":`)
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "}"), 10, 32)
	if !found || err != nil {
		return 0, fault.New(fault.Internal, "%s is stored where a hole of the form ~%s belongs.", v, letter)
	}
	return n, nil
}

// writeText writes a hole with a text that needs no escapes, or null for none.
func writeText(enc *jsontext.Encoder, letter, text string) error {
	if text == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(jsontext.Value(`{"~` + letter + `":"` + text + `"}`))
}

// readText reads a hole's text, or null as none.
func readText(dec *jsontext.Decoder, letter string) (string, error) {
	v, err := dec.ReadValue()
	if err != nil || string(v) == "null" {
		return "", err
	}
	s, found := strings.CutPrefix(string(v), `{"~`+letter+`":"`)
	s, closed := strings.CutSuffix(s, `"}`)
	if !found || !closed {
		return "", fault.New(fault.Internal, "%s is stored where a hole of the form ~%s belongs.", v, letter)
	}
	return s, nil
}

// MarshalJSONTo writes the hole, or null for nobody.
func (p Person) MarshalJSONTo(enc *jsontext.Encoder) error {
	if p == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	return writeHole(enc, "p", uint64(p))
}

// UnmarshalJSONFrom reads the hole.
func (p *Person) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	n, err := readHole(dec, "p")
	*p = Person(n)
	return err
}

// MarshalJSONTo writes the hole.
func (p PersonUID) MarshalJSONTo(enc *jsontext.Encoder) error { return writeHole(enc, "u", uint64(p)) }

// UnmarshalJSONFrom reads the hole.
func (p *PersonUID) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	n, err := readHole(dec, "u")
	*p = PersonUID(n)
	return err
}

// MarshalJSONTo writes the people, or null for none.
func (p PeopleOrNull) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(p) == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, one := range p {
		if err := one.MarshalJSONTo(enc); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

// MarshalJSONTo writes the hole, or null for none.
func (r Ref) MarshalJSONTo(enc *jsontext.Encoder) error {
	return writeText(enc, "r", string(r))
}

// UnmarshalJSONFrom reads the hole.
func (r *Ref) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	text, err := readText(dec, "r")
	*r = Ref(text)
	return err
}

// MarshalJSONTo writes the hole, or null for none.
func (f File) MarshalJSONTo(enc *jsontext.Encoder) error { return writeText(enc, "f", string(f)) }

// UnmarshalJSONFrom reads the hole.
func (f *File) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	text, err := readText(dec, "f")
	*f = File(text)
	return err
}

// MarshalJSONTo writes the hole, or null for none.
func (t Tiles) MarshalJSONTo(enc *jsontext.Encoder) error { return writeText(enc, "z", string(t)) }

// UnmarshalJSONFrom reads the hole.
func (t *Tiles) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	text, err := readText(dec, "z")
	*t = Tiles(text)
	return err
}

// MarshalJSONTo writes the hole.
func (c Coll) MarshalJSONTo(enc *jsontext.Encoder) error { return writeHole(enc, "n", uint64(c)) }

// UnmarshalJSONFrom reads the hole.
func (c *Coll) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	n, err := readHole(dec, "n")
	*c = Coll(n)
	return err
}

// MarshalJSONTo writes the hole.
func (Updated) MarshalJSONTo(enc *jsontext.Encoder) error { return writeHole(enc, "t", 0) }

// UnmarshalJSONFrom reads the hole.
func (*Updated) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	_, err := readHole(dec, "t")
	return err
}

// MarshalJSONTo writes the hole, or the number that an imported record came with.
func (n Number) MarshalJSONTo(enc *jsontext.Encoder) error {
	if n > 0 {
		return enc.WriteToken(jsontext.Uint(uint64(n)))
	}
	return writeHole(enc, "i", 0)
}

// UnmarshalJSONFrom reads the hole or the number.
func (n *Number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '0' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		v, err := tok.Uint()
		*n = Number(v)
		return err
	}
	_, err := readHole(dec, "i")
	return err
}

// MarshalJSONTo writes the hole.
func (m Member) MarshalJSONTo(enc *jsontext.Encoder) error { return writeHole(enc, "m", uint64(m)) }

// UnmarshalJSONFrom reads the hole.
func (m *Member) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	n, err := readHole(dec, "m")
	*m = Member(n)
	return err
}
