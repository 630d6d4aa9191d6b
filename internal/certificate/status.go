package certificate

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/go-json-experiment/json"
	"github.com/mholt/acmez/v3/acme"
)

// Status is what the folder says of the certificate of a domain.
type Status struct {
	Domain string
	// Issuer is who signed it; "" where there is none.
	Issuer string
	// Until is when it ends.
	Until time.Time
	// Broken is why what is stored cannot be read; nil where it can.
	Broken error
	// Failure is what stands against the next one; nil when nothing does.
	Failure *Failure
}

// nameless is an issuer that does not say who it is.
const nameless = "an authority without a name"

// Failure is that a certificate could not be obtained or renewed.
type Failure struct {
	Since time.Time `json:"since"`
	At    time.Time `json:"at"` // the last attempt
	Why   string    `json:"why"`
}

// Look reads what the folder says of each domain. It changes nothing, and works beside a server.
func (s Settings) Look() (all []Status) {
	for _, domain := range s.Domains {
		one := Status{Domain: domain}
		leaf, err := s.stored(domain)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			one.Broken = fmt.Errorf("the certificate of %s cannot be read: %w", domain, err)
		}
		if leaf != nil {
			one.Issuer, one.Until = cmp.Or(leaf.Issuer.CommonName, leaf.Issuer.String(), nameless), leaf.NotAfter
		}
		if one.Failure, err = s.failure(domain); err != nil && one.Broken == nil {
			one.Broken = err
		}
		all = append(all, one)
	}
	return all
}

// Days is how many whole days a certificate is good for.
func (s Status) Days(now time.Time) int { return int(s.Until.Sub(now).Hours() / 24) }

// Good tells whether it can be served.
func (s Status) Good(now time.Time) bool { return s.Issuer != "" && now.Before(s.Until) }

// Err says what is wrong with a certificate, and what to do; nil when nothing is.
func (s Status) Err(now time.Time) error {
	var state string
	switch {
	case s.Broken != nil:
		return s.Broken
	case s.Issuer == "" && s.Failure == nil:
		return errors.New("there is none yet; groundwork serve obtains it")
	case s.Issuer == "":
		state = "there is none, and it could not be obtained"
	case !now.Before(s.Until):
		state = "it ended on " + s.Until.UTC().Format(time.DateOnly) + ", and could not be renewed"
	case s.Failure != nil:
		state = fmt.Sprintf("it ends in %d days, and could not be renewed", s.Days(now))
	default:
		return nil
	}
	if s.Failure == nil {
		return errors.New(state + "; groundwork serve renews it")
	}
	return fmt.Errorf("%s since %s, last at %s: %s. Ports 80 and 443 of %s must lead to this server, and the authority must be reachable from here; then run groundwork certificate renew", state, s.Failure.Since.UTC().Format(time.RFC3339), s.Failure.At.UTC().Format(time.RFC3339), s.Failure.Why, s.Domain)
}

// issuerKey is what certificates of the authority are stored under.
func (s Settings) issuerKey() string { return (&certmagic.ACMEIssuer{CA: s.Directory}).IssuerKey() }

// path is where the certificate of a domain is stored.
func (s Settings) path(domain string) string {
	return filepath.Join(s.Folder, filepath.FromSlash(certmagic.StorageKeys.SiteCert(s.issuerKey(), domain)))
}

// stored gives the certificate of a domain that the folder has.
func (s Settings) stored(domain string) (*x509.Certificate, error) {
	text, err := os.ReadFile(s.path(domain))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

func (s Settings) failurePath(domain string) string {
	return filepath.Join(s.Folder, "failures", domain+".json")
}

func (s Settings) failure(domain string) (*Failure, error) {
	text, err := os.ReadFile(s.failurePath(domain))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var f Failure
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		return nil, fmt.Errorf("what failed last for %s cannot be read: %w", domain, err)
	}
	return &f, nil
}

// keepFailure writes down that an attempt failed, for whoever asks in another process.
func (s Settings) keepFailure(domain string, at time.Time, why string) error {
	f := Failure{Since: at, At: at, Why: why}
	if before, err := s.failure(domain); err == nil && before != nil {
		f.Since = before.Since
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	path := s.failurePath(domain)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Whoever reads it meanwhile finds all of it.
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (s Settings) forgetFailure(domain string) error {
	if err := os.Remove(s.failurePath(domain)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mostWhy is how much of a reason is kept.
const mostWhy = 500

// why is the reason of a failure in one line: what the authority says, where it says something.
func why(err error) string {
	text := err.Error()
	var told acme.Problem
	if errors.As(err, &told) && told.Detail != "" {
		text = "the authority says: " + told.Detail
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?")
	if len(text) > mostWhy {
		text = strings.ToValidUTF8(text[:mostWhy], "") + "…"
	}
	return strings.TrimSuffix(text, ".")
}
