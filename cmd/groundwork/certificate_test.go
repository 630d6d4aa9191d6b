package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/acmetest"
	"groundwork/internal/await"
)

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

const (
	domain = "site.example.org"
	token  = "watching the building"
)

// visitor asks a site by its name, wherever it listens.
type visitor struct {
	*http.Client
	address string
	pool    *x509.CertPool
}

func newVisitor(a *acmetest.Authority, address string) *visitor {
	v := &visitor{address: address, pool: a.Pool()}
	v.Client = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: v.pool}, ForceAttemptHTTP2: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", v.address)
			},
		},
	}
	return v
}

// shown waits until the site has a certificate that is not the one of before, and gives it.
func (v *visitor) shown(t *testing.T, before *x509.Certificate) (leaf *x509.Certificate) {
	t.Helper()
	await.Until(t, time.Minute, func() string {
		c, err := tls.Dial("tcp", v.address, &tls.Config{RootCAs: v.pool, ServerName: domain})
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		leaf = c.ConnectionState().PeerCertificates[0]
		if before != nil && leaf.SerialNumber.Cmp(before.SerialNumber) == 0 {
			return "the certificate of before is served"
		}
		return ""
	})
	return leaf
}

func (v *visitor) get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := v.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// TestCertificates goes through the life of a certificate with the real program and a real authority: obtained when the
// server starts, told by doctor, metrics and a list, renewed and revoked by commands, which on a database server run
// beside the server and have it answer for them, and kept by a restart while the authority is away.
func TestCertificates(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		a, secure, plain := acmetest.Start(t), freeAddress(t), freeAddress(t)
		a.Leads(plain, secure)
		if err := os.MkdirAll(p.folder(), 0o700); err != nil {
			t.Fatal(err)
		}
		writeSettings(t, filepath.Join(p.folder(), "groundwork.toml"), fmt.Sprintf(`
			tls_domain = ["%s"]
			tls_agree = true
			tls_ca = "%s"
			tls_ca_root = "%s"
			tls_http_listen = "%s"
			public_url = "https://%s"
			metrics_token = "%s"
			listen = "%s"
			`, domain, a.Directory, a.Roots, plain, domain, token, secure), 0o600)
		s := serve(t, p, "--listen", secure)
		if s.base != "https://"+domain {
			t.Fatalf("the base URL is %s", s.base)
		}
		v := newVisitor(a, secure)
		first := v.shown(t, nil)
		response, _ := v.get(t, s.base+"/healthz")
		if response.StatusCode != 200 || response.ProtoMajor != 2 ||
			response.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("got %s %s %v", response.Proto, response.Status, response.Header)
		}
		if _, text := v.get(t, s.base+"/metrics"); !strings.Contains(text,
			fmt.Sprintf("groundwork_certificate_expires_seconds %g\n", float64(first.NotAfter.Unix()))) {
			t.Errorf("the metrics are\n%s", text)
		}
		if r := command(t, p, "", "doctor"); r.exit != 0 ||
			!strings.Contains(r.out, "ok  certificate of "+domain+" (Pebble Intermediate CA ") ||
			!strings.Contains(r.out, ", 89 days left)\n") {
			t.Errorf("doctor: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		if list := works(t, p, "", "certificate", "list"); !strings.Contains(list, domain+"  Pebble Intermediate CA ") {
			t.Errorf("the list is\n%s", list)
		}
		redirected, _ := newVisitor(a, plain).get(t, "http://"+domain+"/app/?x=y")
		if redirected.StatusCode != 308 || redirected.Header.Get("Location") != "https://"+domain+"/app/?x=y" {
			t.Errorf("plain HTTP: %s %v", redirected.Status, redirected.Header)
		}

		works(t, p, "", "certificate", "renew")
		second := v.shown(t, first)
		if a.Revoked(first) {
			t.Error("renewing revokes")
		}
		works(t, p, "", "certificate", "revoke", "--domain", domain, "--reason", "key-compromise")
		third := v.shown(t, second)
		if !a.Revoked(second) || a.Revoked(third) {
			t.Errorf("revoked: the one of before %v, the new one %v", a.Revoked(second), a.Revoked(third))
		}
		fails(t, p, "not among the domains", "", "certificate", "renew", "--domain", "other.example.org")

		orders := a.Orders()
		if exit := s.stop(t); exit != 0 {
			t.Fatalf("exit %d\n%s", exit, s.errs)
		}
		a.Away()
		again := serve(t, p, "--listen", secure)
		if kept := v.shown(t, nil); kept.SerialNumber.Cmp(third.SerialNumber) != 0 {
			t.Error("after a restart another certificate is served")
		}
		if r := command(t, p, "", "certificate", "renew"); r.exit != exitFailure ||
			!strings.Contains(r.err, "The certificate of "+domain+" could not be obtained: ") {
			t.Errorf("without an authority: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		if r := command(t, p, "", "doctor"); r.exit != exitFailure ||
			!strings.Contains(r.out, ": it ends in 89 days, and could not be renewed since ") {
			t.Errorf("doctor: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		if response, _ := v.get(t, again.base+"/readyz"); response.StatusCode != 200 {
			t.Errorf("readyz: %s", response.Status)
		}
		a.Back()
		if n := a.Orders(); n != orders {
			t.Errorf("the restart asked for %d certificates", n-orders)
		}
	})
}
