package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"groundwork/internal/api"
)

// sheets are the ways to a drawing: the projects of who is signed in, and the sheets of one. Like the page of a drawing
// they show what the API answers.
func sheets() []api.Route {
	return []api.Route{
		site("GET", "/r", api.Person, "See one's projects.", showProjects),
		site("GET", "/r/{site}/sheets", api.Person, "See the drawings of a project, and search in them.", showSheets),
	}
}

// works is what the page shows of a project.
type works struct {
	UID      string  `json:"uid"`
	Name     string  `json:"name"`
	CustomID *string `json:"custom_id"`
	Status   *string `json:"status"`
	City     *string `json:"city"`
	Region   *string `json:"region"`
}

// Facts are the few things by which people tell projects apart.
func (w works) Facts() string {
	var known []string
	for _, fact := range []*string{w.CustomID, w.City, w.Region, w.Status} {
		if fact != nil && *fact != "" {
			known = append(known, *fact)
		}
	}
	return strings.Join(known, " · ")
}

func showProjects(c *api.Call) error {
	at, err := counted(c, "page")
	if err != nil {
		return err
	}
	list, err := windowOf[works](c, "/projects?", at)
	if err != nil {
		return err
	}
	address := func(page int) string { return pageOf("/r", url.Values{}, page) }
	if last := list.last(); at > last {
		return c.Redirect(address(last))
	}
	v := room(c, "projects", "Projects")
	v["Projects"], v["Pages"] = list.Data, list.pages(at, address)
	return answer(c, http.StatusOK, "projects.html", v)
}

// listing is the sheets that somebody looks through: the current ones of a project, or all of a version set; of these,
// those in which Q is written.
type listing struct{ Site, Set, Q string }

func listingOf(c *api.Call) listing {
	return listing{c.Param("site"), c.Query().Get("set"), strings.TrimSpace(c.Query().Get("q"))}
}

func (l listing) project() string { return "/projects/" + url.PathEscape(l.Site) }

// asks tells whether anything is searched: the API takes a text without words for none.
func (l listing) asks() bool {
	return strings.ContainsFunc(l.Q, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// path is where the API lists them.
func (l listing) path() string {
	q := url.Values{"deleted": {"false"}}
	if l.Set == "" {
		q.Set("current", "true")
	} else {
		q.Set("version_set", l.Set)
	}
	if l.asks() {
		q.Set("q", l.Q)
	}
	return l.project() + "/sheets?" + q.Encode() + "&"
}

// values are what tells this listing from the others of the project, as addresses of pages have it.
func (l listing) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"set": l.Set, "q": l.Q} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Page is the address of a part of the listing, counted from 1.
func (l listing) Page(n int) string {
	return pageOf("/r/"+url.PathEscape(l.Site)+"/sheets", l.values(), n)
}

// Sheet is the address of a sheet's page; n is where in the listing it is, counted from 1, and 0 where nobody knows.
func (l listing) Sheet(uid string, n int) string { return l.Compare(uid, "", n) }

// Compare is the address of that page with another sheet laid over it.
func (l listing) Compare(uid, other string, n int) string {
	v := l.values()
	if n > 0 {
		v.Set("n", strconv.Itoa(n))
	}
	if other != "" {
		v.Set("compare", other)
	}
	return joined("/r/"+url.PathEscape(l.Site)+"/sheets/"+url.PathEscape(uid), v)
}

// pictured is a sheet in a list.
type pictured struct {
	UID         string  `json:"uid"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	VersionName string  `json:"version_name"`
	Current     bool    `json:"current"`
	Thumbnail   *string `json:"thumbnail_url"`
	TilesURL    *string `json:"tiles_url"`

	// Address is that of its page, Picture that of a small picture of it.
	Address string `json:"-"`
	Picture string `json:"-"`
}

// issued is a version set.
type issued struct {
	UID         string  `json:"uid"`
	Name        string  `json:"version_name"`
	PublishedAt *string `json:"published_at"`
	Waiting     int     `json:"pages_waiting"`
}

const mostSets = 200

func showSheets(c *api.Call) error {
	at, err := counted(c, "page")
	if err != nil {
		return err
	}
	l := listingOf(c)
	var place works
	if err := ask(c, l.project(), &place); err != nil {
		return err
	}
	sets, err := all[issued](c, l.project()+"/version_sets?deleted=false", mostSets)
	if err != nil {
		return err
	}
	list, err := windowOf[pictured](c, l.path(), at)
	if err != nil {
		return err
	}
	if last := list.last(); at > last {
		return c.Redirect(l.Page(last))
	}
	for i := range list.Data {
		s := &list.Data[i]
		// A tile is a quarter of the thumbnail's bytes, and comes from this service wherever files lie; until there are
		// tiles there is the thumbnail.
		s.Address, s.Picture = l.Sheet(s.UID, (at-1)*perPage+i+1), preview(here(c, s.TilesURL))
		if s.Picture == "" {
			s.Picture = here(c, s.Thumbnail)
		}
	}
	var out, coming, waiting []issued
	for _, s := range sets {
		if s.PublishedAt == nil {
			coming = append(coming, s)
			continue
		}
		if out = append(out, s); s.Waiting > 0 {
			waiting = append(waiting, s)
		}
	}
	v := room(c, "sheets", place.Name)
	v["List"], v["Asks"], v["Sheets"], v["Total"], v["Pages"] = l, l.asks(), list.Data, list.Total, list.pages(at,
		l.Page)
	v["Sets"], v["Coming"], v["Waiting"] = out, coming, waiting
	return answer(c, http.StatusOK, "sheets.html", v)
}

// placing is where in a listing a sheet is, counted from 1, and what is beside it; 0 where it is not in there.
type placing struct {
	N, Total   int
	Prev, Next *neighbour
}

type neighbour struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
}

// Page is the part of the listing that has it.
func (p placing) Page() int { return max(0, p.N-1)/perPage + 1 }

// placeOf finds a sheet in a listing. Where it is likely is looked first; otherwise the listing is read from its
// beginning.
func placeOf(c *api.Call, l listing, uid string, likely int) (placing, error) {
	const overlap = 2 // each sheet is in one window with both of its neighbours
	for skip, guess := max(0, likely-1-mostAtOnce/2), true; ; guess = false {
		var list window[neighbour]
		if err := ask(c, l.path()+"limit="+strconv.Itoa(mostAtOnce)+"&skip="+strconv.Itoa(skip), &list); err != nil {
			return placing{}, err
		}
		i := slices.IndexFunc(list.Data, func(n neighbour) bool { return n.UID == uid })
		begins, ends := skip == 0, skip+len(list.Data) >= list.Total
		switch {
		case i >= 0 && (i > 0 || begins) && (i+1 < len(list.Data) || ends):
			p := placing{N: skip + i + 1, Total: list.Total}
			if i > 0 {
				p.Prev = &list.Data[i-1]
			}
			if i+1 < len(list.Data) {
				p.Next = &list.Data[i+1]
			}
			return p, nil
		case guess && !begins:
			skip = 0
		case ends:
			return placing{}, nil
		default:
			skip += mostAtOnce - overlap
		}
	}
}
