package main

import (
	"net/url"
	"strings"
)

// tricks are the kinds of attacks.
var tricks = []trick{
	{"redirect URIs that look right", func(h *heist) (n int, err error) {
		for _, near := range nearMisses(h.back) {
			for _, decide := range []bool{false, true} {
				ask := sheaf{"response_type": "code", "client_id": h.app.ID, "redirect_uri": near}
				r, err := h.authorize(ask, decide)
				if err != nil {
					return n, err
				}
				h.refused("redirect to "+near, r.status == 400 && r.header.Get("Location") == "", r)
				n++
			}
		}
		return n, nil
	}},
	{"codes used twice", func(h *heist) (int, error) {
		code, err := h.code("")
		if err != nil {
			return 0, err
		}
		redeem := sheaf{"grant_type": "authorization_code", "code": code}
		first, err := h.token(h.app, redeem)
		if err != nil {
			return 0, err
		}
		second, err := h.token(h.app, redeem)
		if err != nil {
			return 0, err
		}
		h.refused("a code used twice", first.Access != "" && second.Access == "" && second.Error == "invalid_grant", second)
		status, err := h.me(first.Access)
		h.refused("what a code gave that was used twice", status == 401, status)
		return 2, err
	}},
	{"PKCE taken away", func(h *heist) (n int, err error) {
		pkce := "&code_challenge_method=S256&code_challenge=" + challenge(verifier)
		for _, bad := range []struct{ ask, verifier string }{{pkce, ""}, {pkce, strings.Repeat("w", 50)}, {"", verifier}} {
			code, err := h.code(bad.ask)
			if err != nil {
				return n, err
			}
			redeem := sheaf{"grant_type": "authorization_code", "code": code}
			if bad.verifier != "" {
				redeem["code_verifier"] = bad.verifier
			}
			got, err := h.token(h.app, redeem)
			if err != nil {
				return n, err
			}
			h.refused("PKCE", got.Access == "" && got.Error == "invalid_grant", got)
			n++
		}
		for _, ask := range []sheaf{
			{"response_type": "code", "client_id": h.public.ID},
			{"response_type": "code", "client_id": h.public.ID, "code_challenge": verifier, "code_challenge_method": "plain"},
			{"response_type": "code", "client_id": h.public.ID, "code_challenge": challenge(verifier)},
		} {
			for _, decide := range []bool{false, true} {
				r, err := h.authorize(ask, decide)
				if err != nil {
					return n, err
				}
				h.refused("a public application without PKCE", strings.Contains(r.header.Get("Location"), "error=invalid_request") && !strings.Contains(r.header.Get("Location"), "code="), r)
				n++
			}
		}
		return n, nil
	}},
	{"the implicit grant without opting in", func(h *heist) (int, error) {
		for _, decide := range []bool{false, true} {
			r, err := h.authorize(sheaf{"response_type": "token", "client_id": h.app.ID}, decide)
			if err != nil {
				return 0, err
			}
			to := r.header.Get("Location")
			h.refused("implicit", strings.Contains(to, "error=unauthorized_client") && !strings.Contains(to, "access_token="), to)
		}
		return 2, nil
	}},
	{"other applications' codes and tokens", func(h *heist) (n int, err error) {
		code, err := h.code("")
		if err != nil {
			return 0, err
		}
		mine, err := h.tokens("")
		if err != nil {
			return 0, err
		}
		wrong := h.app
		wrong.Secret = h.other.Secret
		for _, c := range []struct {
			by   application
			sent sheaf
		}{
			{h.other, sheaf{"grant_type": "authorization_code", "code": code}},
			{wrong, sheaf{"grant_type": "authorization_code", "code": code}},
			{application{ID: h.app.ID}, sheaf{"grant_type": "authorization_code", "code": code}},
			{application{}, sheaf{"grant_type": "authorization_code", "code": code}},
			{h.other, sheaf{"grant_type": "refresh_token", "refresh_token": mine.Refresh}},
			{wrong, sheaf{"grant_type": "refresh_token", "refresh_token": mine.Refresh}},
			{h.app, sheaf{"grant_type": "refresh_token", "refresh_token": mine.Access}},
			{h.app, sheaf{"grant_type": "password", "username": ada, "password": password}},
		} {
			got, err := h.token(c.by, c.sent)
			if err != nil {
				return n, err
			}
			h.refused("another application", got.Access == "" && got.Error != "", got)
			n++
		}
		for _, secret := range []string{mine.Refresh, code, h.app.Secret, h.key} {
			status, err := h.me(secret)
			if err != nil {
				return n, err
			}
			h.refused("a secret of another kind as access token", status == 401, status)
			n++
		}
		return n, nil
	}},
	{"more than was allowed", func(h *heist) (int, error) {
		narrow, err := h.tokens("&scope=read:profile")
		if err != nil {
			return 0, err
		}
		wider, err := h.token(h.app, sheaf{"grant_type": "refresh_token", "refresh_token": narrow.Refresh, "scope": "write:projects"})
		if err != nil {
			return 0, err
		}
		h.refused("a wider scope", wider.Access == "", wider)
		r, err := h.call("GET", "/projects", "", "Authorization", "Bearer "+narrow.Access)
		if err != nil {
			return 1, err
		}
		h.refused("projects without their scope", r.status == 403, r)
		r, err = h.call("POST", "/me/keys", `{"name":"for later"}`, "Authorization", "Bearer "+narrow.Access, "Content-Type", "application/json")
		if err != nil {
			return 2, err
		}
		h.refused("a key by a token", r.status == 403, r)
		return 3, nil
	}},
	{"consent that nobody gave", func(h *heist) (int, error) {
		ask := sheaf{"response_type": "code", "client_id": h.app.ID, "decision": "allow"}
		r, err := h.post(h.browser, "/oauth/authorize", ask, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
		if err != nil {
			return 0, err
		}
		h.refused("a button on another site", r.status == 403, r)
		r, err = h.post(h.plain, "/oauth/authorize", ask)
		if err != nil {
			return 1, err
		}
		h.refused("nobody is signed in", r.status == 303 && strings.HasPrefix(r.header.Get("Location"), "/sign-in"), r)
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
		back + "/", back + "?x=1", back + "#x", strings.TrimSuffix(back, "k"), "http://" + host + u.Path, "https://" + host + ":443" + u.Path, "https://" + strings.ToUpper(host) + u.Path,
		"https://" + host + ".evil.example" + u.Path, "https://evil.example/?" + back, "https://" + host + "@evil.example" + u.Path, back + "/../../evil", "//" + host + u.Path,
		"https://" + host + "/%63allback", "https://" + host + `\@evil.example` + u.Path, " " + back, back + "\x00", "javascript:alert(1)", "data:text/html,x", "https://evil.example" + u.Path, "*",
	}
}
