package apitest_test

import (
	"net/http"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// TestSessionRights tries every route as somebody who is signed in: a page of this service gets what the person's key
// gets; a page of another site, a session that has ended, one of somebody who is disabled, and one that never was, get
// nothing. Pages lead whoever is not signed in to the sign-in page, and those of operators are for operators.
func TestSessionRights(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		signIn := func(email string) (cookie string, who *credential.Credential) {
			t.Helper()
			secret, _, err := w.server.App.Auth.SignIn(t.Context(), email, apitest.Password,
				auth.Visit{Address: "192.0.2.1"})
			if err != nil {
				t.Fatal(err)
			}
			if who, err = w.server.App.Auth.Session(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			return "__Host-groundwork=" + secret, who
		}
		send := func(route api.Route, cookie string, header ...string) apitest.Response {
			t.Helper()
			path := wildcard.ReplaceAllStringFunc(route.Pattern, func(name string) string {
				if name == "{project}" {
					return w.here
				}
				return nowhere
			})
			var body any
			if route.In != nil && route.Takes == "" {
				body = map[string]any{}
			}
			h := http.Header{}
			for i := 0; i < len(header); i += 2 {
				h.Set(header[i], header[i+1])
			}
			if cookie != "" {
				h.Set("Cookie", cookie)
			}
			got, err := w.server.Try(route.Method, path, body, h)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		good, _ := signIn(w.overseer.Email)
		ended, who := signIn(w.overseer.Email)
		if err := w.server.App.Auth.EndSession(t.Context(), w.overseer.UID, who.Session); err != nil {
			t.Fatal(err)
		}
		dora := w.server.Account("dora")
		disabled, _ := signIn(dora.Email)
		if err := w.server.App.Auth.DisableAccount(t.Context(), dora.UID, true); err != nil {
			t.Fatal(err)
		}
		gone, _ := signIn(w.callers[removed].Email)
		token, err := w.server.App.Auth.AllowNow(t.Context(), grant.Ask{
			Application: w.application().UID, Account: w.callers[removed].UID, Scopes: credential.AllScopes,
		})
		if err != nil {
			t.Fatal(err)
		}
		made, _ := credential.NewSecret(credential.KindSession)
		tried := 0
		for _, route := range w.server.Edge.Routes() {
			want := func(what string, status int, got apitest.Response) {
				t.Helper()
				if tried++; got.Status != status {
					t.Errorf("%s %s, %s: %d, want %d: %s", route.Method, route.Pattern, what, got.Status, status,
						got.Body)
				}
			}
			nothing := http.StatusUnauthorized
			switch route.Access {
			case api.Person, api.Operator:
				nothing = http.StatusSeeOther
				if route.Access == api.Operator {
					want("not an operator", 403, send(route, good))
				}
			case api.Caller, api.Member:
				key := send(route, "", "Authorization", basic(w.overseer.Key))
				want("a page of this service", key.Status, send(route, good, "Sec-Fetch-Site", "same-origin"))
				want("a page of another site", 401, send(route, good, "Sec-Fetch-Site", "cross-site"))
				want("a page of a neighbour", 401, send(route, good, "Sec-Fetch-Site", "same-site"))
				if route.Access == api.Member {
					want("who was removed", 403, send(route, gone, "Sec-Fetch-Site", "same-origin"))
					want("the token of who was removed", 403, send(route, "", "Authorization", "Bearer "+token.Access))
				}
			default:
				continue
			}
			want("nobody", nothing, send(route, ""))
			for what, cookie := range map[string]string{
				"signed out": ended, "disabled": disabled, "made up": "__Host-groundwork=" + made,
				"a key":        "__Host-groundwork=" + w.overseer.Key,
				"another name": "groundwork=" + good[len("__Host-groundwork="):],
			} {
				want(what, nothing, send(route, cookie, "Sec-Fetch-Site", "same-origin"))
			}
		}
		if tried < 500 {
			t.Errorf("only %d requests were tried", tried)
		}
	})
}
