package web

import "testing"

// TestCoarseDrawings: a drawing that is shown with fewer dots says so beside it; one that is not shown says why.
func TestCoarseDrawings(t *testing.T) {
	tiles, wrong := "/tiles/a.dzi", "It is shown with 50 dots to the inch."
	for name, c := range map[string]struct {
		one             drawn
		coarse, trouble string
	}{
		"whole":  {drawn{TilesURL: &tiles}, "", ""},
		"coarse": {drawn{TilesURL: &tiles, TilesError: &wrong}, wrong, ""},
		"none":   {drawn{TilesError: &wrong}, "", wrong},
		"soon":   {drawn{FileURL: &tiles}, "", preparing},
	} {
		if coarse, trouble := c.one.coarse(), c.one.trouble(); coarse != c.coarse || trouble != c.trouble {
			t.Errorf("%s: coarse %q, trouble %q", name, coarse, trouble)
		}
	}
}
