package register

import (
	"fmt"
	"math"

	"groundwork/internal/fault"
)

// The scales that a sheet can have: from a detail that is drawn a hundred times as large as it is to a map.
const smallestScale, largestScale = 0.01, 1e6

// apart is how far two places must be from each other to tell how sheets are turned.
const apart = 0.01

// checkMeasures holds what tags cannot say of a sheet's scale and alignment.
func checkMeasures(s *Sheet) error {
	problems := map[string]string{}
	if s.Scale != nil && (*s.Scale < smallestScale || *s.Scale > largestScale) {
		problems["scale"] = fmt.Sprintf("It must be from %g to %g, or null: 100 where it is drawn 1:100.",
			smallestScale, largestScale)
	}
	if s.Alignment == nil {
		return fault.Fields(problems)
	}
	points := s.Alignment.Points
	for i, p := range points {
		if min(p.X, p.Y, p.BeforeX, p.BeforeY) < 0 || max(p.X, p.Y, p.BeforeX, p.BeforeY) > 1 {
			problems[fmt.Sprintf("alignment.points[%d]", i)] = "All must be from 0 to 1: parts of the sheets' width and height."
		}
	}
	switch {
	case s.Supersedes == "":
		problems["alignment"] = "This sheet supersedes none: there is nothing that it could be aligned with."
	case len(points) != 2:
		problems["alignment.points"] = "An alignment has 2."
	case math.Hypot(points[0].X-points[1].X, points[0].Y-points[1].Y) < apart,
		math.Hypot(points[0].BeforeX-points[1].BeforeX, points[0].BeforeY-points[1].BeforeY) < apart:
		problems["alignment.points"] = fmt.Sprintf(
			"The two places must lie further from each other, on both sheets: at least %g of the sheet.", apart)
	}
	return fault.Fields(problems)
}

// tolerance is by how many points sheets of one size may differ: programs that make PDFs round.
const tolerance = 2

// SameSize is whether two sheets have one size.
func SameSize(a, b *Sheet) bool {
	return math.Abs(a.Width-b.Width) <= tolerance && math.Abs(a.Height-b.Height) <= tolerance
}

// inherit gives a new version the scale of the one before it, where the drawing is as large as it was and its title
// block says the same.
func (s *Sheet) inherit(former *Sheet) {
	said := func(of *Sheet) float64 {
		if of.ScaleProposed == nil {
			return 0
		}
		return *of.ScaleProposed
	}
	if SameSize(s, former) && said(s) == said(former) {
		s.Scale = former.Scale
	}
}
