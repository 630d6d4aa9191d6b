package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/transport"
	"groundwork/internal/web"
)

// How long a stop may take: first the requests and jobs under way, then the commands. Together with closing the
// database less than half a minute.
const (
	drainWithin    = 20 * time.Second
	commandsWithin = 5 * time.Second
)

// Serve answers requests until ctx ends, then finishes those under way. Commands handed over by other processes are run
// by run; out is for people. CheckServing should have been asked before Open.
func (a *App) Serve(ctx context.Context, run Command, out io.Writer) (err error) {
	if err := a.Config.checkServing(); err != nil {
		return err
	}
	files, err := a.openFiles()
	if err != nil {
		return err
	}
	listener, err := a.Config.listen()
	if err != nil {
		return err
	}
	// Closing it twice is harmless.
	defer listener.Close()
	if err := a.SameStores(ctx); err != nil {
		return err
	}
	if err := a.probeWalls(ctx); err != nil {
		return err
	}
	base := a.Config.base(listener.Addr())
	edge, err := a.Edge(base)
	if err != nil {
		return err
	}
	if a.Config.file() != "" {
		stop, err := a.serveCommands(run)
		if err != nil {
			return err
		}
		defer func() {
			within, cancel := context.WithTimeout(context.Background(), commandsWithin)
			defer cancel()
			err = errors.Join(err, stop(within))
		}()
	}
	if err := a.keepBase(ctx, base); err != nil {
		return err
	}
	if err := a.askIndex(ctx); err != nil {
		return err
	}
	if err := a.askUpgrade(ctx); err != nil {
		return err
	}
	secure, keep, err := a.encrypt(ctx, files, listener.Addr(), base)
	if err != nil {
		return err
	}
	beside, err := a.announce(ctx, edge, base, listener.Addr().String(), out)
	if err != nil {
		return err
	}
	server := transport.NewServer(behind(a.Config.Proxies, a.healthPass(), edge), a.Log)
	return a.serve(ctx, server, transport.NewListener(listener, secure), edge, beside, keep)
}

// probeWalls says behind which walls drawings are read: an error where the settings ask for walls that do not stand
// here.
func (a *App) probeWalls(ctx context.Context) error {
	walls, err := a.Drawing.Probe(ctx)
	if err != nil {
		return err
	}
	a.Log.Info("drawings are read behind walls", "walls", walls.String())
	if !walls.Strict() {
		a.Log.Warn("the process that reads drawings is not kept from all other files", "missing",
			strings.Join(walls.Missing, "; "))
	}
	if r := a.Drawing.Recogniser(ctx); r.Program != "" {
		a.Log.Info("letters of scanned drawings are recognised", "by", r.String())
	} else {
		a.Log.Info("letters of scanned drawings are not recognised", "why", r.Why)
	}
	return nil
}

// Edge mounts everything the API does; base is the public address.
func (a *App) Edge(base string) (*api.Edge, error) {
	a.served.Store(&base)
	edge, err := api.New(api.Config{
		Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Base: base, Version: a.Config.Version, Log: a.Log,
		Now: a.Config.Now, Proxies: a.Config.Proxies,
		Streams:    a.Config.Streams,
		LinkPeriod: a.Config.LinkPeriod, MetricsToken: a.Config.MetricsToken, Unmailed: !a.Mail.Sends(), Lost: web.Site,
		Noted: a.Health.Noted, Ready: a.ready, Tracer: a.tracer,
	}, a.Routes())
	if err != nil {
		return nil, err
	}
	a.edge.Store(edge)
	return edge, errors.Join(a.backupMetrics(edge.Metrics()), edge.Metrics().Register(watched{a}))
}

// serve runs until ctx ends or the listener fails; then requests and jobs share the time to finish. What runs beside it
// ends with ctx.
func (a *App) serve(ctx context.Context, server *http.Server, l net.Listener, edge *api.Edge,
	beside ...func(context.Context),
) (err error) {
	a.look(ctx)
	defer a.beginShipping()() // until nothing is written any more
	a.Jobs.Start(ctx)
	var besides sync.WaitGroup
	while, end := context.WithCancel(ctx)
	for _, one := range beside {
		besides.Go(func() { one(while) })
	}
	besides.Go(func() { a.watch(while) })
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	a.Log.Info("serving", "address", l.Addr().String(), "version", a.Config.Version, "database", a.Store.Engine(),
		"wall", a.Store.Wall())
	select {
	case why := <-failed:
		err = fmt.Errorf("The service stopped: %w.", why)
	case <-ctx.Done():
	}
	a.Log.Info("stopping")
	end()
	besides.Wait()
	edge.Drain()
	within, cancel := context.WithTimeout(context.Background(), drainWithin)
	defer cancel()
	if late := server.Shutdown(within); late != nil {
		a.Log.Warn("requests under way were cut off", "error", late)
		err = errors.Join(err, server.Close())
	}
	if unknown := a.Jobs.Stop(within); unknown != nil {
		a.Log.Warn("jobs under way could not be given back; they are begun again when their lease ends", "error",
			unknown)
	}
	return err
}

// announce tells the person who started the service where it is, and begins the demo when it was asked for; what it
// gives makes the rest of it.
func (a *App) announce(ctx context.Context, edge http.Handler, base, address string,
	out io.Writer,
) (beside func(context.Context), err error) {
	if !a.Config.Demo {
		fmt.Fprintf(out, "Groundwork %s serves %s on %s\n", a.Config.Version, base, address)
		return func(context.Context) {}, a.offerStart(ctx, base, out)
	}
	d, err := a.demo(ctx, edge, base)
	if err != nil {
		return nil, fmt.Errorf("The demo cannot be made: %w.", err)
	}
	if err := d.print(ctx, out, base); err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		if err := d.fill(ctx, out); ctx.Err() != nil {
			a.Log.Info("the demo is filled further with the next start")
		} else if err != nil {
			a.Log.Error("the demo could not be filled; the next start tries it again", "error", err)
		}
	}, nil
}

// CheckServing says why Serve would refuse this configuration.
func CheckServing(c Config) error {
	c, err := c.settled()
	if c.Data == "" {
		return err
	}
	return errors.Join(err, c.checkServing())
}
