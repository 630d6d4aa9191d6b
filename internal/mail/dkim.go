package mail

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// key is what mail is signed with (DKIM, RFC 6376): whoever receives it can tell that it is the domain's.
type key struct {
	selector string
	private  crypto.Signer
}

// leastBits is what receivers ask of an RSA key (RFC 8301); below it they take no notice of a signature.
const leastBits = 1024

// mostKey is how many bytes a file with a key may have.
const mostKey = 64 << 10

var selectorForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$`)

// openKey reads the key; nil where there is none. Errors say what to do, and nothing of what the file has.
func openKey(file, selector string) (*key, error) {
	if selector != "" && (len(selector) > 63 || !selectorForm.MatchString(selector)) {
		return nil, fmt.Errorf(
			"The DKIM selector %q is none: it is the label before ._domainkey, such as mail or 2026-03. Check --mail-dkim-selector.", selector)
	}
	if file == "" {
		return nil, nil
	}
	if selector == "" {
		return nil, errors.New(
			"Signing mail needs the name of the key: say with --mail-dkim-selector under which label the domain publishes it.")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("The DKIM key cannot be read: %w. Check --mail-dkim-key.", err)
	}
	if len(text) > mostKey {
		return nil, fmt.Errorf("The file %s is too large to be a DKIM key. Check --mail-dkim-key.", file)
	}
	private, err := gomail.PrivKeyFromPEM(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf(
			"The file %s has no DKIM key: it must be an RSA or Ed25519 private key in PEM, without a passphrase. Name another file, or make a new one with: openssl genrsa -out dkim.pem 2048", file)
	}
	if pair, is := private.(*rsa.PrivateKey); is && pair.N.BitLen() < leastBits {
		return nil, fmt.Errorf(
			"The DKIM key in %s has %d bits, and receivers take no notice of less than %d. Make one of 2048.", file, pair.N.BitLen(), leastBits)
	}
	return &key{selector: selector, private: private}, nil
}

// signed are the headers that a signature covers. A name that stands twice has a second one of them, added on the way,
// break the signature.
var signed = []string{
	"From", "From", "To", "To", "Subject", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"Auto-Submitted", "List-Unsubscribe",
}

// sign gives a message with its signature on top. Relaxed means that spaces and the case of names may change on the
// way, as they do.
func (k *key) sign(message []byte, domain string) ([]byte, error) {
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = ascii
	}
	var out bytes.Buffer
	err := dkim.Sign(&out, bytes.NewReader(message), &dkim.SignOptions{
		Domain: domain, Selector: k.selector, Signer: k.private, Hash: crypto.SHA256, HeaderKeys: signed,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	return out.Bytes(), err
}

// Signs gives the selector of the key that mail is signed with, and its public part as DNS has it: of RSA in PKIX, of
// Ed25519 as it is. selector is "" where mail is not signed here.
func (s *Sender) Signs() (selector string, public []byte, err error) {
	if s.key == nil {
		return "", nil, nil
	}
	if pair, is := s.key.private.Public().(ed25519.PublicKey); is {
		return s.key.selector, pair, nil
	}
	public, err = x509.MarshalPKIXPublicKey(s.key.private.Public())
	return s.key.selector, public, err
}
