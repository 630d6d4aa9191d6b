package api

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// mostDepth is how deep arrays and objects may be nested.
const mostDepth = 32

// checkJSON tells whether b is one JSON value under the strict rules: fault.Invalid, with what is wrong and where.
func checkJSON(b []byte) error {
	if tooDeep(b) {
		return badBody("The body is nested deeper than %d levels.", mostDepth)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if _, err := d.ReadValue(); err != nil {
		return malformed(err)
	}
	return atEnd(d)
}

// parseObject reads one JSON object under the strict rules; its values share b's memory.
func parseObject(b []byte) (Object, error) {
	if tooDeep(b) {
		return nil, badBody("The body is nested deeper than %d levels.", mostDepth)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if kind := d.PeekKind(); kind != '{' && kind != 0 {
		// What is no JSON at all is told so, rather than that it is no object.
		if err := checkJSON(b); err != nil {
			return nil, err
		}
		return nil, badBody("The body must be a JSON object.")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, malformed(err)
	}
	var o Object
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, malformed(err)
		}
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, malformed(err)
		}
		end := int(d.InputOffset())
		o = append(o, Field{text, b[end-len(value) : end : end]})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, malformed(err)
	}
	return o, atEnd(d)
}

// parseArray reads one JSON array that checkJSON has passed; ok is false for any other value.
func parseArray(b []byte) (elements []jsontext.Value, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(b))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return nil, false
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		end := int(d.InputOffset())
		elements = append(elements, b[end-len(value):end:end])
	}
	return elements, true
}

func atEnd(d *jsontext.Decoder) error {
	end := d.InputOffset()
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return badBody("The body goes on after its JSON value, at byte %d.", end)
	}
	return nil
}

func malformed(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return badBody("The body has the name %s twice in one object (%s).", clip(syntax.JSONPointer.LastToken()),
			clip(string(syntax.JSONPointer)))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return badBody("The body is not valid JSON: it ends too early.")
	case errors.As(err, &syntax):
		return badBody("The body is not valid JSON in UTF-8, at byte %d.", syntax.ByteOffset)
	default:
		return badBody("The body is not valid JSON.")
	}
}

// tooDeep counts brackets outside of strings: enough to refuse a body before anything recurses into it.
func tooDeep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > mostDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// Object is a JSON object with its fields in the order sent; no name is there twice.
type Object []Field

// Field is one field of an Object. Its value is valid JSON and stays valid after the call.
type Field struct {
	Name  string
	Value jsontext.Value
}

// Get gives the value of a field.
func (o Object) Get(name string) (jsontext.Value, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

func badBody(format string, args ...any) *fault.Error {
	return fault.Field(fault.General, format, args...)
}
