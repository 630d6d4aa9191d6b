package app

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"groundwork/internal/fault"
)

// behind answers only the proxies that are named: whoever comes around them would come over plain HTTP, with whatever
// address it likes to claim. A look at the health of the service needs no proxy where it brings the pass.
func behind(proxies []netip.Prefix, pass func() string, next http.Handler) http.Handler {
	if len(proxies) == 0 {
		return next
	}
	refusal := fault.New(fault.Forbidden, "This service is reached through its proxy only.")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		from := peer.Addr().Unmap().WithZone("")
		named := slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(from) })
		if err == nil && (named || looks(r, from, pass)) {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, refusal)
	})
}

// refuse answers with an error in the API's form before a request reaches the edge.
func refuse(w http.ResponseWriter, e *fault.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Request-Id", strings.ToLower(rand.Text()))
	w.Header().Set("Connection", "close")
	w.WriteHeader(e.Kind.Status())
	_, _ = w.Write([]byte(`{"message":"` + e.Message + `"}`))
}
