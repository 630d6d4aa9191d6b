package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// pair is a certificate and its key, read from two files, and again when they change, so that a renewal needs no
// restart.
type pair struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	kept    *tls.Certificate
	written time.Time // of the newer file, when it was read
	looked  time.Time
}

// lookEvery is how often the files are looked at, at most.
const lookEvery = 10 * time.Second

// openPair reads the files for the first time.
func openPair(cert, key string, log *slog.Logger) (*pair, error) {
	c := &pair{cert: cert, key: key, log: log}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("The TLS files cannot be used: %w.", err)
	}
	return c, nil
}

func (c *pair) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current(time.Now()), nil
		},
	}
}

// current gives the certificate as the files have it; a pair that cannot be read, half renewed perhaps, leaves the one
// before.
func (c *pair) current(now time.Time) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.looked) < lookEvery {
		return c.kept
	}
	c.looked = now
	if written, err := c.newest(); err != nil || !written.Equal(c.written) {
		if err := c.read(); err != nil {
			c.log.Error("the renewed TLS files cannot be used; the old ones stay", "error", err)
		}
	}
	return c.kept
}

func (c *pair) read() error {
	written, err := c.newest()
	if err != nil {
		return err
	}
	read, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.kept, c.written = &read, written
	return nil
}

func (c *pair) newest() (time.Time, error) {
	var newest time.Time
	for _, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return newest, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest, nil
}

// leaf is the certificate as it is now.
func (c *pair) leaf() *x509.Certificate { return c.current(time.Now()).Leaf }

// nameOf is whom a certificate is for, in a word.
func nameOf(leaf *x509.Certificate) string {
	switch {
	case len(leaf.DNSNames) > 0:
		return leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String()
	default:
		return leaf.Subject.CommonName
	}
}

// checkPair looks at the files; its name says whose certificate they have, and for how long.
func (c Config) checkPair() Check {
	name := "TLS files"
	p, err := openPair(c.TLSCert, c.TLSKey, c.Log)
	if err == nil {
		leaf, now := p.leaf(), time.Now()
		name += fmt.Sprintf(" (%s, %s, %d days left)", nameOf(leaf), leaf.Issuer.CommonName,
			int(leaf.NotAfter.Sub(now).Hours()/24))
		if now.After(leaf.NotAfter) {
			err = fmt.Errorf("the certificate ended on %s; put a new one into %s and %s, which are read again by themselves",
				leaf.NotAfter.UTC().Format(time.DateOnly), c.TLSCert, c.TLSKey)
		}
	}
	return Check{name, func(context.Context) error { return err }}
}
