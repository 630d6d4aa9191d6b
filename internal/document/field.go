package document

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Plan is what is known of a struct before any request: its fields, what a client may write, and how. It is made once,
// at start-up; a tag that makes no sense stops the program.
type Plan struct {
	Type     reflect.Type
	Fields   []*Field
	stored   []*Field          // those that a document has, in order
	later    []int             // the index of what holds the fields of a later release; nil where there is none
	Search   []*Field          // by which records are found
	States   string            // the plural of the states that a field is one of
	input    map[string]*Field // by every name that a body may use
	Linked   bool              // it shows links to files
	Daily    bool              // it shows what changes once a day
	Declared []Placeholder     // the nouns' own placeholder types
	Attached *Field            // what the record is attached to; nil where it is to nothing
}

// Field is one field of a plan. The tags are:
//
//	json:"title"                     its name
//	write:"max=255"                  a client may write it; with the rules
//	       required                  a create must give it
//	       create                    only a create may give it
//	       solid                     it is never blank: null means not given, a blank text is refused
//	       max=N, one=a|b|c          the most characters, of a list of texts those of each; the only values
//	       most=N                    on a list: the most entries, where that is not mostEntries
//	       as=name|name              the names that a body may use for it
//	       uuid                      on text: a UUID, which is stored in lower case
//	one:"a|b|c"                      on a field that clients do not write: the only values
//	ref:"issue_lists"                on a Ref or a State: the kind it refers to
//	filter:"issue_list_uid"          lists can be filtered by it, with this parameter
//	filter:"folder,exact"            commas are part of the value, and an empty one selects what is null
//	slot:"0"                         on a Collection: where its count is stored, a fact that never changes
//	of:"photos|snapshots"            in a view of several kinds, or a struct of several fields: those that have it
//	attached:""                      on a Ref: the record is attached to that one, which shows how many are
//	search:""                        on text: records are found by its words
//	sort:""                          lists can be sorted by it
//	below:"due_before"               lists can be bounded by it, with this parameter
//	from:"a" to:"b"                  the same, bounds included
type Field struct {
	sortable
	Name     string
	Index    []int
	Type     reflect.Type
	accepts  []string // empty: the service alone writes it
	required bool
	create   bool // only a create may write it
	hidden   bool // it is read from a body and neither stored nor shown
	solid    bool // it is never blank
	uuid     bool // it is a UUID
	max      int
	most     int // of a list: how many entries it may have
	One      []string
	Ref      string
	Filter   string
	Exact    bool
	codec    codec
	begins   []byte // how it begins in a document: "title":
	shape    shape
	slot     int      // of a Collection
	of       []string // of a view: the kinds that have it; nil where all have
}

// sortable says by what lists of a plan's records can be sorted or bounded.
type sortable struct {
	Sort     bool
	Below    string // the parameter that gives a bound above the value
	From, To string // the parameters that give the least and the greatest value
}

func (s sortable) keyed() bool { return s.Sort || s.Below != "" || s.From != "" || s.To != "" }

// shape is how the values of a type stand in a document. It is what the JSON library writes and reads, byte for byte,
// in a fraction of the time: every write of a record reads a whole document and writes one. It reads only what it would
// write itself; the rest is left to the library, and so are types that are none of the below.
type shape struct {
	write func(buf []byte, v reflect.Value) ([]byte, error)
	read  func(text []byte, v reflect.Value) (ok bool)
}

// codec reads a field from a body in two steps: parse outside of the transaction, where a problem is told as a
// sentence; set inside, where references are looked up.
type codec struct {
	parse func(f *Field, raw jsontext.Value) (value any, problem string)
	set   func(refs References, f *Field, dst reflect.Value, value any) error
	deep  bool // it is read field by field: see nested.go
}

// References looks up what a body refers to, inside the transaction of the write.
type References interface {
	// Refer gives the name of a kind for people, and whether its record of a uid is deleted: fault.NotFound where there
	// is none.
	Refer(plural, uid string) (name string, deleted bool, err error)
	// Person finds a member of the team, removed ones too: fault.NotFound where there is none.
	Person(uid string) (p Person, removed bool, err error)
	// State finds a state of a kind: fault.NotFound where there is none.
	State(plural, uid string) (State, error)
}

var (
	refType        = reflect.TypeFor[Ref]()
	fileType       = reflect.TypeFor[File]()
	collectionType = reflect.TypeFor[Collection]()
	numberType     = reflect.TypeFor[Number]()
	textType       = reflect.TypeFor[string]()
	stateType      = reflect.TypeFor[State]()
	boolType       = reflect.TypeFor[bool]()
	intType        = reflect.TypeFor[int64]()
	timeType       = reflect.TypeFor[Time]()
	dateType       = reflect.TypeFor[Date]()
	moneyType      = reflect.TypeFor[Money]()
	peopleType     = reflect.TypeFor[People]()
	orNullType     = reflect.TypeFor[PeopleOrNull]()
)

// nullable tells whether the field can be blank.
func (f *Field) nullable() bool {
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Slice:
		return true
	default:
		return f.Type == refType
	}
}

// Refs are the plurals of the kinds that fields refer to.
func (p *Plan) Refs() (plurals []string) {
	for _, f := range p.Fields {
		if f.Ref != "" {
			plurals = append(plurals, f.Ref)
		}
	}
	return plurals
}

// Files are the names of the fields that show links to files.
func (p *Plan) Files() (names []string) {
	for _, f := range p.stored {
		if f.Type == fileType {
			names = append(names, f.Name)
		}
	}
	return names
}

// Collections are the names of the collections that documents show, and their fields, by slot. Slots that are not dense
// stop the program.
func (p *Plan) Collections() (names []string, fields []*Field) {
	for _, f := range p.Fields {
		if f.Type == collectionType {
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b *Field) int { return a.slot - b.slot })
	for i, f := range fields {
		if f.slot != i {
			panic(fmt.Sprintf("document: %s of %s needs a slot of its own: slot:%q", f.Name, p.Type, strconv.Itoa(i)))
		}
		names = append(names, f.Name)
	}
	return names, fields
}

// SetSlot gives the collection of a document its slot.
func (f *Field) SetSlot(v reflect.Value) { v.FieldByIndex(f.Index).SetUint(uint64(f.slot)) }

// RefOf is the reference that the field of a document holds.
func (f *Field) RefOf(v reflect.Value) Ref { return Ref(v.FieldByIndex(f.Index).String()) }

// Writes tells whether a body may use a name.
func (p *Plan) Writes(name string) bool { return p.input[name] != nil }

// Written gives the name of the field that a body writes under a name; "" where there is none.
func (p *Plan) Written(name string) string {
	if f := p.input[name]; f != nil {
		return f.Name
	}
	return ""
}

// SetNumber gives the record that v is a number of its own, where records of the plan have numbers.
func (p *Plan) SetNumber(v reflect.Value, n uint32) {
	for _, f := range p.Fields {
		if f.IsNumber() {
			v.FieldByIndex(f.Index).SetUint(uint64(n))
		}
	}
}

// IsBool tells whether the field is true or false.
func (f *Field) IsBool() bool { return f.Type == boolType }

// IsDate tells whether the field is a day, or null.
func (f *Field) IsDate() bool { return f.Type == dateType || f.Type == reflect.PointerTo(dateType) }

// IsPeople tells whether the field names members of the team.
func (f *Field) IsPeople() bool { return f.Type == orNullType || f.Type == peopleType }

// IsState tells whether the field is a state.
func (f *Field) IsState() bool { return f.Type == stateType }

// IsNumber tells whether the field is the record's number, its place in the order of creation.
func (f *Field) IsNumber() bool { return f.Type == numberType }

// Writable tells whether a body may give the field.
func (f *Field) Writable() bool { return len(f.accepts) > 0 }

// Find finds a field by its name; nil where there is none.
func (p *Plan) Find(name string) *Field {
	for _, f := range p.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// setting is a field with the value that a body gives it.
type setting struct {
	field *Field
	value any // nil clears
}
