package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// TestNobodyIsSentElsewhere tries addresses that look like a registered one: each is a page, and never a redirect.
func TestNobodyIsSentElsewhere(t *testing.T) {
	r := newRig(t, apitest.SQLite, grant.NewApplication{
		Redirects: []string{back, "http://127.0.0.1:8000/cb", "com.example.app:/back"},
	})
	for _, near := range []string{
		"https://sync.example.com/callback/", "https://sync.example.com/callback?x=1",
		"https://sync.example.com/callback#x", "https://sync.example.com/callbac",
		"https://sync.example.com:443/callback", "https://SYNC.example.com/callback",
		"http://sync.example.com/callback", "https://sync.example.com.evil.example/callback",
		"https://evil.example/?https://sync.example.com/callback", "https://sync.example.com@evil.example/callback",
		"https://sync.example.com/callback/../../evil", "//sync.example.com/callback",
		"https://sync.example.com/%63allback", "https://sync.example.com\\@evil.example/callback", " " + back,
		back + " ", back + "\x00", "javascript:alert(1)", "data:text/html,x",
		"http://127.0.0.1.evil.example:8000/cb", "http://localhost:8000/cb", "http://127.0.0.1:8000/cb/x",
		"http://[::1]:8000/cb", "https://127.0.0.1:8000/cb", "http://127.0.0.1:80x/cb",
		"http://127.1:8000/cb", "com.example.app:/back2", "com.example.app://back", "COM.example.app:/back", "",
	} {
		query := url.Values{"response_type": {"code"}, "client_id": {r.app.UID}, "redirect_uri": {near}}
		res, page := r.do(r.browser, r.request("GET", "/oauth/authorize?"+query.Encode(), ""))
		if res.StatusCode != 400 || res.Header.Get("Location") != "" ||
			!strings.Contains(page, "Nothing was allowed.") {
			t.Errorf("%q: %s %s", near, res.Status, res.Header.Get("Location"))
		}
		query.Set("decision", "allow")
		if res, _ := r.post(r.browser, "/oauth/authorize", query); res.StatusCode != 400 ||
			res.Header.Get("Location") != "" {
			t.Errorf("allowing %q: %s %s", near, res.Status, res.Header.Get("Location"))
		}
	}
	// The port of a loopback address may be any, as programs on a desk cannot choose theirs.
	if to := r.consent("response_type=code&client_id="+r.app.UID+"&redirect_uri="+
		url.QueryEscape("http://127.0.0.1:51234/cb"), "allow"); to.Host != "127.0.0.1:51234" {
		t.Errorf("%s", to)
	}
	for _, ids := range []string{
		"", "client_id=", "client_id=" + r.bob.UID,
		"client_id=" + r.app.UID + "&client_id=" + r.app.UID, "client_id=%00", "client_id=' OR 1=1",
	} {
		if res, _ := r.do(r.browser,
			r.request("GET", "/oauth/authorize?response_type=code&redirect_uri="+url.QueryEscape(back)+"&"+
				strings.ReplaceAll(ids, " ", "%20"), "")); res.StatusCode != 400 || res.Header.Get("Location") != "" {
			t.Errorf("%q: %s %s", ids, res.Status, res.Header.Get("Location"))
		}
	}
}

// TestAuthorizeErrors are told to the application, at its registered address.
func TestAuthorizeErrors(t *testing.T) {
	r := newRig(t, apitest.SQLite, grant.NewApplication{})
	public, _, err := r.server.App.Auth.CreateApplication(t.Context(), "", grant.NewApplication{
		Name: "Public", Redirects: []string{back + "?x=1"}, Public: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"client_id=" + r.app.UID: "invalid_request",
		"response_type=id_token&client_id=" +
			r.app.UID: "unsupported_response_type",
		"response_type=token&client_id=" +
			r.app.UID: "unauthorized_client",
		"response_type=code&scope=admin&client_id=" + r.app.UID:                                     "invalid_scope",
		"response_type=code&state=1&state=2&client_id=" + r.app.UID:                                 "invalid_request",
		"response_type=code&code_challenge_method=plain&code_challenge=abc&client_id=" + r.app.UID:  "invalid_request",
		"response_type=code&code_challenge=" + strings.Repeat("a", 43) + "&client_id=" + r.app.UID:  "invalid_request",
		"response_type=code&code_challenge_method=S256&code_challenge=short&client_id=" + r.app.UID: "invalid_request",
		"response_type=code&client_id=" + public.UID:                                                "invalid_request",
	} {
		to := r.consent(query+"&z=1", "allow")
		values := to.Query()
		if to.Fragment != "" {
			values, _ = url.ParseQuery(to.Fragment)
		}
		if values.Get("error") != want || values.Get("error_description") == "" || values.Get("iss") == "" ||
			!strings.HasPrefix(to.String(), back) {
			t.Errorf("%s: %s", query, to)
		}
	}
	if to := r.consent("response_type=code&state=s&client_id="+r.app.UID,
		"deny"); to.Query().Get("error") != "access_denied" || to.Query().Get("state") != "s" {
		t.Errorf("denying: %s", to)
	}
	// A page of another site cannot press the button.
	form := url.Values{"response_type": {"code"}, "client_id": {r.app.UID}, "decision": {"allow"}}
	if res, _ := r.post(r.browser, "/oauth/authorize", form, "Sec-Fetch-Site", "cross-site", "Origin",
		"https://evil.example"); res.StatusCode != 403 {
		t.Errorf("another site: %s", res.Status)
	}
	// Nobody is asked who is not signed in.
	if res, _ := r.post(r.newBrowser(), "/oauth/authorize", form); res.StatusCode != 303 ||
		!strings.HasPrefix(res.Header.Get("Location"), "/sign-in?next=%2Foauth%2Fauthorize%3F") {
		t.Errorf("nobody: %s %s", res.Status, res.Header.Get("Location"))
	}
}

// TestCodes are good once, for a minute, for their application, redirect URI and verifier. Used twice, everything they
// gave ends.
func TestCodes(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		r := newRig(t, engine, grant.NewApplication{}, apitest.At(clock))
		verifier := strings.Repeat("v", 50)
		sum := sha256.Sum256([]byte(verifier))
		pkce := "&code_challenge_method=S256&code_challenge=" + base64.RawURLEncoding.EncodeToString(sum[:])
		ask := "response_type=code&client_id=" + r.app.UID
		redeem := func(code, more string) answer {
			return r.token(r.credentials() + "&grant_type=authorization_code&code=" + code + more)
		}
		bad := func(what string, a answer, status int, code string) {
			t.Helper()
			if a.status != status || a.Error != code || a.Access != "" {
				t.Errorf("%s: %+v", what, a)
			}
		}
		bad("no verifier", redeem(r.code(ask+pkce), ""), 400, "invalid_grant")
		bad("another verifier", redeem(r.code(ask+pkce), "&code_verifier="+strings.Repeat("w", 50)), 400,
			"invalid_grant")
		bad("a verifier out of nowhere", redeem(r.code(ask), "&code_verifier="+verifier), 400, "invalid_grant")
		if a := redeem(r.code(ask+pkce), "&code_verifier="+verifier); a.status != 200 {
			t.Errorf("the verifier: %+v", a)
		}
		bad("another redirect URI", redeem(r.code(ask), "&redirect_uri="+url.QueryEscape(back)), 400, "invalid_grant")
		bad("the redirect URI left out", redeem(r.code(ask+"&redirect_uri="+url.QueryEscape(back)), ""), 400,
			"invalid_grant")
		late := r.code(ask)
		clock.Advance(61 * time.Second)
		bad("late", redeem(late, ""), 400, "invalid_grant")

		other, secret, err := r.server.App.Auth.CreateApplication(t.Context(), "", grant.NewApplication{
			Name: "Other", Redirects: []string{back},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		code := r.code(ask)
		bad("another application", r.token("client_id="+other.UID+"&client_secret="+secret+
			"&grant_type=authorization_code&code="+code), 400, "invalid_grant")
		bad("no secret", r.token("client_id="+r.app.UID+"&grant_type=authorization_code&code="+code), 401,
			"invalid_client")
		bad("nobody", r.token("grant_type=authorization_code&code="+code), 401, "invalid_client")
		bad("body and header at odds",
			r.token(r.credentials()+"&grant_type=authorization_code&code="+code, "Authorization",
				"Basic "+base64.StdEncoding.EncodeToString([]byte(r.app.UID+":"+secret))), 401, "invalid_client")
		bad("twice in the body", r.token(r.credentials()+"&grant_type=authorization_code&code="+code+"&code="+code),
			400, "invalid_request")
		bad("no grant type", r.token(r.credentials()), 400, "invalid_request")
		bad("another grant type", r.token(r.credentials()+"&grant_type=password&username=bob&password=x"), 400,
			"unsupported_grant_type")

		first := redeem(code, "")
		if first.status != 200 || first.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%+v", first)
		}
		bad("the code again", redeem(code, ""), 400, "invalid_grant")
		if status, _ := r.me(first.Access); status != 401 {
			t.Errorf("the access token after the code was used twice: %d", status)
		}
		bad("the refresh token after that", r.token("grant_type=refresh_token&refresh_token="+first.Refresh), 400,
			"invalid_grant")
	})
}

// TestOddForms are refused as the RFCs have it, whatever they are made of.
func TestOddForms(t *testing.T) {
	r := newRig(t, apitest.SQLite, grant.NewApplication{})
	long := strings.Repeat("a", 99) + "%C3%A9"
	for _, path := range []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect"} {
		for _, form := range []string{
			"%ff=1&%ff=2", "%00=1&%00=2", long + "=1&" + long + "=2",
			"grant_type=x&grant_type=x", "a=%zz",
		} {
			if a := r.send(path, form); a.status != 400 || a.Error != "invalid_request" || a.ErrorDescription == "" {
				t.Errorf("%s %s: %+v", path, form, a)
			}
		}
	}
	// A refresh token gives no more than was allowed.
	a := r.token(r.credentials() + "&grant_type=authorization_code&code=" +
		r.code("response_type=code&scope=read:profile&client_id="+r.app.UID))
	for scope, want := range map[string]string{
		"write:projects": "invalid_scope", "admin": "invalid_scope",
		"read:profile": "",
	} {
		if got := r.token(r.credentials() + "&grant_type=refresh_token&refresh_token=" + a.Refresh + "&scope=" +
			scope); got.Error != want {
			t.Errorf("refreshing for %s: %+v", scope, got)
		}
	}
}

// TestRefreshNarrows asks for less than was allowed: that access token is good for no more, and the refresh token still
// stands for what was allowed, never for more.
func TestRefreshNarrows(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		r := newRig(t, engine, grant.NewApplication{})
		refresh := func(of answer, scope string) answer {
			t.Helper()
			return r.token(r.credentials() + "&grant_type=refresh_token&refresh_token=" + of.Refresh + "&scope=" +
				scope)
		}
		whole := r.token(r.credentials() + "&grant_type=authorization_code&code=" +
			r.code("response_type=code&client_id="+r.app.UID))
		narrow := refresh(whole, "write:projects")
		if status, body := r.me(narrow.Access); status != 403 || narrow.Scope != "write:projects" {
			t.Errorf("a token for %q reads the profile: %d %s", narrow.Scope, status, body)
		}
		if told := r.send("/oauth/introspect", r.credentials()+"&token="+narrow.Access); !told.Active ||
			told.Scope != "write:projects" {
			t.Errorf("the narrowed token is told to be %+v", told)
		}
		again := refresh(narrow, "")
		if status, _ := r.me(again.Access); status != 200 || again.Scope != "write:projects read:profile" {
			t.Errorf("without a scope it is what the person allowed: %d, %+v", status, again)
		}
		if status, _ := r.me(narrow.Access); status != 403 {
			t.Errorf("the narrowed token after another refresh: %d", status)
		}

		less := r.token(r.credentials() + "&grant_type=authorization_code&code=" +
			r.code("response_type=code&scope=read:profile&client_id="+r.app.UID))
		for _, scope := range []string{"write:projects", "read:profile+write:projects", ","} {
			if got := refresh(less, scope); got.status != 400 || got.Error != "invalid_scope" {
				t.Errorf("refreshing for %q: %+v", scope, got)
			}
		}
	})
}

// TestDeletedWhileAsked deletes an application while somebody reads its question: what they allow then is worth
// nothing.
func TestDeletedWhileAsked(t *testing.T) {
	r := newRig(t, apitest.SQLite, grant.NewApplication{Implicit: true})
	if err := r.server.App.Auth.DeleteApplication(t.Context(), r.app.UID); err != nil {
		t.Fatal(err)
	}
	tokens, err := r.server.App.Auth.AllowNow(t.Context(), grant.Ask{
		Application: r.app.UID, Account: r.bob.UID, Scopes: credential.AllScopes,
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := r.me(tokens.Access); status != 401 {
		t.Errorf("%d %s", status, body)
	}
}

// TestTokensEnd shows each way in which tokens end, on another process too.
func TestTokensEnd(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		r := newRig(t, engine, grant.NewApplication{})
		beside := r.server.Beside()
		tokens := func() answer {
			t.Helper()
			a := r.token(r.credentials() + "&grant_type=authorization_code&code=" +
				r.code("response_type=code&client_id="+r.app.UID))
			if status, _ := r.me(a.Access); status != 200 {
				t.Fatalf("a fresh token: %d", status)
			}
			return a
		}
		ends := func(what, access string) {
			t.Helper()
			for end := time.Now().Add(5 * time.Second); ; {
				res, err := beside.Try("GET", "/me", nil, http.Header{"Authorization": {"Bearer " + access}})
				if err != nil {
					t.Fatal(err)
				}
				if res.Status == 401 {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("%s: the other process still lets it in: %d", what, res.Status)
				}
			}
		}
		a := tokens()
		if got := r.send("/oauth/introspect", r.credentials()+"&token="+a.Access); !got.Active {
			t.Errorf("it is not active: %+v", got)
		}
		r.send("/oauth/revoke", r.credentials()+"&token="+a.Refresh)
		ends("the refresh token was revoked", a.Access)
		if got := r.send("/oauth/introspect", r.credentials()+"&token="+a.Access); got.Active || got.status != 200 {
			t.Errorf("it is still active: %+v", got)
		}
		if got := r.send("/oauth/introspect", "token="+a.Access); got.status != 401 || got.Error != "invalid_client" {
			t.Errorf("nobody asks: %+v", got)
		}
		a = tokens()
		r.bob.Want(204, "DELETE", "/me/authorizations/"+r.app.UID, nil)
		ends("the person took it back", a.Access)
		a = tokens()
		if err := r.server.App.Auth.DisableAccount(t.Context(), r.bob.UID, true); err != nil {
			t.Fatal(err)
		}
		ends("the account is disabled", a.Access)
		if err := r.server.App.Auth.DisableAccount(t.Context(), r.bob.UID, false); err != nil {
			t.Fatal(err)
		}
		a = tokens()
		if err := r.server.App.Auth.DeleteApplication(t.Context(), r.app.UID); err != nil {
			t.Fatal(err)
		}
		ends("the application is deleted", a.Access)
	})
}
