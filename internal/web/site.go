package web

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

// sitePolicy is that of the pages of people: they have forms, which lead here, and no script at all.
const sitePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Site is what the pages of people have in common; secretSite is that of those with a script of ours: one copies a
// secret that is shown once, another sends the form of the demo's link.
var (
	Site       = &api.Page{Policy: sitePolicy, Refusal: refusal}
	secretSite = &api.Page{Policy: sitePolicy + "; script-src 'self'", Refusal: refusal}
)

// secretive is a route of a page that has a script.
func secretive(r api.Route) api.Route {
	r.Page = secretSite
	return r
}

// mostForm is how many bytes a form without files may have; a form with a logo has at most mostUpload.
const (
	mostForm   = 32 << 10
	mostUpload = 128 << 10
)

// view is what every page of people shows; pages add to it.
type view map[string]any

// site makes a route of the pages of people.
func site(method, pattern string, access api.Access, summary string, do func(*api.Call) error) api.Route {
	return api.Route{
		Method: method, Pattern: pattern, Access: access, Alone: true, Page: Site, Do: do,
		Summary: summary, Tag: "pages", Extension: true, Status: 200,
	}
}

// answer shows a page that nobody may keep. Fields, Done and Problem are always there for the templates.
func answer(c *api.Call, status int, name string, v view) error {
	if v["Fields"] == nil {
		v["Fields"] = map[string]string{}
	}
	for _, told := range []string{"Done", "Problem"} {
		if v[told] == nil {
			v[told] = ""
		}
	}
	body, err := render(name, v)
	if err != nil {
		return err
	}
	c.SetHeader("Cache-Control", "no-store")
	c.SetHeader("Content-Type", "text/html; charset=utf-8")
	return c.Send(status, body)
}

// room is a view of a page of the account.
func room(c *api.Call, section, title string) view {
	return view{
		"Title": title, "Section": section, "Who": c.Credential.Account, "Session": c.Credential.Session,
		"Base": c.Base, "Done": done[c.Query().Get("done")],
		"Installation": strings.HasPrefix(section, "operator"),
	}
}

// done are what is said after something was done; addresses name them, so that nobody else's words get onto a page.
var done = map[string]string{
	"profile": "Your profile is saved.", "password": "Your password is changed. You are signed out everywhere else.",
	"session": "Signed out there.",
	"others":  "You are signed out everywhere else.", "key": "The key is deactivated.",
	"authorization": "The application is shut out.",
	"application":   "The application is saved.", "deleted": "The application is deleted.",
	"welcome": "Welcome. Your password is set.",
	"begun":   "This installation has its first account already. Sign in with it, or ask whoever made it.",
	"demo":    "The demo project is being made. It appears among your projects within a minute, and fills up meanwhile.",
	"disable": "The account is disabled.", "enable": "The account is let in again.",
	"prove":     "The address is proven. Projects that waited for it are open.",
	"mail":      "Noted: letters to that address arrive.",
	"deprecate": "The version is deprecated. Whoever uses it is written to.",
	"reinstate": "The version is in service again.", "out": "You are signed out.",
	"keep":         "The project is kept, and open again.",
	"hold":         "The project is held. Nothing of it is forgotten.",
	"release":      "The project is no longer held.",
	"backup":       "A backup is being made. This page tells when it was restored and compared.",
	"password-all": "Your password is changed. You are signed out everywhere else, your API keys ended, and the applications that you allowed are shut out. Make new keys for your programs, and allow applications again.",
	"reset":        "Your password is set. You are signed out everywhere else; API keys from before have ended, and the applications that you allowed are shut out. Make new keys for your programs, and allow applications again.",
}

// refused shows the page again with what is wrong in its form; what is not the form's fault is given back.
func refused(c *api.Call, err error, name string, v view) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid || len(e.Fields) == 0 {
		return err
	}
	v["Fields"], v["Done"] = e.Fields, ""
	v["Problem"] = "Nothing was saved. What is marked below needs a change."
	if general := e.Fields[fault.General]; general != "" {
		v["Problem"] = general
	}
	return answer(c, http.StatusBadRequest, name, v)
}

// home is where people arrive: the application, with their projects.
const home = "/app/"

// local keeps a wish where to go next inside this service.
func local(next string) string {
	if len(next) < 2 || len(next) > 4096 || next[0] != '/' || next[1] == '/' || next[1] == '\\' ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return home
	}
	return next
}

// input is a line of a form.
type input struct {
	Name, Label, Value, Complete, Note, Bad string
	Required                                bool
}

// secret is what is shown once.
type secret struct {
	Title, Note string
	Values      []named
}

type named struct{ Name, Value string }

// tools are the functions of the templates.
var tools = template.FuncMap{
	"asset": address,
	"field": func(name, label, value, complete, note, bad string) input {
		return input{name, label, value, complete, note, bad, false}
	},
	"required": func(name, label, value, complete, note, bad string) input {
		return input{name, label, value, complete, note, bad, true}
	},
	"moment":    func(at any) string { return instant(at).Format(momentForm) },
	"machine":   func(at any) string { return instant(at).Format(time.RFC3339) },
	"when":      when,
	"agent":     agent,
	"add":       func(a, b int) int { return a + b },
	"day":       day,
	"limits":    limits,
	"languages": languages,
	"period":    period,
	"scopes":    func(s credential.Scopes) string { return strings.Join(may(s), " ") },
	"initial": func(name string) string {
		r, _ := utf8.DecodeRuneInString(strings.TrimSpace(name))
		return string(r)
	},
}

// told is what the API said, "" where that was null.
func told(at any) string {
	if given, ok := at.(*string); ok && given != nil {
		return *given
	}
	text, _ := at.(string)
	return text
}

// day is that of a moment that the API told.
func day(at any) string {
	text := told(at)
	return text[:min(len(text), len(time.DateOnly))]
}

// when writes a moment that the API told; what is none stays as it is.
func when(at any) string {
	text := told(at)
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return moment.UTC().Format(momentForm)
}

const momentForm = "2 January 2006, 15:04 UTC"

func instant(at any) time.Time {
	switch micros := at.(type) {
	case int64:
		return time.UnixMicro(micros).UTC()
	case *int64:
		return time.UnixMicro(*micros).UTC()
	}
	panic(fmt.Sprintf("web: %T is no moment", at)) // a bug in a template
}

// may says what a scope lets an application do.
func may(s credential.Scopes) []string {
	var all []string
	if s.Has(credential.WriteProjects) {
		all = append(all, "See and change the data of all projects that you are on.")
	}
	if s.Has(credential.ReadProfile) {
		all = append(all, "See your name, your e-mail address and your company.")
	}
	return all
}

// tellLimits gives keys without limits of their own those that they have here.
func tellLimits(c *api.Call, keys []auth.Key) {
	for i := range keys {
		keys[i].Limits = c.Auth.LimitsOf(keys[i])
	}
}

// limits writes rate limits for people: "40 requests a second".
func limits(all []credential.Limit) []string {
	var out []string
	for _, l := range all {
		what := "requests"
		if l.Type == credential.LimitWrite {
			what = "changes"
		}
		out = append(out, fmt.Sprintf("%s %s %s", grouped(l.Limit), what, every(l.Interval)))
	}
	return out
}

// grouped writes a number with a comma before every three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// every says in how much time something may happen: "a second", "in 6 minutes".
func every(seconds int64) string {
	units := []struct {
		seconds   int64
		one, many string
	}{{86_400, "a day", "days"}, {3_600, "an hour", "hours"}, {60, "a minute", "minutes"}, {1, "a second", "seconds"}}
	for _, u := range units {
		switch {
		case seconds == u.seconds:
			return u.one
		case seconds%u.seconds == 0:
			return fmt.Sprintf("in %d %s", seconds/u.seconds, u.many)
		}
	}
	return "" // seconds%1 is 0
}

// agent tells which browser it is, roughly: enough to recognise one's own.
func agent(text string) string {
	pick := func(of []named, otherwise string) string {
		for _, k := range of {
			if strings.Contains(text, k.Value) {
				return k.Name
			}
		}
		return otherwise
	}
	browser := pick([]named{
		{"Edge", "Edg"}, {"Opera", "OPR/"}, {"Firefox", "Firefox/"}, {"Chrome", "Chrome/"}, {"Safari", "Safari/"},
	}, "A browser")
	system := pick([]named{
		{"Android", "Android"},
		{"an iPhone", "iPhone"},
		{"an iPad", "iPad"},
		{"Windows", "Windows"},
		{"a Mac", "Mac OS"},
		{"Linux", "Linux"},
	}, "")
	if system == "" {
		return browser
	}
	return browser + " on " + system
}
