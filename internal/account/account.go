// Package account owns what a caller does with their own account through the API: keys, registered applications, and
// applications that they have allowed to act for them. It refuses tokens: an application must not make keys. What all
// of it means is package auth's answer.
package account

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Routes is everything under /me beside the profile itself.
func Routes() []api.Route {
	return append(append(keyRoutes(), applicationRoutes()...), authorizationRoutes()...)
}

// route makes a route under /me. No token is enough for it.
func route(method, pattern, summary string, status int, do func(*api.Call) error) api.Route {
	return api.Route{
		Method: method, Pattern: pattern, Access: api.Caller, Do: do, Summary: summary, Tag: "account",
		Extension: true, Status: status,
	}
}

// listed makes a route that lists things of a type in one window.
func listed[T any](pattern, summary, description string, all func(c *api.Call) ([]T, error)) api.Route {
	r := route("GET", pattern, summary, 200, func(c *api.Call) error {
		things, err := all(c)
		if err != nil {
			return err
		}
		return sendWindow(c, things)
	})
	r.Query = window
	one, _ := document.SchemaOf[T](description)
	r.Out = resource.PageSchema(one)
	return r
}

var window = resource.WindowParams()[:2]

// sendWindow answers with the part of a list that the caller asks for.
func sendWindow[T any](c *api.Call, all []T) error {
	w, err := resource.ReadWindow(c)
	if err != nil {
		return err
	}
	from := min(w.Skip, len(all))
	shown := all[from:min(from+w.Limit, len(all))]
	lines := make([]jsontext.Value, len(shown))
	for i := range shown {
		if lines[i], err = json.Marshal(shown[i]); err != nil {
			return err
		}
	}
	w.After = store.Always // there is no clock to compare with
	return resource.SendList(c, len(all), w.Next(c, len(all), len(shown), false, 0, 0), func(buf []byte) []byte {
		for i, line := range lines {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, line...)
		}
		return buf
	})
}

// gone makes a route that ends something.
func gone(pattern, summary string, end func(c *api.Call) error) api.Route {
	r := route("DELETE", pattern, summary, 204, func(c *api.Call) error {
		if err := end(c); err != nil {
			return err
		}
		return c.Send(http.StatusNoContent, nil)
	})
	r.Errors = []int{404}
	return r
}

// secretly sends an answer that nobody may keep.
func secretly(c *api.Call, status int, v any) error {
	c.SetHeader("Cache-Control", "no-store")
	return c.SendJSON(status, v)
}
