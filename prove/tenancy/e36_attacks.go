package tenancy

import (
	"net/url"
	"strings"

	"groundwork/prove/lab"
	"groundwork/prove/oauth"
)

// tricks are the kinds of attacks.
var tricks = []trick{
	{"redirect URIs that look right", func(h *oauth.Provider) (n int, err error) {
		for _, near := range nearMisses(h.RedirectURI) {
			for _, decide := range []bool{false, true} {
				ask := lab.FormValues{"response_type": "code", "client_id": h.App.ID, "redirect_uri": near}
				r, err := h.Authorize(ask, decide)
				if err != nil {
					return n, err
				}
				h.Refused("redirect to "+near, r.Status == 400 && r.Header.Get("Location") == "", r)
				n++
			}
		}
		return n, nil
	}},
	{"codes used twice", func(h *oauth.Provider) (int, error) {
		code, err := h.Code("")
		if err != nil {
			return 0, err
		}
		redeem := lab.FormValues{"grant_type": "authorization_code", "code": code}
		first, err := h.Token(h.App, redeem)
		if err != nil {
			return 0, err
		}
		second, err := h.Token(h.App, redeem)
		if err != nil {
			return 0, err
		}
		h.Refused("a code used twice", first.Access != "" && second.Access == "" && second.Error == "invalid_grant",
			second)
		status, err := h.MeStatus(first.Access)
		h.Refused("what a code gave that was used twice", status == 401, status)
		return 2, err
	}},
	{"PKCE taken away", func(h *oauth.Provider) (n int, err error) {
		pkce := "&code_challenge_method=S256&code_challenge=" + oauth.Challenge(oauth.Verifier)
		for _, bad := range []struct{ ask, verifier string }{
			{pkce, ""},
			{pkce, strings.Repeat("w", 50)},
			{"", oauth.Verifier},
		} {
			code, err := h.Code(bad.ask)
			if err != nil {
				return n, err
			}
			redeem := lab.FormValues{"grant_type": "authorization_code", "code": code}
			if bad.verifier != "" {
				redeem["code_verifier"] = bad.verifier
			}
			got, err := h.Token(h.App, redeem)
			if err != nil {
				return n, err
			}
			h.Refused("PKCE", got.Access == "" && got.Error == "invalid_grant", got)
			n++
		}
		for _, ask := range []lab.FormValues{
			{"response_type": "code", "client_id": h.Public.ID},
			{
				"response_type": "code", "client_id": h.Public.ID, "code_challenge": oauth.Verifier,
				"code_challenge_method": "plain",
			},
			{"response_type": "code", "client_id": h.Public.ID, "code_challenge": oauth.Challenge(oauth.Verifier)},
		} {
			for _, decide := range []bool{false, true} {
				r, err := h.Authorize(ask, decide)
				if err != nil {
					return n, err
				}
				h.Refused("a public application without PKCE", strings.Contains(r.Header.Get("Location"),
					"error=invalid_request") && !strings.Contains(r.Header.Get("Location"), "code="), r)
				n++
			}
		}
		return n, nil
	}},
	{"the implicit grant without opting in", func(h *oauth.Provider) (int, error) {
		for _, decide := range []bool{false, true} {
			r, err := h.Authorize(lab.FormValues{"response_type": "token", "client_id": h.App.ID}, decide)
			if err != nil {
				return 0, err
			}
			to := r.Header.Get("Location")
			h.Refused("implicit", strings.Contains(to, "error=unauthorized_client") &&
				!strings.Contains(to, "access_token="), to)
		}
		return 2, nil
	}},
	{"other applications' codes and tokens", func(h *oauth.Provider) (n int, err error) {
		code, err := h.Code("")
		if err != nil {
			return 0, err
		}
		mine, err := h.Tokens("")
		if err != nil {
			return 0, err
		}
		wrong := h.App
		wrong.Secret = h.Other.Secret
		for _, c := range []struct {
			by   oauth.Application
			sent lab.FormValues
		}{
			{h.Other, lab.FormValues{"grant_type": "authorization_code", "code": code}},
			{wrong, lab.FormValues{"grant_type": "authorization_code", "code": code}},
			{oauth.Application{ID: h.App.ID}, lab.FormValues{"grant_type": "authorization_code", "code": code}},
			{oauth.Application{}, lab.FormValues{"grant_type": "authorization_code", "code": code}},
			{h.Other, lab.FormValues{"grant_type": "refresh_token", "refresh_token": mine.Refresh}},
			{wrong, lab.FormValues{"grant_type": "refresh_token", "refresh_token": mine.Refresh}},
			{h.App, lab.FormValues{"grant_type": "refresh_token", "refresh_token": mine.Access}},
			{h.App, lab.FormValues{"grant_type": "password", "username": lab.AdaEmail, "password": lab.Password}},
		} {
			got, err := h.Token(c.by, c.sent)
			if err != nil {
				return n, err
			}
			h.Refused("another application", got.Access == "" && got.Error != "", got)
			n++
		}
		for _, secret := range []string{mine.Refresh, code, h.App.Secret, h.Key} {
			status, err := h.MeStatus(secret)
			if err != nil {
				return n, err
			}
			h.Refused("a secret of another kind as access token", status == 401, status)
			n++
		}
		return n, nil
	}},
	{"more than was allowed", func(h *oauth.Provider) (int, error) {
		narrow, err := h.Tokens("&scope=read:profile")
		if err != nil {
			return 0, err
		}
		wider, err := h.Token(h.App, lab.FormValues{
			"grant_type": "refresh_token", "refresh_token": narrow.Refresh, "scope": "write:projects",
		})
		if err != nil {
			return 0, err
		}
		h.Refused("a wider scope", wider.Access == "", wider)
		r, err := h.Call("GET", "/projects", "", "Authorization", "Bearer "+narrow.Access)
		if err != nil {
			return 1, err
		}
		h.Refused("projects without their scope", r.Status == 403, r)
		r, err = h.Call("POST", "/me/keys", `{"name":"for later"}`, "Authorization", "Bearer "+narrow.Access,
			"Content-Type", "application/json")
		if err != nil {
			return 2, err
		}
		h.Refused("a key by a token", r.Status == 403, r)
		return 3, nil
	}},
	{"consent that nobody gave", func(h *oauth.Provider) (int, error) {
		ask := lab.FormValues{"response_type": "code", "client_id": h.App.ID, "decision": "allow"}
		r, err := h.Post(h.Browser, "/oauth/authorize", ask, "Origin", "https://evil.example", "Sec-Fetch-Site",
			"cross-site")
		if err != nil {
			return 0, err
		}
		h.Refused("a button on another site", r.Status == 403, r)
		r, err = h.Post(h.Anonymous, "/oauth/authorize", ask)
		if err != nil {
			return 1, err
		}
		h.Refused("nobody is signed in", r.Status == 303 && strings.HasPrefix(r.Header.Get("Location"), "/sign-in"), r)
		return 2, nil
	}},
}

// nearMisses are addresses that somebody could take for the registered one.
func nearMisses(back string) []string {
	u, err := url.Parse(back)
	if err != nil {
		panic(err) // it is a constant
	}
	host := u.Host
	return []string{
		back + "/", back + "?x=1", back + "#x", strings.TrimSuffix(back, "k"), "http://" + host + u.Path,
		"https://" + host + ":443" + u.Path, "https://" + strings.ToUpper(host) + u.Path,
		"https://" + host + ".evil.example" + u.Path, "https://evil.example/?" + back,
		"https://" + host + "@evil.example" + u.Path, back + "/../../evil", "//" + host + u.Path,
		"https://" + host + "/%63allback", "https://" + host + `\@evil.example` + u.Path, " " + back, back + "\x00",
		"javascript:alert(1)", "data:text/html,x", "https://evil.example" + u.Path, "*",
	}
}
