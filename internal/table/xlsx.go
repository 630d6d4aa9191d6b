package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// book is a spreadsheet that is being read.
type book struct {
	*bounds
	parts   map[string]*zip.File
	shared  []string
	dates   []bool // by style: whether its numbers are days
	since04 bool   // days are counted from 1904
	left    int64  // how many bytes may still be unpacked
	notes   []string
}

// readXLSX reads the sheets that people see, in their order. Formulas are not evaluated: what the program that wrote
// them has noted as their value is taken.
func (b *bounds) readXLSX(raw []byte) (all []Table, err error) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, errors.New("it is no spreadsheet: it was cut short or damaged")
	}
	if len(z.File) > b.parts {
		return nil, fmt.Errorf("it has %d parts; a spreadsheet may have at most %d", len(z.File), b.parts)
	}
	k := &book{bounds: b, parts: map[string]*zip.File{}, left: b.unpacked}
	for _, f := range z.File {
		k.parts[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	if k.parts["xl/workbook.xml"] == nil {
		if k.parts["manifest.json"] != nil {
			return nil, errors.New("it is the archive of a project. Give it without the options for files of other services")
		}
		return nil, errors.New("it is a ZIP file and no spreadsheet (XLSX)")
	}
	sheets, err := k.sheets()
	if err != nil {
		return nil, err
	}
	if err := k.readShared(); err != nil {
		return nil, err
	}
	if err := k.readStyles(); err != nil {
		return nil, err
	}
	for _, s := range sheets {
		t := Table{Name: s.name, Notes: slices.Clone(k.notes)}
		if err := k.readSheet(s.part, &t); err != nil {
			return nil, err
		}
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		why := strings.Join(append([]string{"it has no sheet with anything in it."}, k.notes...), " ")
		return nil, errors.New(strings.TrimSuffix(why, "."))
	}
	return all, nil
}

type part struct{ name, part string }

// sheets finds the sheets that people see, and notes the others.
func (k *book) sheets() (all []part, err error) {
	targets := map[string]string{}
	err = k.each("xl/_rels/workbook.xml.rels", func(d *partReader, e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			targets[attribute(e, "Id")] = attribute(e, "Target")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = k.each("xl/workbook.xml", func(d *partReader, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			k.since04 = truth(attribute(e, "date1904"))
		case "sheet":
			if len(all)+len(k.notes) >= k.bounds.sheets {
				return told{fmt.Errorf("it has more than %d sheets", k.bounds.sheets)}
			}
			called, target := attribute(e, "name"), targets[attribute(e, "id")]
			name := strings.TrimPrefix(target, "/")
			if !strings.HasPrefix(target, "/") {
				name = path.Join("xl", target)
			}
			switch state := attribute(e, "state"); {
			case state == "hidden" || state == "veryHidden":
				k.notes = append(k.notes, fmt.Sprintf("The sheet %q was left out: it is hidden.", called))
			case target == "" || k.parts[strings.ToLower(name)] == nil:
				k.notes = append(k.notes, fmt.Sprintf("The sheet %q was left out: it is not in the file.", called))
			default:
				all = append(all, part{called, name})
			}
		}
		return nil
	})
	return all, err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func truth(text string) bool { return text == "1" || text == "true" }

// textIn reads the text of an element that may have several runs; how they are pronounced is no part of it.
func (k *book) textIn(d *partReader) (string, error) {
	var text strings.Builder
	taking, depth := false, 0
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "rPh" {
				if err := d.Skip(); err != nil {
					return "", err
				}
				continue
			}
			depth++
			taking = e.Name.Local == "t"
		case xml.EndElement:
			if depth == 0 {
				return unescaped(text.String()), nil
			}
			depth--
			taking = false
		case xml.CharData:
			if taking {
				if text.Len()+len(e) > k.cell {
					return "", told{fmt.Errorf("it has a cell of more than %d KB", k.cell>>10)}
				}
				text.Write(e)
			}
		}
	}
}

// escaped is how a spreadsheet writes what XML cannot have, such as _x000D_ for the end of a line.
var escaped = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escaped.ReplaceAllStringFunc(text, func(code string) string {
		n, err := strconv.ParseUint(code[2:6], 16, 16)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return code
		}
		return string(rune(n))
	})
}

func (k *book) readShared() error {
	return k.each("xl/sharedStrings.xml", func(d *partReader, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		if len(k.shared) >= k.cells {
			return told{fmt.Errorf("it has more than %d texts", k.cells)}
		}
		text, err := k.textIn(d)
		k.shared = append(k.shared, text)
		return err
	})
}

// readStyles finds out which styles show numbers as days.
func (k *book) readStyles() error {
	formats := map[string]string{}
	inCells := false
	return k.each("xl/styles.xml", func(d *partReader, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			formats[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs":
			inCells = true
		case "cellStyles", "cellStyleXfs", "dxfs":
			inCells = false
		case "xf":
			if !inCells {
				break
			}
			if len(k.dates) >= 1<<16 {
				return told{errors.New("it has more styles than a spreadsheet may have")}
			}
			id := attribute(e, "numFmtId")
			n, _ := strconv.Atoi(id)
			usual := n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
			k.dates = append(k.dates, usual || showsDays(formats[id]))
		}
		return nil
	})
}

// showsDays tells whether a format is one of days or hours: it has their letters outside of quotes and brackets.
func showsDays(format string) bool {
	quoted, bracketed, escaped := false, false, false
	for _, c := range strings.ToLower(format) {
		switch {
		case escaped:
			escaped = false
		case c == '\\' || c == '_' || c == '*':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == '[':
			bracketed = true
		case c == ']':
			bracketed = false
		case !quoted && !bracketed && strings.ContainsRune("ymdhs", c):
			return true
		}
	}
	return false
}
