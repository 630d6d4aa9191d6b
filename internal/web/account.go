package web

import (
	"net/http"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/redact"
)

// account is what people see and do with their own account.
func account() []api.Route {
	return []api.Route{
		site("GET", "/account", api.Person, "See one's profile.", showProfile),
		site("POST", "/account", api.Person, "Change one's profile.", saveProfile),
		site("GET", "/account/security", api.Person, "See where one is signed in.", showSecurity),
		site("POST", "/account/security", api.Person, "Change the password, or sign out elsewhere.", changeSecurity),
		secretive(site("GET", "/account/keys", api.Person, "See one's API keys.", showKeys)),
		secretive(site("POST", "/account/keys", api.Person, "Make or deactivate an API key.", changeKeys)),
		site("GET", "/account/authorizations", api.Person, "See which applications one has allowed.",
			showAuthorizations),
		site("POST", "/account/authorizations", api.Person, "Shut an application out.", revokeAuthorization),
	}
}

func profileView(c *api.Call, p identity.Profile) (view, error) {
	bounced, err := c.Auth.Bounced(c.Context(), c.Credential.Account.UID)
	v := room(c, "profile", "Profile")
	v["Profile"], v["Bounced"] = p, bounced
	return v, err
}

func showProfile(c *api.Call) error {
	v, err := profileView(c, c.Credential.Account.Own())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "account.html", v)
}

func saveProfile(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	p := identity.Profile{
		FirstName: form.Get("first_name"), LastName: form.Get("last_name"), Company: form.Get("company"),
		Title: form.Get("title"), Language: form.Get("language"),
		Notifications: form.Get("notifications") != "",
	}
	if err := c.Auth.UpdateProfile(c.Context(), c.Credential.Account.UID, p); err != nil {
		v, gone := profileView(c, p)
		if gone != nil {
			return gone
		}
		return refused(c, err, "account.html", v)
	}
	return c.Redirect("/account?done=profile")
}

func securityView(c *api.Call) (view, error) {
	sessions, err := c.Auth.Sessions(c.Context(), c.Credential.Account.UID)
	v := room(c, "security", "Password and sessions")
	v["Sessions"] = sessions
	return v, err
}

func showSecurity(c *api.Call) error {
	v, err := securityView(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "security.html", v)
}

func changeSecurity(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	who := c.Credential
	switch form.Get("action") {
	case "end":
		if err := c.Auth.EndSession(c.Context(), who.Account.UID, form.Get("uid")); err != nil {
			return err
		}
		return c.Redirect("/account/security?done=session")
	case "others":
		if err := c.Auth.EndOtherSessions(c.Context(), who.Account.UID, who.Session); err != nil {
			return err
		}
		return c.Redirect("/account/security?done=others")
	}
	all := form.Get("all") != ""
	err = c.Auth.ChangePassword(c.Context(), who.Account, who.Session, redact.Secret(form.Get("old")),
		redact.Secret(form.Get("password")), all)
	if err != nil {
		v, gone := securityView(c)
		if gone != nil {
			return gone
		}
		return refused(c, err, "security.html", v)
	}
	if all {
		return c.Redirect("/account/security?done=password-all")
	}
	return c.Redirect("/account/security?done=password")
}

func keysView(c *api.Call) (view, error) {
	keys, err := c.Auth.KeysOf(c.Context(), c.Credential.Account.UID)
	tellLimits(c, keys)
	v := room(c, "keys", "API keys")
	v["Keys"], v["Secret"], v["Name"] = keys, (*secret)(nil), ""
	return v, err
}

func showKeys(c *api.Call) error {
	v, err := keysView(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "keys.html", v)
}

func changeKeys(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	who := c.Credential.Account.UID
	if form.Get("action") == "revoke" {
		if err := c.Auth.RevokeKeyOf(c.Context(), who, form.Get("uid")); err != nil {
			return err
		}
		return c.Redirect("/account/keys?done=key")
	}
	key, bad := "", confirm(c, form)
	if bad == nil {
		_, key, bad = c.Auth.MintKey(c.Context(), c.Credential, form.Get("name"), nil)
	}
	v, err := keysView(c)
	if err != nil {
		return err
	}
	v["Name"] = form.Get("name")
	if bad != nil {
		return refused(c, bad, "keys.html", v)
	}
	v["Name"] = ""
	v["Secret"] = &secret{
		"Your new key", "Copy it now: it is shown this once, and cannot be shown again.", []named{{"API key", key}},
	}
	return answer(c, http.StatusOK, "keys.html", v)
}

// confirm checks the password in a form that makes something which lasts. What is wrong with it is the form's fault.
func confirm(c *api.Call, form api.Form) error {
	given := form.Get("present")
	if given == "" {
		return fault.Field("present", "Your password is needed, as what this makes lasts.")
	}
	err := c.Auth.Confirm(c.Context(), c.Credential.Account, redact.Secret(given), c.Visit().Address)
	if fault.Is(err, fault.Forbidden) {
		return fault.Field("present", "%s", fault.Of(err).Message)
	}
	return err
}

func showAuthorizations(c *api.Call) error {
	all, err := c.Auth.Authorizations(c.Context(), c.Credential.Account.UID)
	if err != nil {
		return err
	}
	v := room(c, "authorizations", "Allowed applications")
	v["Authorizations"] = all
	return answer(c, http.StatusOK, "authorizations.html", v)
}

func revokeAuthorization(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	if err := c.Auth.RevokeAuthorization(c.Context(), c.Credential.Account.UID, form.Get("uid")); err != nil {
		return err
	}
	return c.Redirect("/account/authorizations?done=authorization")
}
