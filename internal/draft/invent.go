package draft

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Invented is a layout that the seed makes up: each choice that a firm has is drawn for itself. The set's Layout then
// says what it became.
const Invented = "invented"

// invention is what the seed made up beyond a trim.
type invention struct {
	edge      string // right, left, bottom, top, corner
	low, far  bool   // of a corner: at the lower end, at the right
	reads     int    // direction in which a strip reads: 0, 90 downwards, 270 upwards
	thick     float64
	order     []string
	weights   map[string]float64
	rows      []int // how many cells each row of a corner block has
	ruled     int   // 0 without lines, 1 boxes, 2 lines between, 3 heavy boxes
	labelAt   string
	labelSize float64
	number    string // plain, boxed, round, tab
	side      align
	foot      string // below the number: nothing, the sequence, the discipline
	status    string // a revision that differs from sheet to sheet, beside the number
	again     bool   // the number once more, small, at another corner
	apartBox  bool   // the number in a corner of its own, away from the strip
	wide      float64
	facts     []string
	lying     int // drawn sideways on its page
	mark      string
	viewNames string
	says      [][2]string
	view      string // how a phrase writes a view and its sheet
	ownViews  bool   // a view's title repeats the sheet's number
	prefix    string // of room numbers
	form      string
	unlisted  bool // the cover has no index
	bareCover bool // the cover has no title block, only number and title in a corner
	zones     bool // letters and digits along the border name its zones
	chunks    bool // each word is a text of its own, without blanks between
}

// inventor draws choices. Those that are kept from development come only into unseen sets.
type inventor struct {
	*rand.Rand
	unseen bool
}

func of[T any](v inventor, open, kept []T) T {
	if v.unseen && len(kept) > 0 && v.IntN(2) == 0 {
		return pick(v.Rand, kept)
	}
	return pick(v.Rand, open)
}

func (v inventor) one(in int) bool { return v.IntN(in) == 0 }

func (v inventor) between(low, high float64) float64 { return low + (high-low)*v.Float64() }

// invent replaces what a project has by custom.
func (p *project) invent() {
	v := inventor{rand.New(rand.NewPCG(p.o.Seed, 97)), p.o.Unseen}
	p.size = of(v, append([]paper{
		{"half ARCH D", 1296, 864, 0.57, false},
		{"ANSI B", 1224, 792, 0.53, false},
		{"A2", 1683.78, 1190.55, 0.78, true},
		{"A3", 1190.55, 841.89, 0.55, true},
	}, papers...), []paper{
		{"ANSI E", 3168, 2448, 1.45, false}, {"B1", 2834.65, 2004.09, 1.3, true}, {"long", 3384, 1728, 1.15, false},
	})
	p.metric = p.size.metric
	p.rotate = pick(v.Rand, []int{0, 0, 0, 90, 180, 270})
	i := &invention{lying: pick(v.Rand, []int{0, 0, 0, 0, 0, 90, 270, 180})}
	p.inventNumbers(v, i)
	p.inventWords(v)
	p.inventMarks(v, i)
	i.unlisted, i.bareCover, i.zones, i.chunks = v.one(4), v.one(4), v.one(5), v.one(4)
	p.inventBlock(v, i)
	p.invented = i
	p.layout = layout{i.name(), inventedBlock}
}

// hire gives the sheets of some disciplines to a consultant, who has a title block of his own.
func (p *project) hire() {
	v := inventor{rand.New(rand.NewPCG(p.o.Seed, 96)), p.o.Unseen}
	if !v.one(3) {
		return
	}
	q, i := *p, *p.invented
	q.inventWords(v)
	q.inventBlock(v, &i)
	q.invented, q.job, q.layout = &i, p.job, layout{i.name(), inventedBlock}
	p.hired, p.hiredFor = &q, pick(v.Rand, [][]string{{"S"}, {"FP", "P", "M", "E"}, {"C"}, {"S", "FP", "P", "M", "E"}})
	p.layout.name += "; " + fmt.Sprint(p.hiredFor) + " " + q.layout.name
}

func (i *invention) name() string {
	where := i.edge
	switch {
	case i.edge == "corner":
		where = map[bool]string{true: "lower ", false: "upper "}[i.low] + map[bool]string{
			true: "right corner", false: "left corner",
		}[i.far]
	case i.reads == 270:
		where += " strip upwards"
	case i.reads == 90:
		where += " strip downwards"
	default:
		where += " strip"
	}
	if i.apartBox {
		where += ", number apart"
	}
	if i.lying != 0 {
		where += fmt.Sprintf(", lying %d", i.lying)
	}
	return fmt.Sprintf("%s, labels %s, %s, marks %s", where, i.labelAt, i.form, i.mark)
}

// numbering is a pattern with an example of it.
type numbering struct {
	like string
	form pattern
}

var zones = []string{"XX", "GF", "01", "02", "03", "RF", "ZZ"}

func inventedPatterns(p *project, v inventor) (open, kept []numbering) {
	block, job := 1+v.IntN(4), 2300+v.IntN(300)
	client := strings.ToUpper(p.name[:3])
	open = []numbering{
		{"A-101", patterns[0]},
		{"A101", patterns[1]},
		{"A1.01", patterns[2]},
		{"A-1.1", patterns[3]},
		{"A-001", patterns[4]},
		{"A1-01", patterns[9]},
		{"A1", patterns[7]},
		{"A-101.00", patterns[8]},
		{"M.101", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s.%d%02d", d, series, seq) }},
		{"01-A-101", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("%02d-%s-%d%02d", block, d, series, seq)
		}},
		{"AR-GF-001", func(d string, series, _, n int) string {
			return fmt.Sprintf("%s-%s-%03d", d, zones[series], n)
		}},
		{"A 101", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s %d%02d", d, series, seq) }},
		{"DR-A-0101", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("DR-%s-%02d%02d", d, series, seq)
		}},
		{"A-2.01", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d.%02d", d, series, seq) }},
	}
	kept = []numbering{
		{"A01-01", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%02d-%02d", d, series, seq) }},
		{"A-1-01", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d-%02d", d, series, seq) }},
		{"A.1.01", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s.%d.%02d", d, series, seq) }},
		{"2301-A-101", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("%d-%s-%d%02d", job, d, series, seq)
		}},
		{"RIV-ZZ-DR-A-0101", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("%s-%s-DR-%s-%02d%02d", client, zones[series], d, series, seq)
		}},
		{"101-A", func(d string, series, seq, _ int) string { return fmt.Sprintf("%d%02d-%s", series, seq, d) }},
		{"WD-A-01", func(d string, _, _, n int) string { return fmt.Sprintf("WD-%s-%02d", d, n) }},
		{"A-L1-01", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-L%d-%02d", d, series, seq) }},
		{"1A-101", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("%d%s-%d%02d", block, d, series, seq)
		}},
		{"A2-101.1", func(d string, series, seq, _ int) string {
			return fmt.Sprintf("%s%d-%d%02d.1", d, block, series, seq)
		}},
		{"A1001", func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%d%03d", d, series, seq) }},
	}
	return open, kept
}

func (p *project) inventNumbers(v inventor, i *invention) {
	open, kept := inventedPatterns(p, v)
	n := of(v, open, kept)
	i.form = n.like
	letters := of(v, []map[string]string{
		{},
		{},
		{"G": "GN", "C": "CV", "A": "AR", "S": "ST", "P": "PL", "M": "ME", "E": "EL"},
		{"G": "T", "C": "C", "FP": "F"},
		{"G": "GI", "A": "AE", "S": "SB", "C": "CS", "P": "PL", "M": "MH", "E": "EP", "FP": "FX"},
	}, []map[string]string{
		{"G": "GEN", "C": "CIV", "A": "ARC", "S": "STR", "FP": "FPR", "P": "PLU", "M": "MEC", "E": "ELE"},
		{"G": "N", "A": "B", "S": "K", "FP": "SP", "P": "H", "M": "V"},
	})
	p.pattern = func(d string, series, seq, n2 int) string {
		if l := letters[d]; l != "" {
			d = l
		}
		return n.form(d, series, seq, n2)
	}
	p.civil = p.pattern
	p.suffix = pick(v.Rand, []string{"A", "A", "a", "b"})
}

// inventWords chooses how titles, floors and dates are worded, and the letters of notes.
func (p *project) inventWords(v inventor) {
	p.spoken = of(v, []int{0, 1, 2}, []int{3, 4, 5})
	p.lower = v.one(5)
	p.wording = strings.NewReplacer(of(v, [][]string{
		{"?", "?"},
		{"?", "?"},
		{" AND ", " & "},
		{"REFLECTED CEILING PLAN", "RCP", "FIRE PROTECTION PLAN", "SPRINKLER PLAN"},
		{"PLAN", "LAYOUT"},
		{"DETAILS", "STANDARD DETAILS", "HVAC PLAN", "MECHANICAL DUCTWORK PLAN"},
	}, [][]string{
		{"PLAN", "GENERAL ARRANGEMENT", "DETAILS", "ASSEMBLIES", "ELEVATIONS", "FACADES"},
		{"PLAN", "PLAN - OVERALL", "SECTIONS", "CROSS SECTIONS"},
		{"POWER PLAN", "SMALL POWER", "LIGHTING PLAN", "LUMINAIRES", "SCHEDULE", "LIST"},
		{"PLAN", "PLAN, PHASE 2", "DETAILS", "DETAILS, PHASE 2"},
		{"PLAN", "ARRANGEMENT", "SECTIONS", "PROFILES", "SCHEDULE", "TABLE"},
	})...)
	forms, kept := []string{
		"01/02/2006", "1/2/06", "2006-01-02", "January 2, 2006", "02 Jan 2006", "01.02.2006",
		"Jan 2, 2006", "01-02-2006",
	}, []string{"2006/01/02", "Jan. 2, 2006", "2-Jan-06", "January 02, 2006"}
	if p.metric {
		forms, kept = []string{
			"02.01.2006", "2006-01-02", "02/01/2006", "2 January 2006", "02-Jan-2006", "02.01.06",
		}, []string{"2006.01.02", "2 Jan 06", "02-01-2006"}
	}
	p.dates = of(v, forms, kept)
	faces := []face{regular, regular, medium, mono, italic, bold}
	rare := []face{smallCaps, monoBold, boldItalic}
	p.letters = style{
		face: of(v, faces[:4], []face{smallCaps, italic}), size: v.between(6, 7.4), wide: v.between(0.78, 1),
	}
	if p.letters.face == mono {
		p.letters.wide, p.letters.size = 0.85, 6.2
	}
	p.head = of(v, []face{bold, medium}, []face{monoBold, boldItalic})
	t := &p.trim
	t.face = of(v, faces[:5], rare[:2])
	t.numberFace, t.titleFace = of(v, faces, rare), of(v, faces, rare)
	t.number = of(v, []string{
		"SHEET NO.", "SHEET NUMBER", "SHEET", "DRAWING NO.", "DWG NO", "DWG. NO.",
		"DRAWING NUMBER", "SHEET #", "Sheet No.", "NO.", "PLATE", "DRG NO.", "Drawing no", "SHT. NO.",
	},
		[]string{
			"DRAWING REF.", "PLAN NO.", "DOC. NO.", "IDENTIFIER", "SHT. NR.", "N° DE PLAN / DRAWING NO.",
			"PLAN-NR.", "Figure", "SHEET IDENTIFICATION", "KENNZEICHEN",
		})
	t.title = of(v, []string{
		"SHEET TITLE", "DRAWING TITLE", "TITLE", "SHEET NAME", "DRAWING", "SHEET CONTENTS", "Sheet Title", "Title",
	},
		[]string{
			"DESCRIPTION", "CONTENT", "SHOWING", "TITRE / TITLE", "INHALT", "PLAN TITLE", "Name of drawing",
			"BEZEICHNUNG", "This sheet shows",
		})
	t.date = of(v, []string{"DATE", "ISSUE DATE", "DATE ISSUED", "ISSUED", "Date", "DATE OF ISSUE"}, []string{
		"RELEASED", "FIRST ISSUE", "DATUM", "Sheet issued",
	})
	t.project = of(v, []string{"PROJECT", "PROJECT NAME", "JOB", "PROJECT TITLE"}, []string{
		"SCHEME", "WORKS", "PROJET / PROJECT",
	})
	t.job = of(v, []string{"PROJECT NO.", "JOB NO.", "PROJECT NUMBER", "COMM. NO.", "PROJ. NO.", "FILE NO."}, []string{
		"CONTRACT NO.", "OUR REF.", "COMMISSION",
	})
	t.colon = pick(v.Rand, []string{"", ":", "", " :"})
	p.job = of(v, []string{
		fmt.Sprintf("%02d%03d", 22+v.IntN(4), 10+v.IntN(900)), fmt.Sprintf("20%02d-%02d", 22+v.IntN(4), 10+v.IntN(90)),
		fmt.Sprintf("%c-%d", 'A'+v.IntN(20), 200+v.IntN(700)),
		fmt.Sprintf("%c%d.%02d", 'A'+v.IntN(20), 20+v.IntN(5), v.IntN(90)),
	},
		[]string{fmt.Sprintf("P-%d", 10000+v.IntN(9999)), fmt.Sprintf("%d/%02d", 100+v.IntN(800), 22+v.IntN(4))})
}

// inventMarks chooses how one sheet refers to another.
func (p *project) inventMarks(v inventor, i *invention) {
	i.mark = of(v, []string{"bubble", "bubble", "bare", "square", "inline"}, []string{"beside", "named", "under"})
	i.viewNames = of(v, []string{"1", "1", "A", "01"}, []string{"1A", "D1"})
	i.says = of(v, [][][2]string{
		nil, nil,
		{{"SEE SHEET {}", "SEE {}"}, {"SEE {}", "REFER TO {}"}},
		{{"SEE {}", "SEE DWG. {}"}, {"REFER TO {}", "REFER TO DRAWING {}"}},
		{{"RE: {}", "REF. {}"}, {"SEE {}", "SEE SHT. {}"}},
	}, [][][2]string{
		{{"SEE SHEET {}", "CF. SHEET {}"}, {"SEE {}", "AS SHOWN ON {}"}},
		{{"SEE {}", "FOUND ON SHEET {}"}, {"RE: {}", "CONT. ON {}"}},
		{{"SEE {}", "PLEASE REFER TO {}"}, {"RE: {}", "COMPARE {}"}},
	})
	i.view = of(v, []string{"%s/{}", "%s/{}", "%s / {}", "DETAIL %s, SHEET {}", "DET. %s ON {}"}, []string{
		"DETAIL %s OF {}", "%s ON SHEET {}", "(%s/{})", "SECT. %s AT {}", "{} NO. %s",
	})
	i.ownViews = v.one(3)
	i.prefix = pick(v.Rand, []string{"", "", "", "A", "A-", "B"})
}

func (i *invention) viewName(n int) string {
	switch i.viewNames {
	case "A":
		return string(rune('A' + (n-1)%26))
	case "01":
		return fmt.Sprintf("%02d", n)
	case "1A":
		return fmt.Sprintf("%d%c", 1+n/4, 'A'+n%4)
	case "D1":
		return fmt.Sprintf("D%d", n)
	}
	return fmt.Sprint(n)
}

// say words a phrase in the way of the set; {} stays where the sheet's number belongs.
func (i *invention) say(format string, view int) string {
	if strings.Contains(format, "{v}") {
		if strings.Contains(i.view, "DET") {
			format = strings.ReplaceAll(format, "DETAIL {v}", "{v}")
		}
		return strings.ReplaceAll(format, "{v}", fmt.Sprintf(i.view, i.viewName(view)))
	}
	for _, s := range i.says {
		if strings.Contains(format, s[0]) {
			return strings.Replace(format, s[0], s[1], 1)
		}
	}
	return format
}
