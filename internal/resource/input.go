package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// input is a body that was read against a plan: which fields are set to what.
type input struct {
	sets []setting
}

type setting struct {
	field *field
	value any // nil clears
}

// mostProblems bounds the answer to a body full of mistakes: each is answered with a sentence, in two places.
const mostProblems = 50

// parse reads a body. On create, required fields must be there; a uid equal to own is tolerated.
func (p *plan) parse(body api.Object, create bool, own string) (*input, error) {
	problems := map[string]string{}
	in := &input{}
	seen := map[*field]string{}
	if len(body) == 0 {
		problems[fault.General] = "The body must be a JSON object with at least one field."
	}
	for _, m := range body {
		if len(problems) >= mostProblems {
			problems[fault.General] = "There is more that is not valid; only the first problems are listed."
			break
		}
		f := p.input[m.Name]
		if f == nil || (f.create && !create) {
			if m.Name == "uid" && own != "" && string(m.Value) == `"`+own+`"` {
				continue
			}
			problems[m.Name] = p.unknown(m.Name, create)
			continue
		}
		if other, twice := seen[f]; twice {
			problems[m.Name] = "It says the same as " + other + ". Send only one of them."
			continue
		}
		seen[f] = m.Name
		if string(m.Value) == "null" {
			switch {
			case create && f.required:
				problems[m.Name] = "It must not be null."
			case f.nullable() && !f.solid:
				in.sets = append(in.sets, setting{f, nil})
			}
			continue
		}
		value := f.read(m.Name, m.Value, func(at, problem string) {
			if len(problems) < mostProblems {
				problems[at] = problem
			}
		})
		in.sets = append(in.sets, setting{f, value})
	}
	if create {
		for _, f := range p.fields {
			if _, given := seen[f]; f.required && !given {
				problems[f.accepts[0]] = "It is required."
			}
		}
	}
	if err := fault.Fields(problems); err != nil {
		return nil, err
	}
	return in, nil
}

// unknown says why a field is refused, and what would be taken.
func (p *plan) unknown(name string, create bool) string {
	for _, f := range p.fields {
		if f.name == name && !f.hidden {
			return "The service sets it; it cannot be written."
		}
	}
	var names []string
	for _, f := range p.fields {
		if create || !f.create {
			names = append(names, f.accepts...)
		}
	}
	return fmt.Sprintf("There is no such field. The fields are %s.", strings.Join(names, ", "))
}

// gives tells whether the body has the field of this name, not null.
func (in *input) gives(name string) bool {
	return in != nil && slices.ContainsFunc(in.sets, func(s setting) bool { return s.field.name == name && s.value != nil })
}

// apply puts the input into the struct that v points to.
func (in *input) apply(tx *Tx, v any) error {
	dst := reflect.ValueOf(v).Elem()
	for _, s := range in.sets {
		if err := s.field.codec.set(tx, s.field, dst.FieldByIndex(s.field.index), s.value); err != nil {
			return err
		}
	}
	return nil
}

// plans are the plans of body types, by type.
var plans sync.Map

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*plan)
}

// Body reads the body of a plain function into a struct with write tags.
func Body[T any](c *api.Call) (v T, body api.Object, err error) {
	if body, err = c.Fields(); err != nil {
		return v, nil, err
	}
	return taken[T](body)
}

// Wishes is Body where nothing need be said: no body, or an empty object, is the zero value.
func Wishes[T any](c *api.Call) (v T, body api.Object, err error) {
	if body, err = c.Fields(); err != nil || len(body) == 0 {
		return v, body, err
	}
	return taken[T](body)
}

func taken[T any](body api.Object) (v T, _ api.Object, err error) {
	in, err := planOf(reflect.TypeFor[T]()).parse(body, true, "")
	if err != nil {
		return v, nil, err
	}
	return v, body, in.apply(nil, &v)
}
