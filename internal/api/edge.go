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
		c.endTurn()
		c.endAnswer()
		c.release()
	}()
	e.serve(c)
}

// serve takes a call from its path to its line in the log.
func (e *Edge) serve(c *Call) {
	c.edge, c.end, c.began = e, e.lost, e.config.Now()
	c.Store, c.Auth, c.Jobs = e.config.Store, e.config.Auth, e.config.Jobs
	c.Base, c.Version = e.config.Base, e.config.Version
	c.Unmailed = e.config.Unmailed
	c.begin()
	defer e.finish(c)
	if err := e.admit(c); err != nil {
		c.refuse(err)
		return
	}
	if c.status != 0 {
		return
	}
	err := error(nil)
	// A body that is read is waited for first: whoever sends it slowly keeps nobody.
	if c.byTurns() && (c.r.ContentLength == 0 || c.end.In == nil) {
		err = c.takeTurn()
	}
	if err == nil {
		err = c.do()
	}
	if err != nil {
		c.inflow.refused(c.w.Header())
		c.refuse(err)
	}
}

// finish turns a panic into an answer, makes sure that there is one, and counts and logs it. It must be deferred
// itself, to recover.
func (e *Edge) finish(c *Call) {
	p, begun := recover(), c.status != 0
	switch {
	case p == nil && !begun:
		c.refuse(fmt.Errorf("api: %s %s answered nothing", c.end.Method, c.end.Pattern))
	case p != nil && (p != http.ErrAbortHandler || c.nested):
		c.refuse(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
	took := e.config.Now().Sub(c.began)
	c.endSpan()
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
		if c.PrefersHTML() && !c.nested {
			c.page = e.config.Lost
		}
		e.dress(c, c.page == nil)
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
		return fault.New(fault.Method, "The method %s is not allowed on this path. Allowed: %s.", clip(c.r.Method),
			place.allow)
	}
	c.end = end
	c.hashing()
	if c.nested && end.Gives == EventStream {
		return fault.Field("path", "An event stream cannot be part of a batch.")
	}
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
	if !c.Scope.Here() && c.r.Method != http.MethodDelete {
		// Whoever asks for anything in a project has come to it, except by leaving at once. If that cannot be noted
		// now, it is the next time.
		if err := e.config.Come(c.Context(), c.Scope); err != nil {
			e.config.Log.WarnContext(c.Context(), "cannot note that a member has come to a project", "error", err)
		}
	}
	return nil
}

var roles = [...]string{
	auth.Nobody: "none", auth.Admin: "Admin", auth.PowerCollaborator: "Power Collaborator",
	auth.Collaborator: "Collaborator",
}
