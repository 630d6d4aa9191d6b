package app

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/identity"
)

// guests is an installation whose start has printed a link, as a browser on the same machine sees it.
type guests struct {
	*App
	edge  http.Handler
	link  string
	clock atomic.Int64
}

func openGuests(t *testing.T, c Config) *guests {
	t.Helper()
	g := &guests{}
	g.clock.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixMicro())
	c.Now = func() time.Time { return time.UnixMicro(g.clock.Load()) }
	g.App = open(t, c)
	visitor, err := g.Auth.CreateAccount(t.Context(), identity.NewAccount{
		Email: "dana@example.com", Name: "Dana Whitlock", Password: "seventeen purple anvils",
	})
	if err != nil {
		t.Fatal(err)
	}
	g.edge = edgeOf(t, g.App)
	g.link = strings.TrimPrefix(g.NewGuestLink(demoBase, visitor), demoBase)
	return g
}

// ask sends a request of a browser on this machine, as change makes it.
func (g *guests) ask(t *testing.T, method string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, g.link, http.NoBody)
	r.Host, r.RemoteAddr = strings.TrimPrefix(demoBase, "http://"), "127.0.0.1:40000"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	g.edge.ServeHTTP(w, r)
	return w
}

func sessionOf(w *httptest.ResponseRecorder) string {
	for _, c := range w.Result().Cookies() {
		if c.Name == "groundwork" && c.Value != "" {
			return c.Value
		}
	}
	return ""
}

// TestGuestLink: looking uses nothing up; entering works once, of however many who try at once, and leads into the
// application; afterwards the same browser is led there too, and nobody else.
func TestGuestLink(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		g := openGuests(t, c)
		for range 3 {
			w := g.ask(t, "GET", nil)
			if w.Code != 200 || sessionOf(w) != "" || !strings.Contains(w.Body.String(), "Dana Whitlock") ||
				w.Header().Get("Referrer-Policy") != "no-referrer" || w.Header().Get("Cache-Control") != "no-store" {
				t.Fatalf("looking: %d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		var entered, late atomic.Int64
		var session atomic.Value
		var racing sync.WaitGroup
		for range 6 {
			racing.Go(func() {
				switch w := g.ask(t, "POST", nil); {
				case w.Code == 303 && w.Header().Get("Location") == "/app/" && sessionOf(w) != "":
					entered.Add(1)
					session.Store(sessionOf(w))
				case w.Code == 404:
					late.Add(1)
				default:
					t.Errorf("entering: %d %s", w.Code, w.Body)
				}
			})
		}
		racing.Wait()
		if entered.Load() != 1 || late.Load() != 5 {
			t.Fatalf("%d entered, %d were late", entered.Load(), late.Load())
		}
		secret, _ := session.Load().(string)
		if who, err := g.Auth.Session(t.Context(), secret); err != nil || who.Account.Email != "dana@example.com" {
			t.Errorf("the session is of %v, %v", who, err)
		}
		for _, method := range []string{"GET", "POST"} {
			if w := g.ask(t, method, nil); w.Code != 404 || sessionOf(w) != "" {
				t.Errorf("%s with a link that was used: %d", method, w.Code)
			}
			again := g.ask(t, method, func(r *http.Request) {
				r.AddCookie(&http.Cookie{Name: "groundwork", Value: secret})
			})
			if again.Code != 303 || again.Header().Get("Location") != "/app/" {
				t.Errorf("%s in the browser that used it: %d", method, again.Code)
			}
		}
	})
}

// TestGuestLinkStaysHere: whoever is not a browser on this machine, or comes through a proxy or by another name, is
// refused, and leaves the link good.
func TestGuestLinkStaysHere(t *testing.T) {
	g := openGuests(t, sharing(Config{Data: t.TempDir()}))
	for name, change := range map[string]func(*http.Request){
		"another machine":    func(r *http.Request) { r.RemoteAddr = "192.0.2.7:40000" },
		"another machine, 6": func(r *http.Request) { r.RemoteAddr = "[2001:db8::1]:40000" },
		"a proxy":            func(r *http.Request) { r.Header.Set("X-Forwarded-For", "127.0.0.1") },
		"a proxy's host":     func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "127.0.0.1") },
		"a proxy's protocol": func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "http") },
		"another proxy":      func(r *http.Request) { r.Header.Set("Forwarded", "for=127.0.0.1") },
		"one more proxy":     func(r *http.Request) { r.Header.Set("Via", "1.1 here") },
		"a tunnel":           func(r *http.Request) { r.Header.Set("X-Real-Ip", "127.0.0.1") },
		"rebound name":       func(r *http.Request) { r.Host = "evil.example" },
		"rebound name, port": func(r *http.Request) { r.Host = "localhost.evil.example:8080" },
		"no name":            func(r *http.Request) { r.Host = "" },
	} {
		for _, method := range []string{"GET", "POST"} {
			if w := g.ask(t, method, change); w.Code != 403 || sessionOf(w) != "" ||
				strings.Contains(w.Body.String(), "Dana") {
				t.Errorf("%s, %s: %d %s", name, method, w.Code, w.Body)
			}
		}
	}
	for name, change := range map[string]func(*http.Request){
		"a page of another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another origin":         func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
	} {
		if w := g.ask(t, "POST", change); w.Code != 403 || sessionOf(w) != "" {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	g.link += "x"
	if w := g.ask(t, "POST", nil); w.Code != 404 {
		t.Errorf("a wrong link: %d", w.Code)
	}
	g.link = strings.TrimSuffix(g.link, "x")
	// A machine has a second name, and a second address.
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.Host = "localhost:8080" },
		func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:8080", "[::1]:40000" },
	} {
		if w := g.ask(t, "GET", change); w.Code != 200 {
			t.Errorf("on this machine: %d %s", w.Code, w.Body)
		}
	}
	g.clock.Add(guestLife.Microseconds())
	if w := g.ask(t, "POST", nil); w.Code != 404 || sessionOf(w) != "" {
		t.Errorf("too late: %d", w.Code)
	}
}

// TestGuestLinkOnlyWhereItCannotBeReached: a service that others can reach prints none, and serves none.
func TestGuestLinkOnlyWhereItCannotBeReached(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for _, test := range []struct {
		c      Config
		base   string
		offers bool
	}{
		{Config{Listen: "127.0.0.1:8080"}, "http://127.0.0.1:8080", true},
		{Config{Listen: "localhost:0"}, "http://localhost:40000", true},
		{Config{Listen: "[::1]:8080"}, "http://[::1]:8080", true},
		{Config{Listen: ":8080"}, "https://127.0.0.1:8080", false},
		{Config{Listen: "0.0.0.0:8080"}, "https://localhost:8080", false},
		{Config{Listen: "192.0.2.1:443"}, "https://192.0.2.1", false},
		{Config{Listen: "127.0.0.1:8080"}, "https://build.example.com", false},
		{Config{Listen: "127.0.0.1:8080", Proxies: proxy}, "http://127.0.0.1:8080", false},
	} {
		if got := test.c.offersGuest(test.base); got != test.offers {
			t.Errorf("%s at %s: %v", test.c.Listen, test.base, got)
		}
	}
	g := openGuests(t, sharing(Config{Data: t.TempDir()}))
	edge, err := api.New(api.Config{
		Store: g.Store, Auth: g.Auth, Jobs: g.Jobs, Base: "https://build.example.com", Version: "test",
	}, g.Routes())
	if err != nil {
		t.Fatal(err)
	}
	g.edge = edge
	if w := g.ask(t, "POST", nil); w.Code != 403 || sessionOf(w) != "" {
		t.Errorf("a service with a public address: %d", w.Code)
	}
}
