package document

import "github.com/go-json-experiment/json/jsontext"

// AppendText appends a text as JSON.
func AppendText(buf []byte, text string) []byte {
	buf, _ = jsontext.AppendQuote(buf, text) // the text was valid UTF-8 when it was stored
	return buf
}

// AppendAt appends what was rendered for an ordinal; null where there is nothing.
func AppendAt(buf []byte, rendered [][]byte, ordinal uint32) []byte {
	if ordinal == 0 || int(ordinal) > len(rendered) {
		return append(buf, "null"...)
	}
	return append(buf, rendered[ordinal-1]...)
}

// number reads digits.
func number(digits []byte) uint32 {
	var n uint32
	for _, d := range digits {
		n = n*10 + uint32(d-'0')
	}
	return n
}
