package web

import (
	"net/http"
	"net/url"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/letter"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// gate is signing in and out, and the links that set a password.
func gate() []api.Route {
	return []api.Route{
		site("GET", api.SignInPath, api.Public, "Sign in.", showSignIn),
		site("POST", api.SignInPath, api.Public, "Sign in.", signIn),
		site("GET", "/sign-out", api.Public, "Be asked whether to sign out.", showSignOut),
		site("POST", "/sign-out", api.Public, "Sign out.", signOut),
		site("GET", "/forgot-password", api.Public, "Ask for a new password.", showForgot),
		site("POST", "/forgot-password", api.Public, "Ask for a new password.", forgot),
		site("GET", "/invitation/{invitation}", api.Public, "Accept an invitation.", link(auth.Invitation, false)),
		site("POST", "/invitation/{invitation}", api.Public, "Accept an invitation.", link(auth.Invitation, true)),
		site("GET", "/reset-password/{reset}", api.Public, "Choose a new password.", link(auth.Reset, false)),
		site("POST", "/reset-password/{reset}", api.Public, "Choose a new password.", link(auth.Reset, true)),
	}
}

func showSignIn(c *api.Call) error {
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	if next := c.Query().Get("next"); who != nil {
		return c.Redirect(local(next))
	}
	// Nobody can sign in where nobody has an account.
	if begun, err := c.Auth.Begun(c.Context()); err != nil || !begun {
		if err == nil {
			err = c.Redirect(startPath)
		}
		return err
	}
	return answer(c, http.StatusOK, "sign-in.html", view{
		"Title": "Sign in", "Next": c.Query().Get("next"), "Email": "", "Done": done[c.Query().Get("done")],
	})
}

func signIn(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	email, next := form.Get("email"), form.Get("next")
	secret, who, err := c.Auth.SignIn(c.Context(), email, redact.Secret(form.Get("password")), c.Visit())
	if err != nil {
		e := fault.Of(err)
		status := e.Kind.Status()
		switch e.Kind {
		case fault.Unauthenticated:
			status = http.StatusForbidden // 401 would have the browser ask for Basic credentials
		case fault.Forbidden:
		case fault.Limited, fault.Unavailable:
			if e.RetryAfter == 0 || e.Cause != nil {
				return err // the service itself is busy
			}
			c.RetryAfter(e.RetryAfter)
		default:
			return err
		}
		return answer(c, status, "sign-in.html", view{
			"Title": "Sign in", "Next": next, "Email": email, "Problem": e.Message,
		})
	}
	return enter(c, secret, who.UID, local(next))
}

// enter has the browser keep a new session; the one that it had is over.
func enter(c *api.Call, session, account, next string) error {
	if before, err := c.SignedIn(); err == nil && before != nil {
		if err := c.Auth.EndSession(c.Context(), before.Account.UID, before.Session); err != nil {
			return err
		}
	}
	c.SetSession(session, account)
	return c.Redirect(next)
}

// showSignOut asks first: what the application keeps in the browser ends with the session, unsent work too. Whether
// there is some only the application knows, which asks itself.
func showSignOut(c *api.Call) error {
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	next := c.Query().Get("next")
	if who == nil {
		return c.Redirect(signedOut(next))
	}
	return answer(c, http.StatusOK, "sign-out.html", view{"Title": "Sign out", "Next": next, "Who": who.Account})
}

// signedOut is where people are led who are signed out.
func signedOut(next string) string {
	to := api.SignInPath + "?done=out"
	if next != "" {
		to += "&next=" + url.QueryEscape(local(next))
	}
	return to
}

// wiped has a browser forget all that this service left in it: copies of projects, files, the application itself. The
// application wipes its own store before it signs out (store=own), since unsent work of other accounts may lie beside
// it.
const (
	wiped      = `"cache", "storage"`
	wipedFiles = `"cache"`
)

func signOut(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	// A tab of the application may be of another account than the one that signed in since: that one stays.
	if meant := form.Get("account"); meant != "" && who != nil && meant != who.Account.UID {
		return c.Redirect(signedOut(""))
	}
	if who != nil {
		if err := c.Auth.EndSession(c.Context(), who.Account.UID, who.Session); err != nil {
			return err
		}
	}
	c.SetSession("", "")
	c.SetHeader("Clear-Site-Data", wiped)
	if form.Get("store") == "own" {
		c.SetHeader("Clear-Site-Data", wipedFiles)
	}
	return c.Redirect(signedOut(form.Get("next")))
}

func showForgot(c *api.Call) error {
	return answer(c, http.StatusOK, "forgot-password.html", view{"Title": "Forgotten password", "Unmailed": c.Unmailed})
}

// forgot answers the same whoever has the address. Whether somebody does is looked up later, by the job that writes.
func forgot(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	if c.Unmailed { // nobody would read the letter
		return showForgot(c)
	}
	email := form.Get("email")
	quiet, err := c.Auth.Forgot(email, c.Visit().Address)
	if err != nil {
		return err
	}
	if !quiet {
		err = c.Store.Write(c.Context(), func(tx *store.Tx) error {
			_, err := c.Jobs.Enqueue(tx, letter.Kind, letter.Letter{Kind: letter.AboutReset, Email: email})
			return err
		})
		if err != nil {
			return err
		}
	}
	return answer(c, http.StatusOK, "forgot-password.html", view{
		"Title": "Forgotten password", "Unmailed": false,
		"Done": "If somebody here has this address, a link is on its way to it.",
	})
}

// link is the page that a link of an invitation, or of a forgotten password, leads to.
func link(purpose auth.Purpose, send bool) func(*api.Call) error {
	return func(c *api.Call) error {
		key := c.Param(string(purpose))
		account, err := c.Auth.Linked(c.Context(), purpose, key)
		if err != nil {
			return err
		}
		invited := purpose == auth.Invitation
		v := view{"Title": "New password", "Invited": invited, "Email": account.Email, "AskName": invited, "Name": ""}
		if account.FirstName != nil || account.LastName != nil {
			v["Name"] = account.Name() // as whoever invited them wrote it; it is theirs to say
		}
		v["By"], v["Project"] = "", ""
		if invited {
			occasion, err := c.Auth.OccasionOf(c.Context(), key)
			if err != nil {
				return err
			}
			v["Title"], v["By"], v["Project"] = "Welcome", occasion.By, occasion.Project
		}
		if v["Ends"], err = c.Auth.Endable(c.Context(), account.UID); err != nil {
			return err
		}
		if !send {
			return answer(c, http.StatusOK, "set-password.html", v)
		}
		form, err := c.Form(mostForm)
		if err != nil {
			return err
		}
		v["Name"] = form.Get("name")
		session, err := c.Auth.SetPassword(c.Context(), purpose, key, redact.Secret(form.Get("password")),
			form.Get("name"), c.Visit())
		if err != nil {
			return refused(c, err, "set-password.html", v)
		}
		if invited {
			return enter(c, session, account.UID, home+"?done=welcome")
		}
		return enter(c, session, account.UID, home+"?done=reset")
	}
}
