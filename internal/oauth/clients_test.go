package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// TestKnownClients sends what programs in use are known to send.
func TestKnownClients(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		r := newRig(t, engine, grant.NewApplication{})
		good := func(a answer, scope string) answer {
			t.Helper()
			if a.status != 200 || a.Type != "Bearer" || a.Expires != 172_800 || a.Scope != scope ||
				!credential.ValidSecret(credential.KindAccess, a.Access) ||
				!credential.ValidSecret(credential.KindRefresh, a.Refresh) {
				t.Fatalf("%+v", a)
			}
			if status, body := r.me(a.Access); strings.Contains(scope, "read:profile") && (status != 200 ||
				!strings.Contains(body, r.bob.UID)) {
				t.Fatalf("/me: %d %s", status, body)
			}
			return a
		}
		const both = "write:projects read:profile"

		// A Node program: no scope, everything in the body.
		to := r.consent("response_type=code&client_id="+r.app.UID+"&redirect_uri="+url.QueryEscape(back)+
			"&state=a%20b%26c", "allow")
		if q := to.Query(); q.Get("state") != "a b&c" || q.Get("iss") != r.server.URL ||
			!strings.HasPrefix(to.String(), back+"?") {
			t.Errorf("the answer is %s", to)
		}
		node := good(r.token(r.credentials()+"&grant_type=authorization_code&code="+to.Query().Get("code")+
			"&redirect_uri="+url.QueryEscape(back)), both)
		renewed := good(r.token(r.credentials()+"&grant_type=refresh_token&refresh_token="+node.Refresh), both)
		if status, _ := r.me(node.Access); status != 200 {
			t.Error("renewing ended the access token of before")
		}
		good(r.token("grant_type=refresh_token&refresh_token="+renewed.Refresh), both)

		// A connector: both scopes with a space, and no credentials to renew.
		code := r.code("response_type=code&client_id=" + r.app.UID +
			"&scope=write:projects%20read:profile&redirect_uri=" + url.QueryEscape(back) + "&state=s")
		w := good(r.token(r.credentials()+"&grant_type=authorization_code&code="+code+"&redirect_uri="+
			url.QueryEscape(back)), both)
		good(r.token("grant_type=refresh_token&refresh_token="+w.Refresh), both)

		// A Ruby library joins scopes by a comma, then reads the profile.
		code = r.code("response_type=code&client_id=" + r.app.UID + "&scope=write:projects,read:profile")
		oa := good(r.token(r.credentials()+"&grant_type=authorization_code&code="+code), both)
		_, body := r.me(oa.Access)
		var profile map[string]any
		if err := json.Unmarshal([]byte(body), &profile); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"uid", "first_name", "last_name", "company", "email", "photo_url"} {
			if _, has := profile[name]; !has {
				t.Errorf("the profile has no %s", name)
			}
		}

		// An Elixir library: credentials in the body and as Basic, and it reads errors.
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(r.app.UID+":"+r.secret))
		code = r.code("response_type=code&client_id=" + r.app.UID)
		good(r.token(r.credentials()+"&grant_type=authorization_code&code="+code, "Accept", "application/json",
			"Authorization", basic), both)
		if a := r.token(r.credentials()+"&grant_type=authorization_code&code=nonsense", "Accept", "application/json",
			"Authorization", basic); a.status != 400 || a.Error != "invalid_grant" || a.ErrorDescription == "" {
			t.Errorf("a bad code: %+v", a)
		}

		// Python scripts: no redirect URI at either step, and a state of 1.
		to = r.consent("response_type=code&client_id="+r.app.UID+"&state=1", "allow")
		if to.Query().Get("state") != "1" {
			t.Errorf("the answer is %s", to)
		}
		good(r.token(r.credentials()+"&grant_type=authorization_code&code="+to.Query().Get("code")), both)

		// One scope only: /me needs the other.
		code = r.code("response_type=code&client_id=" + r.app.UID + "&scope=write:projects")
		narrow := good(r.token(r.credentials()+"&grant_type=authorization_code&code="+code), "write:projects")
		if status, _ := r.me(narrow.Access); status != 403 {
			t.Errorf("/me without its scope: %d", status)
		}
		if res, _ := r.do(http.DefaultClient,
			r.request("GET", "/projects", "", "Authorization", "bearer "+narrow.Access)); res.StatusCode != 200 {
			t.Errorf("the scheme in lower case: %s", res.Status)
		}
	})
}

// TestImplicit gives a token at once, in the fragment, to an application that is registered for it.
func TestImplicit(t *testing.T) {
	r := newRig(t, apitest.SQLite, grant.NewApplication{Implicit: true})
	to := r.consent("response_type=token&client_id="+r.app.UID+"&state=s&scope=read:profile", "allow")
	got, err := url.ParseQuery(to.Fragment)
	if err != nil || to.RawQuery != "" || got.Get("state") != "s" || got.Get("token_type") != "Bearer" ||
		got.Get("expires_in") != "172800" || got.Get("scope") != "read:profile" || got.Has("refresh_token") {
		t.Fatalf("%s", to)
	}
	if status, _ := r.me(got.Get("access_token")); status != 200 {
		t.Errorf("the token: %d", status)
	}
	if to := r.consent("response_type=token&client_id="+r.app.UID+"&state=s", "deny"); to.RawQuery != "" ||
		!strings.Contains(to.Fragment, "error=access_denied") {
		t.Errorf("a refusal: %s", to)
	}
}
