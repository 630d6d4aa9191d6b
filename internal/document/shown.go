package document

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	library "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Naming says how what another server shows is called in a ledger here.
type Naming interface {
	// Person is the ordinal of a member; false where nobody knows them.
	Person(uid, email string) (uint32, bool)
	// State is the ordinal of a state of a kind.
	State(plural, uid string) (uint32, bool)
	// Refer gives "plural/uid" of a record that is shown with its uid and address. The plural is "" where the field may
	// refer to several kinds.
	Refer(plural, uid, url string) (Ref, bool)
	// Object is the name of the file that a field shows a link to.
	Object(field, link string) (string, bool)
	// Ordinal is the place of the record in the order of its kind.
	Ordinal() uint32
	// Tell is told what of a field cannot be kept, and why.
	Tell(field, why string)
}

// NotKnown is what is told of a field that documents here do not have.
const NotKnown = "this release does not know the field"

// FromShown makes the document of a record from what another server shows of it. What it does not show is as in kept, a
// document of the record that is here, or else as in base, a new record; missing says that something was not shown.
func (p *Plan) FromShown(shown, kept map[string]jsontext.Value, base reflect.Value, n Naming) (
	doc []byte, missing bool,
) {
	doc = append(doc, '{')
	for i, f := range p.stored {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = append(doc, f.begins...)
		raw, given := shown[f.Name]
		text := f.fixed(raw)
		if text == nil && given {
			var why string
			if text, why = (&taker{n, f}).take(f.Type, raw); why != "" {
				n.Tell(f.Name, why)
			}
		}
		if text == nil {
			missing = missing || !given
			text = kept[f.Name]
		}
		if text == nil {
			text, _ = f.shape.write(nil, base.FieldByIndex(f.Index)) // a new record can be written
		}
		doc = append(doc, text...)
	}
	for name := range shown {
		if p.Find(name) == nil {
			n.Tell(name, NotKnown)
		}
	}
	return append(doc, '}'), missing
}

// fixed is what a field has that does not depend on what is shown, or is of a noun's own type; nil for all others.
func (f *Field) fixed(raw jsontext.Value) (text []byte) {
	switch f.Type {
	case reflect.TypeFor[Updated]():
		text, _ = MarshalNumber("t", 0) // never fails
		return text
	case collectionType:
		text, _ = MarshalNumber("n", uint64(f.slot)) // never fails
		return text
	}
	d, ok := reflect.Zero(f.Type).Interface().(Declared)
	if !ok {
		return nil
	}
	one := d.Placeholder()
	if one.Shown == nil {
		return nil
	}
	value, ok := one.Shown(f.Name, raw)
	if !ok {
		return []byte(nothing)
	}
	return []byte(`{"~` + string(one.Letter) + `":` + value + `}`)
}

// taker takes the value of a field.
type taker struct {
	Naming
	field *Field
}

const nothing = "null"

// take gives a value as it is stored; why says what is wrong with it, and the text is nil where nothing can be made of
// it.
func (k *taker) take(t reflect.Type, raw jsontext.Value) (text []byte, why string) {
	if len(raw) == 0 {
		return nil, "it is no JSON"
	}
	switch t {
	case reflect.TypeFor[Person]():
		return k.person(raw, "p")
	case reflect.TypeFor[PersonUID]():
		return k.person(raw, "u")
	case refType:
		return k.refer(raw)
	case fileType:
		return k.file(raw)
	case stateType:
		return k.state(raw)
	case numberType:
		n, err := strconv.ParseUint(string(raw), 10, 31)
		if err != nil || n == 0 {
			return nil, "it is no number of a record"
		}
		if uint32(n) == k.Ordinal() {
			n = 0
		}
		text, err = Number(n).MarshalJSON()
		return text, whyNot(err)
	}
	switch {
	case t.Kind() == reflect.Pointer && string(raw) == nothing:
		return []byte(nothing), ""
	case t.Kind() == reflect.Pointer:
		return k.take(t.Elem(), raw)
	case t.Kind() == reflect.Slice && (naming(t.Elem()) || t == peopleType || t == orNullType):
		return k.list(t, raw)
	case t.Kind() == reflect.Struct && naming(t):
		return k.object(t, raw)
	}
	return k.plain(t, raw)
}

func whyNot(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// naming tells whether values of a type name people, records or files somewhere.
func naming(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Person](), reflect.TypeFor[PersonUID](), refType, fileType, stateType, peopleType, orNullType:
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return naming(t.Elem())
	case reflect.Struct:
		return slices.ContainsFunc(PlanOf(t).stored, func(f *Field) bool { return naming(f.Type) })
	}
	return false
}

// plain takes a value that names nothing: it is read and written as a document has it.
func (k *taker) plain(t reflect.Type, raw jsontext.Value) (text []byte, why string) {
	raw = slices.Clone(raw)
	if raw.Compact() != nil {
		return nil, "it is no JSON"
	}
	v := reflect.New(t).Elem()
	shape := shapeOf(t)
	if !shape.read(raw, v) {
		return nil, "it has not the form that it has here: " + clip(string(raw))
	}
	if v.Kind() == reflect.String {
		if s := v.String(); strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
			return nil, "it has a character that cannot be stored"
		} else if k.field.One != nil && !slices.Contains(k.field.One, s) {
			return nil, "it is none of " + strings.Join(k.field.One, ", ") + ": " + clip(s)
		}
	}
	text, err := shape.write(nil, v)
	return text, whyNot(err)
}

const mostClipped = 60

func clip(text string) string {
	if len(text) > mostClipped {
		text = text[:mostClipped] + "…"
	}
	return strconv.QuoteToASCII(text)
}

// reference is what records show of people and of other records.
type reference struct {
	UID   string `json:"uid"`
	URL   string `json:"url"`
	Email string `json:"email"`
}

// person takes somebody: an object with uid and address, or the uid alone.
func (k *taker) person(raw jsontext.Value, letter string) (text []byte, why string) {
	var who reference
	switch raw.Kind() {
	case 'n':
		return []byte(nothing), ""
	case '"':
		if library.Unmarshal(raw, &who.UID) != nil {
			return nil, "it names nobody"
		}
	default:
		if library.Unmarshal(raw, &who) != nil {
			return nil, "it names nobody"
		}
	}
	n, ok := k.Person(who.UID, who.Email)
	if !ok {
		return []byte(nothing), "the server shows nobody of the uid " + clip(who.UID)
	}
	text, err := MarshalNumber(letter, uint64(n))
	return text, whyNot(err)
}

func (k *taker) refer(raw jsontext.Value) (text []byte, why string) {
	if raw.Kind() == 'n' {
		return []byte(nothing), ""
	}
	var to reference
	if library.Unmarshal(raw, &to) != nil {
		return nil, "it refers to nothing"
	}
	ref, ok := k.Refer(k.field.Ref, to.UID, to.URL)
	if !ok {
		return []byte(nothing), fmt.Sprintf("the server does not show %s, to which it refers", clip(to.UID))
	}
	text, err := ref.MarshalJSON()
	return text, whyNot(err)
}

func (k *taker) file(raw jsontext.Value) (text []byte, why string) {
	var link string
	if raw.Kind() == 'n' || library.Unmarshal(raw, &link) != nil || link == "" {
		return []byte(nothing), ""
	}
	object, ok := k.Object(k.field.Name, link)
	if !ok {
		return []byte(nothing), "its file could not be fetched"
	}
	text, err := File(object).MarshalJSON()
	return text, whyNot(err)
}

func (k *taker) state(raw jsontext.Value) (text []byte, why string) {
	var to reference
	if raw.Kind() == '"' {
		_ = library.Unmarshal(raw, &to.UID) // it is text
	} else if library.Unmarshal(raw, &to) != nil {
		return nil, "it is no state"
	}
	n, ok := k.State(k.field.Ref, to.UID)
	if !ok {
		return nil, "the server shows no state " + clip(to.UID)
	}
	text, err := MarshalNumber("s", uint64(n))
	return text, whyNot(err)
}

// list takes an array whose entries name something. One that names nobody is left out.
func (k *taker) list(t reflect.Type, raw jsontext.Value) (text []byte, why string) {
	empty := []byte("[]")
	if t == orNullType {
		empty = []byte(nothing)
	}
	var items []jsontext.Value
	if raw.Kind() == 'n' || library.Unmarshal(raw, &items) != nil {
		if raw.Kind() != 'n' {
			why = "it is no list"
		}
		return empty, why
	}
	text = append(text, '[')
	for _, item := range items {
		one, problem := k.take(t.Elem(), item)
		if problem != "" {
			why = problem
		}
		if one == nil || string(one) == nothing {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, one...)
	}
	if len(text) == 1 {
		return empty, why
	}
	return append(text, ']'), why
}

// object takes a value of several fields of which some name something.
func (k *taker) object(t reflect.Type, raw jsontext.Value) (text []byte, why string) {
	var given map[string]jsontext.Value
	if library.Unmarshal(raw, &given) != nil || given == nil {
		return nil, "it is no object"
	}
	text = append(text, '{')
	for i, f := range PlanOf(t).stored {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, f.begins...)
		var one []byte
		if value, there := given[f.Name]; there {
			var problem string
			if one, problem = (&taker{k.Naming, f}).take(f.Type, value); problem != "" {
				why = f.Name + ": " + problem
			}
		}
		if one == nil {
			one, _ = f.shape.write(nil, reflect.Zero(f.Type)) // a blank value can be written
		}
		text = append(text, one...)
	}
	return append(text, '}'), why
}
