package main

import (
	"fmt"
	"time"
)

var e36 = &experiment{
	id:      "E36",
	title:   "attacks on OAuth 2.0: addresses that look like a registered one, codes used twice, PKCE taken away, refresh tokens used again, the implicit grant without having been registered for it",
	bar:     "nothing is given and nobody is sent anywhere else; a code or refresh token in two hands ends everything it gave",
	control: "the same requests with nothing wrong in them",
	engines: bothEngines,
	run: func(t *trial) error {
		h, err := newHeist(t)
		if err != nil {
			return err
		}
		// A refresh token that was used works on for ten seconds: meanwhile there is other work.
		stolen, err := h.tokens("")
		if err != nil {
			return err
		}
		renewed, err := h.token(h.app, sheaf{"grant_type": "refresh_token", "refresh_token": stolen.Refresh})
		if err != nil {
			return err
		}
		began := time.Now()
		for _, a := range tricks {
			n, err := a.try(h)
			if err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			t.note(a.name, "%d refused", n)
		}
		const grace = 11 * time.Second
		select {
		case <-t.Done():
			return t.Err()
		case <-time.After(time.Until(began.Add(grace))):
		}
		n := h.got
		again, err := h.token(h.app, sheaf{"grant_type": "refresh_token", "refresh_token": stolen.Refresh})
		if err != nil {
			return err
		}
		h.refused("a refresh token that was used", again.Access == "" && again.Error == "invalid_grant", again)
		for _, access := range []string{stolen.Access, renewed.Access} {
			status, err := h.me(access)
			if err != nil {
				return err
			}
			h.refused("what a stolen refresh token gave", status == 401, status)
		}
		t.note("refresh tokens used again", "%d refused", 3-(h.got-n))
		t.require(h.tried > 0, "nothing was tried")
		t.note("attacks that got something", "%d of %d", h.got, h.tried)
		return nil
	},
	runControl: func(t *trial) (string, error) {
		h, err := newHeist(t)
		if err != nil {
			return "", err
		}
		given := 0
		for _, more := range []string{"", "&scope=read:profile", "&redirect_uri=" + escape(h.back), "&code_challenge_method=S256&code_challenge=" + challenge(verifier)} {
			got, err := h.tokens(more)
			if err != nil {
				return "", err
			}
			if status, err := h.me(got.Access); err != nil || status != 200 {
				return "", fmt.Errorf("an honest token got %d: %w", status, err)
			}
			given++
		}
		return fmt.Sprintf("%d of %d honest requests got a token, and would have been called a break", given, given), nil
	},
}

// trick is a kind of attack; it gives how often it was refused.
type trick struct {
	name string
	try  func(h *heist) (int, error)
}
