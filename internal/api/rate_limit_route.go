package api

import (
	"math"
	"net/http"
	"strconv"

	"groundwork/internal/fault"
)

func (e *Edge) limitsRoute() Route {
	return Route{
		Method: "GET", Pattern: "/rate_limits", Access: Caller, Do: e.listLimits,
		Summary: "List the rate limits of the calling credential, with what is left of each.", Tag: "rate limits",
		Query: []Param{
			{Name: "limit", Summary: "How many to return at most.", Schema: Schema{
				"type": "integer", "minimum": 0, "maximum": mostListed, "default": mostListed,
			}},
			{Name: "skip", Summary: "How many to pass over.", Schema: Schema{
				"type": "integer", "minimum": 0, "default": 0,
			}},
		},
		Out: ListOf(Schema{"$ref": "#/components/schemas/RateLimit"}), Status: 200, Errors: []int{400},
	}
}

func (e *Edge) listLimits(c *Call) error {
	limit, err := count(c.Query(), "limit", mostListed)
	if err != nil {
		return err
	}
	if limit > mostListed {
		return fault.Field("limit", "It must be at most %d.", mostListed)
	}
	skip, err := count(c.Query(), "skip", 0)
	if err != nil {
		return err
	}
	all := e.limits.list(c.Credential, e.config.Now)
	from := min(skip, int64(len(all)))
	to := min(from+limit, int64(len(all)))
	b := append(make([]byte, 0, 512), `{"data":[`...)
	for i := from; i < to; i++ {
		if i > from {
			b = append(b, ',')
		}
		b = all[i].append(b)
	}
	b = append(strconv.AppendInt(append(b, `],"total_count":`...), int64(len(all)), 10), `,"next_page_url":`...)
	if limit > 0 && to < int64(len(all)) {
		b = quote(b, c.Base+c.Path()+"?"+c.Query().With("limit", strconv.FormatInt(limit, 10), "skip",
			strconv.FormatInt(skip+limit, 10)))
	} else {
		b = append(b, "null"...)
	}
	return c.Send(http.StatusOK, append(b, '}'))
}

// count reads a parameter that is 0 or a positive integer. One that is beyond all numbers is as good as the greatest.
func count(q Query, name string, without int64) (int64, error) {
	if !q.Has(name) {
		return without, nil
	}
	text := q.Get(name)
	if !isDigits(text) {
		return 0, fault.Field(name, "It must be 0 or a positive integer.")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return math.MaxInt64, nil
	}
	return n, nil
}
