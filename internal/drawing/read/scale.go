package read

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// What a title block gives as the scale of a drawing lies between these.
const smallestScale, largestScale = 0.1, 100_000

// scaleNear is how far from the number of its sheet a scale may stand where the page has several, in parts of the page.
const scaleNear = 0.2

var (
	metricScale = regexp.MustCompile(`^(?:M ?)?1 ?[:/] ?(\d{1,3}(?:[ .,]\d{3})|\d{1,6})$`)
	// 1/8" = 1'-0", 1 1/2" = 1'-0", 1" = 20'
	footScale = regexp.MustCompile(`^(\d{1,3})?(?:[ -]?(\d{1,2})/(\d{1,3}))? ?" ?= ?(\d{1,4}) ?'(?:[ -]{0,3}(\d{1,2}) ?"?)?$`)
	// a fraction alone: 1/8" = 1'-0" has no whole inches
	partScale = regexp.MustCompile(`^(\d{1,2})/(\d{1,3}) ?" ?= ?(\d{1,4}) ?'(?:[ -]{0,3}(\d{1,2}) ?"?)?$`)
	onPaper   = regexp.MustCompile(`[ ,]*(?:@|\(|AUF|ON|AT|AU FORMAT|EN|SU)? ?(A[0-4]|ARCH ?[A-E]|ANSI ?[A-E])\)?$`)
)

// primes are the signs for feet and inches in the forms that programs write them.
var primes = strings.NewReplacer("''", `"`, "″", `"`, "”", `"`, "“", `"`, "′", "'", "’", "'", "‘", "'", "´", "'")

// parseScale reads a scale that stands alone, and the paper that it holds on, if it says so.
func parseScale(s string) (scale float64, paper string, ok bool) {
	s = strings.Trim(folded(primes.Replace(strings.TrimSpace(s))), " .;")
	if m := onPaper.FindStringSubmatchIndex(s); m != nil {
		paper, s = s[m[2]:m[3]], strings.TrimSpace(s[:m[0]])
	}
	switch {
	case metricScale.MatchString(s):
		scale = digits(metricScale.FindStringSubmatch(s)[1])
	case partScale.MatchString(s):
		m := partScale.FindStringSubmatch(s)
		scale = (12*digits(m[3]) + digits(m[4])) * digits(m[2]) / digits(m[1])
	case footScale.MatchString(s):
		m := footScale.FindStringSubmatch(s)
		inches := digits(m[1])
		if m[3] != "" {
			inches += digits(m[2]) / digits(m[3])
		}
		scale = (12*digits(m[4]) + digits(m[5])) / inches
	}
	ok = scale >= smallestScale && scale <= largestScale // an infinite one, and none, are not
	return scale, paper, ok
}

// digits is the number that digits make, whatever separates them; 0 for none.
func digits(s string) float64 {
	n, _ := strconv.ParseFloat(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s), 64)
	return n
}

// scales proposes the scale of each sheet: what stands with a label, once on the page or once near its number. Several
// drawings on one sheet have several, and the sheet then has none.
func (b *blocks) scales() {
	for i, leaf := range b.leaves {
		all, near := map[float64]bool{}, map[float64]bool{}
		nx, ny := b.sheets[i].Number.Box.mid()
		for j := range leaf.edge {
			l := &leaf.edge[j]
			scale, paper, ok := leaf.scaleOf(l)
			if !ok || paper != "" && !leaf.isPaper(paper) {
				continue
			}
			all[scale] = true
			x, y := l.Box.mid()
			if math.Hypot((x-nx)/leaf.width, (y-ny)/leaf.height) < scaleNear {
				near[scale] = true
			}
		}
		switch {
		case len(near) == 1:
			b.sheets[i].Scale = only(near)
		case len(near) == 0 && len(all) == 1:
			b.sheets[i].Scale = only(all)
		}
	}
}

func only(set map[float64]bool) float64 {
	for one := range set {
		return one
	}
	return 0
}

// scaleOf is the scale that a line says, with a label in it, above or before it.
func (leaf *Leaf) scaleOf(l *Line) (scale float64, paper string, ok bool) {
	if scale, paper, ok = parseScale(l.Text); ok {
		for j := range leaf.edge {
			o := &leaf.edge[j]
			if o.Angle == l.Angle && scaleLabels[bare(o.Text)] && (above(o, l) || before(o, l)) {
				return scale, paper, true
			}
		}
		return 0, "", false
	}
	head, tail, found := strings.Cut(l.Text, ":")
	if !found || !scaleLabels[bare(head)] {
		if head, tail, found = strings.Cut(l.Text, " "); !found || !scaleLabels[bare(head)] {
			return 0, "", false
		}
	}
	return parseScale(tail)
}

// isPaper is whether a page has a format of the A series; others are not told apart.
func (leaf *Leaf) isPaper(name string) bool {
	if len(name) != 2 || name[0] != 'A' {
		return true
	}
	const a0 = 1189 * 72 / 25.4
	long := a0 / math.Pow(math.Sqrt2, float64(name[1]-'0'))
	return math.Abs(max(leaf.width, leaf.height)-long) < 0.05*long
}
