package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/web"
)

// startPages are what the first visitors are led through.
func (a *App) startPages() web.Start {
	return web.Start{Demo: a.demoWanting, Show: a.wishDemo, Guest: a.guestOf}
}

// NobodySignsIn is said of an installation whose accounts let nobody in.
const NobodySignsIn = `Nobody can sign in here yet: no account has a password. Make one for yourself: ` +
	`groundwork account create --admin --email ADDRESS --name "First Last".`

// checkEntry is what doctor says of an installation that nobody can enter. A demo has a link that lets people in, while
// it is served as one.
func (a *App) checkEntry(ctx context.Context) error {
	closed, err := a.Auth.Closed(ctx)
	if err != nil || !closed {
		return err
	}
	for _, note := range []string{demoBegun, demoName} {
		shown, err := a.Store.Note(ctx, note)
		if err != nil {
			return err
		}
		if shown != "" {
			return Hint(NobodySignsIn)
		}
	}
	return errors.New(NobodySignsIn)
}

// offerStart tells the person who started the service how to make the first account, where there is none that lets
// anybody in.
func (a *App) offerStart(ctx context.Context, base string, out io.Writer) error {
	code, err := a.Auth.OfferStart(ctx, a.Config.file() != "")
	if err == nil && code == "" {
		return a.sayClosed(ctx, out)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `
Make the first account: open this address in a browser, and give the code there.

  Address   %s/start
  Code      %s

The code is good until there is an account. Each start prints another one.

`, base, code)
	a.Log.Info("the installation has no account; the first one is made with the code that was printed to standard output",
		"address", base+"/start")
	return nil
}

// sayClosed tells the person who started the service that its accounts let nobody in, where that is so.
func (a *App) sayClosed(ctx context.Context, out io.Writer) error {
	closed, err := a.Auth.Closed(ctx)
	if err != nil || !closed {
		return err
	}
	a.Log.Warn("nobody can sign in", "what", NobodySignsIn)
	_, err = fmt.Fprintln(out, NobodySignsIn)
	return err
}

// demoWork is the kind of the job that makes the demo for an operator who asked for it in a browser.
const demoWork = "demo"

// demoWish is whom the demo is made for.
type demoWish struct {
	Account string `json:"account"`
}

// declareDemo has the demo made in the background. It is long, and goes on where it was cut short.
func (a *App) declareDemo() {
	job.Handle(a.Jobs, demoWork, job.Options{Attempts: 20, Timeout: time.Hour}, a.showDemo)
}

// demoWanting tells whether there is no demo, and none under way.
func (a *App) demoWanting(ctx context.Context) (bool, error) {
	whole, err := a.Store.Note(ctx, demoName)
	if err != nil || whole != "" || a.Config.Demo {
		return false, err
	}
	begun, err := a.Store.Note(ctx, demoBegun)
	return begun == "", err
}

// wishDemo has the demo made, once, with an account on its team.
func (a *App) wishDemo(ctx context.Context, account string) error {
	if wanting, err := a.demoWanting(ctx); err != nil || !wanting {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := a.Jobs.Enqueue(tx, demoWork, demoWish{account}, job.Key(demoWork))
		return err
	})
}

// showDemo makes the demo and puts whoever wished it on its team, before it is filled.
func (a *App) showDemo(ctx context.Context, w demoWish, _ *job.Run) error {
	edge := a.edge.Load()
	if edge == nil {
		return errors.New("app: nothing is served yet")
	}
	account, err := a.Auth.Account(ctx, w.Account)
	if err != nil {
		return err
	}
	d := &show{app: a}
	if err := d.begin(ctx, edge, a.base()); err != nil || d.site == nil {
		return err
	}
	if err := d.site.Welcome(ctx, account.Email); err != nil {
		return errors.Join(err, d.dismiss(context.WithoutCancel(ctx)))
	}
	return d.fill(ctx, io.Discard)
}
