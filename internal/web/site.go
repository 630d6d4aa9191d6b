package web

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

// sitePolicy is that of the pages of people: they have forms, which lead here, and no script at all.
const sitePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Site is what the pages of people have in common.
var Site = &api.Page{Policy: sitePolicy, Refusal: refusal}

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
	return view{"Title": title, "Section": section, "Who": c.Credential.Account, "Session": c.Credential.Session, "Base": c.Base, "Done": done[c.Query().Get("done")]}
}

// done are what is said after something was done; addresses name them, so that nobody else's words get onto a page.
var done = map[string]string{
	"profile": "Your profile is saved.", "password": "Your password is changed. You are signed out everywhere else.", "session": "Signed out there.",
	"others": "You are signed out everywhere else.", "key": "The key is deactivated.", "authorization": "The application is shut out.",
	"application": "The application is saved.", "deleted": "The application is deleted.", "welcome": "Welcome. Your password is set.",
	"disable": "The account is disabled.", "enable": "The account is let in again.", "deprecate": "The version is deprecated. Whoever uses it is written to.",
	"reinstate": "The version is in service again.", "out": "You are signed out.",
}

// refused shows the page again with what is wrong in its form; what is not the form's fault is given back.
func refused(c *api.Call, err error, name string, v view) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid || len(e.Fields) == 0 {
		return err
	}
	v["Fields"], v["Done"] = e.Fields, ""
	v["Problem"] = "That did not work. Look at what is marked."
	if general := e.Fields[fault.General]; general != "" {
		v["Problem"] = general
	}
	return answer(c, http.StatusBadRequest, name, v)
}

// local keeps a wish where to go next inside this service.
func local(next string) string {
	if len(next) < 2 || len(next) > 4096 || next[0] != '/' || next[1] == '/' || next[1] == '\\' || strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return "/account"
	}
	return next
}

// input is a line of a form.
type input struct{ Name, Label, Value, Complete, Note, Bad string }

// Required tells whether the line must be filled in.
func (i input) Required() bool { return i.Name == "name" && i.Label == "Name" }

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
		return input{name, label, value, complete, note, bad}
	},
	"moment":  func(at any) string { return instant(at).Format(momentForm) },
	"machine": func(at any) string { return instant(at).Format(time.RFC3339) },
	"when":    when,
	"agent":   agent,
	"preview": preview,
	"add":     func(a, b int) int { return a + b },
	"day":     day,
	"limits":  limits,
	"scopes":  func(s auth.Scopes) string { return strings.Join(may(s), " ") },
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
func may(s auth.Scopes) []string {
	var all []string
	if s.Has(auth.WriteProjects) {
		all = append(all, "See and change the data of all projects that you are on.")
	}
	if s.Has(auth.ReadProfile) {
		all = append(all, "See your name, your e-mail address and your company.")
	}
	return all
}

// limits writes rate limits for people.
func limits(own []auth.Limit) []string {
	if len(own) == 0 {
		return []string{"as usual here"}
	}
	var all []string
	for _, l := range own {
		what := "requests"
		if l.Type == auth.LimitWrite {
			what = "changes"
		}
		all = append(all, fmt.Sprintf("%d %s in %s", l.Limit, what, time.Duration(l.Interval)*time.Second))
	}
	return all
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
	browser := pick([]named{{"Edge", "Edg"}, {"Opera", "OPR/"}, {"Firefox", "Firefox/"}, {"Chrome", "Chrome/"}, {"Safari", "Safari/"}}, "A browser")
	system := pick([]named{{"Android", "Android"}, {"an iPhone", "iPhone"}, {"an iPad", "iPad"}, {"Windows", "Windows"}, {"a Mac", "Mac OS"}, {"Linux", "Linux"}}, "")
	if system == "" {
		return browser
	}
	return browser + " on " + system
}
