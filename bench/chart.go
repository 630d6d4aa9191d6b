package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The chart's measures, in pixels.
const (
	chartWidth = 900
	labelWidth = 470
	rowHeight  = 22
	headHeight = 58
)

// chart draws how far each bar is passed: a factor of 1 is the bar itself, on a logarithmic scale.
func (r *results) chart() string {
	all := r.bars()
	most := 2.0
	for i := range all {
		if m := all[i].margin(); !math.IsNaN(m) {
			most = max(most, m)
		}
	}
	least := 0.5
	room := float64(chartWidth - labelWidth - 60)
	place := func(factor float64) float64 {
		factor = max(factor, least)
		return labelWidth + room*math.Log(factor/least)/math.Log(most/least)
	}
	height := headHeight + rowHeight*len(all) + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="How far each bar is passed">`+"\n", chartWidth, height)
	b.WriteString("<style>text{fill:#24292f}.axis{stroke:#8c959f}.pass{fill:#2da44e}.miss{fill:#cf222e}.bar{stroke:#24292f}" +
		"@media (prefers-color-scheme:dark){text{fill:#e6edf3}.bar{stroke:#e6edf3}.pass{fill:#3fb950}.miss{fill:#f85149}}</style>\n")
	fmt.Fprintf(&b, `<text x="8" y="20" font-size="15" font-weight="600">How far each bar is passed</text>`+"\n")
	fmt.Fprintf(&b, `<text x="8" y="38">1 is the bar; to the right is better; logarithmic. %s</text>`+"\n",
		html.EscapeString(r.Date))
	bottom := headHeight + rowHeight*len(all) + 4
	for _, factor := range []float64{0.5, 1, 2, 5, 10, 20, 50} {
		if factor > most {
			break
		}
		class := "axis"
		if factor == 1 {
			class = "bar"
		}
		x := place(factor)
		fmt.Fprintf(&b, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke-width="%s"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n",
			class, x, x, headHeight-4, bottom, map[bool]string{true: "1.5", false: "0.4"}[factor == 1], x, headHeight-8,
			factor)
	}
	for i := range all {
		one, y := &all[i], headHeight+rowHeight*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labelWidth-8, y+15,
			html.EscapeString(shorten(one.name)))
		m := one.margin()
		if math.IsNaN(m) {
			continue
		}
		from, to := min(place(1), place(m)), max(place(1), place(m))
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d" rx="2"/><text x="%.1f" y="%d">%s</text>`+"\n",
			strings.ToLower(one.verdict()), from, y+4, max(1, to-from), rowHeight-8, to+5, y+15,
			html.EscapeString(one.show(one.median())))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// margin is how far the bar is passed: 2 is twice as good as asked.
func (b *bar) margin() float64 {
	if b.most {
		return b.limit / b.median()
	}
	return b.median() / b.limit
}

func shorten(name string) string {
	for _, word := range [][2]string{
		{" and exact total, relative to the plain page", ""},
		{", relative to skip 0", ""},
		{", relative to one transaction each", " versus one transaction each"},
		{"requests a second, open loop, p99", "a second, p99"},
		{"a second, open loop, p99 relative to", "a second, p99 versus"},
		{"durable, ", ""},
	} {
		name = strings.Replace(name, word[0], word[1], 1)
	}
	return name
}
