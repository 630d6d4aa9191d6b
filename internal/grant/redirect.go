package grant

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const mostRedirect = 2000 // bytes

var (
	// scheme is the form of a private one: with a dot, as somebody's domain turned round has.
	scheme = regexp.MustCompile(`^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$`)
	// host is a name or an address, with or without a port.
	host = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	// plain is what a registered address may be made of: no spaces, no controls, nothing that readers of addresses
	// disagree about.
	plain = regexp.MustCompile(`^[!$-;=?-\[\]_a-z~]+$`)
)

// redirectProblem says why an address cannot be registered to send people back to.
func redirectProblem(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case strings.Contains(uri, "#"):
		return "A redirect URI has no fragment (#…)."
	case err != nil || !u.IsAbs() || len(uri) > mostRedirect || !plain.MatchString(uri):
		return "A redirect URI is a whole address, such as https://example.com/callback."
	case u.User != nil:
		return "A redirect URI has no user name."
	case slices.Contains(strings.Split(u.Path, "/"), "..") || strings.Contains(uri, "*"):
		return "A redirect URI is compared exactly: it has no .. and no *."
	case u.Host != "" && !host.MatchString(u.Host):
		return "The host of a redirect URI is a plain name or address."
	case u.Scheme == "https" && u.Hostname() != "":
		return ""
	case u.Scheme == "http" && isLoopback(u):
		return ""
	case u.Scheme == "http":
		return "A redirect URI with http:// is for this machine only: 127.0.0.1, [::1] or localhost. Use https://."
	case scheme.MatchString(u.Scheme):
		return ""
	}
	return "A redirect URI begins with https://, or with a scheme of the application's own that has a dot, such as com.example.app:/callback."
}

func isLoopback(u *url.URL) bool {
	return u.Hostname() == "localhost" || isLoopbackAddress(u)
}

func isLoopbackAddress(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback() && addr.Zone() == ""
}

// Redirect gives the address to send people back to: the one asked for if it is registered, or the registered one where
// none is asked for. Addresses are compared byte by byte; only the port of a loopback address may be another, as
// programs on a desk cannot choose theirs.
func (a *Application) Redirect(asked string) (uri string, ok bool) {
	if asked == "" {
		return a.Redirects[0], len(a.Redirects) == 1
	}
	if slices.Contains(a.Redirects, asked) {
		return asked, true
	}
	u, err := url.Parse(asked)
	if err != nil || redirectProblem(asked) != "" || u.Scheme != "http" || !isLoopbackAddress(u) {
		return "", false
	}
	return asked, slices.ContainsFunc(a.Redirects, func(known string) bool {
		k, err := url.Parse(known)
		return err == nil && k.Scheme == "http" && isLoopbackAddress(k) && withPort(known, k, u.Port()) == asked
	})
}

// withPort writes an address with another port.
func withPort(text string, u *url.URL, port string) string {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host = net.JoinHostPort(u.Hostname(), port)
	}
	return strings.Replace(text, "http://"+u.Host, "http://"+host, 1)
}
