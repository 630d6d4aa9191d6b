package document

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A field may be a struct of its own, or a list of such: what a body gives for it is read against that struct's plan. A
// struct that is always there is changed field by field, as the record is; a list, and a struct that can be null, are
// replaced. Nothing in them refers to records, so they are whole before the transaction.

// mostEntries is how many entries one list may have, unless its field says otherwise.
const mostEntries = 1000

// nests tells whether a type is a struct, or a list of structs or texts, that a body gives whole.
func nests(t reflect.Type) bool {
	return t.Kind() == reflect.Struct ||
		(t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.Struct || t.Elem() == textType))
}

// read reads what a body gives for the field; say is told where something is wrong.
func (f *Field) read(at string, raw jsontext.Value, say func(at, problem string)) any {
	switch {
	case !f.codec.deep:
		value, problem := f.codec.parse(f, raw)
		if problem != "" {
			say(at, problem)
		}
		return value
	case f.Type.Kind() == reflect.Struct:
		return PlanOf(f.Type).object(at, raw, say)
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	v := reflect.New(t).Elem()
	f.deep(v, at, raw, say)
	return v.Interface()
}

// merge changes a struct field by field.
func merge(_ References, _ *Field, dst reflect.Value, value any) error {
	for _, s := range value.([]setting) {
		if err := assign(nil, s.field, dst.FieldByIndex(s.field.Index), s.value); err != nil {
			return err
		}
	}
	return nil
}

// deep reads a value into v, a struct or a list.
func (f *Field) deep(v reflect.Value, at string, raw jsontext.Value, say func(at, problem string)) {
	if v.Kind() == reflect.Struct {
		p := PlanOf(v.Type())
		for _, f := range p.Fields {
			clearField(v.FieldByIndex(f.Index))
		}
		_ = merge(nil, nil, v, p.object(at, raw, say)) // it looks nothing up
		return
	}
	var items []jsontext.Value
	if raw.Kind() != '[' || json.Unmarshal(raw, &items) != nil {
		say(at, "It must be an array.")
		return
	}
	if len(items) > f.most {
		say(at, fmt.Sprintf("It may have at most %d entries.", f.most))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		place := at + "[" + strconv.Itoa(i) + "]"
		if v.Type().Elem() == textType {
			text, problem := parseText(f, item)
			if problem != "" {
				say(place, problem)
				continue
			}
			v.Index(i).SetString(text.(string))
			continue
		}
		f.deep(v.Index(i), place, item, say)
	}
}

// object reads a JSON object: which fields are set to what.
func (p *Plan) object(at string, raw jsontext.Value, say func(at, problem string)) (sets []setting) {
	if raw.Kind() != '{' {
		say(at, "It must be an object.")
		return nil
	}
	given := map[*Field]bool{}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.ReadToken() // the body was read before: it is valid
	for dec.PeekKind() == '"' {
		token, _ := dec.ReadToken()
		name := token.String()
		value, _ := dec.ReadValue()
		f := p.input[name]
		if given[f] = true; f == nil {
			say(at+"."+name, p.unknown(name, Reading{Create: true}))
			continue
		}
		switch {
		case string(value) != "null":
			sets = append(sets, setting{f, f.read(at+"."+name, slices.Clone(value), say)})
		case f.required:
			say(at+"."+name, "It must not be null.")
		case f.nullable():
			sets = append(sets, setting{f, nil})
		}
	}
	for _, f := range p.Fields {
		if f.required && !given[f] {
			say(at+"."+f.accepts[0], "It is required.")
		}
	}
	return sets
}
