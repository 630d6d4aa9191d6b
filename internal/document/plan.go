package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// plans are the plans of struct types, by type.
var plans sync.Map

// PlanOf gives the plan of a struct type, which is made once.
func PlanOf(t reflect.Type) *Plan {
	if p, ok := plans.Load(t); ok {
		return p.(*Plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*Plan)
}

// PlanFor gives the plan of a struct type.
func PlanFor[T any]() *Plan { return PlanOf(reflect.TypeFor[T]()) }

// makePlan plans the struct type t.
func makePlan(t reflect.Type) *Plan {
	p := &Plan{Type: t, input: map[string]*Field{}}
	p.add(t, nil)
	for _, f := range p.Fields {
		for _, name := range f.accepts {
			if p.input[name] != nil {
				panic(fmt.Sprintf("resource: two fields of %s are written as %q", t, name))
			}
			p.input[name] = f
		}
	}
	return p
}

func (p *Plan) add(t reflect.Type, index []int) {
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
		f := &Field{
			Name: name, hidden: name == "-", Index: at, Type: sf.Type, Ref: sf.Tag.Get("ref"),
			sortable: sortableOf(sf.Tag),
		}
		f.Filter, f.Exact = strings.CutSuffix(sf.Tag.Get("filter"), ",exact")
		if values := sf.Tag.Get("one"); values != "" {
			f.One = strings.Split(values, "|")
		}
		if written {
			f.rules(rules)
			f.codec = codecOf(f)
		}
		if f.Type == stateType {
			p.States = f.Ref
		}
		if kinds := sf.Tag.Get("of"); kinds != "" {
			f.of = strings.Split(kinds, "|")
		}
		if slot, ok := sf.Tag.Lookup("slot"); ok {
			f.slot = slotOf(f, slot)
		}
		if _, ok := sf.Tag.Lookup("attached"); ok {
			p.Attached = f
		}
		f.checkSorts()
		p.Linked = p.Linked || f.Type == fileType
		p.declare(f.Type)
		if _, found := sf.Tag.Lookup("search"); found {
			if !slices.Contains([]reflect.Type{textType, reflect.TypeFor[*string](), reflect.TypeFor[[]string]()},
				f.Type) {
				panic(fmt.Sprintf("resource: records cannot be found by %s, a %s", f.Name, f.Type))
			}
			p.Search = append(p.Search, f)
		}
		p.Fields = append(p.Fields, f)
		if !f.hidden {
			f.begins, f.shape = append(AppendText(nil, name), ':'), shapeOf(f.Type)
			p.stored = append(p.stored, f)
		}
	}
}

// declare notes the placeholder type of a noun.
func (p *Plan) declare(t reflect.Type) {
	d, ok := reflect.Zero(t).Interface().(Declared)
	if !ok {
		return
	}
	one := d.Placeholder()
	p.Daily = p.Daily || one.Daily
	if !slices.ContainsFunc(p.Declared, func(other Placeholder) bool { return other.Letter == one.Letter }) {
		p.Declared = append(p.Declared, one)
	}
}

func codecOf(f *Field) codec {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if f.uuid {
		return codec{parse: parseUUID, set: assign}
	}
	switch t {
	case textType:
		return codec{parse: parseText, set: assign}
	case boolType:
		return codec{parse: parseBool, set: assign}
	case intType:
		return codec{parse: parseInt, set: assign}
	case timeType:
		return codec{parse: parseTime, set: assign}
	case dateType:
		return codec{parse: parseDay, set: assign}
	case moneyType:
		return codec{parse: parseAmount, set: assign}
	case refType, stateType:
		if f.Ref == "" {
			panic(fmt.Sprintf("resource: %s does not say which kind it refers to", f.Name))
		}
		if t == stateType {
			return codec{parse: parseText, set: setState}
		}
		return codec{parse: parseText, set: setRef}
	case peopleType, orNullType:
		return codec{parse: parseUIDs, set: setPeople}
	case reflect.TypeFor[float64]():
		return codec{parse: parseNumber, set: assign}
	default:
		switch {
		case f.Type.Kind() == reflect.Struct:
			return codec{set: merge, deep: true}
		case nests(t):
			return codec{set: assign, deep: true}
		}
		panic(fmt.Sprintf("resource: %s cannot be written: no codec for %s", f.Name, f.Type))
	}
}

const embedded = ",embed" // see Core.Later

// OneText is the plan of a body with one text, which is required.
func OneText(name string) *Plan {
	f := &Field{Name: name, Type: textType, accepts: []string{name}, required: true, codec: codec{parse: parseText}}
	return &Plan{Fields: []*Field{f}, input: map[string]*Field{name: f}}
}
