package document

import (
	"reflect"
	"strings"
)

// Searched gives the text by which a document is found: its fields with a search tag.
func (p *Plan) Searched(v any) string {
	if len(p.Search) == 0 {
		return ""
	}
	var b strings.Builder
	doc := reflect.ValueOf(v).Elem()
	for _, f := range p.Search {
		switch text := doc.FieldByIndex(f.Index).Interface().(type) {
		case string:
			b.WriteString(text)
		case *string:
			if text != nil {
				b.WriteString(*text)
			}
		case []string:
			b.WriteString(strings.Join(text, "\n"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Searchable is about how many bytes searched gives.
func (p *Plan) Searchable(v any) (n int) {
	doc := reflect.ValueOf(v).Elem()
	for _, f := range p.Search {
		switch field := doc.FieldByIndex(f.Index); field.Kind() {
		case reflect.String:
			n += field.Len()
		case reflect.Pointer:
			if !field.IsNil() {
				n += field.Elem().Len()
			}
		case reflect.Slice:
			for i := range field.Len() {
				n += field.Index(i).Len()
			}
		}
	}
	return n
}
