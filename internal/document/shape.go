package document

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	library "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func shapeOf(t reflect.Type) shape {
	f := shapeByKind(t)
	if t.Kind() == reflect.Pointer {
		return f
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		f.write = func(buf []byte, v reflect.Value) ([]byte, error) {
			text, err := v.Interface().(json.Marshaler).MarshalJSON()
			return append(buf, text...), err
		}
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		f.read = func(text []byte, v reflect.Value) bool {
			return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text) == nil
		}
	}
	return f
}

func shapeByKind(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.String:
		return shape{writeString, readString}
	case reflect.Bool:
		return shape{
			func(buf []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(buf, v.Bool()), nil },
			func(text []byte, v reflect.Value) bool {
				v.SetBool(string(text) == "true")
				return v.Bool() || string(text) == "false"
			},
		}
	case reflect.Int64:
		return shape{
			func(buf []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(buf, v.Int(), 10), nil },
			func(text []byte, v reflect.Value) bool {
				n, err := strconv.ParseInt(string(text), 10, 64)
				v.SetInt(n)
				return err == nil
			},
		}
	case reflect.Pointer:
		return pointerShape(t)
	case reflect.Slice:
		return sliceShape(t)
	case reflect.Struct:
		if p := PlanOf(t); p.complete() {
			return shape{p.Write, p.Read}
		}
	default:
	}
	return shape{
		func(buf []byte, v reflect.Value) ([]byte, error) {
			text, err := library.Marshal(v.Interface(), library.Deterministic(true))
			return append(buf, text...), err
		},
		func(text []byte, v reflect.Value) bool { return library.Unmarshal(text, v.Addr().Interface()) == nil },
	}
}

func writeString(buf []byte, v reflect.Value) ([]byte, error) {
	return jsontext.AppendQuote(buf, v.String())
}

func readString(text []byte, v reflect.Value) bool {
	if len(text) < 2 || text[0] != '"' {
		return false
	}
	if bytes.IndexByte(text, '\\') < 0 {
		v.SetString(string(text[1 : len(text)-1]))
		return true
	}
	s, err := jsontext.AppendUnquote(nil, text)
	v.SetString(string(s))
	return err == nil
}

func pointerShape(t reflect.Type) shape {
	to := shapeOf(t.Elem())
	return shape{
		func(buf []byte, v reflect.Value) ([]byte, error) {
			if v.IsNil() {
				return append(buf, "null"...), nil
			}
			return to.write(buf, v.Elem())
		},
		func(text []byte, v reflect.Value) bool {
			if string(text) == "null" {
				v.SetZero()
				return true
			}
			v.Set(reflect.New(t.Elem()))
			return to.read(text, v.Elem())
		},
	}
}

func sliceShape(t reflect.Type) shape {
	of := shapeOf(t.Elem())
	return shape{
		func(buf []byte, v reflect.Value) (_ []byte, err error) {
			buf = append(buf, '[')
			for i := range v.Len() {
				if i > 0 {
					buf = append(buf, ',')
				}
				if buf, err = of.write(buf, v.Index(i)); err != nil {
					return nil, err
				}
			}
			return append(buf, ']'), nil
		},
		func(text []byte, v reflect.Value) bool {
			if string(text) == "null" {
				v.SetZero()
				return true
			}
			v.Set(reflect.MakeSlice(t, 0, 0))
			return values(text, '[', func(text []byte) int {
				end := valueEnd(text)
				v.Grow(1)
				v.SetLen(v.Len() + 1)
				if !of.read(text[:end], v.Index(v.Len()-1)) {
					return 0
				}
				return end
			})
		},
	}
}

// complete tells whether the plan has all that the library would write of the struct.
func (p *Plan) complete() bool {
	for _, sf := range reflect.VisibleFields(p.Type) {
		if tag := sf.Tag.Get("json"); !sf.Anonymous && (tag == "" || strings.Contains(tag, ",") && tag != embedded) {
			return false
		}
	}
	return true
}

// Write appends the document of v.
func (p *Plan) Write(buf []byte, v reflect.Value) (_ []byte, err error) {
	if p.later != nil && v.FieldByIndex(p.later).Len() > 0 {
		text, err := library.Marshal(v.Addr().Interface(), library.Deterministic(true))
		return append(buf, text...), err
	}
	buf = append(buf, '{')
	for i, f := range p.stored {
		if i > 0 {
			buf = append(buf, ',')
		}
		if buf, err = f.shape.write(append(buf, f.begins...), v.FieldByIndex(f.Index)); err != nil {
			return nil, err
		}
	}
	return append(buf, '}'), nil
}

// Read reads a document whose fields stand in their order; some may be missing.
func (p *Plan) Read(doc []byte, v reflect.Value) bool {
	next := 0
	return values(doc, '{', func(text []byte) int {
		for next < len(p.stored) && !bytes.HasPrefix(text, p.stored[next].begins) {
			next++
		}
		if next == len(p.stored) {
			return 0
		}
		f := p.stored[next]
		next++
		end := len(f.begins) + valueEnd(text[len(f.begins):])
		if !f.shape.read(text[len(f.begins):end], v.FieldByIndex(f.Index)) {
			return 0
		}
		return end
	})
}

// values calls each at every value of an array, or at every member of an object; each tells how long that is, and 0
// when it does not know it. Nothing but commas may stand between them.
func values(text []byte, opens byte, each func(text []byte) int) bool {
	if len(text) < 2 || text[0] != opens || text[len(text)-1] != opens+2 {
		return false
	}
	for text = text[1:]; len(text) > 1; {
		n := each(text)
		if n == 0 || n >= len(text) || text[n] != ',' && n != len(text)-1 {
			return false
		}
		text = text[n+1:]
		if len(text) == 1 {
			return false // a comma at the end
		}
	}
	return true
}

// valueEnd is the length of the value at the beginning of a text.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i++
			for i < len(text) && text[i] != '"' {
				if text[i] == '\\' {
					i++
				}
				i++
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
