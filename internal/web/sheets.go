package web

import (
	"net/http"
	"net/url"
	"strings"

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

// pictured is a sheet in a list.
type pictured struct {
	UID         string  `json:"uid"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	VersionName string  `json:"version_name"`
	Current     bool    `json:"current"`
	Thumbnail   *string `json:"thumbnail_url"`
	TilesURL    *string `json:"tiles_url"`
	Discipline  *string `json:"discipline"`
	SortKey     string  `json:"sort_key"`

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
	s, err := bind(c, l)
	if err != nil {
		return err
	}
	list := window[pictured]{Total: len(s.sheets)}
	groups := s.part(at)
	if !s.whole {
		if list, err = windowOf[pictured](c, l.path(), at); err != nil {
			return err
		}
		groups = []*group{{Sheets: list.Data}}
	}
	if last := list.last(); at > last {
		return c.Redirect(l.Page(last))
	}
	n := (at - 1) * perPage
	for _, g := range groups {
		for i := range g.Sheets {
			n++
			g.Sheets[i].show(c, l, n)
		}
	}
	var out, coming, waiting []issued
	for _, one := range sets {
		if one.PublishedAt == nil {
			coming = append(coming, one)
			continue
		}
		if out = append(out, one); one.Waiting > 0 {
			waiting = append(waiting, one)
		}
	}
	v := room(c, "sheets", place.Name)
	v["List"], v["Asks"], v["Groups"], v["Total"], v["Pages"] = l, l.asks(), groups, list.Total, list.pages(at, l.Page)
	v["Disciplines"], v["All"] = s.told(), s.all
	v["Sets"], v["Coming"], v["Waiting"] = out, coming, waiting
	return answer(c, http.StatusOK, "sheets.html", v)
}

// show finds the address and the picture of a sheet that is the nth of a listing. A tile is a quarter of the
// thumbnail's bytes, and comes from this service wherever files lie; until there are tiles there is the thumbnail.
func (p *pictured) show(c *api.Call, l listing, n int) {
	if p.Address, p.Picture = l.Sheet(p.UID, n), preview(here(c, p.TilesURL)); p.Picture == "" {
		p.Picture = here(c, p.Thumbnail)
	}
}
