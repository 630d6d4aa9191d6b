package api

import (
	"net/netip"
	"sync"
	"time"

	"groundwork/internal/auth"
)

// failures counts the refused credentials of each address in the present minute. A network of IPv6 addresses such as one customer has counts as one.
type failures struct {
	most int
	mu   sync.Mutex
	at   int64
	of   map[netip.Addr]int64
}

// mostAddresses bounds the memory: in a minute in which more of them fail, the rest share one count.
const mostAddresses = 1 << 16

// add counts one refused credential; it gives the window when that is full already. It reads the clock itself, as limiter.take does.
func (f *failures) add(from netip.Addr, now func() time.Time) *window {
	w := &window{Limit: auth.Limit{Type: auth.LimitAll, Interval: 60, Limit: int64(f.most)}}
	from = auth.Network(from)
	f.mu.Lock()
	defer f.mu.Unlock()
	w.move(now())
	if f.of == nil || f.at != w.at {
		f.at, f.of = w.at, map[netip.Addr]int64{}
	}
	if _, known := f.of[from]; !known && len(f.of) >= mostAddresses {
		from = netip.Addr{}
	}
	if w.used = f.of[from]; w.used >= w.Limit.Limit {
		return w
	}
	f.of[from]++
	return nil
}
