package table

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shown is a table as text: rows by line, cells between bars.
func shown(tables []Table) string {
	var out strings.Builder
	for _, t := range tables {
		if t.Name != "" {
			fmt.Fprintf(&out, "[%s]", t.Name)
		}
		for _, r := range t.Rows {
			fmt.Fprintf(&out, "%d:%s;", r.Line, strings.Join(r.Cells, "|"))
		}
	}
	return out.String()
}

func wideText(text string, order int, marked bool) string {
	if marked {
		text = "\ufeff" + text
	}
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		pair := []byte{byte(u), byte(u >> 8)}
		out = append(out, pair[order], pair[1-order])
	}
	return string(out)
}

func TestCSV(t *testing.T) {
	const accents = "Title,Room\nMängel,Büro é\n"
	want := "1:Title|Room;2:Mängel|Büro é;"
	for name, c := range map[string]struct{ file, want string }{
		"UTF-8":                    {accents, want},
		"UTF-8 with a mark":        {"\xef\xbb\xbf" + accents, want},
		"UTF-16 low first":         {wideText(accents, 0, true), want},
		"UTF-16 high first":        {wideText(accents, 1, true), want},
		"UTF-16 without a mark":    {wideText(accents, 0, false), want},
		"Windows-1252":             {"Title,Room\nM\xe4ngel,B\xfcro \xe9\n", want},
		"semicolons":               {"Title;Room\r\nMängel;Büro é\r\n", want},
		"tabs":                     {"Title\tRoom\nMängel\tBüro é", want},
		"a separator that it says": {"sep=|\nTitle|Room\nMängel|Büro é\n", "2:Title|Room;3:Mängel|Büro é;"},
		"quotes":                   {"Title,Text\n\"a \"\"b\"\"\",\"two\nlines, one comma\"\n3,\n", "1:Title|Text;2:a \"b\"|two\nlines, one comma;4:3;"},
		"ragged rows":              {"a,b\n1\n1,2,3\n\n,,\n4,5\n", "1:a|b;2:1;3:1|2|3;6:4|5;"},
		"separators in quotes":     {"\"a;b;c;d\",b\n1,2\n", "1:a;b;c;d|b;2:1|2;"},
	} {
		tables, err := Read(write(t, c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := shown(tables); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What is no table is told in one sentence.
func TestNoTables(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"nothing":          {" \n", "it is empty"},
		"only commas":      {",,\n,,\n", "it is empty"},
		"bytes":            {"a,b\x00\x01\x02,c\n", "bytes in it that no text has"},
		"no known letters": {"a,b\n\x81\x8d,\xff\n", "bytes in it that no text has"},
		"false UTF-8":      {"\xef\xbb\xbfa,\xff\n", "says that it is UTF-8"},
		"half UTF-16":      {"\xff\xfea\x00b", "cut short"},
		"an open quote":    {"a,b\n\"1,2\n3,4\n", "is not closed"},
		"a quote inside":   {"a,b\n1 \"x\",2\n", "a quote in line 2"},
		"a page":           {"<!DOCTYPE html><html>Sign in</html>", "it is a web page"},
		"JSON":             {`{"a":1}`, "it is JSON"},
		"old spreadsheet":  {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as XLSX"},
		"a PDF":            {"%PDF-1.7", "it is a PDF"},
		"half a ZIP":       {"PK\x03\x04abc", "cut short or damaged"},
		"another ZIP":      {packed(t, "a.txt", "x"), "no spreadsheet"},
		"an archive":       {packed(t, "manifest.json", "{}"), "archive of a project"},
	} {
		if _, err := Read(write(t, c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("nothing: %v", err)
	}
}

// packed is a ZIP file of names and contents.
func packed(t *testing.T, parts ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	workbook = `<workbook xmlns:r="x"><workbookPr/><sheets><sheet name="Log" sheetId="1" r:id="rId1"/>` +
		`<sheet name="Secret" state="hidden" r:id="rId2"/></sheets></workbook>`
	relations = `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`
	styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\-mmm\-yy"/>` +
		`<numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
)

func spreadsheet(t *testing.T, sheet, shared string) string {
	return packed(t, "xl/workbook.xml", workbook, "xl/_rels/workbook.xml.rels", relations, "xl/styles.xml", styles,
		"xl/sharedStrings.xml", shared, "xl/worksheets/sheet1.xml", sheet, "xl/worksheets/sheet2.xml", sheet)
}

func TestXLSX(t *testing.T) {
	const shared = `<sst><si><t>Title</t></si><si><r><t>A </t></r><r><rPr><b/></rPr><t>crack</t></r>` +
		`<rPh><t>said</t></rPh></si></sst>`
	const sheet = `<worksheet><sheetData>
		<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Due</t></is></c></row>
		<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>12.50</v></c><c r="C3" s="1"><v>46000</v></c></row>
		<row r="4"><c r="A4" t="str"><f>HYPERLINK("http://x")</f><v>shown</v></c><c r="B4"><f>1+1</f></c>
			<c r="C4" s="2"><v>46000.5</v></c><c r="D4" t="b"><v>1</v></c><c r="E4" s="3"><v>3</v></c></row>
		<row><c><v>7</v></c><c t="e"><v>#N/A</v></c></row>
	</sheetData></worksheet>`
	tables, err := Read(write(t, spreadsheet(t, sheet, shared)))
	if err != nil {
		t.Fatal(err)
	}
	want := "[Log]1:Title||Due;3:A crack|12.5|2025-12-09;4:shown||2025-12-09 12:00:00|Yes|3;5:7|#N/A;"
	if got := shown(tables); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if notes := tables[0].Notes; len(notes) != 2 || !strings.Contains(notes[0], `"Secret" was left out: it is hidden`) ||
		!strings.Contains(notes[1], "1 cells of the sheet Log have a formula") {
		t.Errorf("notes: %q", tables[0].Notes)
	}
}

// Files that are made to harm are refused, within bounds.
func TestHostileTables(t *testing.T) {
	row := func(cells string) string {
		return `<worksheet><sheetData><row r="1">` + cells + `</row></sheetData></worksheet>`
	}
	small := func() *bounds {
		return &bounds{
			bytes: 1 << 20, unpacked: 1 << 16, rows: 10, columns: 5, cells: 30, cell: 100, parts: 20, sheets: 2,
			token: 1 << 14, depth: 8, text: 1000, separators: 20,
		}
	}
	shared := spreadsheet(t, "<worksheet><sheetData>"+strings.Repeat(
		"<row>"+strings.Repeat(`<c t="s"><v>0</v></c>`, 3)+"</row>", 4)+"</sheetData></worksheet>",
		"<sst><si><t>"+strings.Repeat("x", 90)+"</t></si></sst>")
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprintf("part%d", i), "")
	}
	for name, c := range map[string]struct{ file, want string }{
		"a bomb":               {spreadsheet(t, row(strings.Repeat(" <x/>", 1<<18)), "<sst/>"), "unpacked"},
		"a bomb of texts":      {spreadsheet(t, row(""), "<sst>"+strings.Repeat(" <x/>", 1<<15)+"</sst>"), "unpacked"},
		"a long formula":       {spreadsheet(t, row(`<c><f>`+strings.Repeat("x", 1<<15)+`</f></c>`), "<sst/>"), "a text in it has"},
		"many attributes":      {spreadsheet(t, row(`<c`+strings.Repeat(` a=""`, 1<<13)+`/>`), "<sst/>"), "an element or"},
		"a deep part":          {spreadsheet(t, row("")+strings.Repeat("<a>", 20), "<sst/>"), "more than 8 deep"},
		"a deep cell":          {spreadsheet(t, row("<c>"+strings.Repeat("<a>", 20)), "<sst/>"), "more than 8 deep"},
		"crossed elements":     {spreadsheet(t, `<worksheet><sheetData></worksheet></sheetData>`, "<sst/>"), "damaged"},
		"a text in many cells": {shared, "MB of text"},
		"a line of commas":     {"a,b\n\"1\n2\",3\n" + strings.Repeat(",", 21) + "\n", "row 4 has more than 20 cells"},
		"too many texts":       {spreadsheet(t, row(""), "<sst>"+strings.Repeat("<si/>", 31)+"</sst>"), "more than 30 texts"},
		"a long text":          {spreadsheet(t, row(`<c><v>`+strings.Repeat("x", 101)+`</v></c>`), "<sst/>"), "a cell of"},
		"a far cell":           {spreadsheet(t, row(`<c r="ZZZ1"><v>1</v></c>`), "<sst/>"), "at most 5 columns"},
		"a place that is none": {spreadsheet(t, row(`<c r="ZZZZZZZZ1"><v>1</v></c>`), "<sst/>"), "no place"},
		"no such text":         {spreadsheet(t, row(`<c t="s"><v>9</v></c>`), "<sst/>"), "not there"},
		"damage":               {spreadsheet(t, `<worksheet><sheetData><row>`, "<sst/>"), "damaged"},
		"entities":             {spreadsheet(t, `<!DOCTYPE x [<!ENTITY a "b">]>`+row(`<c><v>&a;</v></c>`), "<sst/>"), "damaged"},
		"many parts":           {packed(t, many...), "21 parts"},
		"nothing in it":        {spreadsheet(t, row(""), "<sst/>"), "no sheet with anything"},
		"many rows":            {strings.Repeat("1\n", 11), "more than 10 rows"},
		"many columns":         {"1,2,3,4,5,6\n", "at most 5"},
		"many cells":           {strings.Repeat("1,2,3,4,5\n", 7), "more than 30 cells"},
		"a long cell":          {"a," + strings.Repeat("x", 101) + "\n", "a cell of"},
		"a long file":          {strings.Repeat("x", 1<<20+1), "at most 1 MB"},
	} {
		if _, err := small().read(write(t, c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// What a spreadsheet says is read as people see it: blank cells far out say nothing, ends of lines are no text, and
// sheets that are not read are told.
func TestSheetsAsSeen(t *testing.T) {
	const sheet = `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>one_x000D_&#10;two_x005F_x</t></is></c>` +
		`<c r="XFD1" s="0"/></row></sheetData></worksheet>`
	all, err := Read(write(t, packed(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="A" r:id="r1"/>`+
			`<sheet name="B" state="hidden" r:id="r2"/><sheet name="C" r:id="r3"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Target="worksheets/a.xml"/>`+
			`<Relationship Id="r2" Target="worksheets/b.xml"/><Relationship Id="r3" Target="worksheets/c.xml"/></Relationships>`,
		"xl/worksheets/a.xml", sheet, "xl/worksheets/b.xml", sheet)))
	if err != nil || shown(all) != "[A]1:one\r\ntwo_x;" {
		t.Fatalf("%q %v", shown(all), err)
	}
	for _, want := range []string{`"B" was left out: it is hidden`, `"C" was left out: it is not in the file`} {
		if told := strings.Join(all[0].Notes, "\n"); !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
}

// A pipe is no table, and nobody waits for what would come out of it.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan error, 1)
	go func() {
		_, err := Read(path)
		said <- err
	}()
	select {
	case err := <-said:
		if err == nil || !strings.Contains(err.Error(), "no file") {
			t.Errorf("a pipe: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("a pipe is waited for")
	}
}
