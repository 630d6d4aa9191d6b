package pagetext

import (
	"strings"

	"groundwork/internal/drawing/read"
	"groundwork/internal/store"
)

// Place is a text on a sheet and where it stands; from 0 to 1, from the top left corner.
type Place struct {
	Text string `json:"text"`
	// Line is all of the line that it stands in.
	Line string  `json:"line"`
	X0   float64 `json:"x0"`
	Y0   float64 `json:"y0"`
	X1   float64 `json:"x1"`
	Y1   float64 `json:"y1"`
	// Angle is the direction of writing, clockwise: 0, 90, 180 or 270.
	Angle int64 `json:"angle"`
}

// Places are where words stand that begin with one of the asked ones, in reading order, neighbours of one line
// together; every line where nothing is asked.
func Places(t *read.Text, asked []string) []Place {
	var all []Place
	for i := range t.Lines {
		l := &t.Lines[i]
		begin := -1
		end := func(at int) {
			if begin >= 0 {
				all = append(all, placed(l, begin, at))
				begin = -1
			}
		}
		words := strings.Split(l.Text, " ")
		words = words[:min(len(words), len(l.Words))]
		for j, word := range words {
			if len(asked) > 0 && !store.Meets(word, asked) {
				end(j)
			} else if begin < 0 {
				begin = j
			}
		}
		end(len(words))
	}
	return all
}

// placed is where some words of a line stand.
func placed(l *read.TextLine, from, to int) Place {
	a := l.Words[from]
	p := Place{strings.Join(strings.Split(l.Text, " ")[from:to], " "), l.Text, a[0], a[1], a[2], a[3], int64(l.Angle)}
	for _, a := range l.Words[from+1 : to] {
		p.X0, p.Y0, p.X1, p.Y1 = min(p.X0, a[0]), min(p.Y0, a[1]), max(p.X1, a[2]), max(p.Y1, a[3])
	}
	return p
}
