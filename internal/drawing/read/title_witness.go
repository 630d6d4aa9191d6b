package read

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// titleWitnesses are what speaks for a title on its page, beside how it looks.
type titleWitnesses struct {
	// labelled is whether a label stands before or above it that announces a title.
	labelled bool
	// placed is whether it stands where other pages have titles of their own.
	placed bool
	// alike is whether it is written there as large as those of other pages, and nothing close to it may be a part of
	// it.
	alike bool

	size   float64
	around surroundings
}

// surroundings are what stands close above or below a title and was left out.
type surroundings struct {
	// words are whether there are words that may belong to it, label whether there is the label of another field that
	// is set as one text with it.
	words, label bool
}

const (
	// surestTitle is how sure a title is at most, whoever speaks for it.
	surestTitle = 0.98
	// contradicted is how sure a title is at most where the list of drawings has other words and at most one witness
	// stands against it: a part of the title may be missing.
	contradicted = 0.75
)

// agree finds the pages of a group whose titles stand at the place that was elected. Three of them or more whose titles
// differ make the place a witness: what a single page has there is what scored best, and nobody else says so.
func (b *blocks) agree(group []int, good map[int]bool, place int) {
	var there []int
	texts := map[string]bool{}
	for _, i := range group {
		if good[i] && over(b.sheets[i].Title.Box, b.leaves[i], place) {
			there = append(there, i)
			texts[b.sheets[i].Title.Text] = true
		}
	}
	if len(texts) < leastPlaced {
		return
	}
	for _, i := range there {
		own := &b.sheets[i].titled
		alike := map[string]bool{}
		for _, k := range there {
			if math.Abs(b.sheets[k].titled.size-own.size) < 0.015*own.size {
				if alike[b.sheets[k].Title.Text] = true; len(alike) == leastPlaced {
					break
				}
			}
		}
		own.placed, own.alike = true, len(alike) >= leastPlaced && own.around == surroundings{}
	}
}

// look finds what stands close above the first or below the last line of a title: another line of words of this page,
// or the label of another field, which may be how the title begins: PROJECT is one, and the first line of PROJECT
// INFORMATION.
func look(lines []*Line, weak map[*Line]bool, first, last *Line) (found surroundings) {
	for _, l := range lines {
		if l.Angle != first.Angle || l.v >= first.v && l.v <= last.v || l.u0 > max(first.u1, last.u1) ||
			l.u1 < min(first.u0, last.u0) {
			continue
		}
		upper, lower := l, first
		if l.v > last.v {
			upper, lower = last, l
		}
		if lower.v-upper.v > 1.9*max(upper.Size, lower.Size) {
			continue
		}
		found.words = found.words || !weak[l] && wordy(l.Text)
		found.label = found.label || closely(lower, upper) && !strings.HasSuffix(l.Text, ":") &&
			!titleLabels[bare(l.Text)] && isLabel(l.Text)
		if found.words && found.label {
			break
		}
	}
	return found
}

// cell is where a cell of the grid has its number; a box that ends at the edge of a page reaches into one more column
// or row.
func cell(x, y int) int { return y*(grid+1) + x }

// cells are the columns and rows of the grid that a box reaches into.
func cells(b Box, leaf *Leaf) (x0, y0, x1, y1 int) {
	w, h := leaf.width, leaf.height
	return int(b.X0 / w * grid), int(b.Y0 / h * grid), int(b.X1 / w * grid), int(b.Y1 / h * grid)
}

// over is whether a box reaches over a cell of the grid.
func over(b Box, leaf *Leaf, place int) bool {
	x0, y0, x1, y1 := cells(b, leaf)
	x, y := place%(grid+1), place/(grid+1)
	return x0 <= x && x <= x1 && y0 <= y && y <= y1
}

// weighTitles holds the titles against what else is known, as weighNumbers does with numbers: from nine tenths on two
// witnesses agree. Label and place say where the title stands; the list of drawings, and a name from outside of the
// page, say its words. Where only the place is sure, a line beside it that may belong to it is a doubt.
func weighTitles(leaves []*Leaf, sheets []Sheet, listed list) {
	for i := range sheets {
		s := &sheets[i]
		if s.Title.Text == "" {
			continue
		}
		number, words := same(s.Number.Text), plain(s.Title.Text)
		row := ""
		if number != "" {
			row = plain(listed[number].title)
		}
		named := leaves[i].named(number, words)
		witnesses := 0
		for _, speaks := range []bool{
			s.titled.labelled, s.titled.placed, s.titled.alike, row == words, named,
		} {
			if speaks {
				witnesses++
			}
		}
		if row == words || named {
			s.Title.Confidence = 1 - (1-s.Title.Confidence)*0.5
		}
		most := surestTitle
		switch against := row != "" && row != words; {
		case against && witnesses < 2:
			most = contradicted
		case against || witnesses < 2 || s.titled.around.label && row != words && !named:
			most = surestAlone
		}
		s.Title.Confidence = min(s.Title.Confidence, most)
	}
}

// named is whether a name from outside of the page says exactly these words, and no other number.
func (leaf *Leaf) named(number, words string) bool {
	for _, c := range leaf.claims {
		if plain(c.title) == words && same(c.number) == number {
			return true
		}
	}
	for _, name := range leaf.names {
		if plain(name.title) == words && (number == "" || name.number == "" || same(name.number) == number) {
			return true
		}
	}
	return false
}

// trailing is what people put behind the name of a drawing in that of its file: a revision, a version, a counter. The
// end of a word (cover, survey, niveau) is none of these.
var trailing = regexp.MustCompile(`(?i)(\(\d+\)|(^|[ _.\-–]+)(\(\d+\)|(REV|VERSION|VER)([ ._\-]+[A-Z0-9]{1,4}|[A-Z]?\d{1,3}|[A-Z])|V[ ._\-]*\d{1,3}[A-Z]?))$`)

// calls are the names that a page has: that of its file, where it is the only page, and its bookmarks.
func (k *Kept) calls() (out []claim) {
	names := slices.Clone(k.Bookmarks[:min(len(k.Bookmarks), mostBookmarks)])
	if k.Alone {
		base := path.Base(strings.ReplaceAll(k.File, `\`, "/"))
		names = append(names, strings.TrimSuffix(base, path.Ext(base)))
	}
	for _, name := range names {
		name = strings.ReplaceAll(Clean(name, 200), "_", " ")
		c := claimOf(name)
		if c.number == "" {
			c.title = name
		}
		c.title = strings.TrimSpace(trailing.ReplaceAllString(c.title, ""))
		out = append(out, c)
	}
	return out
}
