package main

import (
	"context"
	"errors"
	"log/slog"

	"groundwork/internal/app"
	"groundwork/internal/auth"
	"groundwork/internal/resource"
	"groundwork/internal/sheet"
	"groundwork/internal/store"
)

// draw puts a version set with two sheets into each project, as reading drawings would, while the server is down.
func (s *site) draw(projects []*estate) error {
	config := app.Config{Data: s.data, Listen: s.address, Log: slog.New(slog.DiscardHandler)}
	if s.t.engine == postgres {
		config.DatabaseURL = auth.Secret(s.place[len(s.place)-1])
	}
	a, err := app.Open(s.t, config)
	if err != nil {
		return err
	}
	for _, e := range projects {
		err = errors.Join(err, publish(s.t, a, s.key, e.project))
	}
	return errors.Join(err, a.Close())
}

func publish(ctx context.Context, a *app.App, key, project string) error {
	who, err := a.Auth.Key(ctx, key)
	if err != nil {
		return err
	}
	scope, err := a.Auth.Enter(ctx, who.Account, project)
	if err != nil {
		return err
	}
	return a.Store.Edit(ctx, scope.Project(), scope.Person(), func(tx *store.Tx) error {
		in := &resource.Tx{Tx: tx, Scope: scope, Auth: a.Auth, Jobs: a.Jobs}
		set, err := sheet.Begin(in, "Issued for construction")
		if err != nil {
			return err
		}
		pages := []sheet.Page{}
		for _, number := range []string{"A-101", "A-102"} {
			pages = append(pages, sheet.Page{FileName: "set.pdf", Name: number, Width: 2592, Height: 1728})
		}
		return sheet.Publish(in, set.UID, pages)
	})
}
