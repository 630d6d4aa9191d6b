package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/pgtest"
)

func TestServeRefuses(t *testing.T) {
	for _, test := range []struct {
		text string
		args []string
	}{
		{"plain HTTP", []string{"--listen", "0.0.0.0:8080"}},
		{"plain HTTP", []string{"--listen", ":8080"}},
		{"plain HTTP", []string{"--listen", "[::]:8080"}},
		{"plain HTTP", []string{"--listen", "192.0.2.1:8080"}},
		{"plain HTTP", []string{"--listen", "build.example.com:8080"}},
		{"plain HTTP", []string{"--listen", "0.0.0.0:8080", "--public-url", "https://build.example.com"}},
		{"HOST:PORT", []string{"--listen", "8080"}},
		{"HOST:PORT", []string{"--listen", "127.0.0.1"}},
		{"port", []string{"--listen", "127.0.0.1:http"}},
		{"port", []string{"--listen", "127.0.0.1:65536"}},
		{"belong together", []string{"--tls-cert", "cert.pem"}},
		{"belong together", []string{"--tls-key", "key.pem"}},
		{"--public-url", []string{"--listen", ":8080", "--trusted-proxy", "10.0.0.0/8"}},
		{"neither an address nor a network", []string{"--trusted-proxy", "proxy"}},
		{"https://HOST", []string{"--public-url", "build.example.com"}},
		{"https://HOST", []string{"--public-url", "ftp://build.example.com"}},
		{"https://HOST", []string{"--public-url", "https://"}},
		{"has a path", []string{"--public-url", "https://example.com/build"}},
		{"Write https://build.example.com:8080, and", []string{"--public-url", "http://build.example.com:8080"}},
		{"Keys must not travel", []string{"--public-url", "http://192.0.2.7", "--trusted-proxy", "127.0.0.1"}},
		{"not to ftp://", []string{"--backup-to", "ftp://canary@x/y"}},
		{"--backup-keep does nothing without --backup-to", []string{"--backup-keep", "7d"}},
		{"--backup-every does nothing without --backup-to", []string{"--backup-every", "1h"}},
		{"--max-file is 500B", []string{"--max-file", "500"}},
		{"no user, query or fragment", []string{"--public-url", "https://example.com?x=1"}},
		{"no user, query or fragment", []string{"--public-url", "https://me@example.com"}},
		{"sqlite:FILE or postgres://", []string{"--database-url", "mysql://canary:canary@host/db"}},
		{"names no file", []string{"--database-url", "sqlite:"}},
		{"blob URL", []string{"--blob-url", "ftp://files"}},
		{"TYPE/SECONDS=N", []string{"--default-limit", "40"}},
		{"--tls-agree is missing", []string{"--tls-domain", "project.example.org"}},
		{"--tls-domain: 192.0.2.7 is an address", []string{"--tls-domain", "192.0.2.7", "--tls-agree"}},
		{"does nothing without --tls-domain", []string{"--tls-agree"}},
		{"leave one or the other out", []string{
			"--tls-domain", "project.example.org", "--tls-agree", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
		}},
		{"or listen on :443", []string{"--tls-domain", "project.example.org", "--tls-agree", "--listen", "127.0.0.1:8080"}},
		{"is not port 443", []string{"--tls-domain", "project.example.org", "--tls-agree", "--listen", ":8443"}},
		{"no certificate is obtained", []string{
			"--tls-domain", "project.example.org", "--tls-agree", "--public-url", "https://build.example.org",
		}},
		{"must begin with https://", []string{
			"--tls-domain", "project.example.org", "--tls-agree", "--public-url", "http://project.example.org",
		}},
	} {
		p := newPlace(t)
		fails(t, p, test.text, "", append([]string{"serve"}, test.args...)...)
		if r := command(t, p, "", append([]string{"serve"}, test.args...)...); strings.Contains(r.err, "canary") {
			t.Errorf("a password shows: %s", r.err)
		}
		if _, err := os.Stat(p.folder()); err == nil {
			t.Errorf("%q made a data folder", test.args)
		}
	}
}

func TestServeRefusesAnAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fails(t, newPlace(t), "is in use by another program", "", "serve", "--listen", l.Addr().String())
}

func TestServeRefusesAFolderThatIsServed(t *testing.T) {
	p := newPlace(t)
	first := serve(t, p)
	fails(t, p, "already runs in the data folder", "", "serve", "--listen", "127.0.0.1:0")
	if status, _ := first.get(t, "", "/healthz"); status != 200 {
		t.Errorf("the first server answers %d", status)
	}
	if exit := first.stop(t); exit != 0 {
		t.Errorf("exit %d\n%s", exit, first.errs)
	}
	if _, err := os.Stat(filepath.Join(p.folder(), "groundwork.sock")); err == nil {
		t.Error("the socket is left behind")
	}
	serve(t, p)
}

func TestServersShareADatabaseServer(t *testing.T) {
	p := append(newPlace(t), "--database-url", pgtest.Database(t))
	one, two := serve(t, p), serve(t, p)
	createAccount(t, p, "anna@example.com")
	key := createKey(t, p, "anna@example.com")
	for _, s := range []*server{one, two} {
		if status, body := s.get(t, key, "/rate_limits"); status != 200 {
			t.Errorf("got %d %s", status, body)
		}
	}
}

func TestKilledServerLeavesAUsableFolder(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com")
		if err := s.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = s.Wait()
		works(t, p, "", "key", "list")
		if status, body := serve(t, p).get(t, key, "/rate_limits"); status != 200 {
			t.Errorf("got %d %s", status, body)
		}
	})
}

func TestFolderWithALongPath(t *testing.T) {
	p := place{"--data", filepath.Join(t.TempDir(), strings.Repeat("long-name-", 12), strings.Repeat("deep-name-", 12))}
	serve(t, p)
	createAccount(t, p, "anna@example.com")
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	p := newPlace(t)
	serve(t, p, "--demo=false")
	createAccount(t, p, "anna@example.com")
	err := filepath.Walk(p.folder(), func(name string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(p.folder(), "groundwork.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info, err)
	}
}

// TestStopFinishesRequestsUnderWay holds a request half sent while the service is told to stop.
func TestStopFinishesRequestsUnderWay(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com")
		const body = `[{"method": "GET", "path": "/rate_limits"}]`
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /batch HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
			base64.StdEncoding.EncodeToString([]byte(key+":")), len(body))
		// The service asks for the body: the request is under way.
		answer := bufio.NewReader(conn)
		if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("got %q, %v", line, err)
		}
		if _, err := answer.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		exited := make(chan int)
		go func() { exited <- s.stop(t) }()
		// The service has begun to stop once it takes no more connections.
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
			other, err := net.Dial("tcp", s.address)
			if err != nil {
				break
			}
			_ = other.Close()
		}
		if _, err := io.WriteString(conn, body); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(answer, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != 200 ||
			!strings.Contains(string(text), `"status_code":200`) {
			t.Errorf("the request under way got %d %s, %v", response.StatusCode, text, err)
		}
		if exit := <-exited; exit != 0 {
			t.Errorf("exit %d\n%s", exit, s.errs)
		}
	})
}

func TestTrustedProxy(t *testing.T) {
	for network, want := range map[string]int{"192.0.2.0/24": 403, "127.0.0.0/8": 200, "127.0.0.1": 200} {
		s := serve(t, newPlace(t), "--trusted-proxy", network, "--public-url", "https://build.example.com/")
		if s.base != "https://build.example.com" {
			t.Errorf("the public URL is %s", s.base)
		}
		response, err := http.Get("http://" + s.address + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != want || response.Header.Get("Content-Type") != "application/json" ||
			response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got %d %v %s, %v; want %d", network, response.StatusCode, response.Header, text, err, want)
		}
	}
}

func TestTLS(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	trusted := writeCertificate(t, cert, key)
	s := serve(t, newPlace(t), "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.base, "https://127.0.0.1:") {
		t.Fatalf("the base URL is %s", s.base)
	}
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true},
	}
	response, err := client.Get(s.base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 || response.ProtoMajor != 2 {
		t.Errorf("got %s %s", response.Proto, response.Status)
	}
	if exit := s.stop(t); exit != 0 {
		t.Errorf("exit %d\n%s", exit, s.errs)
	}
	fails(t, newPlace(t), "TLS files", "", "serve", "--tls-cert", cert, "--tls-key", cert)
}

// writeCertificate makes a self-signed certificate for this machine, and gives what trusts it.
func writeCertificate(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{
		certFile: cert,
		keyFile:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(cert)
	return trusted
}
