package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/table"
)

func TestDays(t *testing.T) {
	zone := time.FixedZone("site", -5*3600)
	for _, c := range []struct {
		text     string
		dayFirst bool
		want     string
	}{
		{"2026-04-03", false, "2026-04-03T00:00:00-05:00"},
		{"2026-04-03T10:20:30Z", false, "2026-04-03T10:20:30Z"},
		{"2026-04-03 10:20:30 UTC", false, "2026-04-03T10:20:30Z"},
		{"2026-04-03 10:20:30 -0700", false, "2026-04-03T10:20:30-07:00"},
		{"2026-04-03 10:20", false, "2026-04-03T10:20:00-05:00"},
		{"4/3/2026", false, "2026-04-03T00:00:00-05:00"},
		{"4/3/2026", true, "2026-03-04T00:00:00-05:00"},
		{"04/03/26 at 3:04 PM", false, "2026-04-03T15:04:00-05:00"},
		{"3.4.2026", false, "2026-04-03T00:00:00-05:00"},
		{"13/4/2026", true, "2026-04-13T00:00:00-05:00"},
		{"Apr 3, 2026 at 4:05 pm", false, "2026-04-03T16:05:00-05:00"},
		{"Friday, April 3, 2026", false, "2026-04-03T00:00:00-05:00"},
		{"3 Apr 2026", false, "2026-04-03T00:00:00-05:00"},
		{"13/4/2026", false, ""},
		{"2/30/2026", false, ""},
		{"2026-04-03 10:20 XYZ", false, ""},
		{"tomorrow", false, ""},
		{"1/1/0001", false, ""},
		{strings.Repeat("1/", 1000), false, ""},
	} {
		got, ok := parseDay(c.text, c.dayFirst, zone)
		if !ok && c.want == "" {
			continue
		}
		if want, _ := time.Parse(time.RFC3339, c.want); !ok || !got.at.Equal(want) {
			t.Errorf("%q, day first %v: %v %v, want %s", c.text, c.dayFirst, got.at, ok, c.want)
		}
	}
}

func TestMoney(t *testing.T) {
	for text, want := range map[string]string{
		"1234.5": "1234.50", "$1,234.50": "1234.50", "1.234,50": "1234.50", "12,50": "12.50", "1,234": "1234.00",
		"(99)": "-99.00", "-$5": "-5.00", "USD 7": "7.00", "€ 12": "", "TBD": "", "": "", "1e9": "", "NaN": "",
		"1,5": "1.50", "12,5": "12.50", "1.234": "", "0.125": "", "1,2345": "", "1 5": "", "1.234.567": "1234567.00",
		"1 234,50": "1234.50", "-0": "0.00", "1,23,456": "", "9999999999999": "",
	} {
		if got, ok := money(text); got != want || ok != (want != "") {
			t.Errorf("%q is %q %v, want %q", text, got, ok, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]uint32{
		"12": 12, "#7": 7, "3.0": 3, "2147483647": 1<<31 - 1, "3000000000": 0, "4294967295": 0, "99999999999": 0, "0": 0,
		"-1": 0, "RFI-012": 0,
	} {
		it := &item{fields: map[string]any{}}
		r := &reader{found: &found{export: exports[0]}}
		if r.put(it, column{what: ofNumber}, text, false); it.number != want || it.numbered != text {
			t.Errorf("%s is %d, want %d", text, it.number, want)
		}
	}
	for text, want := range map[string]int64{"3": 3 * 86400, "1.5 days": 129600, "-2 Days": -2 * 86400, "1 day": 86400} {
		if got, ok := days(text); !ok || got != want {
			t.Errorf("%s is %d s %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"nan", "NaN days", "inf", "0x1p4", "1e3", "soon", ""} {
		if n, ok := days(text); ok {
			t.Errorf("%q is %d s", text, n)
		}
	}
}

// Yes and no are said by themselves; an amount alone is an impact, and nothing, or what cannot be read, is none.
func TestImpact(t *testing.T) {
	for said, want := range map[[2]string]string{
		{"No", "$0.00"}: "false 0.00", {"No", "$500"}: "false 500.00", {"Yes", ""}: "true <nil>", {"", "5"}: "true 5.00",
		{"", ""}: "false <nil>", {"TBD", ""}: "false <nil>", {"$7", ""}: "true 7.00", {"Yes", "TBD"}: "true <nil>",
	} {
		for _, order := range [][]int{{0, 1}, {1, 0}} {
			r := &reader{unread: map[string]int{}, found: &found{export: exports[0], columns: []column{
				{"Cost Impact", ofCostIs, true}, {"Cost Impact Amount", ofCost, true}, {"Title", ofTitle, true},
			}}}
			r.columns[0], r.columns[1] = r.columns[order[0]], r.columns[order[1]]
			it := r.item(table.Row{Line: 1, Cells: []string{said[order[0]], said[order[1]], "x"}})
			got := fmt.Sprintf("%v %v", it.fields["has_cost_impact"], it.fields["cost_impact"])
			if got != want {
				t.Errorf("%q, in the order %v: %s, want %s", said, order, got, want)
			}
		}
	}
}

func TestPeople(t *testing.T) {
	r := &reader{
		team:  map[string]string{"ada@example.com": "A", "bob@example.com": "B"},
		alias: map[string]string{fold("Stone, Ada"): "ada@example.com", fold("Carl"): "carl@example.com"},
	}
	for text, want := range map[string]string{
		"ada@example.com":                         "A/",
		"Ada Stone (ADA@example.com)":             "A/",
		"ada@example.com, bob@example.com":        "A,B/",
		"Ada <ada@example.com>; Dora":             "A/Dora",
		"Stone, Ada":                              "A/",
		"Stone, Ada; bob@example.com":             "A,B/",
		"Miller, Eve":                             "/Miller, Eve",
		"Carl":                                    "/Carl",
		"nobody@example.com\nbob@example.com":     "B/nobody@example.com",
		"ada@example.com|Acme Inc., Plumbing;":    "A/Acme Inc., Plumbing",
		"bob@example.com, Somebody without a key": "B/Somebody without a key",
		"Stone, Ada P. <ada@example.com>":         "A/",
		"ada@example.com bob@example.com":         "A,B/",
		"ada@example.com and bob@example.com":     "A,B/",
		"ada@example.com/bob@example.com":         "A,B/",
		"ada@example.com / carl@example.com":      "A/carl@example.com",
		"ada@example.com and Carl":                "A/ada@example.com and Carl",
		"'ada@example.com'":                       "A/",
		"o'bob@example.com":                       "/o'bob@example.com",
	} {
		r.strangers = map[string]int{}
		in := r.who(text, true)
		if got := strings.Join(in.uids, ",") + "/" + strings.Join(in.others, ";"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Files are known by their headings, wherever they stand, and told apart.
func TestRecognise(t *testing.T) {
	for headings, want := range map[string]string{
		"#|Title|Status|Stamp|List|Room|Assigned To|Due Date|Sheet":                         "plangrid tasks",
		"RFI #|Title|Question|Answer|Sent Date|Status|Locked":                               "plangrid rfis",
		"Number|Title|Location|Ball In Court|Punch Item Manager|Final Approver|Due Date":    "procore punch",
		"Item Name*|Punch Item #*|Punch Item Type|Due Date|Created By*":                     "procore punch",
		"Number|Title|Type|Status|Trade|Hazard|Contributing Condition|Assignee":             "procore observations",
		"Number|Subject|Status|RFI Manager|Received From|Question|Official Response":        "procore rfis",
		"ID|Title|Category|Plan|Location|Assignee|Start Date|End Date|Man power|X pos|Tags": "fieldwire tasks",
		"Title|Description|Status": "could be",
		"Name|Colour":              "no row of it",
		"Apples|Pears|Plums":       "no row of it",
	} {
		rows := []table.Row{
			{Line: 1, Cells: []string{"Report of today"}},
			{Line: 3, Cells: strings.Split(headings, "|")},
			{Line: 4, Cells: []string{"1", "2", "3"}},
		}
		got := ""
		f, err := recognise([]table.Table{{Rows: rows}}, "", "")
		if err != nil {
			got = err.Error()
		} else {
			got = f.service + " " + f.name
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", headings, got, want)
		}
	}
	rows := []table.Row{{Line: 1, Cells: []string{"Title", "Description", "Status"}}, {Line: 2, Cells: []string{"x"}}}
	f, err := recognise([]table.Table{{Rows: rows}}, "fieldwire", "")
	if err != nil || f.service != "fieldwire" {
		t.Errorf("told which: %v", err)
	}
}

// Every column of the template that Procore publishes for punch lists is known, in each of its dialects.
func TestPublishedTemplate(t *testing.T) {
	for _, d := range []struct{ item, plan string }{
		{"Punch Item", "Schedule"}, {"Deficiency Item", "Schedule"}, {"Defect Item", "Program"},
	} {
		cells := strings.Split("Item Name*|"+d.item+" #*|"+d.item+" Manager*|Created By*|Assigned To|Final Approver*|"+
			"Location|Trade|"+d.plan+" Impact|"+d.plan+" Impact Days|Cost Code|"+d.item+" Type|Due Date|Priority|"+
			"Cost Impact|Cost Impact Amount|Reference|Description|Comments", "|")
		f, err := recognise([]table.Table{{Rows: []table.Row{{Line: 1, Cells: cells}}}}, "", "")
		if err != nil || f.service != "procore" || f.name != "punch" {
			t.Fatalf("%s: %v", d.item, err)
		}
		for _, c := range f.columns {
			if !c.known || strings.Contains(c.heading, "*") {
				t.Errorf("%s: %s is not known", d.item, c.heading)
			}
		}
		for _, what := range []field{
			ofTitle, ofNumber, ofAssigned, ofRoom, ofDelayIs, ofDelay, ofDue, ofCostIs, ofCost, ofText,
		} {
			if !f.has(what) {
				t.Errorf("%s: no column is %s", d.item, what)
			}
		}
	}
}

// Every heading that marks an export is a column of it.
func TestMarksAreColumns(t *testing.T) {
	for _, e := range exports {
		for _, mark := range e.marks {
			if _, known := e.columns[mark]; !known {
				t.Errorf("%s: %s is no column", e.called, mark)
			}
		}
		if !slices.Contains([]string{"issues", "rfis"}, e.plural) {
			t.Errorf("%s becomes %s", e.called, e.plural)
		}
	}
}
