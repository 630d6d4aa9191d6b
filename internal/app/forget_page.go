package app

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/notice"
	"groundwork/internal/store"
	"groundwork/internal/web"
)

// mostSeen is how many lines of the audit a page shows.
const mostSeen = 100

// forgettingPage is what operators see and do in a browser.
func (a *App) forgettingPage() web.Forgetting {
	return web.Forgetting{
		Seen: a.seenForgetting,
		Keep: func(ctx context.Context, project, by string) error { return a.Forgetting().Keep(ctx, project, by) },
		Release: func(ctx context.Context, project, by string) error {
			return a.Forgetting().Release(ctx, project, by)
		},
		Hold: func(ctx context.Context, project, why, by string) error {
			return a.Forgetting().Hold(ctx, project, why, by)
		},
	}
}

// ProjectName is what a project is called; empty where nothing is left of it.
func (a *App) ProjectName(ctx context.Context, p *store.Project) (string, error) {
	return notice.ProjectName(ctx, a.Store, Catalog(), p)
}

// nameOf is what a page calls a project: its name where it has one, or else its uid.
func (a *App) nameOf(ctx context.Context, uid string) (string, error) {
	p, err := a.Store.Project(ctx, uid)
	if fault.Is(err, fault.NotFound) {
		return uid, nil
	}
	if err != nil {
		return "", err
	}
	name, err := a.ProjectName(ctx, p)
	return cmp.Or(name, uid), err
}

func (a *App) seenForgetting(ctx context.Context) (seen web.ForgettingSeen, err error) {
	s := a.Forgetting()
	going, err := s.Pending(ctx)
	if err != nil {
		return seen, err
	}
	for _, g := range going {
		name, err := a.nameOf(ctx, g.Project)
		if err != nil {
			return seen, err
		}
		seen.Going = append(seen.Going, web.GoingSeen{
			Project: g.Project, Name: name, At: g.EraseAt.UnixMicro(), Begun: g.Begun,
		})
	}
	held, err := s.Holds(ctx)
	if err != nil {
		return seen, err
	}
	for _, h := range held {
		name, err := a.nameOf(ctx, h.Project)
		if err != nil {
			return seen, err
		}
		seen.Held = append(seen.Held, web.HeldSeen{
			Project: h.Project, Name: name, By: h.By, Why: h.Why, At: h.At.UnixMicro(),
		})
	}
	audit, err := s.Audit(ctx, mostSeen)
	for _, e := range audit {
		seen.Audit = append(seen.Audit, web.AuditSeen{
			At: e.At.UnixMicro(), By: e.By, Did: e.Did, Subject: e.Subject, Detail: e.Detail,
		})
	}
	seen.Deleted, seen.Kept = days(a.Config.Keep.Deleted), days(a.Config.Keep.Audit)
	return seen, err
}

// days says how long something is kept; "" is for ever.
func days(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + " days"
}
