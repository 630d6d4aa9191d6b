package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/certificate"
)

func TestLooksFromTheSameMachine(t *testing.T) {
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	own := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080}
	for _, test := range []struct {
		peer, method, path, pass string
		want                     int
	}{
		{"127.0.0.1:99", "GET", "/readyz", "pass", 418},
		{"127.0.0.1:99", "GET", "/healthz", "pass", 418},
		{"[::1]:99", "GET", "/readyz", "pass", 418},
		{"[::ffff:127.0.0.1]:99", "GET", "/readyz", "pass", 418},
		{"192.0.2.7:99", "GET", "/readyz", "pass", 418},
		{"192.0.2.8:99", "GET", "/readyz", "pass", 403},
		{"127.0.0.1:99", "POST", "/readyz", "pass", 403},
		{"127.0.0.1:99", "GET", "/projects", "pass", 403},
		{"127.0.0.1:99", "GET", "/readyz/", "pass", 403},
		{"@", "GET", "/readyz", "pass", 403},
		// A proxy on the same machine that nobody named hands on what anybody asks.
		{"127.0.0.1:99", "GET", "/readyz", "", 403},
		{"127.0.0.1:99", "GET", "/healthz", "", 403},
		{"192.0.2.7:99", "GET", "/readyz", "", 403},
		{"127.0.0.1:99", "GET", "/readyz", "pas", 403},
		// A named one is answered as ever.
		{"10.1.2.3:99", "GET", "/readyz", "", 418},
		{"10.1.2.3:99", "GET", "/projects", "", 418},
	} {
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, own)
		r := httptest.NewRequestWithContext(ctx, test.method, test.path, nil)
		r.RemoteAddr = test.peer
		r.Header.Set(passHeader, test.pass)
		w := httptest.NewRecorder()
		if behind(networks, func() string { return "pass" }, inner).ServeHTTP(w, r); w.Code != test.want {
			t.Errorf("%v: got %d", test, w.Code)
		}
		// A server that could keep no pass takes none, not even the empty one.
		w = httptest.NewRecorder()
		behind(networks, func() string { return "" }, inner).ServeHTTP(w, r)
		if named := strings.HasPrefix(test.peer, "10."); named != (w.Code == http.StatusTeapot) {
			t.Errorf("%v without a pass: got %d", test, w.Code)
		}
	}
}

func TestPass(t *testing.T) {
	folder := t.TempDir()
	if pass, err := readPass(folder); pass != "" || err != nil {
		t.Errorf("a folder without a pass has %q, %v", pass, err)
	}
	// Several servers may share a folder and begin at once.
	var made sync.WaitGroup
	for range 8 {
		made.Go(func() {
			if err := makePass(folder); err != nil {
				t.Error(err)
			}
		})
	}
	made.Wait()
	pass, err := readPass(folder)
	if err != nil || len(pass) < leastPass {
		t.Errorf("the pass is %q, %v", pass, err)
	}
	if again := errors.Join(makePass(folder), makePass(folder)); again != nil {
		t.Error(again)
	}
	if kept, err := readPass(folder); err != nil || kept != pass {
		t.Errorf("the pass was %q, and is %q, %v", pass, kept, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the folder has %v, %v", entries, err)
	}
	if info, err := entries[0].Info(); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("the pass can be read by others: %v, %v", info.Mode(), err)
	}
	if err := makePass(filepath.Join(folder, "nowhere")); err == nil {
		t.Error("a folder that is not there has a pass")
	}
}

// TestPassIsMended: what a machine leaves behind that lost its power is no pass, and the next server makes one. Where
// none can be kept, the log says so.
func TestPassIsMended(t *testing.T) {
	var log bytes.Buffer
	a := &App{Config: Config{Data: t.TempDir(), Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	a.Log = slog.New(slog.NewTextHandler(&log, nil))
	path := filepath.Join(a.Config.Data, passName)
	for _, left := range []string{"", "\n", "SHORT\n", strings.Repeat("\x00", 27)} {
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		told := a.healthPass()
		text, err := os.ReadFile(path)
		if err != nil || len(told()) < leastPass || string(text) != told()+"\n" || strings.Contains(told(), "\x00") {
			t.Errorf("after %q the pass is %q, the file %q, %v", left, told(), text, err)
		}
		// Another server that shares the folder was the last to make it.
		other := strings.Repeat("B", leastPass)
		if err := os.WriteFile(path, []byte(other+"\n"), 0o600); err != nil || told() != other {
			t.Errorf("the pass is %q, and was replaced by %q, %v", told(), other, err)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", &log)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if told := a.healthPass(); told() != "" || !strings.Contains(log.String(), "groundwork ready will not be answered") {
		t.Errorf("the pass is %q, and the log has %s", told(), &log)
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

// TestReadyBeforeTheFirstCertificate: a server that waits for its certificate is told from one that is not there.
func TestReadyBeforeTheFirstCertificate(t *testing.T) {
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, errors.New("there is none") },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler(), ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(listener) //nolint:errcheck // it ends with the test
	defer server.Close()
	c := Config{
		Data: t.TempDir(), Listen: listener.Addr().String(), PublicURL: "https://build.example.org",
		Certificates: certificate.Settings{Domains: []string{"build.example.org"}, Agreed: true},
	}
	if err := Ready(t.Context(), c); err == nil || !strings.Contains(err.Error(), "has no certificate yet") {
		t.Errorf("got %v", err)
	}
	server.Close()
	if err := Ready(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), "No server answers at ") {
		t.Errorf("got %v", err)
	}
}
