package document

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

func (f *Field) rules(text string) {
	f.accepts, f.most = []string{f.Name}, mostEntries
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
		case "uuid":
			f.uuid = true
		case "max":
			f.max = f.bound(rule, value)
		case "most":
			if f.most = f.bound(rule, value); !f.isList() {
				panic(fmt.Sprintf("resource: rule %q of %s, a %s", rule, f.Name, f.Type))
			}
		case "one":
			f.One = strings.Split(value, "|")
		case "as":
			f.accepts = strings.Split(value, "|")
		default:
			panic(fmt.Sprintf("resource: rule %q of %s", rule, f.Name))
		}
	}
}

// bound reads the number of a rule.
func (f *Field) bound(rule, value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		panic(fmt.Sprintf("resource: rule %q of %s", rule, f.Name))
	}
	return n
}

// isList tells whether the field is a list, or null.
func (f *Field) isList() bool {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Slice
}

// slotOf reads the slot of a collection.
func slotOf(f *Field, text string) int {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || f.Type != collectionType {
		panic(fmt.Sprintf("document: slot %q of %s, a %s", text, f.Name, f.Type))
	}
	return int(n)
}
