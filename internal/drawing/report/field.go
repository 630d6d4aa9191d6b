package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"groundwork/internal/drawing/print"
)

// Fields is an export of field reports.
type Fields struct {
	Front
	Reports []Field
}

// Field is the report of one day.
type Field struct {
	Date, Title, Status, Description string
	By                               string
	Created, Updated                 int64
	Weather                          *Weather
	Work                             []Work
	Materials, Equipment             []Thing
	Answers                          []Answer
	Photos                           []Photo
	MorePhotos                       int
	Documents                        []string
}

// Weather is that of a day, in units that it names.
type Weather struct {
	Summary                                        string
	Low, High, Humidity, Rain, Wind, Gust, Bearing *float64
	TemperatureUnit, RainUnit, SpeedUnit           string
}

// Work is who worked; Seconds is for how long.
type Work struct {
	Trade, Description string
	Workers, Seconds   *int64
}

// Thing is a material that was used, by its unit, or equipment that was in use for some seconds.
type Thing struct {
	Item, Unit, Description string
	Quantity                *float64
	Seconds                 *int64
}

// Answer is a line of a form that was filled in.
type Answer struct{ Section, Name, Value, Notes string }

const kindFields = "Field report"

func (f *Field) title() string {
	if t := strings.TrimSpace(f.Title); t != "" {
		return t
	}
	return kindFields
}

// PDF writes the reports to be sent, each on pages of its own; several have a table in front that leads to them.
func (r *Fields) PDF(w io.Writer, pictures Pictures) error {
	p := newPaper(&r.Front, kindFields, pictures)
	links := make([]int, len(r.Reports))
	for i := range links {
		links[i] = p.pdf.AddLink()
	}
	if len(r.Reports) != 1 {
		p.turn()
		p.summary(r, links)
	}
	for i := range r.Reports {
		p.turn()
		p.pdf.SetLink(links[i], p.y, -1)
		p.Mark(day(r.Reports[i].Date)+", "+r.Reports[i].title(), 0, p.y)
		p.over = "Continued: " + longDay(r.Reports[i].Date)
		p.report(&r.Reports[i])
		p.over = ""
	}
	return p.finish(w, kindFields, false)
}

// summary is the table of all reports.
func (p *paper) summary(r *Fields, links []int) {
	p.Mark("Overview", 0, p.y)
	p.flow(p.Most(2, r.Title, headline, p.width()), headline, black, p.left, p.width())
	p.y += 1
	by := fmt.Sprintf("%d field reports", len(r.Reports))
	if r.By != "" {
		by += " · exported by " + r.By
	}
	p.flow([]print.Line{p.Fit(by, body, p.width())}, body, grey, p.left, p.width())
	p.y += 6
	t := p.table([]column{
		{"Date", 24, false},
		{"Title", 0, false},
		{"Status", 21, false},
		{"By", 36, false},
		{"Workers", 16, true},
		{"Photos", 16, true},
	}, 2)
	t.begin()
	for i := range r.Reports {
		f := &r.Reports[i]
		t.row = func(y, h float64) { p.pdf.Link(p.left, y, p.width(), h, links[i]) }
		t.add([]cell{
			{text: day(f.Date), c: black},
			{text: f.title(), c: black},
			{text: words(f.Status), c: grey},
			{text: f.By, c: grey},
			{text: whole(f.workers()), c: grey},
			{text: strconv.Itoa(len(f.Photos) + f.MorePhotos), c: grey},
		})
	}
}

// workers is how many people were at work, nil where nobody said so.
func (f *Field) workers() *int64 {
	var sum *int64
	for _, w := range f.Work {
		if w.Workers != nil {
			if sum == nil {
				sum = new(int64)
			}
			*sum += *w.Workers
		}
	}
	return sum
}

// report is one day.
func (p *paper) report(f *Field) {
	p.flow([]print.Line{p.Line(longDay(f.Date))}, strong, accent, p.left, p.width())
	p.y += 0.5
	title := print.Style{Bold: true, Size: 18}
	p.flow(p.Most(3, f.title(), title, p.width()), title, black, p.left, p.width())
	p.y += 1
	about := []string{words(f.Status)}
	if f.By != "" {
		about = append(about, f.By)
	}
	about = append(about, "changed "+at(f.Updated, p.zone).Format(timeForm+" MST"))
	p.flow([]print.Line{p.Fit(strings.Join(about, " · "), small, p.width())}, small, grey, p.left, p.width())
	p.y += 5
	p.weather(f.Weather)
	if strings.TrimSpace(f.Description) != "" {
		p.flow(p.Lines(f.Description, body, p.width()), body, black, p.left, p.width())
		p.y += 4
	}
	if len(f.Work) > 0 {
		p.entries("Work log", []column{
			{"Trade", 42, false}, {"Workers", 18, true}, {"Hours", 18, true}, {"", 5, false}, {"Description", 0, false},
		}, len(f.Work), func(i int) []cell {
			w := f.Work[i]
			return []cell{{text: w.Trade, c: black}, {text: whole(w.Workers), c: black}, {
				text: hours(w.Seconds), c: black,
			}, {}, {text: w.Description, c: grey}}
		})
		if sum := f.workers(); sum != nil && len(f.Work) > 1 {
			p.y -= 3
			p.need(leading(small))
			p.color(black)
			st := print.Style{Bold: true, Size: 8}
			p.Set(p.left, p.y+ascent(st), p.Line("Total"), st)
			p.Right(p.left+42+18-cellGap, p.y+ascent(st), p.Line(whole(sum)), st)
			p.y += leading(small) + 5
		}
	}
	if len(f.Materials) > 0 {
		p.entries("Materials", []column{
			{"Item", 50, false},
			{"Quantity", 20, true},
			{"", 1.5, false},
			{"Unit", 18.5, false},
			{"Description", 0, false},
		}, len(f.Materials), func(i int) []cell {
			m := f.Materials[i]
			return []cell{
				{text: m.Item, c: black},
				{text: number(m.Quantity), c: black},
				{},
				{text: m.Unit, c: black},
				{text: m.Description, c: grey},
			}
		})
	}
	if len(f.Equipment) > 0 {
		p.entries("Equipment", []column{
			{"Item", 50, false}, {"Quantity", 20, true}, {"Hours", 18, true}, {"", 5, false}, {"Description", 0, false},
		}, len(f.Equipment), func(i int) []cell {
			e := f.Equipment[i]
			return []cell{{text: e.Item, c: black}, {text: number(e.Quantity), c: black}, {
				text: hours(e.Seconds), c: black,
			}, {}, {text: e.Description, c: grey}}
		})
	}
	p.answers(f.Answers)
	if len(f.Photos) > 0 {
		p.section("Photos", p.galleryHeight(len(f.Photos)))
		var shots []shot
		for _, photo := range f.Photos {
			shots = append(shots, shot{photo.Picture, p.about(photo), nil})
		}
		p.gallery(shots)
		if f.MorePhotos > 0 {
			p.flow([]print.Line{p.Line(fmt.Sprintf("%d more photos are with the report.", f.MorePhotos))}, caption,
				grey, p.left, p.width())
		}
		p.y += 2
	}
	p.named("Documents", f.Documents)
}

// entries is a table under a heading.
func (p *paper) entries(name string, columns []column, n int, row func(int) []cell) {
	p.section(name, headRow+10)
	t := p.table(columns, 12)
	t.begin()
	for i := range n {
		t.add(row(i))
	}
	p.y += 5
}

// answers are what was filled in, by section.
func (p *paper) answers(all []Answer) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Section == all[0].Section {
			n++
		}
		name := all[0].Section
		if name == "" {
			name = "Form"
		}
		p.entries(name, []column{{"Item", 60, false}, {"Answer", 50, false}, {"Notes", 0, false}}, n,
			func(i int) []cell {
				return []cell{
					{text: all[i].Name, c: black}, {text: all[i].Value, c: black}, {text: all[i].Notes, c: grey},
				}
			})
		all = all[n:]
	}
}

// weather is a strip of figures.
func (p *paper) weather(w *Weather) {
	facts := w.facts()
	if len(facts) == 0 {
		return
	}
	const high, pad, gap = 13.0, 4.0, 9.0
	for len(facts) > 0 {
		p.need(high)
		p.fill(shade, p.left, p.y, p.width(), high)
		x := p.left + pad
		for len(facts) > 0 {
			name, value := p.Line(facts[0].name), p.Fit(facts[0].value, strong, p.width()-2*pad)
			w := max(p.Width(name, label), p.Width(value, strong))
			if x > p.left+pad && x+w > p.right-pad {
				break
			}
			p.block([]print.Line{name}, label, grey, x, p.y+2, w)
			p.block([]print.Line{value}, strong, black, x, p.y+2+leading(label), w)
			x += w + gap
			facts = facts[1:]
		}
		p.y += high
	}
	p.y += 5
}

func (w *Weather) facts() []fact {
	if w == nil {
		return nil
	}
	var all []fact
	add := func(name, value string) {
		if value != "" {
			all = append(all, fact{name: name, value: value})
		}
	}
	add("Weather", words(strings.ReplaceAll(w.Summary, "-", " ")))
	switch degrees := degree(w.TemperatureUnit); {
	case w.Low != nil && w.High != nil:
		add("Temperature", number(w.Low)+" to "+number(w.High)+degrees)
	case w.High != nil:
		add("Temperature", "up to "+number(w.High)+degrees)
	case w.Low != nil:
		add("Temperature", "from "+number(w.Low)+degrees)
	}
	if w.Wind != nil {
		add("Wind", strings.TrimSpace(number(w.Wind)+" "+w.SpeedUnit+compass(w.Bearing)))
	}
	if w.Gust != nil {
		add("Gusts", strings.TrimSpace(number(w.Gust)+" "+w.SpeedUnit))
	}
	if w.Rain != nil {
		add("Precipitation", strings.TrimSpace(number(w.Rain)+" "+w.RainUnit))
	}
	if w.Humidity != nil {
		h := *w.Humidity
		if h <= 1 {
			h *= 100 // weather services speak of parts of one
		}
		add("Humidity", number(&h)+" %")
	}
	return all
}

func degree(unit string) string {
	switch strings.ToLower(unit) {
	case "":
		return "°"
	case "c", "celsius":
		return " °C"
	case "f", "fahrenheit":
		return " °F"
	}
	return " " + unit
}

func compass(bearing *float64) string {
	if bearing == nil {
		return ""
	}
	names := []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
	at := int(math.Mod(math.Mod(*bearing, 360)+360, 360)/45+0.5) % len(names)
	return " " + names[at]
}

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// number writes a number with two decimals at most.
func number(n *float64) string {
	if n == nil {
		return ""
	}
	return grouped(strconv.FormatFloat(math.Round(*n*100)/100, 'f', -1, 64))
}

func hours(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	h := float64(*seconds) / 3600
	return number(&h)
}
