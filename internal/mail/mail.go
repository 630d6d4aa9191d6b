// Package mail owns outgoing mail: one message to one person, through an SMTP server or, where none is configured, into
// the log. It refuses to decide who is told what, and it does not queue: sending is tried once, and the error says
// whether trying again can help. The service sends from a job, so that a mail server that is down only delays.
package mail

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"groundwork/internal/mail/paper"
)

// Kind is the kind of the jobs that send; their arguments are a Message.
const Kind = "mail"

// Address is a person.
type Address struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Message is one mail to one person: were there several, one bad address could keep it from the others, or have it sent
// to them again.
type Message struct {
	// ID tells mails apart; it is made when it is empty. With the same ID, a mail that had to be sent twice can be
	// recognised.
	ID      string  `json:"id"`
	To      Address `json:"to"`
	Subject string  `json:"subject"`
	// Text and HTML say the same; HTML may be empty.
	Text string `json:"text"`
	HTML string `json:"html"`
	// Account is the uid of whose mail it is; "" where nobody's.
	Account string `json:"account"`
	// Unsubscribe is the address of the page where mails like this one can be ended; "" for those that cannot.
	Unsubscribe string `json:"unsubscribe"`
}

// Refused is an error that sending again cannot mend: nobody has this address, or the message is none.
type Refused struct {
	Err error
	// Recipient tells that the server does not take mail for this address; the reason may be another message's too.
	Recipient bool
	// Status is the enhanced status (RFC 3463) of such an answer, 5.1.1 say; "" where the server gave none. Said is the
	// answer.
	Status, Said string
}

func (r Refused) Error() string { return r.Err.Error() }

// Unwrap gives the error itself.
func (r Refused) Unwrap() error { return r.Err }

// Config says how mail is sent.
type Config struct {
	// URL is smtp://USER:PASSWORD@HOST:PORT, smtps:// for TLS from the first byte, or empty for the log.
	URL string
	// From is who the mail is from, NAME <ADDRESS> or ADDRESS.
	From string
	// DKIMKey is a file with the private key that mail is signed with, in PEM, and DKIMSelector the name under which
	// the sender's domain publishes the public one. Without a file mail is not signed here.
	DKIMKey, DKIMSelector string
	// Host is the domain name of this service, by which it greets the server. Where it is none, such as localhost, the
	// service greets with the address from which it came.
	Host string
	Log  *slog.Logger
	// Now is the clock, time.Now when nil; Dial reaches the server, and Roots are whom its certificate must come from.
	// They serve tests.
	Now   func() time.Time
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Roots *x509.CertPool
}

// Sender sends mail.
type Sender struct {
	from   netmail.Address
	server *server // nil: the log
	key    *key    // nil: mail is not signed here
	log    *slog.Logger
	now    func() time.Time
}

// New makes a sender; an error says what is wrong with the configuration, without its password.
func New(c Config) (*Sender, error) {
	s := &Sender{log: c.Log, now: c.Now, from: netmail.Address{Name: "Groundwork", Address: "groundwork@localhost"}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if c.From != "" {
		from, err := netmail.ParseAddress(c.From)
		if err != nil || problem(from.Name, from.Address) != "" {
			return nil, fmt.Errorf("The sender of mail %q is not of the form ADDRESS or NAME <ADDRESS>.", c.From)
		}
		s.from = *from
	}
	var err error
	if s.key, err = openKey(c.DKIMKey, c.DKIMSelector); err != nil || c.URL == "" {
		return s, err
	}
	if c.From == "" {
		return nil, errors.New(
			"Mail needs a sender: say with --mail-from who it is from, such as Groundwork <groundwork@example.com>.")
	}
	s.server, err = parseURL(c)
	return s, err
}

// Name is what the installation calls itself: the name of the sender.
func (s *Sender) Name() string { return cmp.Or(s.from.Name, paper.DefaultName) }

// Domain is that of the sender's address.
func (s *Sender) Domain() string {
	return s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
}

// From is who mail is from, as people read it.
func (s *Sender) From() string { return strings.TrimSpace(s.from.Name + " <" + s.from.Address + ">") }

// Server is host and port of the mail server, and whether it is on this machine; "" where mail goes to the log.
func (s *Sender) Server() (address string, local bool) {
	if s.server == nil {
		return "", false
	}
	return s.server.address(), s.server.local
}

// Send hands a message over to the mail server. Refused when it will never take it; every other error may pass.
//
// Without a server the message goes to the log: whom it is for and its subject, and at level debug all of it. Its links
// may carry secrets, such as the one of an invitation; showing them to the operator, who has no other way to hand them
// on, is what the log is for here.
func (s *Sender) Send(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return Refused{Err: err}
	}
	if s.server != nil {
		_, err := s.hand(ctx, m)
		return err
	}
	s.log.InfoContext(ctx, "mail is not sent, as no mail server is configured", "to", m.To.Email, "subject", m.Subject)
	s.log.DebugContext(ctx, "the mail that is not sent", "to", m.To.Email, "subject", m.Subject, "text", m.Text)
	return nil
}

// Try sends as Send does, and tells how it went.
func (s *Sender) Try(ctx context.Context, m Message) (Outcome, error) {
	if err := m.check(); err != nil {
		return Outcome{}, Refused{Err: err}
	}
	if s.server == nil {
		return Outcome{}, errors.New("mail: there is no server")
	}
	return s.hand(ctx, m)
}

func (s *Sender) hand(ctx context.Context, m Message) (Outcome, error) {
	sealed, err := s.seal(m)
	if err != nil {
		return Outcome{Server: s.server.address(), Said: OneLine(err.Error())}, err
	}
	return s.server.send(ctx, sealed)
}

// Sends tells whether there is a server: without one mail goes to the log, and nobody receives it.
func (s *Sender) Sends() bool { return s.server != nil }

// Check tells whether the server answers and lets this service in; with the log there is nothing that could fail.
func (s *Sender) Check(ctx context.Context) error {
	if s.server == nil {
		return nil
	}
	return s.server.check(ctx)
}

func (m *Message) check() error {
	if why := problem(m.To.Name, m.To.Email); why != "" {
		return fmt.Errorf("mail: the recipient %q: %s", m.To.Email, why)
	}
	if m.Subject == "" || !line(m.Subject) {
		return errors.New("mail: the subject is empty or more than one line")
	}
	if m.Text == "" || !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML) {
		return errors.New("mail: the text is empty or not UTF-8")
	}
	if !line(m.ID) || strings.ContainsAny(m.ID, "<>@ ") {
		return errors.New("mail: the ID is not one word")
	}
	if page, err := url.Parse(m.Unsubscribe); err != nil || strings.ContainsAny(m.Unsubscribe, "<>, ") ||
		m.Unsubscribe != "" && (!line(m.Unsubscribe) || page.Scheme != "https" && page.Scheme != "http") {
		return errors.New("mail: where such mail is ended is not the address of a page")
	}
	return nil
}

// problem says why a name and an address cannot stand in a header. Control characters are refused before anything is
// parsed: no header begins inside of another.
func problem(name, email string) string {
	switch parsed, err := netmail.ParseAddress("<" + email + ">"); {
	case !line(name) || !line(email):
		return "it has control characters"
	case err != nil || parsed.Address != email:
		return "it is not an e-mail address"
	}
	return ""
}

func line(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}
