package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/acmetest"
	"groundwork/internal/await"
	"groundwork/internal/transport"
)

// soon is how long something may take that is waited for.
const soon = time.Minute

// text is a log that a test reads while it is written.
type text struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *text) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(b)
}

// count is how many lines have a text.
func (w *text) count(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(w.all.String(), part)
}

// site is a server whose certificates come from an authority.
type site struct {
	*Keeper
	authority *acmetest.Authority
	pool      *x509.CertPool
	secure    string // the address of TLS
	plain     string // the address of plain HTTP
	log       *text
	stop      func()
}

// ports are listened on before the authority is asked: it looks there at once.
type ports struct{ secure, plain net.Listener }

func listen(t *testing.T) ports {
	t.Helper()
	var p ports
	var err error
	for _, l := range []*net.Listener{&p.secure, &p.plain} {
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// leads has ports of all names lead to these: by http-01 port 80, by tls-alpn-01 port 443, by any both.
func (p ports) leads(a *acmetest.Authority, by string) {
	plain, secure := p.plain.Addr().String(), p.secure.Addr().String()
	switch by {
	case HTTP01:
		secure = ""
	case ALPN01:
		plain = ""
	}
	a.Leads(plain, secure)
}

// settings are those of a site, settled.
func settings(t *testing.T, a *acmetest.Authority, folder string, domains ...string) Settings {
	t.Helper()
	s, err := Settings{
		Domains: domains, Agreed: true, Directory: a.Directory, Roots: a.Roots, HTTP: "127.0.0.1:0",
	}.Settled(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open starts a site.
func open(t *testing.T, a *acmetest.Authority, p ports, s Settings) *site {
	t.Helper()
	secure, plain := p.secure.Addr().String(), p.plain.Addr().String()
	x := &site{authority: a, pool: a.Pool(), secure: secure, plain: plain, log: &text{}}
	everything := &slog.HandlerOptions{Level: slog.LevelDebug}
	log := slog.New(slog.NewTextHandler(io.MultiWriter(x.log, t.Output()), everything))
	var err error
	if x.Keeper, err = Open(t.Context(), s, x.secure, x.plain, log); err != nil {
		t.Fatal(err)
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	servers := []*http.Server{transport.NewServer(hello, log), transport.NewServer(x.Handler("https://x.example.org"), log)}
	var all sync.WaitGroup
	all.Go(func() { _ = servers[0].Serve(transport.NewListener(p.secure, x.TLS())) })
	all.Go(func() { _ = servers[1].Serve(transport.NewListener(p.plain, nil)) })
	ctx, end := context.WithCancel(t.Context())
	all.Go(func() { x.Run(ctx) })
	var once sync.Once
	x.stop = func() {
		once.Do(func() {
			end()
			_, _ = servers[0].Close(), servers[1].Close()
			all.Wait()
			x.Close()
		})
	}
	t.Cleanup(x.stop)
	return x
}

// shown gives the certificate that is served for a name; an error where none is, or one that is not trusted.
func (x *site) shown(name string) (*x509.Certificate, error) {
	c, err := (&tls.Dialer{Config: &tls.Config{ServerName: name, RootCAs: x.pool}}).Dial("tcp", x.secure)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// obtained waits until a certificate is served for a name.
func (x *site) obtained(t *testing.T, name string) *x509.Certificate {
	t.Helper()
	var leaf *x509.Certificate
	await.Until(t, soon, func() string {
		var err error
		if leaf, err = x.shown(name); err != nil {
			return err.Error()
		}
		return ""
	})
	return leaf
}

// status is what is known of the first domain.
func (x *site) status(t *testing.T) Status {
	t.Helper()
	return x.Look()[0]
}

func same(a, b *x509.Certificate) bool { return a.SerialNumber.Cmp(b.SerialNumber) == 0 }
