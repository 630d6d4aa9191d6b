package report

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// grid is a table of values: text, whole and decimal numbers, dates and times.
type grid struct {
	name    string
	columns []gridColumn
	rows    [][]any
}

type gridColumn struct {
	name  string
	width int // in letters
}

// date is a day without a time.
type date string

// money is a decimal number of a currency.
type money string

// writeCSV writes a grid as CSV in UTF-8, with the mark by which spreadsheets know it.
func writeCSV(w io.Writer, g grid) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := make([]string, len(g.columns))
	for i, c := range g.columns {
		row[i] = c.name
	}
	err := out.Write(row)
	for _, values := range g.rows {
		for i, v := range values {
			switch v := v.(type) {
			case nil:
				row[i] = ""
			case string:
				row[i] = inert(v)
			case date:
				row[i] = inert(string(v))
			case time.Time:
				row[i] = v.Format("2006-01-02 15:04")
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		if err == nil {
			err = out.Write(row)
		}
	}
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	return err
}

// inert keeps a spreadsheet from taking text for a formula: what begins like one gets an apostrophe, and so does what
// follows a semicolon, a tab or a line break. Where people live with semicolons between cells, these begin a cell of
// their own, quotes or not.
func inert(text string) string {
	if !strings.ContainsAny(text, formulaSigns+"\t\r\n") {
		return text
	}
	var out strings.Builder
	first, _ := utf8.DecodeRuneInString(text)
	if beginsFormula(text, dividers) || strings.ContainsRune("\t\r\n", first) {
		out.WriteByte('\'')
	}
	for i, r := range text {
		out.WriteRune(r)
		if strings.ContainsRune(dividers, r) && beginsFormula(text[i+1:], "") { // each divider is one byte
			out.WriteByte('\'')
		}
	}
	return out.String()
}

const (
	formulaSigns = "=+-@＝＋－＠"
	dividers     = ";\t\r\n"
	// blanks are letters and signs that show nothing.
	blanks = "\u115f\u1160\u2800\u3164\uffa0"
)

// beginsFormula tells whether the first character that a spreadsheet heeds makes a formula. It passes over what nobody
// sees, quotes, and what else is given.
func beginsFormula(text, also string) bool {
	for _, r := range text {
		if strings.ContainsRune(dividers, r) && !strings.ContainsRune(also, r) {
			return false
		}
		hidden := unicode.IsSpace(r) || !unicode.IsGraphic(r) || unicode.Is(unicode.Mn, r) ||
			strings.ContainsRune(blanks, r) || r == '"'
		if !hidden && !strings.ContainsRune(also, r) {
			return strings.ContainsRune(formulaSigns, r)
		}
	}
	return false
}

// The styles of cells, by their places in the table of styles.
const (
	styleText = iota
	styleHead
	styleDate
	styleTime
	styleMoney
	styleNumber
)

const workbookStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm"/></numFmts>` +
	`<fonts count="2"><font><sz val="10"/><name val="Calibri"/></font><font><b/><sz val="10"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font></fonts>` +
	`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1D4E68"/><bgColor indexed="64"/></patternFill></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="6"><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>` +
	`<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1" applyAlignment="1"><alignment vertical="center"/></xf>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment horizontal="left" vertical="top"/></xf>` +
	`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment horizontal="left" vertical="top"/></xf>` +
	`<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top"/></xf>` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment vertical="top"/></xf></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// writeXLSX writes grids as the sheets of a workbook. Nothing in it is computed: text is text, whatever it looks like.
func writeXLSX(w io.Writer, at time.Time, grids ...grid) error {
	z := zip.NewWriter(w)
	const head, ns = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` +
		"\n", "http://schemas.openxmlformats.org/"
	var types, sheets, names, relations strings.Builder
	for i, g := range grids {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, n)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, g.name, n, n)
		fmt.Fprintf(&names, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">'%s'!$A$1:$%s$%d</definedName>`, i, g.name, letters(len(g.columns)), len(g.rows)+1)
		fmt.Fprintf(&relations,
			`<Relationship Id="rId%d" Type="%sofficeDocument/2006/relationships/worksheet" Target="worksheets/sheet%d.xml"/>`, n, ns, n)
	}
	parts := []struct{ name, text string }{
		{
			"[Content_Types].xml",
			head + `<Types xmlns="` + ns +
				`package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
				`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
				types.String() + `</Types>`,
		},
		{"_rels/.rels", head + `<Relationships xmlns="` + ns +
			`package/2006/relationships"><Relationship Id="rId1" Type="` + ns +
			`officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", head + `<workbook xmlns="` + ns + `spreadsheetml/2006/main" xmlns:r="` + ns +
			`officeDocument/2006/relationships"><sheets>` + sheets.String() + `</sheets><definedNames>` +
			names.String() + `</definedNames></workbook>`},
		{
			"xl/_rels/workbook.xml.rels",
			head + `<Relationships xmlns="` + ns + `package/2006/relationships">` + relations.String() +
				fmt.Sprintf(`<Relationship Id="rId%d" Type="%sofficeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`, len(grids)+1, ns),
		},
		{"xl/styles.xml", workbookStyles},
	}
	for _, part := range parts {
		out, err := create(z, part.name, at)
		if err == nil {
			_, err = io.WriteString(out, part.text)
		}
		if err != nil {
			return err
		}
	}
	for i, g := range grids {
		out, err := create(z, fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), at)
		if err != nil {
			return err
		}
		b := bufio.NewWriter(out)
		g.write(b, head, ns)
		if err := b.Flush(); err != nil {
			return err
		}
	}
	return z.Close()
}

func create(z *zip.Writer, name string, at time.Time) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at.UTC()})
}

// write writes one sheet: a head that stays in sight, filters, and the rows.
func (g *grid) write(b *bufio.Writer, head, ns string) {
	last := letters(len(g.columns)) + strconv.Itoa(len(g.rows)+1)
	fmt.Fprintf(b, `%s<worksheet xmlns="%sspreadsheetml/2006/main"><dimension ref="A1:%s"/><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`, head, ns, last)
	for i, c := range g.columns {
		fmt.Fprintf(b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, c.width)
	}
	b.WriteString(`</cols><sheetData><row r="1" ht="18" customHeight="1">`)
	for i, c := range g.columns {
		text(b, letters(i+1)+"1", styleHead, c.name)
	}
	b.WriteString(`</row>`)
	for n, values := range g.rows {
		fmt.Fprintf(b, `<row r="%d">`, n+2)
		for i, v := range values {
			g.cell(b, letters(i+1)+strconv.Itoa(n+2), v)
		}
		b.WriteString(`</row>`)
	}
	fmt.Fprintf(b, `</sheetData><autoFilter ref="A1:%s"/><pageSetup orientation="landscape" fitToHeight="0"/></worksheet>`, last)
}

func (g *grid) cell(b *bufio.Writer, at string, v any) {
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			text(b, at, styleText, v)
		}
	case money:
		fmt.Fprintf(b, `<c r="%s" s="%d"><v>%s</v></c>`, at, styleMoney, v)
	case date:
		if t, err := time.Parse(time.DateOnly, string(v)); err == nil {
			fmt.Fprintf(b, `<c r="%s" s="%d"><v>%d</v></c>`, at, styleDate, int64(serial(t)))
		} else if v != "" {
			text(b, at, styleText, string(v))
		}
	case time.Time:
		fmt.Fprintf(b, `<c r="%s" s="%d"><v>%s</v></c>`, at, styleTime, strconv.FormatFloat(serial(v), 'f', 8, 64))
	default:
		fmt.Fprintf(b, `<c r="%s" s="%d"><v>%v</v></c>`, at, styleNumber, v)
	}
}

// mostText is how many characters a cell can have.
const mostText = 32_767

func text(b *bufio.Writer, at string, style int, v string) {
	if utf8.RuneCountInString(v) > mostText/2 { // a cell counts units of UTF-16
		v = string([]rune(v)[:mostText/2-1]) + "…"
	}
	fmt.Fprintf(b, `<c r="%s" s="%d" t="inlineStr"><is><t xml:space="preserve">`, at, style)
	for _, r := range v {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '\n' || r == '\t' || r >= 0x20 && r != 0xfffe && r != 0xffff:
			b.WriteRune(r)
		}
	}
	b.WriteString("</t></is></c>")
}

// letters names a column: 1 is A, 27 is AA.
func letters(n int) string {
	out := ""
	for ; n > 0; n = (n - 1) / 26 {
		out = string(rune('A'+(n-1)%26)) + out
	}
	return out
}

// serial is a time as spreadsheets count: days since the end of 1899, as the clock on the wall shows.
func serial(t time.Time) float64 {
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return wall.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
}
