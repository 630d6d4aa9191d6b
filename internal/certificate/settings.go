// Package certificate owns certificates that come by themselves: for which names they are asked of a certificate
// authority (ACME), how it is shown that the names lead here, where certificates and the account lie, when they are
// renewed, and what went wrong last. It refuses to ask for any other name, and to know what is served: whoever listens
// takes TLS and Handler. Its entry points are Settings, which can be checked alone, and Open.
package certificate

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
	"golang.org/x/net/idna"
)

// Settings is what a person says of certificates that come by themselves. Without Domains there are none.
type Settings struct {
	// Domains are the names; the first is shown to who names none.
	Domains []string
	// Agreed says that the terms of service of the authority are accepted.
	Agreed bool
	// Email is for the account at the authority. Default: none.
	Email string
	// Directory is the authority's address, as ACME has it. Default: that of Let's Encrypt.
	Directory string
	// Roots is a file of certificates with which the authority's address is trusted. Default: those of the system.
	Roots string
	// Challenge is how it is shown that a name leads here. Default: Any.
	Challenge string
	// HTTP is the address on which plain HTTP is answered, or Off. Default: DefaultHTTP.
	HTTP string
	// Folder holds certificates, their keys and the account; servers that share it share them. It must be absolute.
	Folder string

	// How often it is looked what is due, and for what others have stored; how long after a failure it is tried again;
	// which part of its life is left to a certificate that is due. All serve tests.
	every, look, again time.Duration
	window             float64
}

// What Challenge and HTTP can be.
const (
	Any    = "any"
	HTTP01 = "http-01"
	ALPN01 = "tls-alpn-01"

	DefaultHTTP = ":80"
	Off         = "off"
)

// Wanted tells whether certificates are to come by themselves.
func (s Settings) Wanted() bool { return len(s.Domains) > 0 }

// Has tells whether a name, in whatever form, is among the domains.
func (s Settings) Has(name string) bool {
	ascii, err := domain(name)
	return err == nil && slices.Contains(s.Domains, ascii)
}

// Settled gives the settings with their defaults filled in, and names in their one form. An error is a sentence that
// names the option and the remedy; several are joined.
func (s Settings) Settled(folder string) (Settings, error) {
	if !s.Wanted() {
		return s, s.unused()
	}
	public := s.authority()
	var domains []string
	for _, text := range s.Domains {
		name, err := domain(text)
		if err != nil {
			return s, err
		}
		if public != "" && local(name) {
			return s, fmt.Errorf(
				"--tls-domain: %s is a name of a local network, and %s gives certificates for public names only. Name an authority of your own with --tls-ca, or use --tls-cert and --tls-key.", name, public)
		}
		if !slices.Contains(domains, name) {
			domains = append(domains, name)
		}
	}
	s.Domains = domains
	s.Challenge, s.HTTP = cmp.Or(s.Challenge, Any), cmp.Or(s.HTTP, DefaultHTTP)
	s.Directory, s.Folder = cmp.Or(s.Directory, certmagic.LetsEncryptProductionCA), cmp.Or(s.Folder, folder)
	if err := s.checkAuthority(); err != nil {
		return s, err
	}
	if !s.Agreed {
		return s, fmt.Errorf(
			"--tls-agree is missing: a certificate authority gives certificates to those who accept its terms of service. Read those of %s, and say --tls-agree.", s.terms())
	}
	if s.Email != "" {
		if a, err := mail.ParseAddress(s.Email); err != nil || a.Address != s.Email {
			return s, fmt.Errorf("--tls-email: %q is not an e-mail address such as it@example.org. Mend it, or leave it out.",
				s.Email)
		}
	}
	return s, s.checkHTTP()
}

// unused says which settings do nothing as there are no domains.
func (s Settings) unused() error {
	for _, one := range []struct {
		name  string
		given bool
	}{
		{"--tls-agree", s.Agreed},
		{"--tls-email", s.Email != ""},
		{"--tls-ca", s.Directory != ""},
		{"--tls-ca-root", s.Roots != ""},
		{"--tls-challenge", s.Challenge != "" && s.Challenge != Any},
		{"--tls-http-listen", s.HTTP != ""},
		{"--tls-folder", s.Folder != ""},
	} {
		if one.given {
			return fmt.Errorf("%s does nothing without --tls-domain. Name the domain, or leave it out.", one.name)
		}
	}
	return nil
}

// label is a part of a name.
const label = `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`

var hostname = regexp.MustCompile(`^(` + label + `\.)*` + label + `$`)

// mostName is how many bytes a name has at most.
const mostName = 253

// domain gives a name in its one form, or says what is wrong with it.
func domain(text string) (string, error) {
	wrong := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("--tls-domain: "+format, args...)
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), ".")
	switch {
	case text == "":
		return wrong("there is an empty name. Write project.example.org, and several with commas.")
	case strings.ContainsAny(text, "/@?#"):
		return wrong("%q is more than a name. Write the name alone, such as project.example.org.", text)
	case isAddress(text):
		return wrong("%s is an address, and certificates are for names. Give the name that leads to this machine, or use --tls-cert and --tls-key.", text)
	case strings.Contains(text, "*"):
		return wrong("%s needs the DNS-01 challenge, which this program does not do. Write out each name, or use --tls-cert and --tls-key with a certificate from elsewhere.", text)
	case strings.Contains(text, ":"):
		return wrong("%s has a port. Leave the port out: it is that of --listen.", text)
	}
	ascii, err := idna.Lookup.ToASCII(text)
	last := ascii[strings.LastIndexByte(ascii, '.')+1:]
	_, noNumber := strconv.Atoi(last)
	if err != nil || len(ascii) > mostName || !hostname.MatchString(ascii) || noNumber == nil {
		return wrong("%q is not the name of a machine, such as project.example.org.", text)
	}
	return ascii, nil
}

func isAddress(text string) bool {
	host := text
	if h, _, err := net.SplitHostPort(text); err == nil {
		host = h
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// reserved are the last parts of names that no public authority knows.
var reserved = []string{
	"local", "localhost", "localdomain", "lan", "home", "corp", "intranet", "internal", "private", "test", "example",
	"invalid", "onion", "alt", "arpa",
}

// local tells whether a name is known in a local network only.
func local(name string) bool {
	at := strings.LastIndexByte(name, '.')
	return at < 0 || slices.Contains(reserved, name[at+1:])
}

// authorities are public ones, by the end of their addresses.
var authorities = map[string]string{
	"letsencrypt.org": "Let's Encrypt", "zerossl.com": "ZeroSSL", "pki.goog": "Google Trust Services",
	"buypass.com": "Buypass", "ssl.com": "SSL.com",
}

// authority names the public authority that is asked; "" where it is another.
func (s Settings) authority() string {
	if s.Directory == "" {
		return authorities["letsencrypt.org"]
	}
	u, err := url.Parse(s.Directory)
	if err != nil {
		return ""
	}
	for end, known := range authorities {
		if host := u.Hostname(); host == end || strings.HasSuffix(host, "."+end) {
			return known
		}
	}
	return ""
}

// terms is whose terms of service are to be read, and where.
func (s Settings) terms() string {
	switch known := s.authority(); known {
	case authorities["letsencrypt.org"]:
		return known + " (https://letsencrypt.org/repository/)"
	case "":
		return s.Directory
	default:
		return known
	}
}

func (s Settings) checkAuthority() error {
	u, err := url.Parse(s.Directory)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", u.User != nil:
		return fmt.Errorf("--tls-ca: %q is not the address of an ACME directory, such as %s.", s.Directory,
			certmagic.LetsEncryptStagingCA)
	case u.Scheme == "http" && !certmagic.SubjectIsInternal(u.Host):
		return fmt.Errorf("--tls-ca: %s begins with http://, and others could answer in its place. Write https://.",
			s.Directory)
	}
	_, err = s.pool()
	return err
}

// pool is what the authority's address is trusted with; nil for what the system has.
func (s Settings) pool() (*x509.CertPool, error) {
	if s.Roots == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.Roots)
	if err != nil {
		return nil, fmt.Errorf("--tls-ca-root: %s cannot be read by this user. Write the whole path of a PEM file.", s.Roots)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--tls-ca-root: %s has no certificate in PEM.", s.Roots)
	}
	return pool, nil
}

func (s Settings) checkHTTP() error {
	switch s.Challenge {
	case Any, HTTP01, ALPN01:
	default:
		return fmt.Errorf("--tls-challenge must be one of: %s, %s, %s.", Any, HTTP01, ALPN01)
	}
	if s.HTTP == Off {
		if s.Challenge == HTTP01 {
			return errors.New("--tls-http-listen is off, and --tls-challenge http-01 is answered there. Leave one of them out.")
		}
		return nil
	}
	_, port, err := net.SplitHostPort(s.HTTP)
	if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("--tls-http-listen: %q is not of the form HOST:PORT, such as %s, and not %s.", s.HTTP, DefaultHTTP,
			Off)
	}
	return nil
}

// plain tells whether plain HTTP is answered.
func (s Settings) plain() bool { return s.HTTP != Off }
