package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/system"
	"groundwork/internal/trace"
)

// checkServing says why the service cannot be offered as configured. Keys travel with every request: plain HTTP is for
// this machine alone.
func (c Config) checkServing() error {
	if err := trace.Check(); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("The address to listen on, %q, is not of the form HOST:PORT, such as %s.", c.Listen,
			DefaultListen)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("The address to listen on, %q, needs a port from 0 to 65535.", c.Listen)
	}
	return errors.Join(c.checkEncryption(host, port), c.checkSecrets(), c.checkPublicURL(host))
}

// checkEncryption says why keys would travel in the clear, or which certificate is meant.
func (c Config) checkEncryption(host, port string) error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key belong together: give both files or neither.")
	}
	if c.Certificates.Wanted() {
		return c.checkCertificates(port)
	}
	if !c.secure() && len(c.Proxies) == 0 && !isLoopback(host) {
		return fmt.Errorf("Keys must not travel over plain HTTP, and %s is reachable from other machines. "+
			"Name the domain with --tls-domain, or give --tls-cert and --tls-key, or put a proxy that speaks HTTPS in front and name it with --trusted-proxy CIDR, or listen on %s.", c.Listen, DefaultListen)
	}
	return nil
}

func (c Config) checkSecrets() (err error) {
	if c.MetricsToken != "" && len(c.MetricsToken) < leastToken {
		err = fmt.Errorf("The token for metrics, GROUNDWORK_METRICS_TOKEN, has %d bytes; it needs at least %d.",
			len(c.MetricsToken), leastToken)
	}
	if c.Secret != "" && len(c.Secret) < auth.LeastSecret {
		err = errors.Join(err, fmt.Errorf("The secret of the installation, GROUNDWORK_SECRET, has %d bytes; it needs at least %d.",
			len(c.Secret), auth.LeastSecret))
	}
	return err
}

// leastToken is the number of bytes that nobody guesses.
const leastToken = 16

func (c Config) secure() bool { return c.hasFiles() || c.Certificates.Wanted() }

// hasFiles tells whether the certificate is in files.
func (c Config) hasFiles() bool { return c.TLSCert != "" && c.TLSKey != "" }

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

func isEverywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.Unmap().IsUnspecified()
}

// checkPublicURL refuses a path: the API's paths begin at the root of their host. host is that which is listened on.
func (c Config) checkPublicURL(host string) error {
	if c.PublicURL == "" && isEverywhere(host) && (c.hasFiles() || len(c.Proxies) > 0) && !c.Certificates.Wanted() {
		return fmt.Errorf("%s means all addresses of this machine: say with --public-url which one clients use, such as https://build.example.com.", c.Listen)
	}
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
	case u.Scheme == "http" && !isLoopback(u.Hostname()) && !c.Certificates.Wanted(): // checkCertificates says it of domains
		return fmt.Errorf("Keys must not travel over plain HTTP, and the public URL %s sends clients of other machines that way. Write https://%s, and have it spoken here (--tls-domain, --tls-cert) or by a proxy in front (--trusted-proxy).", c.PublicURL, u.Host)
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
	if c.Certificates.Wanted() {
		return "https://" + c.Certificates.Domains[0] // at port 443, as checkCertificates has it
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
func (c Config) listen() (net.Listener, error) { return listenOn(c.Listen, "--listen") }

// listenOn opens an address that an option has named.
func listenOn(address, option string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, system.ErrAddressInUse):
		return nil, fmt.Errorf(
			"The address %s is in use by another program. Stop it, or choose another address with %s.", address, option)
	case errors.Is(err, system.ErrAddressDenied):
		return nil, fmt.Errorf(
			"The address %s may not be used by this user: ports below 1024 need a privilege (CAP_NET_BIND_SERVICE; in a unit of systemd: AmbientCapabilities). Give it, or choose another with %s.", address, option)
	case errors.Is(err, system.ErrAddressForeign):
		return nil, fmt.Errorf("The address %s does not belong to this machine. Choose another with %s.", address,
			option)
	case err != nil:
		return nil, fmt.Errorf("The address %s cannot be listened on: %w.", address, err)
	}
	return l, nil
}
