package password

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/ipnet"
)

// Waiter is a request that may have to wait until a password can be hashed. It has a place among the requests that are
// served, which others can use meanwhile.
type Waiter interface {
	// Origin is the address that it comes from.
	Origin() netip.Addr
	// Aside runs wait while the place of the request is free for others.
	Aside(wait func())
}

type waiterKey struct{}

// WithWaiter tells hashing which request it is for. Without it, it is for the operator or the program itself, who wait
// as long as it takes.
func WithWaiter(ctx context.Context, w Waiter) context.Context {
	return context.WithValue(ctx, waiterKey{}, w)
}

// line bounds how many requests wait at once, all together and of one network.
type line struct {
	most, each int
	mu         sync.Mutex
	all        int
	of         map[netip.Prefix]int
}

// pass runs wait for the request of ctx, in its place in the line: fault.Limited when its network has no room there,
// fault.Unavailable when nobody has.
func (l *line) pass(ctx context.Context, wait func()) error {
	who, ok := ctx.Value(waiterKey{}).(Waiter)
	if !ok {
		wait()
		return nil
	}
	origin := who.Origin()
	if err := l.enter(origin); err != nil {
		return err
	}
	defer l.leave(origin)
	who.Aside(wait)
	return nil
}

func (l *line) enter(origin netip.Addr) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[netip.Prefix]int{}
	}
	network, site := ipnet.Network(origin), ipnet.Site(origin)
	var refusal *fault.Error
	switch {
	// A site has half of the line at most.
	case l.of[network] >= l.each, l.of[site] >= min(ipnet.WiderShare*l.each, l.most/2) && site != network:
		refusal = fault.New(fault.Limited,
			"Several people are signing in from your network at this moment. Try again in a few seconds.")
	case l.all >= l.most:
		refusal = fault.New(fault.Unavailable,
			"Very many people are signing in at this moment. Try again in a few seconds.")
	default:
		l.all++
		l.of[network]++
		if site != network {
			l.of[site]++
		}
		return nil
	}
	refusal.RetryAfter = lineRetry
	return refusal
}

// lineRetry is when to come again: the whole line is through in a second.
const lineRetry = 2 * time.Second

func (l *line) leave(origin netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	network, site := ipnet.Network(origin), ipnet.Site(origin)
	if l.of[network]--; l.of[network] == 0 {
		delete(l.of, network)
	}
	if site == network {
		return
	}
	if l.of[site]--; l.of[site] == 0 {
		delete(l.of, site)
	}
}

func (l *line) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}
