package table

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// readSheet reads the rows of a sheet.
func (k *book) readSheet(name string, t *Table) error {
	line, uncounted := 0, 0
	err := k.each(name, func(d *partReader, e xml.StartElement) error {
		if e.Name.Local != "row" {
			return nil
		}
		if n, err := strconv.Atoi(attribute(e, "r")); err == nil {
			line = n
		} else {
			line++
		}
		cells, without, err := k.readRow(d, line)
		uncounted += without
		if err != nil {
			return err
		}
		if err := k.add(t, line, cells); err != nil {
			return told{err}
		}
		return nil
	})
	if uncounted > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf(
			"%d cells of the sheet %s have a formula without its value, and were read as blank. Open the file in a spreadsheet program, save it and import it again.", uncounted, t.Name))
	}
	return err
}

// readRow reads the cells of a row up to its end. without counts formulas that nobody has evaluated.
func (k *book) readRow(d *partReader, line int) (cells []string, without int, err error) {
	for {
		token, err := d.Token()
		if err != nil {
			return nil, without, err
		}
		switch e := token.(type) {
		case xml.EndElement:
			return cells, without, nil
		case xml.StartElement:
			if e.Name.Local != "c" {
				if err := d.Skip(); err != nil {
					return nil, without, err
				}
				continue
			}
			column := len(cells)
			if r := attribute(e, "r"); r != "" {
				if column = columnOf(r); column < 0 {
					return nil, without, told{fmt.Errorf("row %d has a cell at %q, which is no place", line, r)}
				}
			}
			text, blank, err := k.readCell(d, e)
			if err != nil {
				return nil, without, err
			}
			if column >= k.columns {
				if strings.TrimSpace(text) == "" {
					continue // it has a colour and says nothing
				}
				return nil, without, told{fmt.Errorf("row %d has a cell in column %d; a table may have at most %d columns",
					line, column+1, k.columns)}
			}
			for len(cells) <= column {
				cells = append(cells, "")
			}
			cells[column] = text
			if blank {
				without++
			}
		}
	}
}

// columnOf is the column, from 0, of a place such as B3; -1 where there is none.
func columnOf(place string) int {
	n, i := 0, 0
	for ; i < len(place) && place[i] >= 'A' && place[i] <= 'Z'; i++ {
		if n = n*26 + int(place[i]-'A'+1); n > 1<<20 {
			return -1
		}
	}
	return n - 1
}

// readCell reads a cell up to its end; uncounted says that it has a formula and no value.
func (k *book) readCell(d *partReader, c xml.StartElement) (text string, uncounted bool, err error) {
	formula, valued := false, false
	for {
		token, err := d.Token()
		if err != nil {
			return "", false, err
		}
		switch e := token.(type) {
		case xml.EndElement:
			shown, err := k.shown(attribute(c, "t"), attribute(c, "s"), text)
			return shown, formula && !valued, err
		case xml.StartElement:
			switch e.Name.Local {
			case "v":
				valued = true
				if text, err = k.value(d); err != nil {
					return "", false, err
				}
			case "is":
				valued = true
				if text, err = k.textIn(d); err != nil {
					return "", false, err
				}
			default:
				formula = formula || e.Name.Local == "f"
				if err := d.Skip(); err != nil {
					return "", false, err
				}
			}
		}
	}
}

// value reads the text of an element that has nothing else.
func (k *book) value(d *partReader) (string, error) {
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.EndElement:
			return text.String(), nil
		case xml.StartElement:
			if err := d.Skip(); err != nil {
				return "", err
			}
		case xml.CharData:
			if text.Len()+len(e) > k.cell {
				return "", told{fmt.Errorf("it has a cell of more than %d KB", k.cell>>10)}
			}
			text.Write(e)
		}
	}
}

// shown is a value as a person sees it.
func (k *book) shown(kind, style, text string) (string, error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(k.shared) {
			return "", told{errors.New("it is no spreadsheet: a cell names a text that is not there")}
		}
		return k.shared[n], nil
	case "b":
		if truth(strings.TrimSpace(text)) {
			return "Yes", nil
		}
		return "No", nil
	case "", "n":
		return k.number(style, strings.TrimSpace(text)), nil
	}
	if kind == "str" {
		return unescaped(text), nil
	}
	return text, nil // inlineStr, d, e: what is written
}

// number is a number, or the day that it means by its style.
func (k *book) number(style, text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return text
	}
	at, err := strconv.Atoi(style)
	if err == nil && at >= 0 && at < len(k.dates) && k.dates[at] && n >= 0 && n < 2_958_466 {
		return k.day(n)
	}
	if strings.ContainsAny(text, "eE.") {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text
}

// day is what a number of days since the beginning means.
func (k *book) day(n float64) string {
	begin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if k.since04 {
		begin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := begin.AddDate(0, 0, int(n)).Add(time.Duration(math.Round((n-math.Floor(n))*86400)) * time.Second)
	switch {
	case n < 1 && !k.since04:
		return at.Format("15:04:05")
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
