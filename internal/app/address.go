package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"groundwork/internal/auth"
)

// checkServing says why the service cannot be offered as configured. Keys travel with every request: plain HTTP is for
// this machine alone.
func (c Config) checkServing() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("The address to listen on, %q, is not of the form HOST:PORT, such as %s.", c.Listen,
			DefaultListen)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("The address to listen on, %q, needs a port from 0 to 65535.", c.Listen)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key belong together: give both files or neither.")
	}
	if !c.secure() && len(c.Proxies) == 0 && !isLoopback(host) {
		return fmt.Errorf("Keys must not travel over plain HTTP, and %s is reachable from other machines. "+
			"Give --tls-cert and --tls-key, or put a proxy that speaks HTTPS in front and name it with --trusted-proxy CIDR, or listen on %s.", c.Listen, DefaultListen)
	}
	if c.MetricsToken != "" && len(c.MetricsToken) < leastToken {
		return fmt.Errorf("The token for metrics, GROUNDWORK_METRICS_TOKEN, has %d bytes; it needs at least %d.",
			len(c.MetricsToken), leastToken)
	}
	if c.Secret != "" && len(c.Secret) < auth.LeastSecret {
		return fmt.Errorf("The secret of the installation, GROUNDWORK_SECRET, has %d bytes; it needs at least %d.",
			len(c.Secret), auth.LeastSecret)
	}
	if c.PublicURL == "" && isEverywhere(host) {
		return fmt.Errorf("%s means all addresses of this machine: say with --public-url which one clients use, such as https://build.example.com.", c.Listen)
	}
	return c.checkPublicURL()
}

// leastToken is the number of bytes that nobody guesses.
const leastToken = 16

func (c Config) secure() bool { return c.TLSCert != "" && c.TLSKey != "" }

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

func isEverywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.Unmap().IsUnspecified()
}

// checkPublicURL refuses a path: the API's paths begin at the root of their host.
func (c Config) checkPublicURL() error {
	if c.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(c.PublicURL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return fmt.Errorf("The public URL %q is not of the form https://HOST or https://HOST:PORT.", c.PublicURL)
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return errors.New("The public URL has no user, query or fragment: write https://HOST or https://HOST:PORT.")
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("The public URL %q has a path; the service needs a host of its own, such as https://build.example.com.", c.PublicURL)
	}
	return nil
}

// base is the public URL without a slash at its end; without a configured one, the address that was listened on.
func (c Config) base(listening net.Addr) string {
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err == nil {
			return u.Scheme + "://" + strings.ToLower(u.Host)
		}
	}
	scheme := "http"
	if c.secure() {
		scheme = "https"
	}
	// The name as configured, localhost perhaps, with the port as given by the system.
	host, _, _ := net.SplitHostPort(c.Listen)
	_, port, _ := net.SplitHostPort(listening.String())
	return scheme + "://" + net.JoinHostPort(host, port)
}

// listen opens the address; what goes wrong is said in one line.
func (c Config) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", c.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf(
			"The address %s is in use by another program. Stop it, or choose another address with --listen.", c.Listen)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf(
			"The address %s may not be used by this user: ports below 1024 need a privilege. Choose another with --listen.", c.Listen)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("The address %s does not belong to this machine. Choose another with --listen.",
			c.Listen)
	case err != nil:
		return nil, fmt.Errorf("The address %s cannot be listened on: %w.", c.Listen, err)
	}
	return l, nil
}
