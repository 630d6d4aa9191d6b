package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"groundwork/internal/api"
)

// listing is the sheets that somebody looks through: the current ones of a project, or all of a version set; of these,
// those in which Q is written, and those of a discipline, "" for those without one.
type listing struct {
	Site, Set, Q string
	Discipline   *string
}

func listingOf(c *api.Call) listing {
	q := c.Query()
	l := listing{Site: c.Param("site"), Set: q.Get("set"), Q: strings.TrimSpace(q.Get("q"))}
	if q.Has("discipline") {
		word := q.Get("discipline")
		l.Discipline = &word
	}
	return l
}

// In is the listing of one discipline, Every that of all.
func (l listing) In(word string) listing {
	l.Discipline = &word
	return l
}

// Every is the listing of all disciplines.
func (l listing) Every() listing {
	l.Discipline = nil
	return l
}

// Is tells whether it is the listing of a discipline.
func (l listing) Is(word string) bool { return l.Discipline != nil && *l.Discipline == word }

// All is the listing without what narrows it.
func (l listing) All() listing { return listing{Site: l.Site, Set: l.Set} }

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
	if l.Discipline != nil {
		q.Set("discipline", *l.Discipline)
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
	if l.Discipline != nil {
		v.Set("discipline", *l.Discipline)
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

// placeOf finds a sheet in a listing.
func placeOf(c *api.Call, l listing, uid string, likely int) (placing, error) {
	s, err := bind(c, l)
	if err != nil {
		return placing{}, err
	}
	if !s.whole {
		return searchPlace(c, l, uid, likely)
	}
	i := slices.IndexFunc(s.sheets, func(p pictured) bool { return p.UID == uid })
	if i < 0 {
		return placing{}, nil
	}
	p := placing{N: i + 1, Total: len(s.sheets)}
	if i > 0 {
		p.Prev = &neighbour{s.sheets[i-1].UID, s.sheets[i-1].Name}
	}
	if i+1 < len(s.sheets) {
		p.Next = &neighbour{s.sheets[i+1].UID, s.sheets[i+1].Name}
	}
	return p, nil
}

// searchPlace finds a sheet in a listing that is too long to be sorted. Where it is likely is looked first; otherwise
// the listing is read from its beginning.
func searchPlace(c *api.Call, l listing, uid string, likely int) (placing, error) {
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
