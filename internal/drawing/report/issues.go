package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"groundwork/internal/drawing/print"
)

// kindIssues is what an issue report is called.
const kindIssues = "Issue report"

// PDF writes the report to be sent: a cover, a table, and a card for every issue; table and cards lead to each other.
func (r *Issues) PDF(w io.Writer, pictures Pictures) error {
	p := newPaper(&r.Front, kindIssues, pictures)
	p.cover(r)
	p.Mark("Overview", 0, 0)
	if len(r.Issues) > 0 {
		cards, rows := make([]int, len(r.Issues)), make([]int, len(r.Issues))
		for i := range r.Issues {
			cards[i], rows[i] = p.pdf.AddLink(), p.pdf.AddLink()
		}
		p.turn()
		p.index(r, cards, rows)
		p.turn()
		p.Mark("Issues", 0, p.y)
		p.section("Issues", 40)
		for i := range r.Issues {
			p.card(&r.Issues[i], r.late(), cards[i], rows[i])
		}
	}
	return p.finish(w, kindIssues, true)
}

// index is the table of all issues; each row leads to its card.
func (p *paper) index(r *Issues, cards, rows []int) {
	p.Mark("Table of issues", 0, p.y)
	p.section("Table of issues", 20)
	t := p.table([]column{
		{"No.", 10, false},
		{"Title", 0, false},
		{"Status", 21, false},
		{"Type", 16, false},
		{"List", 30, false},
		{"Assigned to", 25, false},
		{"Due", 21, false},
	}, 2)
	t.begin()
	for i := range r.Issues {
		issue := &r.Issues[i]
		hue := hues[issue.Status]
		due := cell{c: black}
		if issue.Due != nil {
			due.text = at(*issue.Due, p.zone).Format(dateForm)
		}
		if issue.overdue(r.late()) {
			due.c = alarm
		}
		t.row = func(y, h float64) {
			p.pdf.Link(p.left, y, p.width(), h, cards[i])
			p.pdf.SetLink(rows[i], y, -1)
		}
		t.add([]cell{
			{text: fmt.Sprint(issue.Number), c: grey},
			{text: issue.title(), c: black},
			{text: words(issue.Status), c: black, dot: &hue},
			{text: words(issue.Type), c: grey},
			{text: issue.List, c: grey},
			{text: strings.Join(issue.Assignees, ", "), c: grey},
			due,
		})
	}
}

// fact is something that is known of an issue.
type fact struct {
	name, value string
	c           ink
}

func (p *paper) facts(i *Issue, late int64) []fact {
	var all []fact
	add := func(name, value string, c ink) {
		if value != "" {
			all = append(all, fact{name, value, c})
		}
	}
	time := func(t *int64) string {
		if t == nil {
			return ""
		}
		return at(*t, p.zone).Format(timeForm)
	}
	due := black
	if i.overdue(late) {
		due = alarm
	}
	add("Assigned to", strings.Join(i.Assignees, ", "), black)
	add("Due", time(i.Due), due)
	add("List", i.List, black)
	add("Type", words(i.Type), black)
	add("Room", i.Room, black)
	if i.Start != "" {
		add("Start", day(i.Start), black)
	}
	add("Created", time(&i.Created), black)
	add("Created by", i.CreatedBy, black)
	add("Closed", time(i.Closed), black)
	switch {
	case i.Cost != "":
		add("Cost impact", strings.TrimSpace(i.Currency+" "+grouped(i.Cost)), black)
	case i.HasCost:
		add("Cost impact", "Yes, not known yet", black)
	}
	switch {
	case i.Schedule != nil:
		add("Schedule impact", span(*i.Schedule), black)
	case i.HasSchedule:
		add("Schedule impact", "Yes, not known yet", black)
	}
	return all
}

// span is a time in the largest unit of which it is a whole number.
func span(seconds int64) string {
	for _, unit := range []struct {
		name   string
		length int64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}} {
		if seconds%unit.length != 0 {
			continue
		}
		n := seconds / unit.length
		if n == 1 {
			return "1 " + unit.name
		}
		return grouped(strconv.FormatInt(n, 10)) + " " + unit.name + "s"
	}
	return ""
}

// grouped puts commas between the thousands of a decimal number.
func grouped(number string) string {
	whole, rest, fraction := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for n := len(whole) - 3; n > 0; n -= 3 {
		whole = whole[:n] + "," + whole[n:]
	}
	if fraction {
		whole += "." + rest
	}
	return sign + whole
}

const factColumns = 4

// grid sets facts in columns, a row at a time.
func (p *paper) grid(all []fact) {
	w := p.width() / factColumns
	for len(all) > 0 {
		row := all[:min(factColumns, len(all))]
		all = all[len(row):]
		lines, height := make([][]print.Line, len(row)), 0.0
		for i, f := range row {
			lines[i] = p.Most(3, f.value, small, w-4)
			height = max(height, float64(len(lines[i]))*leading(small))
		}
		p.need(leading(label) + height)
		for i, f := range row {
			x := p.left + float64(i)*w
			p.block([]print.Line{p.Line(f.name)}, label, grey, x, p.y, w-4)
			p.block(lines[i], small, f.c, x, p.y+leading(label), w-4)
		}
		p.y += leading(label) + height + 2
	}
}

// card is everything about one issue.
func (p *paper) card(i *Issue, late int64, here, back int) {
	title := print.Style{Bold: true, Size: 11}
	number := p.Line(fmt.Sprintf("#%d", i.Number))
	indent := p.Width(number, title) + 3
	status := p.Line(words(i.Status))
	pill := p.Width(status, label) + 6
	lines := p.Lines(i.title(), title, p.width()-indent-pill-4)
	facts := p.facts(i, late)
	var shots []shot
	if i.Place != nil {
		what := i.Place.Sheet
		if i.Place.Title != "" {
			what += ", " + i.Place.Title
		}
		shots = append(shots, shot{i.Place.Picture, what, i.Place})
	}
	for _, f := range i.Photos {
		shots = append(shots, shot{f.Picture, p.about(f), nil})
	}

	// The head, the facts and the first pictures stay together.
	rows := float64((len(facts) + factColumns - 1) / factColumns)
	top := 5 + float64(len(lines))*leading(title) + 3 + rows*(leading(label)+leading(small)+2)
	p.need(min(top+p.galleryHeight(len(shots))+2*leading(body), (p.bottom-p.top)*0.8))
	p.rule(accent, p.left, p.right, p.y, 0.5)
	p.y += 3.5
	p.pdf.SetLink(here, p.y-3.5, -1)
	p.Mark(fmt.Sprintf("#%d %s", i.Number, i.title()), 1, p.y-3.5)
	p.block([]print.Line{number}, title, accent, p.left, p.y, indent)
	hue, x := hues[i.Status], p.right-pill
	p.pdf.SetFillColor(hue[0], hue[1], hue[2])
	p.pdf.RoundedRect(x, p.y+0.3, pill, 4.8, 2.4, "1234", "F")
	p.block([]print.Line{status}, label, on(hue), x+3, p.y+0.9, pill)
	p.pdf.Link(p.left, p.y, p.width(), leading(title), back)
	for _, l := range lines {
		p.flow([]print.Line{l}, title, black, p.left+indent, p.width()-indent-pill-4)
	}
	p.y += 2
	p.over = fmt.Sprintf("Continued: #%d %s", i.Number, i.title())
	defer func() { p.over = "" }()
	p.grid(facts)
	if strings.TrimSpace(i.Description) != "" {
		p.y += 0.5
		p.flow(p.Lines(i.Description, body, p.width()), body, black, p.left, p.width())
		p.y += 2.5
	}
	p.gallery(shots)
	if i.MorePhotos > 0 {
		p.flow([]print.Line{p.Line(fmt.Sprintf("%d more photos are with the issue.", i.MorePhotos))}, caption, grey,
			p.left, p.width())
		p.y += 2
	}
	p.named("Documents", i.Documents)
	p.comments(i)
	p.y += 7
}

// named is a heading with a few lines under it.
func (p *paper) named(name string, items []string) {
	if len(items) == 0 {
		return
	}
	p.need(leading(strong) + leading(small))
	p.flow([]print.Line{p.Line(name)}, strong, black, p.left, p.width())
	for _, item := range items {
		p.flow(p.Most(2, "· "+item, small, p.width()), small, black, p.left, p.width())
	}
	p.y += 2.5
}

// comments are what was said, the oldest first.
func (p *paper) comments(i *Issue) {
	if len(i.Comments) == 0 {
		return
	}
	p.need(leading(strong) + 2*leading(small) + 4)
	p.flow([]print.Line{p.Line("Comments")}, strong, black, p.left, p.width())
	p.y += 1
	if i.MoreComments > 0 {
		p.flow([]print.Line{p.Line(fmt.Sprintf("%d earlier comments are with the issue.", i.MoreComments))}, caption,
			grey, p.left, p.width())
	}
	const indent = 4.0
	who := print.Style{Bold: true, Size: 8}
	for _, c := range i.Comments {
		p.need(leading(small) * 2)
		name := p.Fit(c.By, who, p.width()*0.6)
		p.color(black)
		p.Set(p.left+indent, p.y+ascent(who), name, who)
		p.color(grey)
		p.Set(p.left+indent+p.Width(name, who)+3, p.y+ascent(small), p.Line(at(c.At, p.zone).Format(timeForm)), caption)
		p.fill(line, p.left, p.y+0.6, 0.6, leading(small)-0.6)
		p.y += leading(small)
		for _, l := range p.Lines(c.Text, small, p.width()-indent) {
			p.need(leading(small))
			p.fill(line, p.left, p.y, 0.6, leading(small))
			p.flow([]print.Line{l}, small, black, p.left+indent, p.width()-indent)
		}
		p.y += 2
	}
}
