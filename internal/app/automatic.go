package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"groundwork/internal/certificate"
	"groundwork/internal/transport"
	"groundwork/internal/web"
)

// checkCertificates says why certificates cannot come by themselves as the service is offered; port is that of
// --listen.
func (c Config) checkCertificates(port string) error {
	if c.TLSCert != "" || c.TLSKey != "" {
		return errors.New("--tls-domain obtains a certificate, and --tls-cert and --tls-key have one already: leave one or the other out.")
	}
	if c.PublicURL == "" {
		if _, secure, _ := net.SplitHostPort(SecureListen); port != secure {
			return fmt.Errorf("%s is not port 443: leave --listen out, or listen on :443; or say with --public-url how clients reach it, https://%s where port 443 is led here, or https://%s:%s.", c.Listen, c.Certificates.Domains[0], c.Certificates.Domains[0], port)
		}
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	switch {
	case err != nil:
		return nil // checkPublicURL says it
	case u.Scheme != "https":
		return fmt.Errorf("The public URL %q must begin with https://, as --tls-domain has the service speak HTTPS.",
			c.PublicURL)
	case !c.Certificates.Has(u.Hostname()):
		return fmt.Errorf("The public URL %q has a name for which no certificate is obtained. Add it to --tls-domain, or mend --public-url.",
			c.PublicURL)
	}
	return nil
}

// openFiles reads the certificate that is in files; nil where there is none.
func (a *App) openFiles() (*pair, error) {
	if !a.Config.hasFiles() {
		return nil, nil
	}
	return openPair(a.Config.TLSCert, a.Config.TLSKey, a.Log)
}

// encrypt is how connections at the address are encrypted: with the certificate of files, or with those that come by
// themselves, for which keep must run; secure is nil where they are not.
func (a *App) encrypt(ctx context.Context, files *pair, address net.Addr, base string) (
	secure *tls.Config, keep func(context.Context), err error,
) {
	switch {
	case a.Config.Certificates.Wanted():
		return a.keepCertificates(ctx, address, base)
	case files != nil:
		expires := func() time.Time { return files.leaf().NotAfter }
		a.expires.Store(&expires)
		return files.config(), func(context.Context) {}, nil
	}
	return nil, func(context.Context) {}, nil
}

// certificateEnds is when the certificate of the server ends, the first one of several; zero where it has none.
func (a *App) certificateEnds() time.Time {
	if expires := a.expires.Load(); expires != nil {
		return (*expires)()
	}
	return time.Time{}
}

// firstEnd is when the first of the certificates ends that came by themselves; those that are lacking end nothing.
func firstEnd(k *certificate.Keeper) (first time.Time) {
	for _, one := range k.Look() {
		if !one.Until.IsZero() && (first.IsZero() || one.Until.Before(first)) {
			first = one.Until
		}
	}
	return first
}

// certificatesFailing is of how many domains doctor says something, where certificates come by themselves: there is
// none, it has ended, or could not be renewed.
func (a *App) certificatesFailing() (n int) {
	k := a.keeper.Load()
	if k == nil {
		return 0
	}
	now := time.Now()
	for _, one := range k.Look() {
		if one.Err(now) != nil {
			n++
		}
	}
	return n
}

// seenCertificates are the certificates that come by themselves, as doctor judges them.
func seenCertificates(k *certificate.Keeper, now time.Time) web.StateGroup {
	g := web.StateGroup{
		Name: "certificate", Title: "Certificates",
		Do: "They come and are renewed by themselves. What failed last:", Command: "groundwork certificate list",
	}
	for _, one := range k.Look() {
		level := web.Bad
		if one.Good(now) {
			level = web.Look // it is served meanwhile
		}
		g.Lines = append(g.Lines, judged(one.Domain, "good until "+moment(one.Until)+", by "+one.Issuer, one.Err(now), level,
			"It is tried again by itself. At once, after what is in its way was mended:", "groundwork certificate renew"))
	}
	return g
}

// keepCertificates serves certificates that come by themselves: secure is for who listens at the address; keep obtains
// and renews them until its context ends, and answers plain HTTP.
func (a *App) keepCertificates(ctx context.Context, address net.Addr, base string) (
	secure *tls.Config, keep func(context.Context), err error,
) {
	s := a.Config.Certificates
	var plain net.Listener
	at := s.HTTP
	if s.HTTP != certificate.Off {
		if plain, err = listenOn(s.HTTP, "--tls-http-listen, or say --tls-http-listen off"); err != nil {
			return nil, nil, err
		}
		at = plain.Addr().String()
	}
	k, err := certificate.Open(ctx, s, address.String(), at, a.Log)
	if err != nil {
		if plain != nil {
			err = errors.Join(err, plain.Close())
		}
		return nil, nil, err
	}
	a.keeper.Store(k)
	expires := func() time.Time { return firstEnd(k) }
	a.expires.Store(&expires)
	return k.TLS(), func(ctx context.Context) {
		defer k.Close()
		if plain != nil {
			server := transport.NewServer(k.Handler(base), a.Log)
			go func() {
				if err := server.Serve(transport.NewListener(plain, nil)); !errors.Is(err, http.ErrServerClosed) {
					a.Log.Error("plain HTTP is not answered any more", "error", err)
				}
			}()
			defer server.Close()
		}
		k.Run(ctx)
	}, nil
}

// checkStored are checks of the certificates that came by themselves.
func (c Config) checkStored() []Check {
	if !c.Certificates.Wanted() {
		return nil
	}
	var checks []Check
	now := time.Now()
	for _, one := range c.Certificates.Look() {
		name := "certificate of " + one.Domain
		if one.Issuer != "" {
			name += fmt.Sprintf(" (%s, %d days left)", one.Issuer, one.Days(now))
		}
		checks = append(checks, Check{name, func(context.Context) error { return one.Err(now) }})
	}
	return checks
}

// Certificates gives what obtains certificates here: that of the server, or one of this process alone. End it with the
// function.
func (a *App) Certificates(ctx context.Context) (k *certificate.Keeper, end func(), err error) {
	if k := a.keeper.Load(); k != nil {
		return k, func() {}, nil
	}
	s := a.Config.Certificates
	if !s.Wanted() {
		return nil, nil, errors.New("No certificates come by themselves here: there is no --tls-domain.")
	}
	log := a.Log
	if !log.Enabled(ctx, slog.LevelDebug) {
		log = slog.New(slog.DiscardHandler) // a command says itself what it did
	}
	if k, err = certificate.Open(ctx, s, a.Config.Listen, s.HTTP, log); err != nil {
		return nil, nil, err
	}
	return k, k.Close, nil
}
