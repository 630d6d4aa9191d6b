package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"groundwork/internal/drawing/print"
)

// cover is the first page: what the report is about, and how things stand.
func (p *paper) cover(r *Issues) {
	p.pdf.AddPage()
	width, _ := p.pdf.GetPageSize()
	p.fill(accent, 0, 0, width, 7)
	p.y = 42
	p.flow(p.Most(2, r.Project, heading, p.width()), heading, grey, p.left, p.width())
	p.y += 2
	p.flow(p.Most(3, r.Title, headline, p.width()), headline, black, p.left, p.width())
	p.y += 3
	made := at(r.At, p.zone).Format(timeForm + " MST")
	if r.By != "" {
		made += " · by " + r.By
	}
	p.flow([]print.Line{p.Fit(made, body, p.width())}, body, grey, p.left, p.width())
	p.y += 10

	counts, overdue := map[string]int{}, 0
	for i := range r.Issues {
		counts[r.Issues[i].Status]++
		if r.Issues[i].overdue(r.late()) {
			overdue++
		}
	}
	p.figures(len(r.Issues), counts, overdue)
	p.y += 12
	if len(r.Issues) == 0 {
		p.flow([]print.Line{p.Line("There are no issues in this report.")}, body, grey, p.left, p.width())
		return
	}
	p.section("By status", 20)
	p.bar(p.left, p.y, p.width(), 9, counts, len(r.Issues))
	p.y += 9 + 3
	p.legend(counts)
	p.y += 10
	p.lists(r)
}

// figures are the numbers that one looks for first.
func (p *paper) figures(total int, counts map[string]int, overdue int) {
	type figure struct {
		n    int
		name string
		c    ink
	}
	all := []figure{{total, "Issues", black}}
	for _, s := range statuses {
		all = append(all, figure{counts[s], words(s), black})
	}
	late := grey
	if overdue > 0 {
		late = alarm
	}
	all = append(all, figure{overdue, "Overdue", late})
	const gap = 4.0
	w := (p.width() - gap*float64(len(all)-1)) / float64(len(all))
	number := print.Style{Bold: true, Size: 20}
	for i, f := range all {
		x := p.left + float64(i)*(w+gap)
		p.fill(shade, x, p.y, w, 21)
		c := f.c
		if f.n == 0 {
			c = grey
		}
		p.block([]print.Line{p.Line(strconv.Itoa(f.n))}, number, c, x+3, p.y+2.5, w)
		p.block([]print.Line{p.Line(f.name)}, small, grey, x+3, p.y+14, w)
	}
	p.y += 21
}

// bar shows counts as parts of a whole.
func (p *paper) bar(x, y, width, height float64, counts map[string]int, total int) {
	for _, s := range statuses {
		w := width * float64(counts[s]) / float64(max(1, total))
		if counts[s] > 0 {
			p.fill(hues[s], x, y, w, height)
		}
		x += w
	}
}

func (p *paper) legend(counts map[string]int) {
	x := p.left
	for _, s := range statuses {
		p.fill(hues[s], x, p.y+0.6, 3, 3)
		l := p.Line(fmt.Sprintf("%s %d", words(s), counts[s]))
		p.block([]print.Line{l}, small, black, x+4.5, p.y, 60)
		x += p.Width(l, small) + 12
	}
	p.y += leading(small)
}

// mostBars is how many lists the cover shows; the others share one bar.
const mostBars = 12

// lists shows how many issues each list has, and how far they are.
func (p *paper) lists(r *Issues) {
	type group struct {
		name   string
		total  int
		counts map[string]int
	}
	index := map[string]*group{}
	var groups []*group
	for i := range r.Issues {
		name := r.Issues[i].List
		if name == "" {
			name = "No list"
		}
		g := index[name]
		if g == nil {
			g = &group{name: name, counts: map[string]int{}}
			index[name] = g
			groups = append(groups, g)
		}
		g.total++
		g.counts[r.Issues[i].Status]++
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.total, a.total) })
	if len(groups) > mostBars {
		rest := &group{name: fmt.Sprintf("%d other lists", len(groups)-mostBars+1), counts: map[string]int{}}
		for _, g := range groups[mostBars-1:] {
			rest.total += g.total
			for s, n := range g.counts {
				rest.counts[s] += n
			}
		}
		groups = append(groups[:mostBars-1], rest)
	}
	most := 0
	for _, g := range groups {
		most = max(most, g.total)
	}
	p.section("By list", 10)
	const names, numbers, height = 52.0, 12.0, 4.6
	for _, g := range groups {
		p.block([]print.Line{p.Fit(g.name, small, names-4)}, small, black, p.left, p.y, names-4)
		full := p.width() - names - numbers
		w := full * float64(g.total) / float64(most)
		p.bar(p.left+names, p.y, w, height, g.counts, g.total)
		p.block([]print.Line{p.Line(strconv.Itoa(g.total))}, small, grey, p.left+names+w+2, p.y, numbers)
		p.y += height + 2.4
	}
}
