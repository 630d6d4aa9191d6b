package document

import (
	"bytes"
	"errors"
)

// Replace copies a stored document, or a part of one, with something else in place of each of its placeholders: with
// appends what, for its letter and its value, which is a number or a quoted text.
func Replace(buf, doc []byte, with func(buf []byte, letter byte, value []byte) ([]byte, error)) ([]byte, error) {
	at := 0
	for begin, end := nextPlaceholder(doc, 0); end > 0; begin, end = nextPlaceholder(doc, at) {
		buf = append(buf, doc[at:begin]...)
		var err error
		if buf, err = with(buf, doc[begin+letterAt], doc[begin+valueAt:end-1]); err != nil {
			return nil, err
		}
		at = end
	}
	return append(buf, doc[at:]...), nil
}

// ErrForm says that something which should be a placeholder is none.
var ErrForm = errors.New("it has an object that begins with ~ and is no placeholder")

// ReplaceNamed is Replace for valid, compact JSON that comes from elsewhere, whose placeholders have names of any
// length: {"~person":"…"}. What is none is refused. A value is a number, or a quoted text without escapes.
func ReplaceNamed(buf, doc []byte, with func(buf []byte, name string, value []byte) ([]byte, error)) ([]byte, error) {
	const opening = `{"~`
	at := 0
	for {
		next := bytes.Index(doc[at:], []byte(opening))
		if next < 0 {
			return append(buf, doc[at:]...), nil
		}
		begin := at + next
		buf = append(buf, doc[at:begin]...)
		rest := doc[begin+len(opening):]
		quote := bytes.IndexByte(rest, '"')
		if quote <= 0 || quote+2 >= len(rest) || rest[quote+1] != ':' || bytes.IndexByte(rest[:quote], '\\') >= 0 {
			return nil, ErrForm
		}
		value := rest[quote+2:]
		end := plainValue(value)
		if end == 0 || end >= len(value) || value[end] != '}' {
			return nil, ErrForm
		}
		var err error
		if buf, err = with(buf, string(rest[:quote]), value[:end]); err != nil {
			return nil, err
		}
		at = begin + len(opening) + quote + 2 + end + 1
	}
}

// plainValue is how long the number or the text without escapes is that a text begins with; 0 where it does not.
func plainValue(text []byte) int {
	if len(text) > 0 && text[0] == '"' {
		end := bytes.IndexByte(text[1:], '"')
		if end < 0 || bytes.IndexByte(text[1:1+end], '\\') >= 0 || bytes.IndexByte(text[1:1+end], '}') >= 0 {
			return 0
		}
		return end + 2
	}
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
