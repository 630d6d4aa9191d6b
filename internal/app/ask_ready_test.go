package app

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestLooksFromTheSameMachine(t *testing.T) {
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	own := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080}
	for _, test := range []struct {
		peer, method, path string
		want               int
	}{
		{"127.0.0.1:99", "GET", "/readyz", 418},
		{"127.0.0.1:99", "GET", "/healthz", 418},
		{"[::1]:99", "GET", "/readyz", 418},
		{"[::ffff:127.0.0.1]:99", "GET", "/readyz", 418},
		{"192.0.2.7:99", "GET", "/readyz", 418},
		{"192.0.2.8:99", "GET", "/readyz", 403},
		{"127.0.0.1:99", "POST", "/readyz", 403},
		{"127.0.0.1:99", "GET", "/projects", 403},
		{"127.0.0.1:99", "GET", "/readyz/", 403},
		{"@", "GET", "/readyz", 403},
	} {
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, own)
		r := httptest.NewRequestWithContext(ctx, test.method, test.path, nil)
		r.RemoteAddr = test.peer
		w := httptest.NewRecorder()
		if behind(networks, inner).ServeHTTP(w, r); w.Code != test.want {
			t.Errorf("%v: got %d", test, w.Code)
		}
	}
}

func TestReadyAsks(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"message":"The disk is full."}`))
	}))
	c := Config{Data: t.TempDir(), Listen: server.Listener.Addr().String()}
	if err := Ready(t.Context(), c); err != nil {
		t.Error(err)
	}
	_, port, _ := net.SplitHostPort(c.Listen)
	c.Listen = ":" + port
	if err := Ready(t.Context(), c); err != nil {
		t.Errorf("on all addresses: %v", err)
	}
	status = http.StatusServiceUnavailable
	if err := Ready(t.Context(), c); err == nil || !strings.Contains(err.Error(), "The disk is full.") {
		t.Errorf("not ready: %v", err)
	}
	server.Close()
	if err := Ready(t.Context(), c); err == nil || !strings.Contains(err.Error(), "No server answers") {
		t.Errorf("nobody there: %v", err)
	}
}
