package api

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// address is where the call comes from: the peer, or, when the peer is a proxy that is trusted, the last address in
// X-Forwarded-For that no such proxy has.
func (c *Call) address() netip.Addr {
	if c.nested {
		return c.from
	}
	from := peer(c.r)
	if !c.edge.trusts(from) {
		return from
	}
	forwarded := strings.Split(strings.Join(c.r.Header["X-Forwarded-For"], ","), ",")
	for i := len(forwarded) - 1; i >= 0; i-- {
		addr, err := netip.ParseAddr(strings.Trim(forwarded[i], " \t"))
		if err != nil {
			break
		}
		if from = addr.Unmap().WithZone(""); !c.edge.trusts(from) {
			break
		}
	}
	return from
}

// peer is the other end of the connection; the zero address when that is not an internet one.
func peer(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr().Unmap().WithZone("")
}

func (e *Edge) trusts(a netip.Addr) bool {
	for _, p := range e.config.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Local tells whether the call was made on this machine, to a service that is offered on this machine alone.
func (c *Call) Local() bool { return !c.nested && c.edge.isLocal(c.r) }

// isLocal tells whether a request was made on this machine. A proxy on this machine has its address too, and need not
// say that it is one: so the service must also be one that is offered on this machine alone, and be called by a name of
// it.
func (e *Edge) isLocal(r *http.Request) bool {
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	base, err := url.Parse(e.config.Base)
	return err == nil && len(e.config.Proxies) == 0 && isLoopback(base.Host) && isLoopback(r.Host) &&
		peer(r).IsLoopback()
}

// isLoopback tells whether a host, with or without a port, is this machine by a name that no other has.
func isLoopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
}
