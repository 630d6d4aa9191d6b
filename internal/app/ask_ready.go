package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// readyWithin is how long a server may take to say that it can serve.
const readyWithin = 5 * time.Second

// mostReady is how much of its answer is read.
const mostReady = 4 << 10

// Ready asks the server that listens where the configuration says whether it can serve; an error says what is lacking.
// It is for looks from the same machine: who answers is not asked for a certificate of that name.
func Ready(ctx context.Context, c Config) error {
	c, err := c.settled()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("The address to listen on, %q, is not of the form HOST:PORT.", c.Listen)
	}
	if isEverywhere(host) {
		host = "127.0.0.1"
	}
	scheme := "http"
	if c.secure() {
		scheme = "https"
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/readyz",
		nil)
	if err != nil {
		return err
	}
	// The address is this machine's own, and the certificate is made for the name that clients use.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("No server answers at %s: %w.", c.Listen, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, mostReady))
	return fmt.Errorf("The server at %s is not ready: %s: %s", c.Listen, response.Status,
		strings.TrimSpace(string(text)))
}

// looks tells whether a request is a look at the service's health from the machine that it runs on, which proxies need
// not pass on: it shows nothing of anybody.
func looks(r *http.Request, peer netip.Addr) bool {
	if r.Method != http.MethodGet || r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
		return false
	}
	if peer.IsLoopback() {
		return true
	}
	own, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !known {
		return false
	}
	here, err := netip.ParseAddrPort(own.String())
	return err == nil && here.Addr().Unmap().WithZone("") == peer
}
