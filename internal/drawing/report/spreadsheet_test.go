package report

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

var due = time.Date(2026, 3, 9, 23, 30, 0, 0, time.UTC).UnixMicro()

func few() *Issues {
	days := int64(-2 * 86400)
	return &Issues{
		Front: Front{Title: "Punch list", Project: "School", Zone: "Europe/Athens", At: due},
		Issues: []Issue{
			{
				Number: 1, Title: "=HYPERLINK(\"http://evil\")", Status: "in_review", Due: &due, Created: due,
				Cost: "-1250.50", HasCost: true, Schedule: &days, Start: "2026-03-01",
			},
			{Number: 2, Title: "Ρωγμή & <b> \x01\"q\"", Status: "open", Created: due, Comments: []Comment{
				{"Ken", due, "@SUM(1)\nsecond line"},
			}, Documents: []string{"a.pdf", "b.pdf"}},
		},
	}
}

func TestOverdueGoesByTheDaysOfTheSite(t *testing.T) {
	noon := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zone string
		due  time.Duration // from noon in UTC
		late bool
	}{
		{"", -time.Second, true},
		{"", 0, false},
		{"UTC", -time.Second, false},
		{"UTC", -12 * time.Hour, false},
		{"UTC", -12*time.Hour - time.Second, true},
		{"Europe/Athens", -14 * time.Hour, false},
		{"Europe/Athens", -14*time.Hour - time.Second, true},
		{"Pacific/Honolulu", -2 * time.Hour, false},
		{"Pacific/Honolulu", -2*time.Hour - time.Second, true},
		{"Asia/Kathmandu", -17*time.Hour - 45*time.Minute, false},
		{"Asia/Kathmandu", -17*time.Hour - 46*time.Minute, true},
	} {
		due := noon.Add(c.due).UnixMicro()
		front, issue := Front{At: noon.UnixMicro(), DueZone: c.zone}, Issue{Status: "open", Due: &due}
		if got := issue.overdue(front.late()); got != c.late {
			t.Errorf("in %q, due %v from noon: overdue is %v", c.zone, c.due, got)
		}
	}
}

func TestCSVIsReadBackAndComputesNothing(t *testing.T) {
	var out bytes.Buffer
	if err := few().CSV(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "\ufeffNumber,Title") {
		t.Errorf("it begins with %q", out.String()[:20])
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out.String(), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for name, want := range map[string]string{
		"Title": "'=HYPERLINK(\"http://evil\")", "Status": "In review", "Due": "2026-03-10 01:30", "Cost": "-1250.50",
		"Days": "-2", "Start": "2026-03-01", "Number": "1",
	} {
		if got := rows[1][slices.Index(rows[0], name)]; got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
	if got := rows[2][slices.Index(rows[0], "Documents")]; got != "a.pdf\nb.pdf" {
		t.Errorf("the documents are %q", got)
	}
}

func TestWhatLooksLikeAFormulaIsText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t'=1",
		" =1": "' =1", "＝1": "'＝1", "a=1": "a=1", "\n=1": "'\n'=1",
		// Characters that nobody sees, before the sign.
		"\u00a0=1": "'\u00a0=1", "\u200b=1": "'\u200b=1", "\ufeff=1": "'\ufeff=1", "\u2060\u3000@x": "'\u2060\u3000@x",
		"\u00ad＋1": "'\u00ad＋1", "\x00-1": "'\x00-1", "\u3164=1": "'\u3164=1",
		// Where a semicolon or a tab divides cells, one begins after each; a line that is broken there begins a row.
		";=1": "';'=1", "Crack;=1": "Crack;'=1", "Crack;\u00a0@x": "Crack;'\u00a0@x", "Crack\t+1": "Crack\t'+1",
		"Crack\r\n=1": "Crack\r\n'=1", `Crack;"=1"`: `Crack;'"=1"`,
		"a; b - c; d = e": "a; b - c; d = e", "\tx": "'\tx", "\rx": "'\rx", "'=1": "'=1", ";": ";",
	} {
		if got := inert(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}

// cellOf is a cell of a sheet as the file has it.
type cellOf struct {
	R    string `xml:"r,attr"`
	S    int    `xml:"s,attr"`
	T    string `xml:"t,attr"`
	V    string `xml:"v"`
	Text string `xml:"is>t"`
}

type sheetOf struct {
	Pane struct {
		State  string `xml:"state,attr"`
		YSplit string `xml:"ySplit,attr"`
	} `xml:"sheetViews>sheetView>pane"`
	Rows []struct {
		Cells []cellOf `xml:"c"`
	} `xml:"sheetData>row"`
	Filter struct {
		Ref string `xml:"ref,attr"`
	} `xml:"autoFilter"`
}

// workbook reads all parts of a workbook; each must be whole XML.
func workbook(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if parts[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(bytes.NewReader(parts[f.Name])); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
		}
	}
	return parts
}

func TestWorkbookHasRealValues(t *testing.T) {
	var out bytes.Buffer
	if err := few().XLSX(&out); err != nil {
		t.Fatal(err)
	}
	parts := workbook(t, out.Bytes())
	for _, name := range []string{
		"[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels",
		"xl/styles.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml",
	} {
		if parts[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	var s sheetOf
	if err := xml.Unmarshal(parts["xl/worksheets/sheet1.xml"], &s); err != nil {
		t.Fatal(err)
	}
	if s.Pane.State != "frozen" || s.Pane.YSplit != "1" || s.Filter.Ref != "A1:W3" || len(s.Rows) != 3 {
		t.Errorf("the sheet is %+v", s)
	}
	by := map[string]cellOf{}
	for _, row := range s.Rows {
		for _, c := range row.Cells {
			by[c.R] = c
		}
	}
	for at, want := range map[string]cellOf{
		"A2": {S: styleNumber, V: "1"}, "B2": {S: styleText, T: "inlineStr", Text: "=HYPERLINK(\"http://evil\")"},
		"B3": {S: styleText, T: "inlineStr", Text: "Ρωγμή & <b> \"q\""},
		"H2": {S: styleDate, V: "46082"}, "I2": {S: styleTime, V: "46091.06250000"},
		"N2": {S: styleMoney, V: "-1250.50"}, "Q2": {S: styleNumber, V: "-2"},
	} {
		want.R = at
		if by[at] != want {
			t.Errorf("%s is %+v, not %+v", at, by[at], want)
		}
	}
	if _, there := by["N3"]; there {
		t.Error("a cost that is not known has a cell")
	}
}

func TestColumnsHaveNames(t *testing.T) {
	for n, want := range map[int]string{1: "A", 26: "Z", 27: "AA", 52: "AZ", 703: "AAA"} {
		if got := letters(n); got != want {
			t.Errorf("column %d is %s, not %s", n, got, want)
		}
	}
}

func TestNumbersAreGrouped(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-1234567.50": "-1,234,567.50",
		"12450.5": "12,450.5",
	} {
		if got := grouped(in); got != want {
			t.Errorf("%s becomes %s, not %s", in, got, want)
		}
	}
}

func TestSpansAreReadable(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "0 days", 86400: "1 day", 3 * 86400: "3 days", 36 * 3600: "36 hours",
		90: "90 seconds", 120: "2 minutes", 99999999 * 86400: "99,999,999 days", -86400: "-1 days",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%d seconds are %q, not %q", seconds, got, want)
		}
	}
}

// Whatever is written in a record, all formats of its report are whole.
func FuzzSpreadsheet(f *testing.F) {
	f.Add("a", "b")
	f.Add("=1", "\x00\x0b\ufffe]]>&\"'")
	f.Fuzz(func(t *testing.T, title, text string) {
		r := few()
		r.Issues[0].Title, r.Issues[0].Description, r.Issues[1].Comments[0].Text = title, text, text
		var x, c bytes.Buffer
		if err := r.XLSX(&x); err != nil {
			t.Fatal(err)
		}
		workbook(t, x.Bytes())
		if err := r.CSV(&c); err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(&c).ReadAll(); err != nil || len(rows) != 3 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
	})
}
