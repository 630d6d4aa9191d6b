package web

import (
	"net/http"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/grant"
)

// applications is where people register programs of theirs.
func applications() []api.Route {
	return []api.Route{
		secretive(site("GET", "/account/applications", api.Person, "See one's applications.", showApplications)),
		secretive(site("POST", "/account/applications", api.Person, "Register an application.", register)),
		secretive(site("GET", "/account/applications/{application}", api.Person, "See an application of one's own.",
			showApplication)),
		secretive(site("POST", "/account/applications/{application}", api.Person,
			"Change or delete an application, or give it a new secret.", changeApplication)),
	}
}

func applicationsView(c *api.Call) (view, error) {
	all, err := c.Auth.ApplicationsOf(c.Context(), c.Credential.Account.UID)
	v := room(c, "applications", "My applications")
	v["Applications"], v["Secret"], v["App"] = all, (*secret)(nil), &grant.Application{}
	return v, err
}

func showApplications(c *api.Call) error {
	v, err := applicationsView(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "applications.html", v)
}

// readApplication reads the form of an application. A picture that is none is a logo that is refused.
func readApplication(c *api.Call, had *grant.Application) (form api.Form, n grant.NewApplication, err error) {
	if form, err = c.Form(mostUpload); err != nil {
		return form, n, err
	}
	n = grant.NewApplication{
		By:   c.Credential.Origin,
		Name: strings.TrimSpace(form.Get("name")), Redirects: strings.Fields(form.Get("redirect_uris")), Logo: had.Logo,
		Public: form.Get("public") != "", Implicit: form.Get("implicit") != "",
	}
	if picture := form.Files["logo"]; len(picture) > 0 {
		if n.Logo = grant.LogoFrom(picture); n.Logo == "" {
			n.Logo = "none"
		}
	}
	return form, n, nil
}

func register(c *api.Call) error {
	form, n, err := readApplication(c, &grant.Application{})
	if err != nil {
		return err
	}
	var app *grant.Application
	key, bad := "", confirm(c, form)
	if bad == nil {
		app, key, bad = c.Auth.CreateApplication(c.Context(), c.Credential.Account.UID, n, nil)
	}
	v, err := applicationsView(c)
	if err != nil {
		return err
	}
	if bad != nil {
		v["App"] = &grant.Application{Name: n.Name, Redirects: n.Redirects, Public: n.Public, Implicit: n.Implicit}
		return refused(c, bad, "applications.html", v)
	}
	shown := &secret{
		app.Name + " is registered", "Copy the secret now: it is shown this once, and cannot be shown again.", []named{
			{"Client id", app.UID}, {"Client secret", key},
		},
	}
	if app.Public {
		shown.Note, shown.Values = "It is public: it has no secret, and proves itself with PKCE.", shown.Values[:1]
	}
	v["Secret"] = shown
	return answer(c, http.StatusOK, "applications.html", v)
}

func applicationView(c *api.Call) (*grant.Application, view, error) {
	app, err := c.Auth.ApplicationOf(c.Context(), c.Credential.Account.UID, c.Param("application"))
	if err != nil {
		return nil, nil, err
	}
	v := room(c, "applications", app.Name)
	// Saving: what is refused is the change, not a new secret
	v["App"], v["Secret"], v["Saving"] = app, (*secret)(nil), false
	return app, v, nil
}

func showApplication(c *api.Call) error {
	_, v, err := applicationView(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "application.html", v)
}

func changeApplication(c *api.Call) error {
	app, v, err := applicationView(c)
	if err != nil {
		return err
	}
	form, n, err := readApplication(c, app)
	if err != nil {
		return err
	}
	switch form.Get("action") {
	case "delete":
		if err := c.Auth.DeleteApplication(c.Context(), app.UID); err != nil {
			return err
		}
		return c.Redirect("/account/applications?done=deleted")
	case "rotate":
		if bad := confirm(c, form); bad != nil {
			return refused(c, bad, "application.html", v)
		}
		key, err := c.Auth.RotateSecret(c.Context(), app, c.Credential)
		if err != nil {
			return err
		}
		v["Secret"] = &secret{
			"The new secret", "Copy it now: it is shown this once. The one before is worthless.",
			[]named{{"Client secret", key}},
		}
		return answer(c, http.StatusOK, "application.html", v)
	}
	n.Public = app.Public
	var bad error
	if app.Redirected(n) {
		bad = confirm(c, form)
	}
	if bad == nil {
		bad = c.Auth.UpdateApplication(c.Context(), app, n)
	}
	if bad != nil {
		changed := *app
		changed.Name, changed.Redirects, changed.Implicit = n.Name, n.Redirects, n.Implicit
		v["App"], v["Saving"] = &changed, true
		return refused(c, bad, "application.html", v)
	}
	return c.Redirect("/account/applications/" + app.UID + "?done=application")
}
