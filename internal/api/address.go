package api

import (
	"net/http"
	"net/netip"
	"strings"
)

// address is where the call comes from: the peer, or, when the peer is a proxy that is trusted, the last address in X-Forwarded-For that no such proxy has.
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

// isLocal tells whether a request was made on this machine: its peer is, and no proxy speaks for somebody else.
func isLocal(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if len(r.Header[name]) > 0 {
			return false
		}
	}
	return peer(r).IsLoopback()
}
