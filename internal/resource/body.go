package resource

import (
	"iter"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/document"
)

// Body reads the body of a plain function into a struct with write tags.
func Body[T any](c *api.Call) (v T, body api.Object, err error) {
	if body, err = c.Fields(); err != nil {
		return v, nil, err
	}
	return taken[T](body)
}

// OptionalBody is Body where nothing need be said: no body, or an empty object, is the zero value.
func OptionalBody[T any](c *api.Call) (v T, body api.Object, err error) {
	if body, err = c.Fields(); err != nil || len(body) == 0 {
		return v, body, err
	}
	return taken[T](body)
}

// members gives the names and values of a body.
func members(body api.Object) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for i := range body {
			if !yield(body[i].Name, body[i].Value) {
				return
			}
		}
	}
}

func taken[T any](body api.Object) (v T, _ api.Object, err error) {
	in, err := document.PlanOf(reflect.TypeFor[T]()).Parse(members(body), document.Reading{Create: true})
	if err != nil {
		return v, nil, err
	}
	return v, body, in.Apply(nil, &v)
}
