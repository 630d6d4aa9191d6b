package oauth

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// FuzzBasic holds the reader of client credentials against net/http's: what needs no decoding is read the same.
func FuzzBasic(f *testing.F) {
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, s := range []string{
		"", "Basic", "Bearer x", "Basic !", encode("id:secret"), encode("id"), encode(":"),
		encode("a%3Ab:c%20d"), encode("a%zz:b+c"), "basic " + encode("x:y")[6:], encode("id:secret") + "\n",
		"Basic  " + encode("a:b:c")[6:] + " ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		user, password, sent := basic(header)
		if !sent && user+password != "" {
			t.Fatalf("%q gives %q %q that was not sent", header, user, password)
		}
		wantUser, wantPassword, ok := (&http.Request{Header: http.Header{"Authorization": {header}}}).BasicAuth()
		if ok && !strings.ContainsAny(wantUser+wantPassword, "%+") && (!sent || user != wantUser ||
			password != wantPassword) {
			t.Fatalf("%q gives %q %q; net/http reads %q %q", header, user, password, wantUser, wantPassword)
		}
	})
}

// FuzzAsk sends anything to the authorization endpoint of a known application: it is understood, or refused with an
// error of the RFCs that can stand in an address and in JSON. Nothing that is understood is more than the application
// may ask for.
func FuzzAsk(f *testing.F) {
	challenge := strings.Repeat("a", 43)
	for _, s := range []string{
		"", "response_type=code", "response_type=token", "response_type=code&scope=read:profile",
		"response_type=code&scope=admin",
		"response_type=code&code_challenge=" + challenge + "&code_challenge_method=S256",
		"response_type=code&code_challenge=" + challenge, "response_type=code&code_challenge_method=plain",
		"response_type=code&state=1&state=2", "response_type=code&%ff=1&%ff=2",
		strings.Repeat("%C3%A9", 60) + "=1&" + strings.Repeat("%C3%A9", 60) + "=2",
	} {
		for kind := range 4 {
			f.Add(s, kind&1 != 0, kind&2 != 0)
		}
	}
	codes := map[string]bool{
		"invalid_request": true, "unsupported_response_type": true, "unauthorized_client": true, "invalid_scope": true,
	}
	f.Fuzz(func(t *testing.T, query string, public, implicit bool) {
		params, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		r := &request{
			app:      &grant.Application{Public: public, Implicit: implicit},
			implicit: params.Get("response_type") == "token",
		}
		err = r.check(params)
		var wrong *problem
		switch {
		case err == nil:
			if r.implicit && !implicit || public && !r.implicit && len(r.challenge) != 43 || r.scopes == 0 ||
				!credential.AllScopes.Has(r.scopes) || r.challenge != "" && params.Get("code_challenge_method") != "S256" {
				t.Fatalf("%q is understood as %+v", query, r)
			}
		case errors.As(err, &wrong):
			if !codes[wrong.code] || !strings.HasSuffix(wrong.why, ".") ||
				!utf8.ValidString(wrong.why) && utf8.ValidString(strings.Join(slices.Collect(maps.Keys(params)), "")) {
				t.Fatalf("%q is refused with %q", query, err)
			}
		default:
			t.Fatalf("%q is refused with %v", query, err)
		}
	})
}
