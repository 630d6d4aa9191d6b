package read

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	wordGap = 0.16 // of the size: letters farther apart are two words
	lineGap = 0.75 // and these are two lines
)

// run is letters that follow each other, in the frame of their direction: u along it, v down across it.
type run struct {
	text   []rune
	boxes  []Box
	spaced []bool // a blank stands before this letter
	doubts []float64
	u0, u1 float64
	v      float64
	size   float64
	apart  float64 // the usual gap so far
	angle  int
	order  int
}

// usual is the usual gap between the letters of a run, if there is one.
func (r *run) usual() float64 {
	if r == nil {
		return 0
	}
	return r.apart
}

// tracking is the median gap between letters: about 0, unless they are set apart for effect.
func (r *run) tracking() float64 {
	if len(r.text) < 3 {
		return 0
	}
	gaps := slices.Sorted(slices.Values(r.gaps()))
	return max(0, gaps[(len(gaps)-1)/2])
}

func (r *run) gaps() []float64 {
	out := make([]float64, 0, len(r.boxes)-1)
	for i := 1; i < len(r.boxes); i++ {
		_, last, _ := frame(r.boxes[i-1], r.angle)
		first, _, _ := frame(r.boxes[i], r.angle)
		out = append(out, first-last)
	}
	return out
}

// respace finds the words again where letters are set apart: only a gap that is larger than the others is a blank.
func (r *run) respace() {
	usual := r.tracking()
	if usual < 0.8*wordGap*r.size/2 {
		return
	}
	for i, gap := range r.gaps() {
		r.spaced[i+1] = gap > usual+wordGap*r.size
	}
}

// frame turns a place into the frame of a direction of writing.
func frame(b Box, angle int) (u0, u1, v float64) {
	switch angle {
	case 90:
		return b.Y0, b.Y1, -(b.X0 + b.X1) / 2
	case 180:
		return -b.X1, -b.X0, -(b.Y0 + b.Y1) / 2
	case 270:
		return -b.Y1, -b.Y0, (b.X0 + b.X1) / 2
	}
	return b.X0, b.X1, (b.Y0 + b.Y1) / 2
}

// join makes lines of letters: first in the order of the file, where a text's letters follow each other, then by place.
func join(chars []Char) []Line {
	runs := gather(chars)
	slices.SortStableFunc(runs, func(a, b *run) int {
		if c := cmp.Compare(a.angle, b.angle); c != 0 {
			return c
		}
		return cmp.Compare(a.u0, b.u0)
	})
	runs = merge(runs)
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.order, b.order) })
	lines := make([]Line, 0, len(runs))
	for _, r := range runs {
		lines = append(lines, r.line())
	}
	reading(lines)
	return lines
}

func gather(chars []Char) []*run {
	var runs []*run
	var now *run
	blank := false
	for _, c := range chars {
		if unicode.IsSpace(c.Rune) || unicode.IsControl(c.Rune) || c.Rune == 0xfffd {
			blank = true
			continue
		}
		angle := int(math.Round(c.Angle/90)) * 90 % 360
		if off := math.Abs(c.Angle - math.Round(c.Angle/90)*90); off > 4 || c.Size <= 0 {
			now = nil // slanted text is on no title block
			continue
		}
		b := Box{c.X0, c.Y0, c.X1, c.Y1}
		u0, u1, v := frame(b, angle)
		reach := lineGap*c.Size + 3*now.usual()
		if blank {
			reach += lineGap * c.Size // the file itself has a blank here
		}
		if now != nil && now.angle == angle && alike(now.size, c.Size) && math.Abs(v-now.v) < 0.3*c.Size &&
			u0-now.u1 < reach && u0 > now.u1-0.5*c.Size {
			now.add(c, b, blank || u0-now.u1 > wordGap*c.Size, u0, u1)
		} else {
			now = &run{u0: u0, v: v, size: c.Size, angle: angle, order: len(runs)}
			now.add(c, b, false, u0, u1)
			runs = append(runs, now)
		}
		blank = false
	}
	return runs
}

func alike(a, b float64) bool { return a < b*1.2 && b < a*1.2 }

func (r *run) add(c Char, b Box, spaced bool, u0, u1 float64) {
	r.text, r.boxes, r.spaced = append(r.text, c.Rune), append(r.boxes, b), append(r.spaced, spaced)
	r.doubts = append(r.doubts, c.Doubt)
	if n := float64(len(r.text)); n == 2 {
		r.apart = max(0, u0-r.u1)
	} else if n > 2 && u0-r.u1 < 2*r.apart {
		r.apart += (max(0, u0-r.u1) - r.apart) / (n - 1)
	}
	r.u1 = max(r.u1, u1)
	if len(r.text) == 1 {
		r.u1 = u1
	}
}

// merge joins runs that continue each other on one base line. They come sorted by where they begin.
func merge(runs []*run) []*run {
	type key struct{ angle, row int }
	rows := map[key][]*run{}
	var out []*run
	for _, r := range runs {
		const high = 4.0
		row := int(math.Floor(r.v / high))
		var best *run
		for d := -3; d <= 3; d++ {
			near := rows[key{r.angle, row + d}]
			for _, o := range near[max(0, len(near)-mostNear):] {
				if gap := r.u0 - o.u1; alike(o.size, r.size) && math.Abs(o.v-r.v) < 0.3*r.size &&
					gap < lineGap*r.size+3*max(o.apart, r.apart) && gap > -0.3*r.size && (best == nil ||
					o.u1 > best.u1) {
					best = o
				}
			}
		}
		if best == nil {
			rows[key{r.angle, row}] = append(rows[key{r.angle, row}], r)
			out = append(out, r)
			continue
		}
		r.spaced[0] = r.u0-best.u1 > wordGap*r.size
		best.text, best.boxes, best.spaced = append(best.text, r.text...), append(best.boxes,
			r.boxes...), append(best.spaced, r.spaced...)
		best.doubts = append(best.doubts, r.doubts...)
		best.u1 = max(best.u1, r.u1)
	}
	return out
}

func (r *run) line() Line {
	l := Line{Size: r.size, Angle: r.angle, Box: r.boxes[0], u0: r.u0, u1: r.u1, v: r.v}
	r.respace()
	var word []rune
	var at Box
	doubt := 0.0
	flush := func() {
		if len(word) > 0 {
			l.Words = append(l.Words, Word{string(word), at, doubt})
			word, doubt = word[:0], 0
		}
	}
	for i, c := range r.text {
		if r.spaced[i] {
			flush()
		}
		if len(word) == 0 {
			at = r.boxes[i]
		}
		word, at, l.Box = append(word, c), at.join(r.boxes[i]), l.Box.join(r.boxes[i])
		doubt = max(doubt, r.doubts[i])
	}
	flush()
	words := make([]string, 0, len(l.Words))
	for _, w := range l.Words {
		words = append(words, w.Text)
	}
	l.Text = strings.Join(words, " ")
	return l
}

// reading puts lines into the order in which a person reads: by direction, then from the top, then from the left.
func reading(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int {
		if c := cmp.Compare(a.Angle, b.Angle); c != 0 {
			return c
		}
		if c := cmp.Compare(math.Round(a.v/3), math.Round(b.v/3)); c != 0 {
			return c
		}
		return cmp.Compare(a.u0, b.u0)
	})
}

// oneSize is whether two lines are set in one size. Sizes of recognised lines come from the heights of their letters.
func oneSize(l, o *Line) bool {
	most := 1.07
	if recognised(l) && recognised(o) {
		most = 1.25
	}
	return l.Size < o.Size*most && o.Size < l.Size*most
}

// recognised is whether a line was seen in a picture.
func recognised(l *Line) bool { return len(l.Words) > 0 && l.Words[0].Doubt > 0 }

// isField is whether a text looks like a small field and what it says: one or two words, none of titles, and a colon.
func isField(s string) bool {
	head, said, cut := strings.Cut(s, ": ")
	words := strings.Fields(folded(head))
	if !cut || said == "" || len(words) > 2 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return titleWords[w] || strings.ContainsAny(w, "0123456789")
	})
}
