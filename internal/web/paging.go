package web

import (
	"net/url"
	"strconv"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

const (
	// perPage is how many records a page of a list shows: rows of two, three, four and six come out even.
	perPage = 48
	// mostAtOnce is how many the API gives at once.
	mostAtOnce = 50
)

// window is what the API gives of a list.
type window[T any] struct {
	Data  []T     `json:"data"`
	Total int     `json:"total_count"`
	Next  *string `json:"next_page_url"`
}

// windowOf reads what a page of a list shows; path ends where parameters follow.
func windowOf[T any](c *api.Call, path string, page int) (w window[T], err error) {
	err = ask(c, path+"limit="+strconv.Itoa(perPage)+"&skip="+strconv.Itoa((page-1)*perPage), &w)
	return w, err
}

// last is the number of the last page; an empty list has one too.
func (w window[T]) last() int { return max(1, (w.Total+perPage-1)/perPage) }

// pager leads from page to page of a list.
type pager struct {
	Number, Last int
	Prev, Next   string // "" where there is none
	Steps        []step
}

// step is a page to go to; one without an address stands for those that are left out.
type step struct {
	Number  int
	Address string
}

// pages gives the ways to the first page, the last one, and those around this one.
func (w window[T]) pages(number int, address func(int) string) pager {
	p := pager{Number: number, Last: w.last()}
	if number > 1 {
		p.Prev = address(number - 1)
	}
	if number < p.Last {
		p.Next = address(number + 1)
	}
	for n := 1; n <= p.Last; n++ {
		switch near := n >= number-1 && n <= number+1; {
		case n == 1 || n == p.Last || near:
			p.Steps = append(p.Steps, step{n, address(n)})
		case n == number-2 || n == number+2:
			p.Steps = append(p.Steps, step{})
		}
	}
	return p
}

// pageOf is the address of a page of a list; the first one has no number.
func pageOf(path string, v url.Values, page int) string {
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	return joined(path, v)
}

func joined(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// mostPages bounds what an address can ask for.
const mostPages = 1_000_000

// counted reads a number that begins with 1, which is also what it is where it is not given.
func counted(c *api.Call, name string) (int, error) {
	text := c.Query().Get(name)
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostPages {
		return 0, fault.New(fault.Invalid, "%s must be a number from 1 on.", name)
	}
	return n, nil
}
