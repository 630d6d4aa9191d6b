package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/store"
)

// plan is what is known of a struct before any request: its fields, what a client may write, and how. It is made once, at start-up; a tag
// that makes no sense stops the program.
type plan struct {
	typ    reflect.Type
	fields []*field
	stored []*field          // those that a document has, in order
	later  []int             // the index of what holds the fields of a later release; nil where there is none
	search []*field          // by which records are found
	states string            // the plural of the states that a field is one of
	input  map[string]*field // by every name that a body may use
	linked bool              // it shows links to files
	tiled  bool              // it shows addresses of tiles
}

// field is one field of a plan. The tags are:
//
//	json:"title"                     its name
//	write:"max=255"                  a client may write it; with the rules
//	       required                  a create must give it
//	       create                    only a create may give it
//	       solid                     it is never blank: null means not given, a blank text is refused
//	       max=N, one=a|b|c          the most characters; the only values
//	       as=name|name              the names that a body may use for it
//	one:"a|b|c"                      on a field that clients do not write: the only values
//	ref:"issue_lists"                on a Ref or a State: the kind it refers to
//	filter:"issue_list_uid"          lists can be filtered by it, with this parameter
//	filter:"folder,exact"            commas are part of the value, and an empty one selects what is null
//	search:""                        on text: records are found by its words
//	sort:""                          lists can be sorted by it
//	below:"due_before"               lists can be bounded by it, with this parameter
//	from:"a" to:"b"                  the same, bounds included
type field struct {
	sortable
	name     string
	index    []int
	typ      reflect.Type
	accepts  []string // empty: the service alone writes it
	required bool
	create   bool // only a create may write it
	hidden   bool // it is read from a body and neither stored nor shown
	solid    bool // it is never blank
	max      int
	one      []string
	ref      string
	filter   string
	exact    bool
	codec    codec
	begins   []byte // how it begins in a document: "title":
	shape    shape
}

// nullable tells whether the field can be blank.
func (f *field) nullable() bool {
	switch f.typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		return true
	default:
		return f.typ == refType
	}
}

// makePlan plans the struct type t.
func makePlan(t reflect.Type) *plan {
	p := &plan{typ: t, input: map[string]*field{}}
	p.add(t, nil)
	for _, f := range p.fields {
		for _, name := range f.accepts {
			if p.input[name] != nil {
				panic(fmt.Sprintf("resource: two fields of %s are written as %q", t, name))
			}
			p.input[name] = f
		}
	}
	return p
}

func (p *plan) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		if sf.Anonymous {
			p.add(sf.Type, at)
			continue
		}
		if sf.Tag.Get("json") == embedded {
			p.later = at
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		rules, written := sf.Tag.Lookup("write")
		if name == "" || (name == "-" && !written) {
			continue
		}
		f := &field{name: name, hidden: name == "-", index: at, typ: sf.Type, ref: sf.Tag.Get("ref"), sortable: sortableOf(sf.Tag)}
		f.filter, f.exact = strings.CutSuffix(sf.Tag.Get("filter"), ",exact")
		if values := sf.Tag.Get("one"); values != "" {
			f.one = strings.Split(values, "|")
		}
		if written {
			f.rules(rules)
			f.codec = codecOf(f)
		}
		if f.ref != "" {
			named(f.ref) // panics when there is no such kind
		}
		if f.typ == stateType {
			p.states = f.ref
		}
		f.checkSorts()
		p.linked, p.tiled = p.linked || f.typ == fileType, p.tiled || f.typ == tilesType
		if _, found := sf.Tag.Lookup("search"); found {
			if !slices.Contains([]reflect.Type{textType, reflect.TypeFor[*string](), reflect.TypeFor[[]string]()}, f.typ) {
				panic(fmt.Sprintf("resource: records cannot be found by %s, a %s", f.name, f.typ))
			}
			p.search = append(p.search, f)
		}
		p.fields = append(p.fields, f)
		if !f.hidden {
			f.begins, f.shape = append(appendText(nil, name), ':'), shapeOf(f.typ)
			p.stored = append(p.stored, f)
		}
	}
}

func (f *field) rules(text string) {
	f.accepts = []string{f.name}
	for rule := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "":
		case "required":
			f.required = true
		case "create":
			f.create = true
		case "solid":
			f.solid = true
		case "max":
			n, err := strconv.Atoi(value)
			if err != nil {
				panic(fmt.Sprintf("resource: rule %q of %s", rule, f.name))
			}
			f.max = n
		case "one":
			f.one = strings.Split(value, "|")
		case "as":
			f.accepts = strings.Split(value, "|")
		default:
			panic(fmt.Sprintf("resource: rule %q of %s", rule, f.name))
		}
	}
}

// untabbed writes a text so that tabs can separate terms.
var untabbed = strings.NewReplacer("\\", "\\\\", "\t", "\\t")

var tabbed = strings.NewReplacer("\\\\", "\\", "\\t", "\t")

// terms gives the terms of a document by which lists are filtered and sorted, in the order of the fields.
func (p *plan) terms(v reflect.Value) []string {
	var out []string
	for _, f := range p.fields {
		if f.filter != "" {
			out = f.terms(out, v.FieldByIndex(f.index))
		}
		if f.keyed() {
			if key, ok := f.key(v.FieldByIndex(f.index)); ok {
				out = append(out, store.Key(f.name, key))
			}
		}
	}
	return out
}

func (f *field) terms(out []string, v reflect.Value) []string {
	add := func(value string) { out = append(out, f.name+"="+value) }
	switch x := v.Interface().(type) {
	case string:
		add(x)
	case *string:
		switch {
		case x != nil:
			add(untabbed.Replace(*x))
		case f.exact:
			add("")
		}
	case bool:
		add(strconv.FormatBool(x))
	case Ref:
		if x != "" {
			add(x.UID())
		}
	case State:
		add(strconv.FormatUint(uint64(x), 10))
	case PeopleOrNull:
		for _, one := range x {
			add(strconv.FormatUint(uint64(one), 10))
		}
	case People:
		for _, one := range x {
			add(strconv.FormatUint(uint64(one), 10))
		}
	case interface{ Term() string }:
		if value := x.Term(); value != "" {
			add(value)
		}
	default:
		panic(fmt.Sprintf("resource: a list cannot be filtered by %s, a %s", f.name, f.typ))
	}
	return out
}
