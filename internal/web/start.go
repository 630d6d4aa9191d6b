package web

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/redact"
)

// Start is what the first visitors of an installation are led through.
type Start struct {
	// Demo tells whether a demo project can be made, and Show has it made, with an account on its team.
	Demo func(ctx context.Context) (bool, error)
	Show func(ctx context.Context, account string) error
	// Guest says whose link a secret is of which the start printed for the demo, by their name; with enter it is used
	// up, and gives a session. fault.NotFound where it is not good.
	Guest func(c *api.Call, secret string, enter bool) (Guest, error)
}

// Guest is the person of the demo whom a link signs in, and a session once it was used.
type Guest struct {
	Account, Name, Session string
	// Project is where they go: the only one that they have.
	Project string
}

const (
	startPath        = "/start"
	startProjectPath = startPath + "/project"
)

func (s Start) routes() []api.Route {
	return []api.Route{
		site("GET", startPath, api.Public, "Make the first account of an installation that has none.", showStart),
		site("POST", startPath, api.Public, "Make the first account of an installation that has none.", start),
		site("GET", startProjectPath, api.Operator, "Make a first project, or the demo.", s.showProject),
		site("POST", startProjectPath, api.Operator, "Make a first project, or the demo.", s.makeProject),
		secretive(site("GET", "/demo/{guest}", api.Public, "Be signed in as the person of the demo.", s.showGuest)),
		secretive(site("POST", "/demo/{guest}", api.Public, "Be signed in as the person of the demo.", s.enterGuest)),
	}
}

// startView is the page of the first account.
func startView(form map[string]string) view {
	return view{
		"Title": "Make the first account", "Code": form["code"], "Name": form["name"], "Email": form["email"],
	}
}

// showStart is for an installation without accounts; everybody else is led to the sign-in page.
func showStart(c *api.Call) error {
	if begun, err := c.Auth.Begun(c.Context()); err != nil || begun {
		if err == nil {
			err = c.Redirect(api.SignInPath)
		}
		return err
	}
	return answer(c, http.StatusOK, "start.html", startView(nil))
}

func start(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	typed := map[string]string{}
	for _, name := range []string{"code", "name", "email"} {
		typed[name] = form.Get(name)
	}
	session, who, err := c.Auth.Start(c.Context(), typed["code"], identity.NewAccount{
		Email: typed["email"], Name: typed["name"], Password: redact.Secret(form.Get("password")),
	}, c.Visit())
	if err == nil {
		return enter(c, session, who.UID, startProjectPath)
	}
	e := fault.Of(err)
	switch {
	case e.Kind == fault.Conflict:
		return c.Redirect(api.SignInPath + "?done=begun")
	case e.Kind == fault.Limited && e.RetryAfter > 0 && e.Cause == nil:
		c.RetryAfter(e.RetryAfter)
		v := startView(typed)
		v["Problem"] = e.Message
		return answer(c, e.Kind.Status(), "start.html", v)
	}
	return refused(c, err, "start.html", startView(typed))
}

// projectView is the page of the first project.
func (s Start) projectView(c *api.Call, name string) (view, error) {
	demo, err := s.Demo(c.Context())
	asked := c.Query().Get("done")
	return view{
		"Title": "Make a first project", "Name": name, "Once": uuid.NewString(), "Demo": demo && asked != "demo",
		"Asked": asked == "demo", "Done": done[asked],
	}, err
}

func (s Start) showProject(c *api.Call) error {
	v, err := s.projectView(c, "")
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "start-project.html", v)
}

func (s Start) makeProject(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	if form.Get("action") == "demo" {
		if err := s.Show(c.Context(), c.Credential.Account.UID); err != nil {
			return err
		}
		return c.Redirect(startProjectPath + "?done=demo")
	}
	uid, err := found(c, form.Get("name"), form.Get("once"))
	if err == nil {
		return c.Redirect(home + uid)
	}
	v, problem := s.projectView(c, form.Get("name"))
	if problem != nil {
		return problem
	}
	return refused(c, err, "start-project.html", v)
}

// found makes a project through the API, as who is signed in, and gives its uid. A form that is sent twice makes one.
func found(c *api.Call, name, once string) (uid string, err error) {
	sent, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return "", err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if uuid.Validate(once) == nil {
		header.Set("Idempotency-Key", "start-"+once)
	}
	status, _, body := c.Dispatch(api.Inner{
		Method: http.MethodPost, Path: "/projects", Body: string(sent), Header: header,
	})
	var made struct {
		UID     string            `json:"uid"`
		Message string            `json:"message"`
		Errors  map[string]string `json:"errors"`
	}
	if err := json.Unmarshal(body, &made); err != nil {
		return "", err
	}
	switch {
	case status == http.StatusCreated:
		return made.UID, nil
	case status == http.StatusBadRequest:
		if wrong := made.Errors["name"]; wrong != "" {
			return "", fault.Field("name", "%s", wrong)
		}
		return "", fault.Field(fault.General, "%s", made.Message)
	case status == http.StatusForbidden || status == http.StatusConflict:
		return "", fault.New(fault.Forbidden, "%s", made.Message)
	}
	return "", fault.Busy(nil)
}
