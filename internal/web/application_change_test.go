package web_test

import (
	"net/url"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// TestRedirectsNeedThePassword: on its page, too, an application sends people elsewhere only for who knows the
// password.
func TestRedirectsNeedThePassword(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		ada := server.Account("ada")
		app := ada.Want(201, "POST", "/me/applications", map[string]any{
			"name": "Sync", "redirect_uris": []string{"https://sync.example.com/"}, "password": anvils,
		}).Text("uid")
		r := signedIn(t, server, ada.Email)
		for _, c := range []struct {
			what   string
			form   url.Values
			status int
			says   string
		}{
			{"another name", url.Values{"name": {"Sync 2"}, "redirect_uris": {"https://sync.example.com/"}}, 303, ""},
			{
				"another redirect",
				url.Values{"name": {"Sync"}, "redirect_uris": {"https://evil.example.com/"}},
				400,
				"Your password is needed",
			},
			{"the implicit grant", url.Values{
				"name": {"Sync"}, "redirect_uris": {"https://sync.example.com/"},
				"implicit": {"yes"}, "present": {"wrong"},
			}, 400, "This is not your password."},
			{"another redirect, with it", url.Values{
				"name": {"Sync"}, "redirect_uris": {"https://new.example.com/"}, "present": {anvils},
			}, 303, ""},
		} {
			got := r.post("/account/applications/"+app, c.form)
			if got.Status != c.status || !strings.Contains(string(got.Body), c.says) ||
				strings.Contains(string(got.Body), `class="sure" open`) {
				t.Errorf("%s: %d %s", c.what, got.Status, got.Body)
			}
		}
		if now := ada.Want(200, "GET", "/me/applications",
			nil); now.Text("data.0.redirect_uris.0") != "https://new.example.com/" ||
			now.Text("data.0.implicit") != "false" {
			t.Errorf("%s", now.Body)
		}
	})
}
