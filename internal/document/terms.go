package document

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"groundwork/internal/store"
)

var (
	escapeTabs   = strings.NewReplacer("\\", "\\\\", "\t", "\\t")
	unescapeTabs = strings.NewReplacer("\\\\", "\\", "\\t", "\t")
)

// EscapeTabs writes a text so that tabs can separate terms.
func EscapeTabs(text string) string { return escapeTabs.Replace(text) }

// UnescapeTabs reads what EscapeTabs wrote.
func UnescapeTabs(text string) string { return unescapeTabs.Replace(text) }

// Terms gives the terms of a document by which lists are filtered and sorted, in the order of the fields.
func (p *Plan) Terms(v reflect.Value) []string {
	var out []string
	for _, f := range p.Fields {
		if f.Filter != "" {
			out = f.terms(out, v.FieldByIndex(f.Index))
		}
		if f.keyed() {
			if key, ok := f.key(v.FieldByIndex(f.Index)); ok {
				out = append(out, store.Key(f.Name, key))
			}
		}
	}
	return out
}

func (f *Field) terms(out []string, v reflect.Value) []string {
	add := func(value string) { out = append(out, f.Name+"="+value) }
	switch x := v.Interface().(type) {
	case string:
		add(x)
	case *string:
		switch {
		case x != nil:
			add(EscapeTabs(*x))
		case f.Exact:
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
		panic(fmt.Sprintf("resource: a list cannot be filtered by %s, a %s", f.Name, f.Type))
	}
	return out
}
