package app

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/url"
	"sync/atomic"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/web"
)

// guestLife is how long the link is good that the start of a demo prints.
const guestLife = 15 * time.Minute

// guestLink signs the visitor of the demo in, once. It lives in the memory of the process that printed it.
type guestLink struct {
	hash          [sha256.Size]byte
	account, name string
	until         int64 // microseconds
	used          atomic.Bool
}

// offersGuest tells whether the service is one of this machine alone: it listens there, and says that it is there. Only
// then is a link printed that signs somebody in.
func (c Config) offersGuest(base string) bool {
	u, err := url.Parse(base)
	listen, _ := url.Parse("//" + c.Listen)
	return err == nil && listen != nil && len(c.Proxies) == 0 && isLoopback(u.Hostname()) &&
		isLoopback(listen.Hostname())
}

// NewGuestLink makes a link with which a browser on this machine is signed in as somebody, once; one that was there
// before is over.
func (a *App) NewGuestLink(base string, visitor *identity.Account) string {
	secret, _ := credential.NewSecret(credential.KindCapability)
	a.guest.Store(&guestLink{
		hash: sha256.Sum256([]byte(secret)), account: visitor.UID, name: visitor.Name(),
		until: a.Store.Now() + guestLife.Microseconds(),
	})
	return base + "/demo/" + secret
}

// guestOf says whom a link signs in, and does so with enter. It asks who calls first: whoever is not on this machine
// learns nothing about any link, and uses none up.
func (a *App) guestOf(c *api.Call, secret string, enter bool) (g web.Guest, err error) {
	over := fault.New(fault.NotFound,
		"This link has been used already, or is too old. Start the demo again, and it prints a new one.")
	link := a.guest.Load()
	if link == nil {
		return g, over
	}
	if !c.Local() {
		return g, fault.New(fault.Forbidden,
			"This link works in a browser on the machine on which the service runs, and nowhere else.")
	}
	hash := sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(hash[:], link.hash[:]) != 1 || link.until <= a.Store.Now() || link.used.Load() {
		return g, over
	}
	g = web.Guest{Account: link.account, Name: link.name}
	if !enter {
		return g, nil
	}
	if !link.used.CompareAndSwap(false, true) {
		return g, over
	}
	g.Session, err = a.Auth.Admit(c.Context(), link.account, c.Visit())
	if fault.Is(err, fault.Unauthenticated) {
		return g, fault.New(fault.Forbidden, "The account of the demo has been disabled.")
	}
	if err != nil {
		link.used.Store(false)
		return g, err
	}
	_, projects, err := a.Store.OwnProjects(c.Context(), link.account)
	if len(projects) == 1 {
		g.Project = projects[0].UID
	}
	return g, err
}
