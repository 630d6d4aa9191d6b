package api

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

// ServeHTTP answers one request, always with JSON (metrics and pages excepted), and never with a panic.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{w: w, r: r, RequestID: e.ids.of(r.Header)}
	e.inFlight.Add(1)
	defer func() {
		if !c.aside {
			e.inFlight.Add(-1)
		}
		c.endStream()
	}()
	e.serve(c)
}

// serve takes a call from its path to its line in the log.
func (e *Edge) serve(c *Call) {
	c.edge, c.end, c.began = e, e.lost, e.config.Now()
	c.Store, c.Auth, c.Jobs, c.Base, c.Version = e.config.Store, e.config.Auth, e.config.Jobs, e.config.Base, e.config.Version
	c.Unmailed = e.config.Unmailed
	defer e.finish(c)
	if err := e.admit(c); err != nil {
		c.refuse(err)
		return
	}
	if c.status != 0 {
		return
	}
	if err := c.do(); err != nil {
		c.inflow.drain()
		c.refuse(err)
	}
}

// finish turns a panic into an answer, makes sure that there is one, and counts and logs it. It must be deferred itself, to recover.
func (e *Edge) finish(c *Call) {
	p, begun := recover(), c.status != 0
	switch {
	case p == nil && !begun:
		c.refuse(fmt.Errorf("api: %s %s answered nothing", c.end.Method, c.end.Pattern))
	case p != nil && (p != http.ErrAbortHandler || c.nested):
		c.refuse(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
	took := e.config.Now().Sub(c.began)
	c.end.series.count(c.status, took)
	e.log(c, took)
	if p != nil && !c.nested && (begun || p == http.ErrAbortHandler) {
		// The answer had begun when the function failed: cut it off, so that nobody takes it for whole.
		panic(http.ErrAbortHandler)
	}
}

// admit refuses in the one order there is: path, method, credentials, version, rate limit, project, membership, role.
// It answers OPTIONS itself.
func (e *Edge) admit(c *Call) error {
	place := e.root.match(c.r.URL, &c.values)
	if place == nil {
		e.dress(c, true)
		return fault.New(fault.Unknown, "There is nothing at the path %s.", clip(c.Path()))
	}
	end := place.end(c.r.Method)
	if c.page = place.ends[0].Page; end != nil {
		c.page = end.Page
	}
	e.dress(c, c.page == nil && (end == nil || !end.vital))
	if err := e.room(c, end); err != nil {
		return err
	}
	if end == nil {
		c.SetHeader("Allow", place.allow)
		if c.r.Method == http.MethodOptions {
			c.preflight(place.allow)
			return nil
		}
		return fault.New(fault.Method, "The method %s is not allowed on this path. Allowed: %s.", clip(c.r.Method), place.allow)
	}
	c.end = end
	if c.nested && end.Gives != "" {
		return fault.Field("path", "A file cannot be part of a batch.")
	}
	if c.page != nil && e.origins.Check(c.r) != nil {
		return fault.New(fault.Forbidden, "This was sent by a page of another site, and is not done.")
	}
	switch end.Access {
	case Public:
		return nil
	case Person, Operator:
		if err := e.visitor(c); err != nil || c.Credential == nil {
			return err
		}
		return e.take(c)
	}
	var err error
	if c.Credential, err = e.credential(c); err != nil {
		return err
	}
	if err := e.chooseMajor(c); err != nil {
		return err
	}
	if err := e.take(c); err != nil {
		return err
	}
	return e.enter(c)
}

// enter admits a caller who is known to the project of the path, where the route belongs to one.
func (e *Edge) enter(c *Call) (err error) {
	if c.end.Access == Caller {
		return nil
	}
	if c.Scope, err = e.config.Enter(c.Context(), c.Credential.Account, c.Param("project")); err != nil {
		return err
	}
	if c.Level = c.end.Right.For(c.Scope.Role()); c.Level == auth.No {
		return fault.New(fault.Forbidden, "Your role in this project, %s, does not allow this.", roles[c.Scope.Role()])
	}
	return nil
}

var roles = [...]string{auth.Nobody: "none", auth.Admin: "Admin", auth.PowerCollaborator: "Power Collaborator", auth.Collaborator: "Collaborator"}

// vitalShare is how many requests for health are served above the cap.
const vitalShare = 64

// room refuses what comes on top of the requests that are served already. Parts of a batch have the room of their batch.
func (e *Edge) room(c *Call, end *endpoint) error {
	most := int64(e.config.InFlight)
	if end != nil && end.vital {
		most += vitalShare
	}
	if c.nested || e.inFlight.Load() <= most {
		return nil
	}
	return fault.Busy(nil)
}

// clip keeps a client's own text inside a message short.
func clip(s string) string {
	const most = 100
	if s = clean(s); len(s) <= most {
		return s
	}
	return clean(s[:most]) + "…"
}
