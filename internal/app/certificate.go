package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is read from two files, and again when they change, so that a renewal needs no restart.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	kept    *tls.Certificate
	written time.Time // of the newer file, when it was read
	looked  time.Time
}

// lookEvery is how often the files are looked at, at most.
const lookEvery = 10 * time.Second

// openCertificate reads the files for the first time.
func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("The TLS files cannot be used: %w.", err)
	}
	return c, nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current(time.Now()), nil
		},
	}
}

// expires is when the certificate ends.
func (c *certificate) expires() time.Time {
	if leaf := c.current(time.Now()).Leaf; leaf != nil {
		return leaf.NotAfter
	}
	return time.Time{}
}

// certificateEnds is when the certificate of the server ends; zero where it has none.
func (a *App) certificateEnds() time.Time {
	if expires := a.expires.Load(); expires != nil {
		return (*expires)()
	}
	return time.Time{}
}

// current gives the certificate as the files have it; a pair that cannot be read, half renewed perhaps, leaves the one
// before.
func (c *certificate) current(now time.Time) *tls.Certificate {
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

func (c *certificate) read() error {
	written, err := c.newest()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.kept, c.written = &pair, written
	return nil
}

func (c *certificate) newest() (time.Time, error) {
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
