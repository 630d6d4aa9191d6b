package certificate

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"groundwork/internal/acmetest"
)

// TestPlainHTTP: plain HTTP leads to HTTPS, at the names of the site alone.
func TestPlainHTTP(t *testing.T) {
	a, p := acmetest.Start(t), listen(t)
	a.Away()
	x := open(t, a, p, settings(t, a, t.TempDir(), "plain.example.org", "bücher.example.org"))
	port := x.Handler("https://plain.example.org:8443")
	for _, test := range []struct {
		line, host string
		status     int
		to         string
	}{
		{"GET /", "plain.example.org", 308, "https://plain.example.org/"},
		{"GET /a%2Fb/c?d=e%20f", "plain.example.org:80", 308, "https://plain.example.org/a%2Fb/c?d=e%20f"},
		{"HEAD /a", "PLAIN.example.org.", 308, "https://plain.example.org/a"},
		{"GET /", "xn--bcher-kva.example.org", 308, "https://xn--bcher-kva.example.org/"},
		{"GET //evil.example.com/x", "plain.example.org", 308, "https://plain.example.org//evil.example.com/x"},
		{"GET http://plain.example.org/x", "evil.example.com", 308, "https://plain.example.org/x"},
		{"GET http://evil.example.com/x", "plain.example.org", 421, ""},
		{"GET evil:.evil.example.com", "plain.example.org", 400, ""},
		{"GET /", "evil.example.com", 421, ""},
		{"GET /", "127.0.0.1", 421, ""},
		{"GET /", "", 421, ""},
		{"GET /", "plain.example.org.evil.example.com", 421, ""},
		{"POST /api", "plain.example.org", 405, ""},
		{"OPTIONS *", "plain.example.org", 405, ""},
		{"GET /.well-known/acme-challenge/unknown", "plain.example.org", 404, ""},
		{"GET /.well-known/acme-challenge/unknown", "evil.example.com", 421, ""},
	} {
		c, err := net.Dial("tcp", x.plain)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", test.line, test.host)
		method, _, _ := strings.Cut(test.line, " ")
		response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
		if err != nil {
			t.Errorf("%s at %q: %v", test.line, test.host, err)
			continue
		}
		if got := response.Header.Get("Location"); response.StatusCode != test.status || got != test.to {
			t.Errorf("%s at %q: got %d %q", test.line, test.host, response.StatusCode, got)
		}
		_, _ = response.Body.Close(), c.Close()
	}
	w := httptest.NewRecorder()
	port.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://plain.example.org/x", nil))
	if got := w.Header().Get("Location"); got != "https://plain.example.org:8443/x" {
		t.Errorf("with a port of its own: %s", got)
	}
}
