package web

import (
	"net/http"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// showGuest is the page of the link that the start of a demo prints. It does nothing by itself: what looks at links
// before people do, or opens pages ahead, does not use it up. Its script sends its form, once the page is in sight.
func (s Start) showGuest(c *api.Call) error {
	guest, err := s.Guest(c, c.Param("guest"), false)
	if err != nil {
		return signedInAlready(c, err)
	}
	return answer(c, http.StatusOK, "guest.html", view{"Title": "The demo", "Name": guest.Name})
}

func (s Start) enterGuest(c *api.Call) error {
	// Whoever has no good link learns that first, whatever else is wrong with what they sent.
	if _, err := s.Guest(c, c.Param("guest"), false); err != nil {
		return signedInAlready(c, err)
	}
	if _, err := c.Form(mostForm); err != nil {
		return err
	}
	guest, err := s.Guest(c, c.Param("guest"), true)
	if err != nil {
		return signedInAlready(c, err)
	}
	return enter(c, guest.Session, guest.Account, home+guest.Project)
}

// signedInAlready leads whoever has used the link before, in this browser, to where it led.
func signedInAlready(c *api.Call, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if who, unknown := c.SignedIn(); unknown == nil && who != nil {
		return c.Redirect(home)
	}
	return err
}
