package web

import (
	"context"
	"net/http"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
)

// Mail is what operators see and try of outgoing mail.
type Mail struct {
	Seen func(context.Context) (MailSeen, error)
	// Test sends a letter: how that went, in a sentence, and whether it was taken.
	Test func(ctx context.Context, to string) (sentence string, taken bool, err error)
}

// MailSeen is what the installation knows of its mail.
type MailSeen struct {
	// Server is host and port; "" where mail goes to the log. From is the sender, and Signed the selector of the key
	// that letters are signed with here.
	Server, From, Signed string
	// Bounced are people whose letters came back.
	Bounced []BouncedSeen
}

// BouncedSeen is somebody whose letters came back.
type BouncedSeen struct {
	Email string
	identity.Bounce
}

func (m Mail) routes() []api.Route {
	return []api.Route{
		site("GET", "/operator/mail", api.Operator, "See how mail is sent, and whose letters came back.", m.show),
		site("POST", "/operator/mail", api.Operator, "Send a test letter.", m.test),
	}
}

func (m Mail) view(c *api.Call) (view, error) {
	seen, err := m.Seen(c.Context())
	v := room(c, "operator-mail", "Mail")
	v["Seen"], v["To"], v["Sentence"], v["Taken"] = seen, c.Credential.Account.Email, "", false
	return v, err
}

func (m Mail) show(c *api.Call) error {
	v, err := m.view(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "operator-mail.html", v)
}

func (m Mail) test(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	to := form.Get("to")
	sentence, taken, bad := m.Test(c.Context(), to)
	if bad != nil && !fault.Is(bad, fault.Invalid) && !fault.Is(bad, fault.Limited) {
		return bad
	}
	v, err := m.view(c)
	if err != nil {
		return err
	}
	v["To"] = to
	if fault.Is(bad, fault.Limited) {
		v["Problem"] = fault.Of(bad).Message
		return answer(c, http.StatusTooManyRequests, "operator-mail.html", v)
	}
	if bad != nil {
		return refused(c, bad, "operator-mail.html", v)
	}
	v["Sentence"], v["Taken"] = sentence, taken
	return answer(c, http.StatusOK, "operator-mail.html", v)
}
