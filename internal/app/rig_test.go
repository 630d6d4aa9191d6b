package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/pgtest"
	"groundwork/internal/redact"
)

func secretURL(t *testing.T) redact.Secret { return redact.Secret(pgtest.Database(t)) }

func secretPath(folder string) redact.Secret { return redact.Secret(filepath.Join(folder, "x.db")) }

// sharing has an installation use the compiled PDF library of all installations under test, where there is one.
func sharing(c Config) Config {
	c.DrawingCache = os.Getenv("GROUNDWORK_DRAWING_CACHE")
	return c
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// writePair makes a self-signed certificate for a host.
func writePair(t *testing.T, certFile, keyFile, host string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{host},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: der},
		keyFile:  {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func leaf(t *testing.T, c *tls.Certificate) *x509.Certificate {
	t.Helper()
	parsed, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// errCut is what a request gets that is cut short.
var errCut = fault.New(fault.Unavailable, "This start was cut short.")
