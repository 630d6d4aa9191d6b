package web

import (
	"context"
	"net/http"

	"groundwork/internal/api"
	"groundwork/internal/fault"
)

// Forgetting is what operators see and do about what the installation forgets on purpose. To erase is done at the
// command line; what a page does can be taken back.
type Forgetting struct {
	Seen func(context.Context) (ForgettingSeen, error)
	// Keep takes the erasure of a project back; Hold keeps everything of one, and Release ends that. by is an account.
	Keep, Release func(ctx context.Context, project, by string) error
	Hold          func(ctx context.Context, project, why, by string) error
}

// ForgettingSeen is what the installation knows of that. Times are microseconds.
type ForgettingSeen struct {
	Going []GoingSeen
	Held  []HeldSeen
	Audit []AuditSeen
	// Deleted and Kept are how long deleted records and history are kept here, for people; "" is for ever.
	Deleted, Kept string
}

// GoingSeen is a project that is to be erased.
type GoingSeen struct {
	Project, Name string
	At            int64
	Begun         bool
}

// HeldSeen is a project that is held.
type HeldSeen struct {
	Project, Name, By, Why string
	At                     int64
}

// AuditSeen is a line of the audit.
type AuditSeen struct {
	At                       int64
	By, Did, Subject, Detail string
}

func (f Forgetting) routes() []api.Route {
	return []api.Route{
		site("GET", "/operator/forgetting", api.Operator, "See what is to be erased, what is held, and who had that done.", f.show),
		site("POST", "/operator/forgetting", api.Operator,
			"Take the erasure of a project back, hold a project, or release a hold.", f.change),
	}
}

func (f Forgetting) view(c *api.Call) (view, error) {
	seen, err := f.Seen(c.Context())
	v := room(c, "operator-forgetting", "Forgetting")
	v["Seen"], v["Project"], v["Why"] = seen, "", ""
	return v, err
}

func (f Forgetting) show(c *api.Call) error {
	v, err := f.view(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "operator-forgetting.html", v)
}

func (f Forgetting) change(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	project, action, by := form.Get("project"), form.Get("action"), "the account "+c.Credential.Account.UID
	switch action {
	case "keep":
		err = f.Keep(c.Context(), project, by)
	case "release":
		err = f.Release(c.Context(), project, by)
	case "hold":
		err = f.Hold(c.Context(), project, form.Get("why"), by)
	default:
		return fault.New(fault.Invalid, "There is nothing of that name to be done.")
	}
	if err == nil {
		return c.Redirect("/operator/forgetting?done=" + action)
	}
	if e := fault.Of(err); e.Kind == fault.Internal || e.Kind == fault.Unavailable {
		return err
	}
	v, problem := f.view(c)
	if problem != nil {
		return problem
	}
	v["Problem"], v["Project"], v["Why"] = fault.Of(err).Message, project, form.Get("why")
	return answer(c, http.StatusBadRequest, "operator-forgetting.html", v)
}
