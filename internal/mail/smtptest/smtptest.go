// Package smtptest owns a mail server on this machine for tests: it speaks SMTP over a real socket, keeps what it is
// given, and refuses whom a test says. It refuses to deliver anything.
package smtptest

import (
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Server is a mail server.
type Server struct {
	// Address is host and port; URL is how the service is told of it.
	Address, URL string

	mu      sync.Mutex
	letters []Letter
	refused map[string]*smtp.SMTPError
	tried   map[string]int
}

// Letter is what came.
type Letter struct {
	From, To, Data string
	Hello          string // as what the client greeted
}

var messageID = regexp.MustCompile(`(?im)^Message-ID:\s*(<[^>]*>)`)

// ID is the letter's Message-ID, with its angles.
func (l Letter) ID() string {
	if m := messageID.FindStringSubmatch(l.Data); m != nil {
		return m[1]
	}
	return ""
}

// Start listens until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Address: listener.Addr().String(), refused: map[string]*smtp.SMTPError{}, tried: map[string]int{},
	}
	s.URL = "smtp://" + s.Address
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{s: s, conn: c}, nil
	}))
	server.ErrorLog = quiet{}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // a server that was closed before it began does not
		<-done
	})
	return s
}

// Refuse has letters to an address refused with a code, such as 550, and a status and text, such as 5.1.1 and "No such
// person"; a code of 0 takes them again.
func (s *Server) Refuse(address string, code int, status [3]int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refused, address)
	if code != 0 {
		s.refused[address] = &smtp.SMTPError{Code: code, EnhancedCode: status, Message: text}
	}
}

// Tried is how often somebody had a letter to an address.
func (s *Server) Tried(address string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried[address]
}

// Letters gives what came for an address.
func (s *Server) Letters(address string) (all []Letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.letters {
		if strings.EqualFold(l.To, address) {
			all = append(all, l)
		}
	}
	return all
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

type session struct {
	s    *Server
	conn *smtp.Conn
	now  Letter
}

func (c *session) Reset()        { c.now = Letter{} }
func (c *session) Logout() error { return nil }

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	c.now.From = from
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.now.To = to
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.tried[to]++
	if refused := c.s.refused[to]; refused != nil {
		return refused
	}
	return nil
}

func (c *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	c.now.Data, c.now.Hello = string(data), c.conn.Hostname()
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.letters = append(c.s.letters, c.now)
	return nil
}

// Report is what a mail server sends back of a letter that it took and could not deliver (RFC 3464).
func Report(l Letter, action, status, said string) string {
	return strings.ReplaceAll(`From: MAILER-DAEMON@mail.example.org
To: `+l.From+`
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="frontier"

--frontier
Content-Type: text/plain

It did not work.

--frontier
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org

Final-Recipient: rfc822; `+l.To+`
Action: `+action+`
Status: `+status+`
Diagnostic-Code: smtp; `+said+`

--frontier
Content-Type: text/rfc822-headers

Message-ID: `+l.ID()+`
Subject: what it was about

--frontier--
`, "\n", "\r\n")
}
