package draft

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// spec is one sheet of a set before it is drawn.
type spec struct {
	number, title string
	discipline    string
	series, seq   int
	suffix        string
	role          string
	level         int
	rank          int // sheets of a high rank are left out of small sets first
	views         int // how many numbered views it has
	outlined      bool
	rotate        int
	draw          func(*sheet)
}

// disciplines in the order of a set.
var disciplines = []string{"G", "C", "A", "S", "FP", "P", "M", "E"}

// plan decides which sheets there are and numbers them.
func (p *project) plan() {
	var all []spec
	add := func(discipline string, series, seq, rank, views int, role, title string, level int, draw func(*sheet)) {
		all = append(all, spec{
			discipline: discipline, series: series, seq: seq, rank: rank, views: views, role: role,
			title: p.titled(title), level: level, draw: draw,
		})
	}
	add("G", 0, 1, 0, 0, "cover", pick(p.r, []string{"COVER SHEET", "TITLE SHEET", "COVER SHEET AND DRAWING INDEX"}), 0,
		drawCover)
	add("G", 0, 2, 3, 0, "general", "GENERAL NOTES, SYMBOLS AND ABBREVIATIONS", 0, drawGeneral)
	add("C", 1, 1, 2, 1, "site", pick(p.r, []string{"SITE PLAN", "SITE LAYOUT PLAN", "GRADING AND DRAINAGE PLAN"}), 0,
		drawSite)
	for n := 1; n <= p.b.floors; n++ {
		f, rank := p.floor(n), 1+n*2
		add("A", 1, n, rank-2, 1, "plan", f+" PLAN", n, drawPlan)
		add("A", 1, 20+n, rank, 1, "ceiling", f+" REFLECTED CEILING PLAN", n, drawCeiling)
		add("S", 1, n, rank, 1, "framing", map[bool]string{true: "FOUNDATION PLAN", false: f + " FRAMING PLAN"}[n == 1],
			n, drawFraming)
		add("FP", 1, n, rank+1, 1, "sprinklers", f+" FIRE PROTECTION PLAN", n, drawSprinklers)
		add("P", 1, n, rank, 1, "plumbing", f+" PLUMBING PLAN", n, drawPlumbing)
		add("M", 2, n, rank-1, 1, "hvac", f+" HVAC PLAN", n, drawDucts)
		add("E", 1, n, rank, 1, "lighting", f+" LIGHTING PLAN", n, drawLighting)
		add("E", 2, n, rank-1, 1, "power", f+" POWER PLAN", n, drawPower)
		if n == 1 {
			add("M", 2, 1, 6, 1, "hvac", f+" HVAC PLAN - ALTERNATE 1", n, drawDucts)
			all[len(all)-1].suffix = p.suffix
		}
	}
	add("A", 1, p.b.floors+1, 4, 1, "roof", "ROOF PLAN", 0, drawRoof)
	add("A", 2, 1, 0, 2, "elevation", pick(p.r, []string{
		"EXTERIOR ELEVATIONS", "BUILDING ELEVATIONS", "NORTH AND SOUTH ELEVATIONS",
	}), 0, drawElevations)
	add("A", 2, 2, 4, 2, "elevation",
		pick(p.r, []string{"EXTERIOR ELEVATIONS - EAST AND WEST", "EAST AND WEST ELEVATIONS"}), 1, drawElevations)
	add("A", 3, 1, 0, 2, "section", "BUILDING SECTIONS", 0, drawSections)
	add("A", 3, 11, 5, 4, "wall section", "WALL SECTIONS", 0, drawDetails)
	add("A", 4, 1, 2, 3, "enlarged", pick(p.r, []string{
		"ENLARGED PLANS AND INTERIOR ELEVATIONS", "ENLARGED TOILET ROOM PLANS", "ENLARGED STAIR AND TOILET PLANS",
	}), 1, drawEnlarged)
	add("A", 5, 1, 0, 12, "detail", "DETAILS", 0, drawDetails)
	add("A", 5, 2, 3, 12, "detail", "EXTERIOR DETAILS", 0, drawDetails)
	add("A", 6, 1, 2, 0, "door schedule",
		pick(p.r, []string{"DOOR SCHEDULE", "DOOR AND FRAME SCHEDULE", "DOOR SCHEDULE AND FRAME TYPES"}), 1, drawDoors)
	add("A", 6, 2, 6, 0, "finishes", "ROOM FINISH SCHEDULE", 1, drawFinishes)
	add("S", 0, 1, 3, 0, "general", "GENERAL STRUCTURAL NOTES", 0, drawGeneral)
	add("S", 5, 1, 1, 12, "detail", pick(p.r, []string{"STRUCTURAL DETAILS", "FOUNDATION DETAILS", "TYPICAL DETAILS"}),
		0, drawDetails)
	add("S", 5, 2, 5, 12, "detail", "STEEL FRAMING DETAILS", 0, drawDetails)
	add("M", 5, 1, 5, 8, "detail", "MECHANICAL DETAILS", 0, drawDetails)
	add("M", 6, 1, 4, 0, "equipment", "MECHANICAL SCHEDULES", 0, drawEquipment)
	add("P", 6, 1, 6, 1, "riser", "PLUMBING RISER DIAGRAMS", 0, drawRiser)
	add("E", 6, 1, 4, 1, "one-line",
		pick(p.r, []string{"ONE-LINE DIAGRAM", "POWER ONE-LINE DIAGRAM AND PANEL SCHEDULES"}), 0, drawOneLine)
	if want := p.o.Sheets; want > 0 {
		extra := []string{
			"INTERIOR DETAILS", "ROOF DETAILS", "CURTAIN WALL DETAILS", "CASEWORK DETAILS",
			"STAIR DETAILS", "CEILING DETAILS", "PARTITION TYPES", "PLAN DETAILS", "SECTION DETAILS",
		}
		for i := 0; len(all) < want; i++ {
			d := []string{"A", "S", "A", "M"}[i%4]
			title := extra[i%len(extra)]
			if i >= len(extra) {
				title = fmt.Sprintf("%s %d", title, i/len(extra)+1)
			}
			add(d, 5, 3+i/2, 9, 12, "detail", title, 0, drawDetails)
		}
		slices.SortStableFunc(all, func(a, b spec) int { return a.rank - b.rank })
		all = all[:want]
	}
	slices.SortStableFunc(all, func(a, b spec) int {
		if d := slices.Index(disciplines, a.discipline) - slices.Index(disciplines, b.discipline); d != 0 {
			return d
		}
		return (a.series*1000 + a.seq) - (b.series*1000 + b.seq)
	})
	count := map[string]int{}
	for i := range all {
		s := &all[i]
		if s.suffix == "" {
			count[s.discipline]++
		}
		form := p.pattern
		if s.discipline == "C" {
			form = p.civil
		}
		s.number = form(s.discipline, s.series, s.seq, count[s.discipline]) + s.suffix
		s.rotate = p.rotate
	}
	p.sheets = all
	if !p.o.Plain {
		p.spoil(rand.New(rand.NewPCG(p.o.Seed, 8)))
	}
}

// spoil makes a set as uneven as sets from practice: a page without text, one number on two pages, a page turned
// differently.
func (p *project) spoil(r *rand.Rand) {
	if len(p.sheets) < 8 {
		return
	}
	if r.IntN(4) == 0 {
		p.sheets[3+r.IntN(len(p.sheets)-3)].outlined = true
	}
	if r.IntN(4) == 0 {
		i := 3 + r.IntN(len(p.sheets)-4)
		if a, b := &p.sheets[i], p.sheets[i-1]; a.discipline == b.discipline && a.role == b.role {
			a.number = b.number
		}
	}
	if r.IntN(4) == 0 {
		p.sheets[3+r.IntN(len(p.sheets)-3)].rotate = pick(r, []int{90, 180, 270})
	}
}

// find is the sheets that have a role, in one discipline or, with "", in all.
func (p *project) find(discipline string, roles ...string) []*spec {
	var out []*spec
	for i := range p.sheets {
		s := &p.sheets[i]
		if slices.Contains(roles, s.role) && (discipline == "" || s.discipline == discipline) {
			out = append(out, s)
		}
	}
	return out
}
