package apitest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

// TestTwoVersions serves a second MAJOR version beside the first, and follows the first to its end.
func TestTwoVersions(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		server := apitest.Start(t, engine, apitest.At(clock))
		ada, bob := server.Account("ada"), server.Account("bob")
		a := server.App
		routes := a.Routes()
		for i := range routes {
			if routes[i].Method == "GET" && routes[i].Pattern == "/me" {
				routes[i].Majors = map[int]func(*api.Call) error{2: func(c *api.Call) error {
					return c.SendJSON(200, map[string]string{"id": c.Credential.Account.UID})
				}}
			}
		}
		edge, err := api.New(api.Config{
			Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Base: apitest.Base, Now: clock.Now, Majors: []int{1, 2},
		}, routes)
		if err != nil {
			t.Fatal(err)
		}
		get := func(who *apitest.Person, accept string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/me", nil)
			r.Header.Set("Authorization", basic(who.Key))
			if accept != "" {
				r.Header.Set("Accept", accept)
			}
			edge.ServeHTTP(w, r)
			return w
		}
		const one, two = "application/vnd.plangrid+json; version=1", "application/vnd.groundwork+json; version=2"
		for accept, field := range map[string]string{
			"": "uid", "*/*": "uid", one: "uid", two: "id", two + ".3": "id",
			"application/vnd.x+json; version=9, " + two: "id",
		} {
			w := get(ada, accept)
			var got map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got[field] != ada.UID ||
				w.Header().Get("Deprecation") != "" {
				t.Errorf("%q: %d %s", accept, w.Code, w.Body)
			}
		}
		if w := get(ada, "application/vnd.x+json; version=3"); w.Code != 406 ||
			!strings.Contains(w.Body.String(), "Supported MAJOR versions: 1, 2.") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		get(bob, two)

		var told []string
		warn := func() []string {
			t.Helper()
			told = nil
			if err := a.Auth.Warn(context.Background(), func(_ *store.Tx, l letter.Letter) error {
				told = append(told, l.Email)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(told)
			return slices.Compact(told) // a write may run more than once
		}
		if got := warn(); len(got) > 0 {
			t.Errorf("told before anything ends: %q", got)
		}
		if err := a.Auth.Deprecate(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		began := clock.Now()
		w := get(ada, one)
		if w.Code != 200 || w.Header().Get("Deprecation") != fmt.Sprintf("@%d", began.Unix()) ||
			w.Header().Get("Sunset") != began.AddDate(0, 6, 0).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		if w := get(bob, two); w.Header().Get("Deprecation") != "" {
			t.Errorf("version 2 is deprecated: %v", w.Header())
		}
		if got := warn(); !slices.Equal(got, []string{ada.Email}) {
			t.Errorf("at first %q are told", got)
		}
		if got := warn(); len(got) > 0 {
			t.Errorf("%q are told twice", got)
		}
		// In the first month ada uses it, in the second nobody does.
		clock.Advance(31 * 24 * time.Hour)
		if got := warn(); !slices.Equal(got, []string{ada.Email}) {
			t.Errorf("after a month %q are told", got)
		}
		clock.Advance(31 * 24 * time.Hour)
		if got := warn(); len(got) > 0 {
			t.Errorf("who stopped is told: %q", got)
		}
		get(bob, one)
		clock.Advance(31 * 24 * time.Hour)
		if got := warn(); !slices.Equal(got, []string{bob.Email}) {
			t.Errorf("after three months %q are told", got)
		}
		clock.Advance(began.AddDate(0, 6, 0).Sub(clock.Now()) - time.Second)
		if w := get(ada, one); w.Code != 200 {
			t.Errorf("in its last second: %d %s", w.Code, w.Body)
		}
		clock.Advance(time.Second)
		for _, accept := range []string{"", one} {
			if w := get(ada, accept); w.Code != 406 || !strings.Contains(w.Body.String(), "version=2") {
				t.Errorf("%q after its end: %d %s", accept, w.Code, w.Body)
			}
		}
		if w := get(ada, two); w.Code != 200 {
			t.Errorf("version 2: %d", w.Code)
		}
		if err := a.Auth.Reinstate(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if w := get(ada, one); w.Code != 200 {
			t.Errorf("taken back: %d %s", w.Code, w.Body)
		}
	})
}
