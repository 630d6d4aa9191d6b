package apitest_test

import (
	"fmt"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// wildcards are what stands for the other wildcards of patterns. Whoever adds one says where a good value comes from.
var wildcards = map[string]func(w *world) string{
	// Links, each good once, of somebody who has not answered yet.
	"{invitation}": func(w *world) string { return w.link(auth.Invitation) },
	"{reset}":      func(w *world) string { return w.link(auth.Reset) },
	// Nobody has begun a demo.
	"{guest}":       func(*world) string { return nowhere },
	"{application}": func(w *world) string { return w.application().UID },
	"{key}":         func(*world) string { return nowhere },
	// Whoever is not signed in is led away before anything is looked for.
	"{site}":   func(*world) string { return nowhere },
	"{kind}":   func(*world) string { return "issues" },
	"{record}": func(*world) string { return nowhere },
	// A drawing in the project here, by its address.
	"{archive}":    func(w *world) string { return w.tiles()[0] },
	"{pass}":       func(w *world) string { return w.tiles()[1] },
	"{descriptor}": func(w *world) string { return w.tiles()[2] + ".dzi" },
	"{folder}":     func(w *world) string { return w.tiles()[2] + "_files" },
	"{which}":      func(*world) string { return "file" },
	"{level}":      func(*world) string { return "0" },
	"{tile}":       func(*world) string { return "0_0.png" },
	// The application: which build it is, its worker knows.
	"{build}": func(w *world) string {
		_, after, _ := strings.Cut(w.send(w.server.URL, "", "GET", "/app/worker.js", "").body, "const build = '")
		hash, _, _ := strings.Cut(after, "'")
		return hash
	},
	"{part}":    func(*world) string { return "files.json" },
	"{rest...}": func(*world) string { return "p1/issues" },
	// A part of the documentation, which names it by what it holds.
	"{file}": func(w *world) string {
		_, after, _ := strings.Cut(w.send(w.server.URL, "", "GET", "/docs", "").body, "/assets/")
		name, _, _ := strings.Cut(after, `"`)
		return name
	},
}

// link makes the secret of a link for somebody new.
func (w *world) link(purpose auth.Purpose) (secret string) {
	w.t.Helper()
	a := w.server.App
	err := a.Store.Write(w.t.Context(), func(tx *store.Tx) error {
		account, err := a.Auth.Invited(tx, identity.Invitee{Email: fmt.Sprintf("linked-%d@example.com", w.next())})
		if err != nil {
			return err
		}
		link, err := a.Auth.NewLink(tx, "", purpose, account.UID, auth.ByMail)
		secret = link[strings.LastIndex(link, "/")+1:]
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// application is one that the overseer registered.
func (w *world) application() *grant.Application {
	w.t.Helper()
	if w.app == nil {
		app, secret, err := w.server.App.Auth.CreateApplication(w.t.Context(), w.overseer.UID, grant.NewApplication{
			Logo: "data:image/gif;base64,R0lGODlhAQABAAAAACw=", Name: "Application", Redirects: []string{
				"https://app.example.com/back",
			}, Implicit: true,
		}, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		w.app, w.appSecret = app, secret
	}
	return w.app
}

// queries are what a route needs in its query.
var queries = map[string]func(w *world) string{
	"GET /oauth/authorize": func(w *world) string { return "?" + w.asked() },
}

// asked is what an application asks a person for, proof what it proves itself with, code what it is given by the
// overseer.
func (w *world) asked() string { return "response_type=code&client_id=" + w.application().UID }

func (w *world) proof() string {
	return "client_id=" + w.application().UID + "&client_secret=" + w.appSecret
}

func (w *world) code() string {
	w.t.Helper()
	code, err := w.server.App.Auth.Allow(w.t.Context(), grant.Ask{
		Application: w.application().UID, Account: w.overseer.UID, Scopes: credential.AllScopes,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return code
}
