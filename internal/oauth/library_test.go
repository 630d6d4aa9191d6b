package oauth_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"groundwork/internal/apitest"
	"groundwork/internal/grant"
)

// TestLibrary has a client that others wrote go all the way: code with PKCE, a call, and a token that is renewed by
// itself.
func TestLibrary(t *testing.T) {
	clock := apitest.NewClock()
	for name, public := range map[string]bool{"with a secret": false, "public": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, apitest.SQLite, grant.NewApplication{
				Public: public, Redirects: []string{"http://127.0.0.1/back"},
			}, apitest.At(clock))
			config := &oauth2.Config{
				ClientID: r.app.UID, ClientSecret: r.secret, RedirectURL: "http://127.0.0.1:34567/back",
				Scopes: []string{"write:projects", "read:profile"},
				Endpoint: oauth2.Endpoint{
					AuthURL: r.server.URL + "/oauth/authorize", TokenURL: r.server.URL + "/oauth/token",
				},
			}
			verifier := oauth2.GenerateVerifier()
			to, err := url.Parse(config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)))
			if err != nil {
				t.Fatal(err)
			}
			back := r.consent(to.RawQuery, "allow")
			token, err := config.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
			if err != nil || !token.Valid() {
				t.Fatalf("%v %v", token, err)
			}
			client := config.Client(t.Context(), token)
			get := func() {
				t.Helper()
				res, err := client.Get(r.server.URL + "/me")
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatalf("%v %v", res, err)
				}
				_ = res.Body.Close()
			}
			get()
			old := *token
			old.Expiry = time.Now().Add(-time.Hour)
			clock.Advance(49 * time.Hour)
			client = config.Client(t.Context(), &old)
			get() // the library renews first: the token of before has expired
		})
	}
}
