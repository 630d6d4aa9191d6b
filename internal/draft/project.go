package draft

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// project is everything that the sheets of a set have in common.
type project struct {
	o       Options
	r       *rand.Rand
	b       *building
	name    string
	address []string
	client  string
	firm    firm
	others  []firm // consultants
	job     string
	phase   string
	issued  time.Time
	dates   string // the form of dates, as package time has it
	layout  layout
	trim    trim
	size    paper
	metric  bool
	rotate  int
	pattern pattern
	civil   pattern
	spoken  int // which words name a floor
	lower   bool
	letters style // of notes and tags
	head    face
	sheets  []spec

	suffix   string // of an alternate
	wording  *strings.Replacer
	invented *invention // of invented layouts only
	hired    *project   // the same set, as a consultant draws his sheets
	hiredFor []string   // his disciplines
}

type firm struct {
	name    string
	lines   []string
	initial string
}

type paper struct {
	name   string
	w, h   float64
	zoom   float64
	metric bool
}

var papers = []paper{
	{"ARCH D", 2592, 1728, 1.15, false},
	{"ANSI D", 2448, 1584, 1.05, false},
	{"A1", 2383.94, 1683.78, 1.1, true},
	{"A0", 3370.39, 2383.94, 1.5, true},
	{"ARCH E", 3456, 2592, 1.6, false},
	{"ARCH D", 2592, 1728, 1, false},
	{"ARCH E1", 3024, 2160, 1.35, false},
	{"ANSI D", 2448, 1584, 1, false},
}

// pattern makes sheet numbers; n counts the sheets of a discipline.
type pattern func(discipline string, series, seq, n int) string

var patterns = []pattern{
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d%02d", d, series, seq) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%d%02d", d, series, seq) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%d.%02d", d, series, seq) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d.%d", d, series, seq) },
	func(d string, _, _, n int) string { return fmt.Sprintf("%s-%03d", d, n) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%d.%d", d, series, seq) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d%02d", d, series, seq) },
	func(d string, _, _, n int) string { return fmt.Sprintf("%s%d", d, n) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s-%d%02d.00", d, series, seq) },
	func(d string, series, seq, _ int) string { return fmt.Sprintf("%s%d-%02d", d, series, seq) },
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func newProject(o Options) *project {
	r := rand.New(rand.NewPCG(o.Seed, 7))
	p := &project{
		o: o, r: r, suffix: "A", wording: strings.NewReplacer(), size: pick(r, papers),
		pattern: pick(r, patterns), spoken: r.IntN(3), lower: r.IntN(5) == 0,
	}
	p.metric = p.size.metric
	p.civil = p.pattern
	if r.IntN(3) == 0 {
		p.civil = patterns[7]
	}
	floors := 2 + r.IntN(4)
	if o.Sheets > 0 {
		floors = min(max((o.Sheets-18)/9, 2), 20)
	}
	p.b = newBuilding(o.Seed, floors)
	p.name = strings.ToUpper(pick(r, places)) + " " + pick(r, p.b.use.kinds)
	p.address = []string{fmt.Sprintf("%d %s", 100+r.IntN(8900), pick(r, streets)), pick(r, cities)}
	p.client = pick(r, []string{"%s Development Group", "City of %s", "%s Properties LLC", "%s Holdings, Inc."})
	p.client = fmt.Sprintf(p.client, pick(r, places))
	p.firm = newFirm(r, pick(r, firmForms))
	for _, form := range []string{"%s %s STRUCTURAL ENGINEERS", "%s & %s CONSULTING ENGINEERS", "%s %s CIVIL"} {
		p.others = append(p.others, newFirm(r, form))
	}
	p.job = fmt.Sprintf("%02d%03d", 22+r.IntN(4), r.IntN(900)+10)
	if r.IntN(2) == 0 {
		p.job = fmt.Sprintf("20%02d-%02d", 22+r.IntN(4), r.IntN(90)+10)
	}
	if r.IntN(4) == 0 {
		p.job = fmt.Sprintf("%c-%d", 'A'+rune(r.IntN(20)), 200+r.IntN(700)) // like a sheet
	}
	p.phase = phases[3+r.IntN(len(phases)-3)]
	p.issued = time.Date(2023+r.IntN(3), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
	forms := []string{
		"01/02/2006", "1/2/06", "2006-01-02", "January 2, 2006", "02 Jan 2006", "01.02.2006", "Jan 2, 2006",
	}
	if p.metric {
		forms = []string{"02.01.2006", "2006-01-02", "02/01/2006", "2 January 2006", "02-Jan-2006"}
	}
	p.dates = pick(r, forms)
	p.letters = style{
		face: pick(r, []face{regular, regular, medium, mono}), size: 6.8, wide: pick(r, []float64{0.85, 0.9, 1}),
	}
	if p.letters.face == mono {
		p.letters.wide, p.letters.size = 0.85, 6.4
	}
	p.head = pick(r, []face{bold, medium, bold})
	p.layout = pick(r, layouts)
	for _, l := range layouts {
		if l.name == o.Layout {
			p.layout = l
		}
	}
	p.trim = newTrim(r, p)
	if !o.Plain && r.IntN(3) == 0 {
		p.rotate = pick(r, []int{90, 270})
	}
	if o.Layout == Invented {
		p.invent()
	}
	p.plan()
	if o.Layout == Invented {
		p.hire()
	}
	return p
}

func newFirm(r *rand.Rand, form string) firm {
	a, b := pick(r, surnames), pick(r, surnames)
	for a == b {
		b = pick(r, surnames)
	}
	f := firm{name: fmt.Sprintf(form, strings.ToUpper(a), strings.ToUpper(b)), initial: a[:1] + b[:1]}
	f.lines = []string{
		fmt.Sprintf("%d %s", 100+r.IntN(900), pick(r, streets)), pick(r, cities),
		fmt.Sprintf("T %03d.555.%04d", 201+r.IntN(700), r.IntN(10000)),
	}
	return f
}

// date is a day in the form of this set.
func (p *project) date(t time.Time) string {
	s := t.Format(p.dates)
	if !p.lower {
		s = strings.ToUpper(s)
	}
	return s
}

// floor names a storey the way this set does.
func (p *project) floor(n int) string {
	switch p.spoken {
	case 0:
		return floorNames[(n-1)%len(floorNames)] + " FLOOR"
	case 1:
		return fmt.Sprintf("LEVEL %d", n)
	case 3:
		return append([]string{"GROUND"}, floorNames...)[n-1] + " FLOOR"
	case 4:
		return fmt.Sprintf("L%d", n)
	case 5:
		return fmt.Sprintf("STOREY %d", n)
	}
	return fmt.Sprintf("LEVEL %02d", n)
}

// titled is the case in which this set writes titles.
func (p *project) titled(title string) string {
	title = p.wording.Replace(title)
	if !p.lower {
		return title
	}
	words := strings.Fields(strings.ToLower(title))
	for i, w := range words {
		if w != "and" && w != "of" && w != "hvac" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
		if w == "hvac" {
			words[i] = "HVAC"
		}
	}
	return strings.Join(words, " ")
}
