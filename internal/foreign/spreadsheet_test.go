package foreign_test

import (
	"archive/zip"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/foreign"
)

// book writes a spreadsheet of sheets whose cells are texts; one that begins with = is a formula that would call out,
// with its value behind a bar, and one that begins with @ is a day.
func (o *office) book(sheets ...[][]string) string {
	o.t.Helper()
	path := filepath.Join(o.t.TempDir(), "export.xlsx")
	f, err := os.Create(path)
	if err != nil {
		o.t.Fatal(err)
	}
	z := zip.NewWriter(f)
	add := func(name, text string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			o.t.Fatal(err)
		}
	}
	var list, relations strings.Builder
	for i, rows := range sheets {
		fmt.Fprintf(&list, `<sheet name="Sheet %d" r:id="r%d"/>`, i+1, i)
		fmt.Fprintf(&relations, `<Relationship Id="r%d" Target="worksheets/s%d.xml"/>`, i, i)
		var text strings.Builder
		for n, cells := range rows {
			fmt.Fprintf(&text, `<row r="%d">`, n+1)
			for _, cell := range cells {
				if day, is := strings.CutPrefix(cell, "@"); is {
					fmt.Fprintf(&text, `<c s="1"><v>%s</v></c>`, day)
				} else if formula, value, is := strings.Cut(strings.TrimPrefix(cell, "="), "|"); is {
					fmt.Fprintf(&text, `<c t="str"><f>%s</f><v>%s</v></c>`, html.EscapeString(formula), value)
				} else {
					fmt.Fprintf(&text, `<c t="inlineStr"><is><t>%s</t></is></c>`, html.EscapeString(cell))
				}
			}
			text.WriteString("</row>")
		}
		add(fmt.Sprintf("xl/worksheets/s%d.xml", i), "<worksheet><sheetData>"+text.String()+"</sheetData></worksheet>")
	}
	add("xl/workbook.xml", `<workbook xmlns:r="r"><sheets>`+list.String()+`</sheets></workbook>`)
	add("xl/_rels/workbook.xml.rels", "<Relationships>"+relations.String()+"</Relationships>")
	add("xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`)
	if err := z.Close(); err != nil {
		o.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		o.t.Fatal(err)
	}
	return path
}

// A spreadsheet comes as the same table in CSV would: the sheet that fits, days as days, formulas as their values.
func TestSpreadsheet(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		path := o.book([][]string{{"Filters"}, {"All"}}, [][]string{
			{"Observations of the Tower"},
			{"Number", "Title", "Type", "Status", "Hazard", "Location", "Due Date"},
			{"1", `=WEBSERVICE("http://192.0.2.1/")|Open edge`, "Safety", "Initiated", "Fall", "Roof", "@46000"},
		})
		r := o.bring(path, foreign.Options{})
		o.counts("the spreadsheet", r, 1, 0, 0, 0)
		o.told(r, `The sheet "Sheet 1" was left out`)
		o.want("issues", o.list("issues", "title", "status", "room", "due_at", "description"),
			"Open edge|open|Roof|2025-12-09T23:59:00+00:00|Type: Safety/Status: Initiated/Hazard: Fall")
		path = o.book([][]string{{"Apples", "Pears"}, {"1", "2"}})
		in := apitest.Importing{Path: path, Email: o.ada.Email, Project: o.project}
		if _, _, _, err := o.App.ImportTable(t.Context(), in, foreign.Options{}); err == nil ||
			!strings.HasPrefix(err.Error(), "export.xlsx cannot be imported: no row of it has the headings") {
			t.Errorf("another spreadsheet: %v", err)
		}
	})
}
