package foreign

import (
	"fmt"
	"slices"
	"strings"

	"groundwork/internal/table"
)

// found is a table whose columns are known.
type found struct {
	*export
	table   *table.Table
	columns []column
	rows    []table.Row // below the headings
}

// column is a column of the file and what it says.
type column struct {
	heading string
	what    field
	known   bool
}

// mostAbove is how many rows may stand above the headings: titles, dates, filters.
const mostAbove = 20

// recognise finds the table of a file that some export, or the one that was named, would have written.
func recognise(tables []table.Table, service, name string) (*found, error) {
	type guess struct {
		e            *export
		t            *table.Table
		row          int
		score, known int
	}
	var best, second guess
	for i := range tables {
		t := &tables[i]
		for r := range min(len(t.Rows), mostAbove) {
			for _, e := range exports {
				if service != "" && e.service != service || name != "" && e.name != name {
					continue
				}
				score, known := e.rate(t.Rows[r].Cells)
				g := guess{e, t, r, score, known}
				switch {
				case score > best.score:
					if best.e != nil && best.e != e {
						second = best
					}
					best = g
				case score > second.score && e != best.e:
					second = g
				}
			}
		}
	}
	switch {
	case best.e == nil || best.known < 2:
		return nil, fmt.Errorf("no row of it has the headings of a known export%s. Known are %s. Other tables come with "+
			"headings such as Number, Title, Description and Status, and with --from and --kind", asked(service, name),
			knownExports())
	case second.score == best.score:
		return nil, fmt.Errorf("it could be of %s or of %s; say which with --from and --kind", best.e.called,
			second.e.called)
	}
	f := &found{export: best.e, table: best.t, rows: best.t.Rows[best.row+1:]}
	f.read(best.t.Rows[best.row].Cells)
	return f, nil
}

func asked(service, name string) string {
	switch {
	case service != "" && name != "":
		return fmt.Sprintf(" of %s of the kind %s", service, name)
	case service != "":
		return " of " + service
	case name != "":
		return " of the kind " + name
	}
	return ""
}

func knownExports() string {
	var all []string
	for _, e := range exports {
		all = append(all, e.called)
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// rate says how well a row fits as the headings of an export; 0 where it has no title and no text.
func (e *export) rate(cells []string) (score, known int) {
	said := map[field]bool{}
	for _, text := range cells {
		name := fold(text)
		if what, ok := e.columns[name]; ok && name != "" {
			known++
			said[what] = true
			score++
			if slices.Contains(e.marks, name) {
				score += 3
			}
		} else if everywhere[name] != "" {
			known++
		}
	}
	if !said[ofTitle] && !said[ofText] {
		return 0, 0
	}
	return score, known
}

// takes are the fields that records of a kind have.
var takes = map[string][]field{
	"issues": {
		ofUID, ofNumber, ofTitle, ofText, ofRoom, ofStatus, ofType, ofList, ofAssigned, ofStart, ofDue, ofCost,
		ofCostIs, ofDelay, ofDelayIs,
	},
	"rfis": {ofUID, ofNumber, ofTitle, ofText, ofAnswer, ofStatus, ofAssigned, ofDue, ofSent},
}

// read says what each column is. What has no field, or a field that another column has, is kept as text.
func (f *found) read(cells []string) {
	used := map[field]bool{}
	take := func(c *column, what field) {
		if slices.Contains(takes[f.plural], what) && (what == ofAssigned || !used[what]) {
			c.what = what
			used[what] = true
		}
	}
	for i, text := range cells {
		heading := strings.TrimRight(strings.Join(strings.Fields(Shown(text)), " "), " *")
		c := column{heading: clip(heading, mostTitle), what: ofRemark} // each record repeats it
		if c.heading == "" {
			c.heading = fmt.Sprintf("Column %d", i+1)
		}
		what, ok := f.export.columns[fold(text)]
		if c.known = ok; ok {
			take(&c, what)
		}
		f.columns = append(f.columns, c)
	}
	for i, text := range cells {
		if c := &f.columns[i]; !c.known && everywhere[fold(text)] != "" {
			c.known = true
			take(c, everywhere[fold(text)])
		}
	}
	// Rows may be longer than the headings: what stands there is kept, too.
	for i := len(f.columns); i < f.longest(); i++ {
		f.columns = append(f.columns, column{heading: fmt.Sprintf("Column %d", i+1), what: ofRemark})
	}
}

func (f *found) longest() (n int) {
	for _, r := range f.rows {
		n = max(n, len(r.Cells))
	}
	return n
}

// has tells whether a column says this.
func (f *found) has(what field) bool {
	return slices.ContainsFunc(f.columns, func(c column) bool { return c.what == what })
}
