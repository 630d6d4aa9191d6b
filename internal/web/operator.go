package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// operator is what the operators of an installation see and do. It gives them no right on any project.
func operator() []api.Route {
	return []api.Route{
		site("GET", "/operator", api.Operator, "See all accounts.", showAccounts),
		site("POST", "/operator", api.Operator, "Disable an account, or let it in again.", changeAccount),
		site("GET", "/operator/keys", api.Operator, "See all keys.", showAllKeys),
		site("POST", "/operator/keys", api.Operator, "Deactivate a key.", revokeKey),
		site("GET", "/operator/applications", api.Operator, "See all applications.", showAllApplications),
		site("POST", "/operator/applications", api.Operator, "Delete an application.", deleteApplication),
		site("GET", "/operator/versions", api.Operator, "See the versions of the API.", showVersions),
		site("POST", "/operator/versions", api.Operator, "Deprecate a version of the API.", changeVersion),
	}
}

const mostAccounts = 100

func showAccounts(c *api.Call) error {
	q := c.Query().Get("q")
	all, err := c.Auth.Accounts(c.Context(), q, c.Query().Get("after"), mostAccounts)
	if err != nil {
		return err
	}
	v := room(c, "operator-accounts", "Accounts")
	v["Accounts"], v["Query"], v["More"] = all, q, ""
	if len(all) == mostAccounts {
		v["More"] = "/operator?" + url.Values{"q": {q}, "after": {all[len(all)-1].Email}}.Encode()
	}
	return answer(c, http.StatusOK, "operator.html", v)
}

func changeAccount(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	uid, disable := form.Get("uid"), form.Get("action") == "disable"
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
	all, err := c.Auth.Keys(c.Context())
	if err != nil {
		return err
	}
	v := room(c, "operator-keys", "All keys")
	v["Keys"] = all
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
	all, err := c.Auth.Applications(c.Context())
	if err != nil {
		return err
	}
	v := room(c, "operator-applications", "All applications")
	v["Applications"] = all
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
	err = c.Auth.Warn(c.Context(), func(tx *store.Tx, l auth.Letter) error {
		_, err := c.Jobs.Enqueue(tx, auth.LetterKind, l)
		return err
	})
	if err != nil {
		return err
	}
	return c.Redirect("/operator/versions?done=deprecate")
}
