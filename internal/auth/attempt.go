package auth

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"groundwork/internal/fault"
)

// attempts counts what must not be tried often: signing in, and asking for a new password. It counts by what was typed, whether an account has
// that address or not, so that being refused tells nothing.
type attempts struct {
	mu    sync.Mutex
	swept int64 // the minute in which what was over was dropped
	of    map[string]*attempt
}

type attempt struct{ count, began int64 }

// bound is how often something may be tried within the window, and how often before answers become slow.
type bound struct {
	key        string
	free, most int64
}

const (
	attemptWindow = int64(15 * time.Minute / time.Microsecond)
	mostAttempts  = 1 << 17 // bounds the memory; beyond it the rest share one count

	freeOfPair, mostOfPair       = 3, 10   // of one network with one e-mail address
	freeOfNetwork, mostOfNetwork = 20, 100 // an office behind one address has many people
	freeOfEmail, mostOfEmail     = 20, 200 // from everywhere: so many that shutting a person out takes an attacker's many networks

	firstPause   = 250 * time.Millisecond
	longestPause = 4 * time.Second
)

// take counts an attempt under each bound: fault.Limited, and nothing counted, when one is full. over is by how many it is beyond what is free, under the
// bound where that is most.
func (a *attempts) take(now int64, bounds ...bound) (over int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sweep(now)
	var full int64
	for i := range bounds {
		if _, known := a.of[bounds[i].key]; !known && len(a.of) >= mostAttempts {
			bounds[i].key = ""
		}
		if t := a.get(bounds[i].key, now); t != nil && t.count >= bounds[i].most {
			full = max(full, t.began+attemptWindow)
		}
	}
	if full > 0 {
		refusal := fault.New(fault.Limited, "This was tried too often. Try again in %d minutes.", (full-now)/int64(time.Minute/time.Microsecond)+1)
		refusal.RetryAfter = time.Duration(full-now) * time.Microsecond
		return 0, refusal
	}
	for _, b := range bounds {
		t := a.get(b.key, now)
		if t == nil {
			t = &attempt{began: now}
			a.of[b.key] = t
		}
		t.count++
		over = max(over, t.count-b.free)
	}
	return over, nil
}

// succeeded takes an attempt back that was a good one: the first bound is as new, the others have one less.
func (a *attempts) succeeded(bounds ...bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, b := range bounds {
		t := a.of[b.key]
		if t == nil {
			continue
		}
		if t.count--; i == 0 || t.count <= 0 {
			delete(a.of, b.key)
		}
	}
}

// get gives what is counted under a key; nil for what is over, and for what a clock that went back had begun in the future.
func (a *attempts) get(key string, now int64) *attempt {
	t := a.of[key]
	if t == nil || now-t.began >= attemptWindow || t.began > now {
		return nil
	}
	return t
}

// sweep drops what is over, once a minute.
func (a *attempts) sweep(now int64) {
	minute := now / int64(time.Minute/time.Microsecond)
	if a.of == nil {
		a.of = map[string]*attempt{}
	}
	if minute == a.swept {
		return
	}
	a.swept = minute
	for key := range a.of {
		if a.get(key, now) == nil {
			delete(a.of, key)
		}
	}
}

// Network is what counts as one address: a network of IPv6 addresses such as one customer has, or one IPv4 address.
func Network(address netip.Addr) netip.Addr {
	if network, err := address.Prefix(64); address.Is6() && !address.Is4In6() && err == nil {
		return network.Addr()
	}
	return address.Unmap()
}

// from names the network of an address as it was written.
func from(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return Network(parsed).String()
}

// slow has an attempt wait that is by so many beyond what is free: each one twice as long as the one before.
func (a *Auth) slow(ctx context.Context, over int64) {
	if over <= 0 {
		return
	}
	pause := longestPause
	if doublings := over - 1; doublings < 4 {
		pause = firstPause << doublings
	}
	a.pause(ctx, pause)
}

// wait passes the time, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
