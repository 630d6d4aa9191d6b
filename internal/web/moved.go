package web

import (
	"net/url"

	"groundwork/internal/api"
)

// moved are the addresses of pages that became screens of the application: links in mails and documents lead there. The
// application tells whoever may not see what is there.
func moved() []api.Route {
	lead := func(pattern, summary string, to func(c *api.Call) string) api.Route {
		r := site("GET", pattern, api.Person, summary, func(c *api.Call) error { return c.Redirect(to(c)) })
		r.Status = 303
		return r
	}
	return []api.Route{
		lead("/r", "Lead to one's projects in the application.", func(*api.Call) string { return home }),
		lead("/r/{site}/sheets", "Lead to the sheets of a project in the application.", func(c *api.Call) string {
			return screen(c, map[string]string{"q": "q", "set": "set", "discipline": "discipline"}, "sheets")
		}),
		lead("/r/{site}/sheets/{record}", "Lead to a drawing in the application.", func(c *api.Call) string {
			return screen(c, map[string]string{"q": "find", "compare": "compare"}, "sheets", c.Param("record"))
		}),
	}
}

// screen is the address of a screen of a project, with those parameters of the request that it has a name for.
func screen(c *api.Call, names map[string]string, path ...string) string {
	to := home + url.PathEscape(c.Param("site"))
	for _, part := range path {
		to += "/" + url.PathEscape(part)
	}
	v := url.Values{}
	for from, name := range names {
		if value := c.Query().Get(from); value != "" {
			v.Set(name, value)
		}
	}
	return joined(to, v)
}
