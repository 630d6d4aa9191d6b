package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// readCSV reads a text whose lines are rows, in whatever of the usual encodings, with whatever of the usual separators.
func (b *bounds) readCSV(raw []byte) (t Table, err error) {
	text, note, err := decode(raw)
	if err != nil {
		return t, err
	}
	if note != "" {
		t.Notes = append(t.Notes, note)
	}
	head := strings.ToLower(strings.TrimSpace(text[:min(len(text), 200)]))
	if strings.HasPrefix(head, "<!doctype") || strings.HasPrefix(head, "<html") || strings.HasPrefix(head, "<?xml") {
		return t, errors.New("it is a web page, not a table. Was the export begun by somebody who is signed in?")
	}
	if strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[{") {
		return t, errors.New("it is JSON, not CSV")
	}
	skipped := 0
	separator := separatorOf(text)
	if first, rest, found := strings.Cut(text, "\n"); found && strings.HasPrefix(strings.ToLower(first), "sep=") {
		if said := strings.TrimRight(first[len("sep="):], "\r"); len(said) == 1 {
			separator, text, skipped = rune(said[0]), rest, 1
		}
	}
	if line := b.tooWide(text, byte(separator)); line > 0 {
		return t, fmt.Errorf("row %d has more than %d cells; a table may have at most %d columns", line+skipped,
			b.separators, b.columns)
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = separator, -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return t, fmt.Errorf("it is no CSV: a quote in line %d is not closed, or stands inside a text without quotes",
				wrong.Line+skipped)
		}
		if err != nil {
			return t, err
		}
		line, _ := r.FieldPos(0)
		if err := b.add(&t, line+skipped, cells); err != nil {
			return t, err
		}
	}
	if len(t.Rows) == 0 {
		return t, errors.New("it is empty")
	}
	return t, nil
}

// tooWide finds the line of a row that has more separators than any may have; 0 where none has. It is asked before rows
// are taken apart: each cell, also a blank one, takes more memory than its separator.
func (b *bounds) tooWide(text string, separator byte) int {
	line, begins, n, quoted := 1, 1, 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			if line++; !quoted {
				begins, n = line, 0
			}
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			if n++; n > b.separators {
				return begins
			}
		}
	}
	return 0
}

// separatorOf finds what stands between the cells: whatever of the usual ones is most often in the first line that has
// one, outside of quotes.
func separatorOf(text string) rune {
	const candidates = ",;\t|"
	var counts [len(candidates)]int
	quoted := false
	for _, c := range text[:min(len(text), 1<<16)] {
		switch at := strings.IndexRune(candidates, c); {
		case c == '"':
			quoted = !quoted
		case quoted:
		case at >= 0:
			counts[at]++
		case c == '\n':
			if best := most(counts[:]); counts[best] > 0 {
				return rune(candidates[best])
			}
		}
	}
	return rune(candidates[most(counts[:])])
}

func most(counts []int) (best int) {
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return best
}

var errNoText = errors.New("it is no CSV: there are bytes in it that no text has")

// decode gives the text of a file: UTF-8 or UTF-16, with or without a mark at its beginning, or else Windows-1252.
func decode(raw []byte) (text, note string, err error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		raw = raw[3:]
		if !utf8.Valid(raw) {
			return "", "", errors.New("it says that it is UTF-8, and is not")
		}
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return wide(raw[2:], 0)
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return wide(raw[2:], 1)
	case len(raw) >= 4 && raw[1] == 0 && raw[3] == 0 && raw[0] != 0:
		return wide(raw, 0)
	case len(raw) >= 4 && raw[0] == 0 && raw[2] == 0 && raw[1] != 0:
		return wide(raw, 1)
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return "", "", errNoText
	}
	if utf8.Valid(raw) {
		return string(raw), "", nil
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(raw)
	if err != nil {
		return "", "", errNoText
	}
	for _, c := range string(decoded) {
		if c == utf8.RuneError || c >= 0x80 && c < 0xa0 || c < 0x20 && c != '\t' && c != '\n' && c != '\r' {
			return "", "", errNoText
		}
	}
	return string(decoded), "It is not UTF-8 and was read as Windows-1252: look whether letters with accents are right.", nil
}

// wide decodes UTF-16: bigEndian is 1 where the high byte of each unit comes first.
func wide(raw []byte, bigEndian int) (string, string, error) {
	if len(raw)%2 != 0 {
		return "", "", errors.New("it is UTF-16 that was cut short")
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		low, high := raw[2*i+bigEndian], raw[2*i+1-bigEndian]
		units[i] = uint16(high)<<8 | uint16(low)
	}
	text := string(utf16.Decode(units))
	if strings.ContainsRune(text, 0) || strings.ContainsRune(text, utf8.RuneError) {
		return "", "", errNoText
	}
	return text, "", nil
}
