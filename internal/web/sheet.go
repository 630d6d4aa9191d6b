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

// sheet is the page of a drawing: the sheet itself, what is drawn on it and on earlier versions of the same size, and what it refers to. It shows what the API
// answers to who is signed in, so nobody sees there what they would not see elsewhere.
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

// mark is an annotation.
type mark struct {
	UID        string  `json:"uid"`
	Kind       string  `json:"kind"`
	Color      string  `json:"color"`
	Stamp      *string `json:"stamp"`
	Text       *string `json:"text"`
	Visibility string  `json:"visibility"`
	Geometry   *struct {
		Points []struct {
			X float64 `json:"x"`
			Y float64 `json:"y"`
		} `json:"points"`
	} `json:"geometry"`
	Sheet target  `json:"sheet"`
	Ref   *target `json:"issue"`

	// Issue is what it shows the place of; From the version it was made on, where that is an earlier one.
	Issue *shown `json:"-"`
	From  string `json:"-"`
}

func showSheet(c *api.Call) error {
	project := "/projects/" + url.PathEscape(c.Param("site"))
	path := project + "/sheets/" + url.PathEscape(c.Param("record"))
	at, err := area(c.Query().Get("at"))
	if err != nil {
		return err
	}
	var one drawn
	var place struct {
		Name string `json:"name"`
	}
	for path, into := range map[string]any{path: &one, project: &place} {
		if err := ask(c, path, into); err != nil {
			return err
		}
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
	v["One"], v["Project"], v["Site"], v["At"] = one, place.Name, c.Param("site"), at
	v["Versions"], v["Marks"], v["References"] = versions, marks, referencesOf(one.Links)
	v["Tiles"], v["Trouble"], v["Previous"], v["Ratio"], v["Compared"] = here(c, one.TilesURL), one.trouble(), previous(&one, versions), one.Height/one.Width, false
	if other := c.Query().Get("compare"); other != "" {
		if err := layOver(c, path, other, versions, v); err != nil {
			return err
		}
	}
	return answer(c, http.StatusOK, "sheet.html", v)
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
)

// all reads a list, page by page, up to a number of records.
func all[T any](c *api.Call, path string, most int) (out []T, err error) {
	for next := true; next && len(out) < most; {
		var page struct {
			Data []T     `json:"data"`
			Next *string `json:"next_page_url"`
		}
		if err := ask(c, path+"&limit=50&skip="+strconv.Itoa(len(out)), &page); err != nil {
			return nil, err
		}
		out, next = append(out, page.Data...), page.Next != nil && len(page.Data) > 0
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

// marksOf gives what the caller sees drawn on the sheet, and on earlier versions of the same size.
func marksOf(c *api.Call, project string, one *drawn, versions []drawn) ([]mark, error) {
	names, uids := map[string]string{}, []string{}
	for _, d := range earlier(one, versions) {
		names[d.UID] = d.VersionName
		uids = append(uids, d.UID)
	}
	marks, err := all[mark](c, project+"/annotations?deleted=false&sheet_uid="+url.QueryEscape(strings.Join(uids, ",")), mostMarks)
	if err != nil {
		return nil, err
	}
	for i := range marks {
		m := &marks[i]
		if m.Sheet.UID != one.UID {
			m.From = names[m.Sheet.UID]
		}
		if m.Ref != nil {
			m.Issue = new(shown)
			if err := ask(c, project+"/issues/"+url.PathEscape(m.Ref.UID), m.Issue); err != nil {
				return nil, err
			}
		}
	}
	return marks, nil
}

// Points are where a mark is, as the script reads them: x,y x,y.
func (m *mark) Points() string {
	if m.Geometry == nil {
		return ""
	}
	var b strings.Builder
	for i, p := range m.Geometry.Points {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%g,%g", p.X, p.Y)
	}
	return b.String()
}

// Label is what a mark is called in a list.
func (m *mark) Label() string {
	switch {
	case m.Issue != nil && m.Issue.Title != nil:
		return fmt.Sprintf("#%d %s", m.Issue.Number, *m.Issue.Title)
	case m.Issue != nil:
		return fmt.Sprintf("#%d", m.Issue.Number)
	case m.Text != nil && *m.Text != "":
		return *m.Text
	default:
		return strings.ToUpper(m.Kind[:1]) + m.Kind[1:]
	}
}

// Status is that of the issue.
func (m *mark) Status() string {
	if m.Issue == nil {
		return ""
	}
	return m.Issue.status()
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
		out[i].Places += fmt.Sprintf("%g,%g,%g,%g", l.X0, l.Y0, l.X1, l.Y1)
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
		return "", fault.New(fault.Invalid, "at must be x0,y0,x1,y1: parts of the sheet's width and height, from 0 to 1.")
	}
	return fmt.Sprintf("%g,%g,%g,%g", at[0], at[1], at[2], at[3]), nil
}
