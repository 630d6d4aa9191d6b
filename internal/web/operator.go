package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// operator is what the operators of an installation see and do. It gives them no right on any project.
func operator() []api.Route {
	return []api.Route{
		secretive(site("GET", "/operator", api.Operator, "See all accounts.", showAccounts)),
		secretive(site("POST", "/operator", api.Operator,
			"Make an account, disable one or let it in again, say that its address is proven or that mail to it arrives, or make a link with which its password is chosen.",
			changeAccount)),
		site("GET", "/operator/keys", api.Operator, "See all keys.", showAllKeys),
		site("POST", "/operator/keys", api.Operator, "Deactivate a key.", revokeKey),
		site("GET", "/operator/applications", api.Operator, "See all applications.", showAllApplications),
		site("POST", "/operator/applications", api.Operator, "Delete an application.", deleteApplication),
		site("GET", "/operator/versions", api.Operator, "See the versions of the API.", showVersions),
		site("POST", "/operator/versions", api.Operator, "Deprecate a version of the API.", changeVersion),
	}
}

// How many are on one page; a page of applications carries their logos.
const (
	mostAccounts     = 100
	mostKeys         = 100
	mostApplications = 50
)

// more is the address of the page after one whose last line is last; "" where that page is not full.
func more(path string, shown, most int, last func() string) string {
	if shown < most {
		return ""
	}
	return path + "?after=" + url.QueryEscape(last())
}

func accountsView(c *api.Call, q string) (view, error) {
	all, err := c.Auth.Accounts(c.Context(), q, c.Query().Get("after"), mostAccounts)
	v := room(c, "operator-accounts", "Accounts")
	if err != nil {
		return v, err
	}
	if v["Bounces"], err = c.Auth.BouncesOf(c.Context(), all); err != nil {
		return v, err
	}
	v["Accounts"], v["Query"], v["More"] = all, q, ""
	v["Secret"], v["Name"], v["Email"], v["Making"] = (*secret)(nil), "", "", false
	if len(all) == mostAccounts {
		v["More"] = "/operator?" + url.Values{"q": {q}, "after": {all[len(all)-1].Email}}.Encode()
	}
	return v, nil
}

func showAccounts(c *api.Call) error {
	v, err := accountsView(c, c.Query().Get("q"))
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, "operator.html", v)
}

// handOut makes an account, or finds the one that is named, and shows a link with which its password is chosen.
func handOut(c *api.Call, form api.Form) error {
	create := form.Get("action") == "create"
	link, email, bad := "", form.Get("email"), confirm(c, form)
	var account *identity.Account
	if bad == nil && create {
		account, bad = c.Auth.CreateAccount(c.Context(), identity.NewAccount{
			Email: email, Name: form.Get("name"),
			Password: redact.Secret(rand.Text()), // which nobody ever learns
		})
	} else if bad == nil {
		account, bad = c.Auth.AccountByEmail(c.Context(), email)
	}
	if bad == nil {
		link, bad = c.Auth.OperatorLink(c.Context(), c.Base, account)
	}
	if fault.Is(bad, fault.Conflict) {
		bad = fault.Field("email", "%s", fault.Of(bad).Message)
	}
	find := email
	if create && bad != nil {
		find = ""
	}
	v, err := accountsView(c, find)
	if err != nil {
		return err
	}
	switch {
	case bad != nil && create:
		v["Making"], v["Name"], v["Email"] = true, form.Get("name"), email
		return refused(c, bad, "operator.html", v)
	case bad != nil && len(fault.Of(bad).Fields) > 0:
		for _, sentence := range fault.Of(bad).Fields {
			v["Problem"] = sentence
		}
		return answer(c, http.StatusBadRequest, "operator.html", v)
	case bad != nil:
		return bad
	}
	v["Secret"] = &secret{
		"A link for " + account.Email,
		"Pass it on to nobody else. With it a password can be chosen, once, within an hour. It is not shown again.",
		[]named{{"Link", link}},
	}
	return answer(c, http.StatusOK, "operator.html", v)
}

func changeAccount(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	uid, disable := form.Get("uid"), form.Get("action") == "disable"
	switch form.Get("action") {
	case "create", "reset":
		return handOut(c, form)
	case "prove":
		if err := c.Auth.Prove(c.Context(), uid); err != nil {
			return err
		}
		return c.Redirect("/operator?done=prove")
	case "mail":
		if err := c.Auth.ClearBounce(c.Context(), uid); err != nil {
			return err
		}
		return c.Redirect("/operator?done=mail")
	}
	if uid == c.Credential.Account.UID {
		return fault.New(fault.Forbidden, "Nobody can disable their own account.")
	}
	if err := c.Auth.DisableAccount(c.Context(), uid, disable); err != nil {
		return err
	}
	if disable {
		return c.Redirect("/operator?done=disable")
	}
	return c.Redirect("/operator?done=enable")
}

func showAllKeys(c *api.Call) error {
	all, err := c.Auth.Keys(c.Context(), c.Query().Get("after"), mostKeys)
	if err != nil {
		return err
	}
	tellLimits(c, all)
	v := room(c, "operator-keys", "All keys")
	v["Keys"] = all
	v["More"] = more("/operator/keys", len(all), mostKeys, func() string { return all[len(all)-1].UID })
	return answer(c, http.StatusOK, "operator-keys.html", v)
}

func revokeKey(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	if _, err := c.Auth.RevokeKey(c.Context(), form.Get("uid")); err != nil {
		return err
	}
	return c.Redirect("/operator/keys?done=key")
}

func showAllApplications(c *api.Call) error {
	all, err := c.Auth.Applications(c.Context(), c.Query().Get("after"), mostApplications)
	if err != nil {
		return err
	}
	v := room(c, "operator-applications", "All applications")
	v["Applications"] = all
	v["More"] = more("/operator/applications", len(all), mostApplications, func() string { return all[len(all)-1].UID })
	return answer(c, http.StatusOK, "operator-applications.html", v)
}

func deleteApplication(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	if err := c.Auth.DeleteApplication(c.Context(), form.Get("uid")); err != nil {
		return err
	}
	return c.Redirect("/operator/applications?done=deleted")
}

// life is a version as the page shows it.
type life struct {
	auth.Version
	Users  int
	Ended  bool
	Newest bool // nothing could take its place
}

func showVersions(c *api.Call) error {
	ending, err := c.Auth.Versions(c.Context())
	if err != nil {
		return err
	}
	now := c.Store.Now()
	var all []life
	for _, major := range c.Majors() {
		l := life{Version: auth.Version{Major: major}, Newest: major == slices.Max(c.Majors())}
		if i := slices.IndexFunc(ending, func(v auth.Version) bool { return v.Major == major }); i >= 0 {
			l.Version, l.Ended = ending[i], now >= ending[i].SunsetAt
		}
		if l.Users, err = c.Auth.VersionUsers(c.Context(), major, now-(30*24*time.Hour).Microseconds()); err != nil {
			return err
		}
		all = append(all, l)
	}
	v := room(c, "operator-versions", "API versions")
	v["Versions"] = all
	return answer(c, http.StatusOK, "operator-versions.html", v)
}

func changeVersion(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	major, err := strconv.Atoi(form.Get("major"))
	if err != nil || !slices.Contains(c.Majors(), major) {
		return fault.New(fault.Invalid, "There is no such version.")
	}
	if form.Get("action") == "reinstate" {
		if err := c.Auth.Reinstate(c.Context(), major); err != nil {
			return err
		}
		return c.Redirect("/operator/versions?done=reinstate")
	}
	if err := c.Auth.Deprecate(c.Context(), major); err != nil {
		return err
	}
	// Whoever uses it hears at once; the same work comes round every hour.
	err = c.Auth.Warn(c.Context(), func(tx *store.Tx, l letter.Letter) error {
		_, err := c.Jobs.Enqueue(tx, letter.Kind, l)
		return err
	})
	if err != nil {
		return err
	}
	return c.Redirect("/operator/versions?done=deprecate")
}
