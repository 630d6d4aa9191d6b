package api

import (
	"net/http"
	"testing"
)

// A request inside of another one meets the same refusals, keeps its headers and body, and leaves nothing of the budget
// for large answers taken.
func TestDispatch(t *testing.T) {
	routes := append(testRoutes(),
		route("GET", "/large", does(func(c *Call) error {
			if err := c.Hold(4 << 20); err != nil {
				return err
			}
			return c.Send(200, []byte(`{"large":true}`))
		})),
		route("GET", "/shows/{what}", does(func(c *Call) error {
			header := http.Header{"Authorization": {c.Header("Authorization")}}
			if c.Param("what") == "nobody" {
				header = nil
			}
			status, _, body := c.Dispatch(Inner{Path: "/large", Header: header})
			return c.SendJSON(200, struct {
				Status int    `json:"status"`
				Body   string `json:"body"`
			}{status, string(body)})
		})))
	e := newEdge(t, testConfig(), routes)
	for range 100 { // each would keep 12 MiB of 48
		if w := call(e, "GET", "/shows/it", "", "Authorization",
			basic(keyAdmin)); w.Body.String() != `{"status":200,"body":"{\"large\":true}"}` {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if e.answers.all != 0 {
		t.Errorf("%d bytes of the budget are taken by answers that were sent", e.answers.all)
	}
	if w := call(e, "GET", "/shows/nobody", "", "Authorization",
		basic(keyAdmin)); w.Body.String()[:14] != `{"status":401,` {
		t.Errorf("a program that does not say who it is: %s", w.Body)
	}
}
