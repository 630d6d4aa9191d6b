package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckView holds that documents of a kind have the fields that a view reads out of them, in forms that fit. The error
// says which field does not.
func (p *Plan) CheckView(plural string, of *Plan) error {
	if at, wrong := p.misfit(plural, of); wrong != "" {
		return fmt.Errorf("the field %s of %s%s", at, plural, wrong)
	}
	return nil
}

// misfit finds the first field that a struct of another plan lacks, or has in a form that does not fit, and says what
// is wrong with it; within is the kind or field that the struct is of.
func (p *Plan) misfit(within string, of *Plan) (at, wrong string) {
	for _, f := range p.Fields {
		if f.of != nil && !slices.Contains(f.of, within) {
			continue
		}
		theirs := of.Find(f.Name)
		if theirs == nil {
			return f.Name, ", which they do not have"
		}
		if at, wrong := misfitType(f.Name, f.Type, theirs.Type); wrong != "" {
			return at, wrong
		}
	}
	return "", ""
}

// misfitType says why what is stored of a type cannot be read as another: it can be as the same type, or as a form of
// it with fewer fields or without null.
func misfitType(name string, as, of reflect.Type) (at, wrong string) {
	for as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case as == of || as == reflect.TypeFor[jsontext.Value]():
		return "", ""
	case reads(as) || reads(of) || as.Kind() != of.Kind():
		return name, fmt.Sprintf(", which is no %s but a %s", as, of)
	}
	switch as.Kind() {
	case reflect.Slice:
		return misfitType(name, as.Elem(), of.Elem())
	case reflect.Struct:
		if at, wrong = PlanOf(as).misfit(name, PlanOf(of)); wrong != "" {
			at = name + "." + at
		}
		return at, wrong
	default:
		return "", ""
	}
}

// reads tells whether values of a type read themselves: what one stores no other understands.
func reads(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}
