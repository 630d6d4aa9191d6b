package document

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

func sortableOf(tag reflect.StructTag) (s sortable) {
	_, s.Sort = tag.Lookup("sort")
	s.Below, s.From, s.To = tag.Get("below"), tag.Get("from"), tag.Get("to")
	return s
}

// key gives the value that a list is sorted by; ok is false where it is blank.
func (f *Field) key(v reflect.Value) (key int64, ok bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return 0, false
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case Time:
		return int64(x), true
	case Date:
		return x.key(), true
	default:
		panic(fmt.Sprintf("resource: a list cannot be sorted by %s, a %s", f.Name, f.Type))
	}
}

// key is a number that grows with the day.
func (d Date) key() int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(string(d), "-", ""), 10, 64) // it was parsed when it was given
	return n
}

// Bound reads a value to compare with the field's keys.
func (f *Field) Bound(text string) (key int64, problem string) {
	if f.IsDate() {
		if d, ok := parseDate(text); ok {
			return d.key(), ""
		}
		return 0, "It must be a date such as 2026-03-31."
	}
	if micros, ok := ParseMoment(strings.ReplaceAll(text, " ", "+")); ok {
		return micros, ""
	}
	return 0, "It must be a time such as 2026-03-31T16:00:00Z."
}

// checkSorts stops the program at a tag that makes no sense.
func (f *Field) checkSorts() {
	if f.keyed() {
		f.key(reflect.Zero(f.Type))
		if t := f.Type; t.Kind() == reflect.Pointer {
			f.key(reflect.New(t.Elem()).Elem())
		}
	}
}
