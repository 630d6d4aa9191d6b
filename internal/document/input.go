package document

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// Input is a body that was read against a plan: which fields are set to what.
type Input struct {
	sets []setting
	UID  string // that the client chose for a new record; "" leaves the choice to the service
}

// mostProblems bounds the answer to a body full of mistakes: each is answered with a sentence, in two places.
const mostProblems = 50

// Reading says how a body is read against a plan.
type Reading struct {
	Create bool   // required fields must be there
	Choose bool   // the body may choose the new record's uid
	Own    string // the uid in the path, which the body may repeat
	// Form are the names of all fields of a whole form: in a body that names them all, null means not given.
	Form []string
}

// chosenUID reads the uid that a client chooses.
var chosenUID = &Field{Name: "uid", Type: textType, uuid: true, codec: codec{parse: parseUUID}}

// Parse reads a body, given as its names and values: fault.Invalid says what is wrong with each.
func (p *Plan) Parse(body iter.Seq2[string, jsontext.Value], how Reading) (*Input, error) {
	create, own := how.Create, how.Own
	problems := map[string]string{}
	in := &Input{}
	seen := map[*Field]string{}
	empty := true
	for name, given := range body {
		empty = false
		if len(problems) >= mostProblems {
			problems[fault.General] = "There is more that is not valid; only the first problems are listed."
			break
		}
		f := p.input[name]
		if name == chosenUID.Name && how.Choose {
			uid, problem := chosenUID.codec.parse(chosenUID, given)
			if in.UID, _ = uid.(string); problem != "" && string(given) != "null" {
				problems[name] = problem
			}
			continue
		}
		if f == nil || (f.create && !create) {
			if name == "uid" && own != "" && string(given) == `"`+own+`"` {
				continue
			}
			problems[name] = p.unknown(name, how)
			continue
		}
		if other, twice := seen[f]; twice {
			problems[name] = "It says the same as " + other + ". Send only one of them."
			continue
		}
		seen[f] = name
		if string(given) == "null" {
			switch {
			case create && f.required:
				problems[name] = "It must not be null."
			case f.nullable() && !f.solid:
				in.sets = append(in.sets, setting{f, nil})
			}
			continue
		}
		value := f.read(name, given, func(at, problem string) {
			if len(problems) < mostProblems {
				problems[at] = problem
			}
		})
		in.sets = append(in.sets, setting{f, value})
	}
	if empty {
		problems[fault.General] = "The body must be a JSON object with at least one field."
	}
	if create {
		for _, f := range p.Fields {
			if _, given := seen[f]; f.required && !given {
				problems[f.accepts[0]] = "It is required."
			}
		}
	}
	if err := fault.Fields(problems); err != nil {
		return nil, err
	}
	missing := func(name string) bool { return seen[p.input[name]] == "" }
	if len(how.Form) > 0 && !slices.ContainsFunc(how.Form, missing) {
		in.sets = slices.DeleteFunc(in.sets, func(s setting) bool { return s.value == nil })
	}
	return in, nil
}

// unknown says why a field is refused, and what would be taken.
func (p *Plan) unknown(name string, how Reading) string {
	if f := p.input[name]; f != nil && f.create && !f.hidden && !how.Create {
		return "It is given when the record is made and cannot be changed."
	}
	for _, f := range p.Fields {
		if f.Name == name && !f.hidden {
			return "The service sets it; it cannot be written."
		}
	}
	var names []string
	for _, f := range p.Fields {
		if how.Create || !f.create {
			names = append(names, f.accepts...)
		}
	}
	if how.Choose {
		names = append(names, chosenUID.Name)
	}
	return fmt.Sprintf("There is no such field. The fields are %s.", strings.Join(names, ", "))
}

// Gives tells whether the body has the field of this name, not null.
func (in *Input) Gives(name string) bool {
	return in != nil && slices.ContainsFunc(in.sets, func(s setting) bool {
		return s.field.Name == name && s.value != nil
	})
}

// Apply puts the input into the struct that v points to.
func (in *Input) Apply(refs References, v any) error {
	dst := reflect.ValueOf(v).Elem()
	for _, s := range in.sets {
		if err := s.field.codec.set(refs, s.field, dst.FieldByIndex(s.field.Index), s.value); err != nil {
			return err
		}
	}
	return nil
}

// Text is the text that the body gives for the only field of a plan.
func (in *Input) Text() string { return in.sets[0].value.(string) }
