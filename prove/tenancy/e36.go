package tenancy

import (
	"fmt"
	"net/url"
	"time"

	"groundwork/prove/lab"
	"groundwork/prove/oauth"
)

// E36 attacks OAuth 2.0.
var E36 = &lab.Experiment{
	ID:       "E36",
	Title:    "attacks on OAuth 2.0: addresses that look like a registered one, codes used twice, PKCE taken away, refresh tokens used again, the implicit grant without having been registered for it",
	MustHold: "nothing is given and nobody is sent anywhere else; a code or refresh token in two hands ends everything it gave",
	Control:  "the same requests with nothing wrong in them",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		h, err := oauth.NewProvider(t)
		if err != nil {
			return err
		}
		// A refresh token that was used works on for ten seconds: meanwhile there is other work.
		stolen, err := h.Tokens("")
		if err != nil {
			return err
		}
		renewed, err := h.Token(h.App, lab.FormValues{"grant_type": "refresh_token", "refresh_token": stolen.Refresh})
		if err != nil {
			return err
		}
		began := time.Now()
		for _, a := range tricks {
			n, err := a.try(h)
			if err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			t.Note(a.name, "%d refused", n)
		}
		const grace = 11 * time.Second
		select {
		case <-t.Done():
			return t.Err()
		case <-time.After(time.Until(began.Add(grace))):
		}
		n := h.Broken
		again, err := h.Token(h.App, lab.FormValues{"grant_type": "refresh_token", "refresh_token": stolen.Refresh})
		if err != nil {
			return err
		}
		h.Refused("a refresh token that was used", again.Access == "" && again.Error == "invalid_grant", again)
		for _, access := range []string{stolen.Access, renewed.Access} {
			status, err := h.MeStatus(access)
			if err != nil {
				return err
			}
			h.Refused("what a stolen refresh token gave", status == 401, status)
		}
		t.Note("refresh tokens used again", "%d refused", 3-(h.Broken-n))
		t.Require(h.Tried > 0, "nothing was tried")
		t.Note("attacks that got something", "%d of %d", h.Broken, h.Tried)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		h, err := oauth.NewProvider(t)
		if err != nil {
			return "", err
		}
		given := 0
		for _, more := range []string{
			"", "&scope=read:profile", "&redirect_uri=" + url.QueryEscape(h.RedirectURI),
			"&code_challenge_method=S256&code_challenge=" + oauth.Challenge(oauth.Verifier),
		} {
			got, err := h.Tokens(more)
			if err != nil {
				return "", err
			}
			if status, err := h.MeStatus(got.Access); err != nil || status != 200 {
				return "", fmt.Errorf("an honest token got %d: %w", status, err)
			}
			given++
		}
		return fmt.Sprintf("%d of %d honest requests got a token, and would have been called a break", given,
			given), nil
	},
}

// trick is a kind of attack; it gives how often it was refused.
type trick struct {
	name string
	try  func(h *oauth.Provider) (int, error)
}
