package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/demo"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

const (
	demoKeyFile = "demo.key"
	demoSeed    = 43
	demoSheets  = 18
	// The notes that tell that the demo is whole, and when it was begun.
	demoName  = "demo"
	demoBegun = "demo begun"
	// demoKey is the name of the keys with which the demo is filled. They work only while it is.
	demoKey = "Filling the demo"
	// demoWithin is how long a demo that was cut short is continued: a little shorter than keys of requests are kept.
	// Later it is begun anew.
	demoWithin = 23 * time.Hour
)

// show is what a first visitor gets: an account without password, its key, and a project made through the public API.
type show struct {
	app  *App
	key  string
	site *demo.Site // nil when the demo is whole
}

// demo makes the beginning of the demo, if there is none, and a key to try things with.
func (a *App) demo(ctx context.Context, edge http.Handler, base string) (*show, error) {
	d := &show{app: a}
	if err := d.findKey(ctx); err != nil {
		return nil, err
	}
	if err := d.begin(ctx, edge, base); err != nil {
		return nil, err
	}
	return d, nil
}

// begin makes the beginning of the demo, if there is none. Nothing is made twice, not even after a start that was cut
// short.
func (d *show) begin(ctx context.Context, edge http.Handler, base string) error {
	if whole, err := d.app.Store.Note(ctx, demoName); err != nil || whole != "" {
		return err
	}
	since, err := d.begun(ctx)
	if err != nil {
		return err
	}
	site := &demo.Site{Edge: edge, Base: base, Day: since, Seed: demoSeed, Sheets: demoSheets}
	for _, p := range demo.People() {
		key, err := d.enlist(ctx, p)
		if err != nil {
			return err
		}
		site.Keys = append(site.Keys, key)
	}
	if _, err := site.Begin(ctx); err != nil {
		return errors.Join(err, d.dismiss(ctx))
	}
	d.site = site
	return nil
}

// fill makes the rest of the demo, while the service runs, and tells a person how far it is.
func (d *show) fill(ctx context.Context, out io.Writer) (err error) {
	if d.site == nil {
		return nil
	}
	a, project := d.app, ""
	defer func() { err = errors.Join(err, d.dismiss(context.WithoutCancel(ctx))) }()
	d.site.Say = func(what string, count int) { fmt.Fprintf(out, "%10d %s\n", count, what) }
	if project, err = d.site.Fill(ctx); err != nil {
		return err
	}
	if err := a.Store.SetNote(ctx, demoName, project); err != nil {
		return err
	}
	fmt.Fprint(out, "The demo is whole.\n\n")
	return nil
}

// begun is when the demo was begun: now, unless it was a short while ago.
func (d *show) begun(ctx context.Context) (time.Time, error) {
	kept, err := d.app.Store.Note(ctx, demoBegun)
	if err != nil {
		return time.Time{}, err
	}
	now := time.UnixMicro(d.app.Store.Now()).UTC()
	if micro, err := strconv.ParseInt(kept, 10, 64); err == nil && now.Sub(time.UnixMicro(micro)) < demoWithin {
		return time.UnixMicro(micro).UTC(), nil
	}
	return now, d.app.Store.SetNote(ctx, demoBegun, strconv.FormatInt(now.UnixMicro(), 10))
}

// enlist makes the account of somebody on the team, whom no mail comes to, and a key that nothing slows down.
func (d *show) enlist(ctx context.Context, p demo.Person) (key string, err error) {
	a, uid := d.app, ""
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		account, err := a.Auth.Invited(tx, identity.Invitee{
			Email: p.Email, FirstName: p.First, LastName: p.Last, Language: "en",
		})
		if err == nil {
			uid = account.UID
		}
		return err
	})
	if err == nil {
		err = a.Auth.UpdateProfile(ctx, uid, identity.Profile{
			FirstName: p.First, LastName: p.Last, Company: p.Company, Title: p.Title, Language: "en",
		})
	}
	if err != nil {
		return "", err
	}
	return a.Auth.CreateKey(ctx, p.Email, demoKey, []credential.Limit{{
		Type: credential.LimitAll, Interval: 1,
		Limit: 1_000_000,
	}})
}

// dismiss deactivates the keys with which the demo was filled, those of earlier starts too.
func (d *show) dismiss(ctx context.Context) error {
	return d.app.Auth.EachKey(ctx, func(k auth.Key) (err error) {
		ours := slices.ContainsFunc(demo.People(), func(p demo.Person) bool { return p.Email == k.Email })
		if ours && k.Name == demoKey && k.RevokedAt == nil {
			_, err = d.app.Auth.RevokeKey(ctx, k.UID)
		}
		return err
	})
}

// findKey takes the key that an earlier start left in the data folder; when there is none that works, it makes one and
// leaves it there.
func (d *show) findKey(ctx context.Context) error {
	a, name, visitor := d.app, filepath.Join(d.app.Config.Data, demoKeyFile), demo.People()[0]
	kept, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d.key = strings.TrimSpace(string(kept))
	if _, err = a.Auth.Key(ctx, d.key); err == nil || !fault.Is(err, fault.Forbidden) {
		return err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := a.Auth.Invited(tx, identity.Invitee{
			Email: visitor.Email, FirstName: visitor.First, LastName: visitor.Last, Language: "en",
		})
		return err
	})
	if err != nil {
		return err
	}
	if d.key, err = a.Auth.CreateKey(ctx, visitor.Email, "Demo", nil); err != nil {
		return err
	}
	return replaceFile(name, d.key+"\n")
}

// replaceFile writes a file, for this user only, whole or not at all.
func replaceFile(name, text string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), name)
}

// print tells a person where to begin: in a browser, and with a program.
func (d *show) print(ctx context.Context, out io.Writer, base string) error {
	visitor, err := d.app.Auth.AccountByEmail(ctx, demo.People()[0].Email)
	if err != nil {
		return err
	}
	link, how, err := d.entrance(ctx, visitor, base)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `
Groundwork %s is ready, with a demo project: %s

Open this in a browser (%s):

  %s

Later, at %s/app/, sign in as %s;
groundwork account reset-password %s prints a link to choose a password.

With a program, by this API key:

  API key   %s

  curl -u %s: %s/projects

`, d.app.Config.Version, demo.Name, how, link, base, visitor.Email, visitor.Email, d.key, d.key, base)
	if d.site != nil {
		fmt.Fprint(out, "The project is being filled meanwhile:\n")
	}
	return nil
}

// entrance is the address at which the visitor enters, and what is said of it: a link that signs them in, where nobody
// but this machine can use it; else one that lets whoever has no password yet choose one.
func (d *show) entrance(ctx context.Context, visitor *identity.Account, base string) (link, how string, err error) {
	switch {
	case d.app.Config.offersGuest(base):
		return d.app.NewGuestLink(base, visitor),
			fmt.Sprintf("once, on this machine, within %d minutes: it signs you in", int(guestLife.Minutes())), nil
	case visitor.Invited:
		link, err = d.app.Auth.OperatorLink(ctx, base, visitor)
		return link, "once, within an hour: choose a password for " + visitor.Email, err
	}
	return base + "/app/", "sign in as " + visitor.Email, nil
}
