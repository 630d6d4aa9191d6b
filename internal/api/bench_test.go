package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/identity"
)

// nowhere is a writer that keeps its header, as net/http's does, and nothing else.
type nowhere struct{ h http.Header }

func (w *nowhere) Header() http.Header         { return w.h }
func (w *nowhere) WriteHeader(int)             {}
func (w *nowhere) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkEdge is a GET on a Member route with everything that the edge does, beside a handler that only writes the
// same bytes.
func BenchmarkEdge(b *testing.B) {
	body := []byte(`{"data":"` + strings.Repeat("x", 1500) + `"}`)
	c := testConfig()
	c.Now = nil
	who, _ := c.Authenticate(b.Context(), keyAdmin)
	scope := scopeOf(auth.Admin)
	c.Authenticate = func(context.Context, string) (*credential.Credential, error) { return who, nil }
	c.Enter = func(context.Context, *identity.Account, string) (auth.Scope, error) { return scope, nil }
	e := newEdge(b, c, append(testRoutes(),
		route("GET", "/projects/{project}/rfis/{uid}", does(func(c *Call) error { return c.Send(200, body) }))))
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(200)
		_, _ = w.Write(body)
	})
	r := httptest.NewRequest("GET", "/projects/p1/rfis/8f14e45f-ceea-467f-a8d5-2a3f2f2b4c11", nil)
	r.Header.Set("Authorization", basic(keyAdmin))
	r.Header.Set("Accept", "application/vnd.groundwork+json; version=1")
	for name, h := range map[string]http.Handler{"edge": e, "bare": bare} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(&nowhere{http.Header{}}, r)
			}
		})
	}
	gz := r.Clone(r.Context())
	gz.Header.Set("Accept-Encoding", "gzip")
	b.Run("edge with gzip", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e.ServeHTTP(&nowhere{http.Header{}}, gz)
		}
	})
}
