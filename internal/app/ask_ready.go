package app

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// readyWithin is how long a server may take to say that it can serve.
const readyWithin = 5 * time.Second

// mostReady is how much of its answer is read.
const mostReady = 4 << 10

// Ready asks the server that listens where the configuration says whether it can serve; an error says what is lacking.
// It is for looks from the same machine: who answers is not asked for a certificate of that name. Where the server
// answers only its proxies, whoever looks must be able to read the data folder.
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
	pass, err := readPass(c.Data)
	if err != nil {
		return fmt.Errorf("The data folder cannot be read: %w.", err)
	}
	if pass != "" {
		request.Header.Set(passHeader, pass)
	}
	// The address is this machine's own, and the certificate is made for the name that clients use.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if told := (*net.OpError)(nil); c.Certificates.Wanted() && errors.As(err, &told) && told.Op == "remote error" {
		return fmt.Errorf("The server at %s has no certificate yet, so that nobody can reach it. The log and groundwork certificate list say why.", c.Listen)
	}
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

// looks tells whether a request is a look at the service's health by a program of the machine that it runs on which may
// read the data folder. The address alone says nothing: a proxy that nobody named may stand on the same machine, and
// hand on requests of anybody.
func looks(r *http.Request, peer netip.Addr, pass string) bool {
	if pass == "" || r.Method != http.MethodGet || r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
		return false
	}
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(passHeader)), []byte(pass)) != 1 {
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

const (
	// passHeader brings the pass of a look at the service's health.
	passHeader = "Groundwork-Ready"
	// passName is the file in the data folder that has the pass. All servers that share the folder share it.
	passName = "ready.pass"
	mostPass = 100
)

// readPass gives the pass of a data folder: "" where it has none.
func readPass(folder string) (string, error) {
	f, err := os.Open(filepath.Join(folder, passName))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostPass))
	return strings.TrimSpace(string(text)), err
}

// makePass gives the pass of a data folder, and makes one where there is none. It has a name only once it is whole.
func makePass(folder string) (string, error) {
	if pass, err := readPass(folder); pass != "" || err != nil {
		return pass, err
	}
	f, err := os.CreateTemp(folder, passName+".*") // which nobody else may read
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err := os.Link(f.Name(), filepath.Join(folder, passName)); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return readPass(folder)
}

// healthPass is the pass that looks at the health of this server bring: none where it answers everybody. A folder that
// cannot keep one costs such looks, and nothing else.
func (a *App) healthPass() string {
	if len(a.Config.Proxies) == 0 {
		return ""
	}
	pass, err := makePass(a.Config.Data)
	if err != nil {
		a.Log.Warn("groundwork ready will not be answered, since its pass cannot be kept", "error", err)
	}
	return pass
}
