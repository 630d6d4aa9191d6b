package packet

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// deepest is how far objects may lie inside each other.
const deepest = 200

// left are the entries that say nothing about how something looks, and may lead to all of the source.
var left = map[string]bool{
	"PieceInfo": true, "Metadata": true, "StructParent": true, "StructParents": true, "OPI": true,
}

// object writes what o is in the packet: what it refers to is written first.
func (b *binder) object(s *source, o types.Object, depth int) (string, error) {
	if depth > deepest {
		return "", &readError{errors.New("its objects lie too deep inside each other")}
	}
	switch o := o.(type) {
	case nil:
		return "null", nil
	case types.IndirectRef:
		n, err := b.referred(s, o, depth)
		if err != nil || n == 0 {
			return "null", err
		}
		return fmt.Sprintf("%d 0 R", n), nil
	case types.Dict:
		return b.dict(s, o, depth, nil)
	case types.Array:
		var out strings.Builder
		out.WriteByte('[')
		for _, e := range o {
			text, err := b.object(s, e, depth+1)
			if err != nil {
				return "", err
			}
			out.WriteString(text)
			out.WriteByte(' ')
		}
		out.WriteByte(']')
		return out.String(), nil
	case types.Name, types.StringLiteral, types.HexLiteral, types.Integer, types.Float, types.Boolean:
		return o.PDFString(), nil
	}
	return "", &readError{fmt.Errorf("it has an object of the kind %T", o)}
}

// dict writes a dictionary, with some entries in other words.
func (b *binder) dict(s *source, d types.Dict, depth int, instead map[string]string) (string, error) {
	var out strings.Builder
	out.WriteString("<<")
	for _, key := range slices.Sorted(maps.Keys(d)) {
		if left[key] || instead[key] != "" {
			continue
		}
		text, err := b.object(s, d[key], depth+1)
		if err != nil {
			return "", err
		}
		out.WriteString("/" + types.EncodeName(key) + " " + text)
	}
	for _, key := range slices.Sorted(maps.Keys(instead)) {
		out.WriteString("/" + key + " " + instead[key])
	}
	out.WriteString(">>")
	return out.String(), nil
}

// referred gives the number in the packet of an object of the source; 0 of one that is not there, or that is a page of
// the source: those do not come along.
func (b *binder) referred(s *source, ref types.IndirectRef, depth int) (int, error) {
	own := ref.ObjectNumber.Value()
	if n, have := s.copied[own]; have {
		return n, nil
	}
	if s.open[own] { // it leads to itself: it has a number before it is written
		s.copied[own] = b.reserve(1)[0]
		return s.copied[own], nil
	}
	o, err := s.ctx.Dereference(ref)
	if err != nil {
		return 0, &readError{err}
	}
	if d, is := o.(types.Dict); o == nil ||
		is && d.Type() != nil && (*d.Type() == "Page" || *d.Type() == "Pages" || *d.Type() == "Catalog") {
		s.copied[own] = 0
		return 0, nil
	}
	s.open[own] = true
	body, err := b.body(s, o, depth)
	delete(s.open, own)
	if err != nil {
		return 0, err
	}
	if n, reserved := s.copied[own]; reserved {
		return n, b.writeBody(n, body)
	}
	s.copied[own], err = b.put(body)
	return s.copied[own], err
}

// body writes an object that stands alone.
func (b *binder) body(s *source, o types.Object, depth int) (body, error) {
	var sd types.StreamDict
	switch o := o.(type) {
	case types.StreamDict:
		sd = o
	case *types.StreamDict:
		sd = *o
	default:
		text, err := b.object(s, o, depth+1)
		return body{text: text}, err
	}
	if sd.Raw == nil && sd.Content != nil {
		if err := sd.Encode(); err != nil {
			return body{}, &readError{err}
		}
	}
	head, err := b.dict(s, sd.Dict, depth+1, map[string]string{"Length": fmt.Sprint(len(sd.Raw))})
	if err != nil {
		return body{}, err
	}
	return body{head, true, sd.Raw}, nil
}
