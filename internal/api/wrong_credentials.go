package api

import (
	"net/netip"
	"sync"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/ipnet"
)

// wrongCredentials counts the refused credentials of each address in the present minute. A network of IPv6 addresses
// counts as one, and so does the site that it is of, which has more room.
type wrongCredentials struct {
	most int
	mu   sync.Mutex
	at   int64
	of   map[netip.Prefix]int64
}

// mostAddresses bounds the memory: in a minute in which more of them fail, the rest share one count.
const mostAddresses = 1 << 16

// add counts one refused credential; it gives the window when that is full already. It reads the clock itself, as
// limiter.take does.
func (f *wrongCredentials) add(from netip.Addr, now func() time.Time) *window {
	w := &window{Limit: credential.Limit{Type: credential.LimitAll, Interval: 60, Limit: int64(f.most)}}
	network, site := ipnet.Network(from), ipnet.Site(from)
	f.mu.Lock()
	defer f.mu.Unlock()
	w.move(now())
	if f.of == nil || f.at != w.at {
		f.at, f.of = w.at, map[netip.Prefix]int64{}
	}
	network, site = f.known(network), f.known(site)
	if w.used = f.of[network]; w.used >= w.Limit.Limit {
		return w
	}
	if network == site {
		f.of[network]++
		return nil
	}
	wider := *w
	wider.Limit.Limit *= ipnet.WiderShare
	if wider.used = f.of[site]; wider.used >= wider.Limit.Limit {
		return &wider
	}
	f.of[network]++
	f.of[site]++
	return nil
}

// known is what a network is counted under: itself, or what all share when there are too many.
func (f *wrongCredentials) known(network netip.Prefix) netip.Prefix {
	if _, known := f.of[network]; !known && len(f.of) >= mostAddresses {
		return netip.Prefix{}
	}
	return network
}
