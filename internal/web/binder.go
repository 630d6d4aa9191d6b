package web

import (
	"cmp"
	"slices"
	"strings"

	"groundwork/internal/api"
)

// mostSorted is how many sheets a listing may have to be shown as people sort a set: for that all must be read. A
// longer one is shown as the API lists it, the latest publication first.
const mostSorted = 2000

// binder is the sheets of a listing as people sort them, and the disciplines that it has without its own narrowing.
type binder struct {
	whole       bool // nothing else is known where it is not
	sheets      []pictured
	disciplines []*group
	all         int
}

// group is the sheets of one discipline; of a part of a listing those that are in it.
type group struct {
	Discipline string // "" for none
	Count      int
	Sheets     []pictured
}

// bind reads and sorts the sheets of a listing.
func bind(c *api.Call, l listing) (binder, error) {
	var first window[pictured]
	path := l.Every().path()
	if err := ask(c, path+"limit=0", &first); err != nil || first.Total > mostSorted {
		return binder{}, err
	}
	sheets, err := all[pictured](c, strings.TrimSuffix(path, "&"), mostSorted)
	if err != nil {
		return binder{}, err
	}
	slices.SortStableFunc(sheets, func(a, b pictured) int { return cmp.Compare(a.SortKey, b.SortKey) })
	s := binder{whole: true, all: len(sheets), disciplines: byDiscipline(sheets)}
	if s.sheets = sheets; l.Discipline != nil {
		s.sheets = s.of(*l.Discipline)
	}
	return s, nil
}

// of are the sheets of a discipline, also where they write it in other letters.
func (s *binder) of(word string) []pictured {
	for _, g := range s.disciplines {
		if slices.ContainsFunc(g.Sheets, func(p pictured) bool { return p.discipline() == word }) {
			return g.Sheets
		}
	}
	return nil
}

// discipline is "" where it has none.
func (p *pictured) discipline() string {
	if p.Discipline == nil {
		return ""
	}
	return *p.Discipline
}

// shared is what the keys of sheets of one discipline begin with.
func (p *pictured) shared() string {
	place, rest, _ := strings.Cut(p.SortKey, ":")
	word, _, _ := strings.Cut(rest, ":")
	return place + ":" + word
}

// byDiscipline parts sorted sheets by their disciplines.
func byDiscipline(sheets []pictured) (out []*group) {
	for _, p := range sheets {
		if len(out) == 0 || out[len(out)-1].Sheets[0].shared() != p.shared() {
			out = append(out, &group{Discipline: p.discipline()})
		}
		g := out[len(out)-1]
		g.Count, g.Sheets = g.Count+1, append(g.Sheets, p)
	}
	return out
}

// told are the disciplines to choose from: none where no sheet has one.
func (s *binder) told() []*group {
	if len(s.disciplines) == 1 && s.disciplines[0].Discipline == "" {
		return nil
	}
	return s.disciplines
}

// part is what a page shows, in groups that tell how many sheets the whole binder has of each.
func (s *binder) part(page int) []*group {
	begin := min((page-1)*perPage, len(s.sheets))
	out := byDiscipline(s.sheets[begin:min(begin+perPage, len(s.sheets))])
	for _, g := range out {
		for _, d := range s.disciplines {
			if d.Sheets[0].shared() == g.Sheets[0].shared() {
				g.Discipline, g.Count = d.Discipline, d.Count
			}
		}
	}
	return out
}
