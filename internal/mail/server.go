package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// answerWithin is how long a server may take for each step.
const answerWithin = 30 * time.Second

// server is an SMTP server to hand mail over to.
type server struct {
	host     string
	port     int
	secure   bool // TLS from the first byte
	local    bool // on this machine
	user     string
	password string
	tls      *tls.Config
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

var errURL = errors.New(
	"The mail URL must be smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT; user and password may be left out.")

func parseURL(c Config) (*server, error) {
	u, err := url.Parse(c.URL) // its error would show the password
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errURL
	}
	s := &server{host: u.Hostname(), secure: u.Scheme == "smtps", port: 587, dial: c.Dial}
	if s.secure {
		s.port = 465
	}
	if text := u.Port(); text != "" {
		if s.port, err = strconv.Atoi(text); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errURL
		}
	}
	s.user = u.User.Username()
	password, given := u.User.Password()
	if s.password = password; u.User != nil && (s.user == "" || !given) {
		return nil, errURL
	}
	addr, err := netip.ParseAddr(s.host)
	s.local = strings.EqualFold(s.host, "localhost") || err == nil && addr.Unmap().IsLoopback()
	s.tls = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: c.Roots}
	// A mail server on this machine has a certificate for its outside name, if at all; nobody stands between.
	s.tls.InsecureSkipVerify = s.local && !s.secure
	if s.dial == nil {
		s.dial = new(net.Dialer).DialContext
	}
	return s, nil
}

// connect opens the connection itself: the library leaves it open when what follows fails, and does not listen to the
// context afterwards.
func (s *server) connect(ctx context.Context) (net.Conn, error) {
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
	if err != nil || !s.secure {
		return conn, err
	}
	secure := tls.Client(conn, s.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// with greets the server, as encrypted and as authenticated as configured, and lets do talk to it.
func (s *server) with(ctx context.Context, do func(*gomail.Client, *smtp.Client) error) error {
	dialing, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	conn, err := s.connect(dialing)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := gomail.NewClient(s.host, s.options(conn)...)
	if err != nil {
		return err
	}
	open, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := do(client, open); err != nil {
		return err
	}
	_ = open.Quit() // what was to be done is done
	return nil
}

func (s *server) options(conn net.Conn) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(answerWithin), gomail.WithTLSConfig(s.tls),
		gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithoutNoop(),
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
	}
	if s.local {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	if s.secure {
		options = append(options, gomail.WithSSL())
	}
	if s.user != "" {
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain,
				gomail.SMTPAuthLogin))
	}
	return options
}

func (s *server) check(ctx context.Context) error {
	return s.with(ctx, func(*gomail.Client, *smtp.Client) error { return nil })
}

func (s *server) send(ctx context.Context, msg *gomail.Msg) error {
	return s.with(ctx, func(client *gomail.Client, open *smtp.Client) error {
		err := client.SendWithSMTPClient(open, msg)
		if msg.IsDelivered() {
			return nil // what failed came after it was taken
		}
		var refusal *gomail.SendError
		if errors.As(err, &refusal) && refusal.ErrorCode() >= 500 && ofTheMessage(refusal.Reason) {
			return Refused{err}
		}
		return err
	})
}

// ofTheMessage tells refusals of one message from refusals of this service, such as a sender that the server does not
// know: those an operator can mend.
func ofTheMessage(reason gomail.SendErrReason) bool {
	return reason == gomail.ErrSMTPRcptTo || reason == gomail.ErrSMTPData || reason == gomail.ErrSMTPDataClose
}

// compose writes a message the way mail wants it.
func (s *Sender) compose(m Message) *gomail.Msg {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.from)
	msg.ToMailAddress(&netmail.Address{Name: m.To.Name, Address: m.To.Email})
	if m.ID == "" {
		m.ID = rand.Text()
	}
	msg.SetMessageIDWithValue(m.ID + s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	msg.SetDateWithValue(s.now())
	// Nobody should answer automatically to what nobody wrote.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg
}
