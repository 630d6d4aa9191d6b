package mail_test

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"groundwork/internal/mail"
)

// keep writes a private key to a file.
func keep(t *testing.T, private any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dkim.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSignatures has letters signed, and another program's verifier look at them.
func TestSignatures(t *testing.T) {
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	edwards, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := openOffice(t, false, false)
	for name, test := range map[string]struct {
		private crypto.Signer
		record  func(public []byte) string
	}{
		"RSA":     {pair, func(p []byte) string { return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(p) }},
		"Ed25519": {private, func([]byte) string { return "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(edwards) }},
	} {
		before := len(o.letters())
		s := newSender(t, mail.Config{URL: "smtp://" + o.address, DKIMKey: keep(t, test.private), DKIMSelector: "s1"})
		selector, public, err := s.Signs()
		if err != nil || selector != "s1" {
			t.Fatalf("%s: %q, %v", name, selector, err)
		}
		var all sync.WaitGroup
		for range 4 { // at once: the detector of races looks on
			all.Go(func() {
				m := message()
				m.ID, m.Unsubscribe = strings.Repeat("0198-ab.", 20)+"x", "https://build.example.com/account"
				if err := s.Send(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, l := range o.letters()[before:] {
			verify := func(data, record string) error {
				found, err := dkim.VerifyWithOptions(strings.NewReader(data), &dkim.VerifyOptions{
					LookupTXT: func(at string) ([]string, error) {
						if at != "s1._domainkey.build.example.com" {
							t.Errorf("the key is looked up at %s", at)
						}
						return []string{record}, nil
					},
				})
				if err != nil {
					return err
				}
				if len(found) != 1 || found[0].Domain != "build.example.com" {
					return errors.New("there is no signature")
				}
				return found[0].Err
			}
			record := test.record(public)
			if err := verify(l.data, record); err != nil {
				t.Errorf("%s: %v\n%s", name, err, l.data)
			}
			for what, changed := range map[string]string{
				"the text":         strings.Replace(l.data, "Bcc: nobody", "Bcc: somebody", 1),
				"the subject":      strings.Replace(l.data, "Einladung", "Ausladung", 1),
				"another sender":   "From: Eve <eve@build.example.com>\r\n" + l.data,
				"where it is left": strings.Replace(l.data, "example.com/account>", "example.net/account>", 1),
			} {
				if changed == l.data || verify(changed, record) == nil {
					t.Errorf("%s: %s was changed, and the signature is good", name, what)
				}
			}
			if verify(l.data, "v=DKIM1; k=ed25519; p="+base64.StdEncoding.EncodeToString(other)) == nil {
				t.Errorf("%s: the signature is good with another key", name)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	_, good, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, selector, bad string }{
		{"", "", ""},
		{"", "s1", ""},
		{keep(t, good), "s1", ""},
		{keep(t, good), "2026-03.mail", ""},
		{keep(t, good), "", "--mail-dkim-selector"},
		{keep(t, good), "-s1", "is none"},
		{keep(t, good), "s1._domainkey", "is none"},
		{"", "s1 s2", "is none"},
		{"", strings.Repeat("x", 64), "is none"},
		{filepath.Join(folder, "nowhere"), "s1", "--mail-dkim-key"},
		{folder, "s1", "--mail-dkim-key"},
		{write("canary", "-----BEGIN "+"PRIVATE KEY-----\ncanary=\n-----END PRIVATE KEY-----\n"), "s1", "has no DKIM key"},
		{write("empty", ""), "s1", "has no DKIM key"},
		{write("large", strings.Repeat("canary", 20_000)), "s1", "too large"},
	} {
		_, err := mail.New(mail.Config{DKIMKey: test.file, DKIMSelector: test.selector})
		if (err == nil) != (test.bad == "") || err != nil && !strings.Contains(err.Error(), test.bad) ||
			err != nil && strings.Contains(err.Error(), "canary=") {
			t.Errorf("%s, %q: %v", test.file, test.selector, err)
		}
	}
}
