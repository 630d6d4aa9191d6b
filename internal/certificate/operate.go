package certificate

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3/acme"
)

// Reasons are why a certificate is revoked, as authorities take them.
var Reasons = map[string]int{
	"unspecified": acme.ReasonUnspecified, "key-compromise": acme.ReasonKeyCompromise,
	"superseded": acme.ReasonSuperseded, "cessation": acme.ReasonCessationOfOperation,
}

// Domains are those of the settings.
func (k *Keeper) Domains() []string { return k.settings.Domains }

// Look reads what the folder says of each domain.
func (k *Keeper) Look() []Status { return k.settings.Look() }

// Renew obtains another certificate of a domain now, with a new key, and serves it. The one before stays good.
func (k *Keeper) Renew(ctx context.Context, domain string) error {
	if domain = canonical(domain); !k.known[domain] {
		return fmt.Errorf("%s is not among the domains of --tls-domain.", domain)
	}
	err := k.attempt(ctx, domain, func() error { return k.config.RenewCertSync(ctx, domain, true) })
	if err != nil {
		return fmt.Errorf("The certificate of %s could not be obtained: %s.", domain, why(err))
	}
	return nil
}

// Revoke has the authority revoke the certificate of a domain that is stored. Another one is obtained first and served;
// if that fails nothing is revoked. Of a domain that is no longer among the settings' there is none afterwards.
func (k *Keeper) Revoke(ctx context.Context, domain string, reason int) (*x509.Certificate, error) {
	domain = canonical(domain)
	text, err := os.ReadFile(k.settings.path(domain))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("There is no certificate of %s that this authority gave.", domain)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("The stored certificate of %s is not PEM.", domain)
	}
	old, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	if k.known[domain] {
		if err := k.Renew(ctx, domain); err != nil {
			return nil, fmt.Errorf("%w Nothing was revoked.", err)
		}
	}
	// This has the library know by which account it asks.
	if err := k.issuer.PreCheck(ctx, nil, false); err != nil {
		return nil, err
	}
	if err := k.issuer.Revoke(ctx, certmagic.CertificateResource{CertificatePEM: text}, reason); err != nil {
		return nil, fmt.Errorf("The certificate of %s could not be revoked: %s.", domain, why(err))
	}
	k.log.Info("a certificate was revoked", "domain", domain, "serial", old.SerialNumber.Text(16), "reason", reason)
	if !k.known[domain] {
		return old, k.config.Storage.Delete(ctx, certmagic.StorageKeys.CertsSitePrefix(k.settings.issuerKey(), domain))
	}
	return old, nil
}
