package document

import (
	"cmp"
	"reflect"
	"slices"
)

// Diff gives the fields that differ as {"field": [old, new]} in their stored forms, in order of their names; nil where
// none does.
func (p *Plan) Diff(old, now reflect.Value) (_ []byte, err error) {
	var differ []*Field
	for _, f := range p.stored {
		if !same(old.FieldByIndex(f.Index), now.FieldByIndex(f.Index)) {
			differ = append(differ, f)
		}
	}
	if differ == nil {
		return nil, nil
	}
	slices.SortFunc(differ, func(a, b *Field) int { return cmp.Compare(a.Name, b.Name) })
	buf := make([]byte, 0, 128)
	for i, f := range differ {
		buf = append(append(append(buf, "{,"[min(i, 1)]), f.begins...), '[')
		if buf, err = f.shape.write(buf, old.FieldByIndex(f.Index)); err != nil {
			return nil, err
		}
		if buf, err = f.shape.write(append(buf, ','), now.FieldByIndex(f.Index)); err != nil {
			return nil, err
		}
		buf = append(buf, ']')
	}
	return append(buf, '}'), nil
}

// same tells whether two values are equal. It needs no memory for what most fields are.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Bool, reflect.String, reflect.Int64, reflect.Uint8, reflect.Uint32:
		return a.Equal(b)
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || reflect.DeepEqual(a.Interface(), b.Interface())
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}

// Same tells whether two documents have the same fields, closed_at and the like included.
func Same[T any](a, b *T) bool { return reflect.DeepEqual(a, b) }
