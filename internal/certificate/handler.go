package certificate

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/certmagic"
	"github.com/go-json-experiment/json"
)

// Handler answers plain HTTP: what an authority asks to see that a name leads here, and everything else is led to HTTPS
// at base, a public URL, with the name that was asked for. Names that are not among the domains are led nowhere.
func (k *Keeper) Handler(base string) http.Handler {
	port := ""
	if u, err := url.Parse(base); err == nil && u.Port() != "" {
		port = ":" + u.Port()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		switch {
		case !k.known[host]:
			refuse(w, http.StatusMisdirectedRequest, "This server has no such name.")
		case k.issuer.HandleHTTPChallenge(w, r):
		case certmagic.LooksLikeHTTPChallenge(r):
			refuse(w, http.StatusNotFound, "Nothing of this name is to be proven now.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed,
				fmt.Sprintf("Nothing is taken over plain HTTP; use https://%s%s.", host, port))
		case r.URL.Opaque != "" || !strings.HasPrefix(r.URL.Path, "/"):
			refuse(w, http.StatusBadRequest, "The address of the request is not a path.")
		default:
			to := url.URL{
				Scheme: "https", Host: host + port, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
			}
			w.Header().Set("Location", to.String())
			w.WriteHeader(http.StatusPermanentRedirect)
		}
	})
}

// hostOf is the name of a Host header, without its port.
func hostOf(text string) string {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	return canonical(text)
}

// canonical is a name as the domains are written.
func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func refuse(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, struct { // who asked may be gone
		Message string `json:"message"`
	}{sentence})
}
