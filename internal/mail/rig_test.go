package mail_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// office is a real mail server in this process, and what it was given.
type office struct {
	address string
	roots   *x509.CertPool

	mu       sync.Mutex
	received []letter
	refuse   map[string]*smtp.SMTPError // by MAIL, RCPT and DATA, and by recipient
}

type letter struct {
	from, to string
	data     string
	secure   bool
	user     string // who had signed in
	hello    string // as what the client greeted
}

// openOffice starts a server on this machine. withTLS says whether it offers STARTTLS; implicit, that it speaks TLS
// from the first byte.
func openOffice(t *testing.T, withTLS, implicit bool) *office {
	t.Helper()
	o := &office{}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &counter{office: o, conn: c}, nil
	}))
	server.Domain = "mail.example.com"
	server.EnableSMTPUTF8 = true
	server.ErrorLog = quiet{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.address = listener.Addr().String()
	var pair tls.Certificate
	pair, o.roots = certify(t)
	if withTLS {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // a server that was closed before it began does not
		<-done
	})
	return o
}

// reach makes any address lead to the server, as if it stood elsewhere.
func (o *office) reach(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, o.address)
}

func (o *office) letters() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]letter(nil), o.received...)
}

// refuseAt has the server answer with a code at one place, and nowhere else.
func (o *office) refuseAt(place string, code int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuse = map[string]*smtp.SMTPError{
		place: {Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "no"},
	}
}

func (o *office) refusal(at string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.refuse[at]; e != nil {
		return e
	}
	return nil
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

// counter is one conversation.
type counter struct {
	*office
	conn *smtp.Conn
	user string
	now  letter
}

func (c *counter) Reset()                   { c.now = letter{} }
func (c *counter) Logout() error            { return nil }
func (c *counter) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *counter) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "anna@example.com" || password != "p:ä/@ss" {
			return smtp.ErrAuthFailed
		}
		c.user = user
		return nil
	}), nil
}

func (c *counter) Mail(from string, _ *smtp.MailOptions) error {
	c.now.from = from
	return c.refusal("MAIL")
}

func (c *counter) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.now.to = to
	if err := c.refusal(to); err != nil {
		return err
	}
	return c.refusal("RCPT")
}

func (c *counter) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := c.refusal("DATA"); err != nil {
		return err
	}
	c.now.data, c.now.user, c.now.hello = string(data), c.user, c.conn.Hostname()
	_, c.now.secure = c.conn.TLSConnectionState()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, c.now)
	return nil
}

// certify makes a certificate for the server and the authority that vouches for it.
func certify(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"mail.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
