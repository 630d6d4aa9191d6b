package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/api"
)

// drawings are the way to drawings for whoever has no scripts: their projects, and the current sheets of one with their
// PDFs. They show what the API answers to who is signed in.
func drawings() []api.Route {
	return []api.Route{
		site("GET", "/drawings", api.Person, "See one's projects, without scripts.", showProjects),
		site("GET", "/drawings/{site}", api.Person, "See the sheets of a project with their PDFs, without scripts.",
			showDrawings),
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
	address := func(page int) string { return pageOf("/drawings", url.Values{}, page) }
	if last := list.last(); at > last {
		return c.Redirect(address(last))
	}
	v := room(c, "projects", "Projects")
	v["Projects"], v["Pages"] = list.Data, list.pages(at, address)
	return answer(c, http.StatusOK, "projects.html", v)
}

// listed is a sheet in the list.
type listed struct {
	UID         string  `json:"uid"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	VersionName string  `json:"version_name"`
	FileURL     *string `json:"file_url"`
	SortKey     string  `json:"sort_key"`

	// PDF is the address of its file, "" where it has none.
	PDF string `json:"-"`
}

// mostSorted is how many sheets are shown as people sort a set: for that all must be read. More are shown as the API
// lists them, the latest publication first.
const mostSorted = 2000

func showDrawings(c *api.Call) error {
	at, err := counted(c, "page")
	if err != nil {
		return err
	}
	project := "/projects/" + url.PathEscape(c.Param("site"))
	var place works
	if err := ask(c, project, &place); err != nil {
		return err
	}
	path := project + "/sheets?deleted=false&current=true&"
	list, err := windowOf[listed](c, path, at)
	if err != nil {
		return err
	}
	address := func(page int) string {
		return pageOf("/drawings/"+url.PathEscape(c.Param("site")), url.Values{}, page)
	}
	if last := list.last(); at > last {
		return c.Redirect(address(last))
	}
	if list.Total <= mostSorted {
		sheets, err := all[listed](c, strings.TrimSuffix(path, "&"), mostSorted)
		if err != nil {
			return err
		}
		slices.SortStableFunc(sheets, func(a, b listed) int { return cmp.Compare(a.SortKey, b.SortKey) })
		from := min((at-1)*perPage, len(sheets))
		list.Data = sheets[from:min(from+perPage, len(sheets))]
	}
	for i := range list.Data {
		list.Data[i].PDF = here(c, list.Data[i].FileURL)
	}
	v := room(c, "sheets", place.Name)
	v["Sheets"], v["Total"], v["Pages"] = list.Data, list.Total, list.pages(at, address)
	return answer(c, http.StatusOK, "drawings.html", v)
}

// here makes an address of this service one that begins with a slash: pages are served where they were asked for.
func here(c *api.Call, address *string) string {
	if address == nil {
		return ""
	}
	return strings.TrimPrefix(*address, c.Base)
}

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
