package web

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// viewerPolicy is that of the page that shows a drawing: it has scripts, all of them served here.
const viewerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

var viewer = &api.Page{Policy: viewerPolicy, Refusal: refusal}

// sheet is the page of a drawing: the sheet itself, what is drawn on it and on earlier versions of the same size, and
// what it refers to. It shows what the API answers to who is signed in, so nobody sees there what they would not see
// elsewhere.
func sheet() []api.Route {
	r := site("GET", "/r/{site}/sheets/{record}", api.Person, "Look at a drawing.", showSheet)
	r.Page = viewer
	return []api.Route{r}
}

// drawn is what the page shows of a sheet.
type drawn struct {
	UID         string    `json:"uid"`
	Name        string    `json:"name"`
	Description *string   `json:"description"`
	VersionName string    `json:"version_name"`
	PublishedAt string    `json:"published_at"`
	History     string    `json:"history_set_uid"`
	Current     bool      `json:"current"`
	Deleted     bool      `json:"deleted"`
	FileURL     *string   `json:"file_url"`
	TilesURL    *string   `json:"tiles_url"`
	TilesError  *string   `json:"tiles_error"`
	Width       float64   `json:"width"`
	Height      float64   `json:"height"`
	Links       []callout `json:"links"`
	VersionSet  *target   `json:"version_set"`

	// Fits says that it is as large as the sheet that is shown.
	Fits bool `json:"-"`
}

// target is what a reference names.
type target struct {
	UID string `json:"uid"`
}

type callout struct {
	Sheet target  `json:"sheet"`
	Text  string  `json:"text"`
	X0    float64 `json:"x0"`
	Y0    float64 `json:"y0"`
	X1    float64 `json:"x1"`
	Y1    float64 `json:"y1"`
}

// reference is a sheet that is referred to, with all places where.
type reference struct{ UID, Text, Places string }

// hit is a place where what is searched is written.
type hit struct {
	Text string  `json:"text"`
	Line string  `json:"line"`
	X0   float64 `json:"x0"`
	Y0   float64 `json:"y0"`
	X1   float64 `json:"x1"`
	Y1   float64 `json:"y1"`
}

// Place is where it is, as the script reads it.
func (h hit) Place() string { return corners(h.X0, h.Y0, h.X1, h.Y1) }

// Around is what its line says before and after it.
func (h hit) Around() [2]string {
	before, after, _ := strings.Cut(h.Line, h.Text)
	return [2]string{before, after}
}

func showSheet(c *api.Call) error {
	l := listingOf(c)
	project := l.project()
	path := project + "/sheets/" + url.PathEscape(c.Param("record"))
	at, err := area(c.Query().Get("at"))
	if err != nil {
		return err
	}
	likely, err := counted(c, "n")
	if err != nil {
		return err
	}
	var place works
	if err := ask(c, project, &place); err != nil {
		return err
	}
	var one drawn
	if err := ask(c, path, &one); err != nil {
		return err
	}
	var hits []hit
	if l.asks() {
		if hits, err = all[hit](c, path+"/text?q="+url.QueryEscape(l.Q), mostHits); err != nil {
			return err
		}
	}
	in := l.among(&one, len(hits) > 0)
	among, err := placeOf(c, in, one.UID, likely)
	if err != nil {
		return err
	}
	versions, err := versionsOf(c, project, &one)
	if err != nil {
		return err
	}
	marks, err := marksOf(c, project, &one, versions)
	if err != nil {
		return err
	}
	v := room(c, "record", one.Name)
	v["One"], v["Project"], v["Site"], v["At"] = one, place.Name, l.Site, at
	v["List"], v["Asks"], v["Hits"], v["MostHits"], v["In"], v["Among"] = l, l.asks(), hits, mostHits, in, among
	v["Versions"], v["Marks"], v["References"] = versions, marks, referencesOf(one.Links)
	v["Tiles"], v["Trouble"], v["Coarse"] = here(c, one.TilesURL), one.trouble(), one.coarse()
	v["Previous"], v["Ratio"], v["Compared"] = previous(&one, versions), one.Height/one.Width, false
	if other := c.Query().Get("compare"); other != "" {
		if err := layOver(c, path, other, versions, v); err != nil {
			return err
		}
	}
	return answer(c, http.StatusOK, "sheet.html", v)
}

// among gives the sheets that are looked through with one: of what is superseded, those that were published with it.
// What is searched and not on the sheet leaves nothing out.
func (l listing) among(one *drawn, found bool) listing {
	if l.Set == "" && !one.Current && one.VersionSet != nil {
		l.Set = one.VersionSet.UID
	}
	if !found {
		l.Q = ""
	}
	return l
}

// layOver has the page show two versions laid over each other.
func layOver(c *api.Call, path, other string, versions []drawn, v view) error {
	var both struct {
		Old      target  `json:"old"`
		New      target  `json:"new"`
		Message  *string `json:"message"`
		TilesURL *string `json:"tiles_url"`
	}
	if err := ask(c, path+"/compare/"+url.PathEscape(other), &both); err != nil {
		return err
	}
	v["Tiles"], v["Trouble"] = here(c, both.TilesURL), ""
	switch {
	case both.Message != nil:
		v["Trouble"] = *both.Message
	case both.TilesURL == nil:
		v["Trouble"] = preparing
	}
	called := func(uid string) string {
		for _, d := range versions {
			if d.UID == uid {
				return d.VersionName
			}
		}
		return "the other sheet"
	}
	v["Compared"], v["Old"], v["New"] = true, called(both.Old.UID), called(both.New.UID)
	return nil
}

const preparing = "The drawing is being prepared. Load the page again in a moment."

// coarse says that the drawing is shown with fewer dots than others, and why.
func (d *drawn) coarse() string {
	if d.TilesURL == nil || d.TilesError == nil {
		return ""
	}
	return *d.TilesError
}

// trouble says why there is nothing to see.
func (d *drawn) trouble() string {
	switch {
	case d.TilesURL != nil:
		return ""
	case d.TilesError != nil:
		return *d.TilesError
	case d.FileURL == nil:
		return "This sheet has no drawing."
	}
	return preparing
}

// here makes an address of this service one that begins with a slash: pages are served where they were asked for.
func here(c *api.Call, address *string) string {
	if address == nil {
		return ""
	}
	return strings.TrimPrefix(*address, c.Base)
}

// preview is the address of a small picture of what an address of tiles shows: the largest level that is one tile.
func preview(tiles string) string {
	if tiles == "" {
		return ""
	}
	return strings.TrimSuffix(tiles, ".dzi") + "_files/9/0_0.png"
}

// What a page reads at most.
const (
	mostVersions = 200
	mostMarks    = 1000
	mostHits     = 200
)

// all reads a list, page by page, up to a number of records.
func all[T any](c *api.Call, path string, most int) (out []T, err error) {
	for next := true; next && len(out) < most; {
		var part window[T]
		if err := ask(c, path+"&limit="+strconv.Itoa(mostAtOnce)+"&skip="+strconv.Itoa(len(out)), &part); err != nil {
			return nil, err
		}
		out, next = append(out, part.Data...), part.Next != nil && len(part.Data) > 0
	}
	return out, nil
}

// versionsOf gives all versions of a drawing, the newest first.
func versionsOf(c *api.Call, project string, one *drawn) ([]drawn, error) {
	versions, err := all[drawn](c, project+"/sheets?history_set_uid="+url.QueryEscape(one.History), mostVersions)
	for i := range versions {
		d := &versions[i]
		d.Fits = math.Abs(d.Width-one.Width) <= 2 && math.Abs(d.Height-one.Height) <= 2
	}
	return versions, err
}

// earlier gives the sheet and the versions before it, all of one size.
func earlier(one *drawn, versions []drawn) []drawn {
	var out []drawn
	for i := range versions {
		if d := versions[i]; d.UID == one.UID || len(out) > 0 && d.Fits {
			out = append(out, d)
		}
	}
	return out
}

// previous is the version before, nil where there is none of the same size.
func previous(one *drawn, versions []drawn) *drawn {
	for _, d := range earlier(one, versions) {
		if d.UID != one.UID && !d.Deleted {
			return &d
		}
	}
	return nil
}

// referencesOf puts the places together that refer to one sheet.
func referencesOf(links []callout) []reference {
	var out []reference
	at := map[string]int{}
	for _, l := range links {
		i, known := at[l.Sheet.UID]
		if !known {
			i = len(out)
			at[l.Sheet.UID] = i
			out = append(out, reference{UID: l.Sheet.UID, Text: l.Text})
		}
		if out[i].Places != "" {
			out[i].Places += " "
		}
		out[i].Places += corners(l.X0, l.Y0, l.X1, l.Y1)
	}
	return out
}

// area reads a place that the page is to show first: x0,y0,x1,y1, from 0 to 1.
func area(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	var at []float64
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n <= 1) {
			break
		}
		at = append(at, n)
	}
	if len(at) != 4 || strings.Count(text, ",") != 3 || at[0] > at[2] || at[1] > at[3] {
		return "", fault.New(fault.Invalid,
			"at must be x0,y0,x1,y1: parts of the sheet's width and height, from 0 to 1.")
	}
	return corners(at[0], at[1], at[2], at[3]), nil
}

// corners writes a place for the script.
func corners(x0, y0, x1, y1 float64) string { return fmt.Sprintf("%g,%g,%g,%g", x0, y0, x1, y1) }
