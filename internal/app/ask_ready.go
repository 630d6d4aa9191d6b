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
// hand on requests of anybody. The pass is asked for at each look: servers that share a folder may begin at once.
func looks(r *http.Request, peer netip.Addr, pass func() string) bool {
	brought := r.Header.Get(passHeader)
	if brought == "" || r.Method != http.MethodGet || r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
		return false
	}
	if !peer.IsLoopback() {
		own, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !known {
			return false
		}
		here, err := netip.ParseAddrPort(own.String())
		if err != nil || here.Addr().Unmap().WithZone("") != peer {
			return false
		}
	}
	kept := pass()
	return kept != "" && subtle.ConstantTimeCompare([]byte(brought), []byte(kept)) == 1
}

const (
	// passHeader brings the pass of a look at the service's health.
	passHeader = "Groundwork-Ready"
	// passName is the file in the data folder that has the pass. All servers that share the folder share it.
	passName = "ready.pass"
	// A pass that is shorter was cut off, or is full of zeros, by a machine that lost its power, and is none.
	leastPass, mostPass = 26, 100
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
	pass := strings.Trim(string(text), " \r\n\x00")
	if len(pass) < leastPass {
		return "", err
	}
	return pass, err
}

// makePass sees that a data folder has a pass. It has a name only once all of it is on the disk, and takes the place of
// one that was cut off. Hard links, which would tell who was first, are not asked for: shared folders may have none.
func makePass(folder string) error {
	if pass, err := readPass(folder); pass != "" || err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, passName+".*") // which nobody else may read
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	moved := os.Rename(f.Name(), filepath.Join(folder, passName))
	if pass, err := readPass(folder); pass != "" {
		return nil // this one, or that of another server
	} else if err = errors.Join(moved, err); err != nil {
		return err
	}
	return errors.New("what was written cannot be read again")
}

// healthPass makes the pass that looks at the health of this server bring, where it does not answer everybody, and
// gives what tells it. A folder that cannot keep one costs such looks, and nothing else.
func (a *App) healthPass() func() string {
	if len(a.Config.Proxies) > 0 {
		if err := makePass(a.Config.Data); err != nil {
			a.Log.Warn("groundwork ready will not be answered, since its pass cannot be kept", "error", err)
		}
	}
	return func() string {
		pass, _ := readPass(a.Config.Data) // a look without a pass is refused
		return pass
	}
}
