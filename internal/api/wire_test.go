package api

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/transport"
)

// start serves h on a port of its own until the test ends.
func start(t *testing.T, h http.Handler, c *tls.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := transport.NewServer(h, slog.New(slog.DiscardHandler))
	done := make(chan error)
	go func() { done <- server.Serve(transport.NewListener(l, c)) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// answer reads one response and its message.
func answer(t *testing.T, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.Message == "" && response.StatusCode >= 400 {
		t.Errorf("not an error in JSON: %q", body)
	}
	if response.Header.Get("Content-Type") != "application/json" || response.Header.Get("X-Request-Id") == "" ||
		response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", response.Header)
	}
	return response, said.Message
}

// wire are requests as bytes, with the status that answers them and whether the connection ends with the answer.
var wire = map[string]struct {
	request string
	status  int
	ends    bool
}{
	"good":                 {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, false},
	"a lying host":         {"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200, false},
	"absolute form":        {"GET http://evil.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, false},
	"HTTP 1.0":             {"GET /healthz HTTP/1.0\r\n\r\n", 200, true},
	"asterisk":             {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 404, false},
	"tunnel":               {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", 404, false},
	"odd method":           {"BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, false},
	"garbage":              {"\x16\x03\x01\x02\x00\r\n\r\n", 400, true},
	"no protocol":          {"GET /\r\n\r\n", 400, true},
	"no host":              {"GET / HTTP/1.1\r\n\r\n", 400, true},
	"two hosts":            {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, true},
	"odd host":             {"GET / HTTP/1.1\r\nHost: a/b c\r\n\r\n", 400, true},
	"bad escape":           {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, true},
	"control byte in path": {"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400, true},
	"bad header name":      {"GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n", 400, true},
	"bad header value":     {"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n", 400, true},
	"header without colon": {"GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n", 400, true},
	"two lengths": {
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400,
		true,
	},
	"length is no number":   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400, true},
	"odd transfer encoding": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501, true},
	"odd version":           {"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505, true},
	"odd expectation":       {"GET / HTTP/1.1\r\nHost: x\r\nExpect: cake\r\n\r\n", 417, true},
	"a megabyte of headers": {"GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 431, true},
	"many headers":          {"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 10_000) + "\r\n", 431, true},
	"headers within bounds": {
		"GET /healthz HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 15<<10) + "\r\n\r\n", 200,
		false,
	},
}

func TestEveryAnswerOnTheWireIsJSON(t *testing.T) {
	address := start(t, newEdge(t, testConfig(), testRoutes()), nil)
	for name, tt := range wire {
		t.Run(name, func(t *testing.T) {
			c := dial(t, address)
			// What refuses a large header may close before all of it is written.
			go func() { _, _ = io.WriteString(c, tt.request) }()
			r := bufio.NewReader(c)
			response, says := answer(t, r)
			if response.StatusCode != tt.status {
				t.Errorf("%d %s", response.StatusCode, says)
			}
			if !tt.ends {
				// The connection goes on, and what comes next is still watched.
				_, _ = io.WriteString(c, "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n")
				if response, _ := answer(t, r); response.StatusCode != 404 {
					t.Errorf("the next answer is %d", response.StatusCode)
				}
				_, _ = io.WriteString(c, "GARBAGE\r\n\r\n")
				if response, _ := answer(t, r); response.StatusCode != 400 {
					t.Errorf("garbage after good requests is answered with %d", response.StatusCode)
				}
			}
			if rest, err := io.ReadAll(r); len(rest) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after the answer comes %q, %v", rest, err)
			}
		})
	}
}

func TestBodiesOnTheWire(t *testing.T) {
	address := start(t, newEdge(t, testConfig(), testRoutes()), nil)
	head := "POST /projects HTTP/1.1\r\nHost: x\r\nAuthorization: " + basic(keyAdmin) +
		"\r\nContent-Type: application/json\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat(" ", 64<<10))
	for name, tt := range map[string]struct {
		request string
		status  int
		ends    bool
	}{
		"chunked": {head +
			"Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n", 201, false},
		"bad chunk": {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, true},
		"length and chunked": {head +
			"Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n", 400, true},
		"chunked and length": {head +
			"transfer-encoding: chunked\r\nX: y\r\nCONTENT-LENGTH: 4\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n", 400, true},
		"chunked in HTTP 1.0": {strings.Replace(head, "HTTP/1.1", "HTTP/1.0",
			1) + "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n0\r\n\r\n", 400, true},
		"length and chunked, empty": {head +
			"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, true},
		"too much, told": {head + "Content-Length: 1073741824\r\n\r\n{", 413, true},
		"too much, untold": {head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(chunk,
			40), 413, true},
		"refused before a body that is announced": {"POST /projects HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n", 401, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, address)
			go func() { _, _ = io.WriteString(c, tt.request) }()
			r := bufio.NewReader(c)
			response, says := answer(t, r)
			if response.StatusCode != tt.status {
				t.Errorf("%d %s", response.StatusCode, says)
			}
			if tt.ends {
				if _, err := r.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("the connection goes on")
				}
			}
		})
	}
}

// TestTwoLengthsOnTheWire: what comes behind a request with two lengths is never taken for a request.
func TestTwoLengthsOnTheWire(t *testing.T) {
	address := start(t, newEdge(t, testConfig(), testRoutes()), nil)
	c := dial(t, address)
	go func() {
		_, _ = io.WriteString(c,
			"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"+
				"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	}()
	r := bufio.NewReader(c)
	if response, _ := answer(t, r); response.StatusCode != 200 {
		t.Errorf("the request before is answered with %s", response.Status)
	}
	response, says := answer(t, r)
	if response.StatusCode != 400 || !response.Close || !strings.Contains(says, "two lengths") {
		t.Errorf("two lengths are answered with %s %s", response.Status, says)
	}
	if rest, _ := io.ReadAll(r); len(rest) > 0 {
		t.Errorf("the connection goes on: %q", rest)
	}
}

func TestSecureListener(t *testing.T) {
	certificate, pool := newCertificate(t)
	address := start(t, newEdge(t, testConfig(), testRoutes()), &tls.Config{
		Certificates: []tls.Certificate{certificate},
	})
	for _, two := range []bool{false, true} {
		over := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: two}
		client := &http.Client{Transport: over}
		for _, path := range []string{"/healthz", "/nowhere"} {
			response, err := client.Get("https://" + address + path)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{false: 1, true: 2}[two]; response.ProtoMajor != want ||
				response.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s: %v", path, response.Proto, response.Header)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		over.CloseIdleConnections()
	}
	c, err := tls.Dial("tcp", address, &tls.Config{RootCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, "GARBAGE\r\n\r\n")
	if response, _ := answer(t, bufio.NewReader(c)); response.StatusCode != 400 {
		t.Errorf("garbage under TLS: %d", response.StatusCode)
	}
	plain := dial(t, address)
	_, _ = io.WriteString(plain, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if response, says := answer(t, bufio.NewReader(plain)); response.StatusCode != 400 ||
		!strings.Contains(says, "https://") {
		t.Errorf("plain HTTP: %d %s", response.StatusCode, says)
	}
}

func newCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
