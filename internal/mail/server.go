package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
	"golang.org/x/net/idna"
)

// answerWithin is how long a server may take for each step.
const answerWithin = 30 * time.Second

// server is an SMTP server to hand mail over to.
type server struct {
	host     string
	port     int
	secure   bool   // TLS from the first byte
	local    bool   // on this machine
	greeting string // the name of this service; "" where it has none
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
	s := &server{
		host: u.Hostname(), secure: u.Scheme == "smtps", port: 587, dial: c.Dial, greeting: domainName(c.Host),
	}
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

func (s *server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// connect opens the connection itself: the library leaves it open when what follows fails, and does not listen to the
// context afterwards.
func (s *server) connect(ctx context.Context) (net.Conn, error) {
	conn, err := s.dial(ctx, "tcp", s.address())
	if err != nil || !s.secure {
		return conn, err
	}
	secure := tls.Client(conn, s.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// with greets the server, as encrypted and as authenticated as configured, and lets do talk to it. went is told how far
// that came.
func (s *server) with(ctx context.Context, went *Outcome, do func(*smtp.Client) error) error {
	dialing, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	went.Server = s.address()
	conn, err := s.connect(dialing)
	if err != nil {
		return err
	}
	went.Reached = true
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
	went.Admitted = true
	if state, encrypted := open.TLSConnectionState(); encrypted {
		went.TLS = tls.VersionName(state.Version)
	}
	if err := do(open); err != nil {
		return err
	}
	_ = open.Quit() // what was to be done is done
	return nil
}

// domainName gives a fully qualified domain name as servers compare it; "" where a name is none.
func domainName(name string) string {
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(name, "."))
	last := ascii[strings.LastIndexByte(ascii, '.')+1:]
	if _, number := strconv.Atoi(last); err != nil || number == nil || len(last) == len(ascii) || len(ascii) > 253 {
		return ""
	}
	return ascii
}

// addressLiteral is how a client without a domain name greets (RFC 5321, 4.1.3).
func addressLiteral(from net.Addr) string {
	at, err := netip.ParseAddrPort(from.String())
	switch addr := at.Addr().Unmap().WithZone(""); {
	case err != nil:
		return "[127.0.0.1]" // no TCP
	case addr.Is6():
		return "[IPv6:" + addr.String() + "]"
	default:
		return "[" + addr.String() + "]"
	}
}

func (s *server) options(conn net.Conn) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(answerWithin), gomail.WithTLSConfig(s.tls),
		gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithoutNoop(),
		gomail.WithHELO(cmp.Or(s.greeting, addressLiteral(conn.LocalAddr()))),
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
	return s.with(ctx, new(Outcome), func(*smtp.Client) error { return nil })
}

// send hands a message over. Each step has a time limit of its own.
func (s *server) send(ctx context.Context, m envelope) (went Outcome, err error) {
	err = s.with(ctx, &went, func(open *smtp.Client) error {
		step := func(name Step, do func() error) error {
			went.Step = name
			if err := open.UpdateDeadline(answerWithin); err != nil {
				return err
			}
			return do()
		}
		if err := step(StepSender, func() error { return open.Mail(m.from) }); err != nil {
			return err
		}
		if err := step(StepRecipient, func() error { return open.Rcpt(m.to) }); err != nil {
			return refusal(err, true)
		}
		return step(StepContent, func() error {
			w, err := open.Data()
			if err != nil {
				return refusal(err, false)
			}
			if _, err := w.Write(m.data); err != nil {
				return err
			}
			if err := open.UpdateDeadline(answerWithin); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return refusal(err, false)
			}
			went.Accepted = true
			if closed, is := w.(*smtp.DataCloser); is {
				went.Said = OneLine(closed.ServerResponse())
			}
			return nil
		})
	})
	if went.Accepted {
		return went, nil // what failed came after it was taken
	}
	if err != nil && went.Said == "" {
		went.Said = said(err)
	}
	return went, err
}

// enhanced finds a status anywhere in an answer, as in (#5.7.1), and none in a part of an address, as in 192.5.1.1.
var enhanced = regexp.MustCompile(`(?:^|[^0-9.])(5\.[0-9]{1,3}\.[0-9]{1,3})(?:$|[^0-9.]|\.$|\.[^0-9])`)

func statusOf(answer string) string {
	if found := enhanced.FindStringSubmatch(answer); found != nil {
		return found[1]
	}
	return ""
}

// refusal tells answers about one message from answers about this service, such as a sender that the server does not
// know: those an operator can mend.
func refusal(err error, recipient bool) error {
	var answer *textproto.Error
	if !errors.As(err, &answer) || answer.Code < 500 {
		return err
	}
	return Refused{Err: err, Recipient: recipient, Status: statusOf(answer.Msg), Said: said(err)}
}

// envelope is a message as it is handed over.
type envelope struct {
	from, to string
	data     []byte
}

// seal composes a message, and signs it where there is a key.
func (s *Sender) seal(m Message) (e envelope, err error) {
	msg := s.compose(m)
	if e.from, err = msg.GetSender(false); err != nil {
		return e, err
	}
	to, err := msg.GetRecipients()
	if err != nil {
		return e, err
	}
	e.to = to[0]
	var written bytes.Buffer
	if _, err := msg.WriteTo(&written); err != nil {
		return e, err
	}
	// The library begins a long ID on a line of its own, where some programs do not find it.
	e.data = bytes.Replace(written.Bytes(), []byte("Message-ID:\r\n <"), []byte("Message-ID: <"), 1)
	if s.key != nil {
		e.data, err = s.key.sign(e.data, s.Domain())
	}
	return e, err
}

// compose writes a message the way mail wants it.
func (s *Sender) compose(m Message) *gomail.Msg {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.from)
	msg.ToMailAddress(&netmail.Address{Name: m.To.Name, Address: m.To.Email})
	if m.ID == "" {
		m.ID = rand.Text()
	}
	msg.SetMessageIDWithValue(m.ID + "@" + s.Domain())
	msg.SetDateWithValue(s.now())
	// Nobody should answer automatically to what nobody wrote; Exchange has a word of its own for that.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	if m.Unsubscribe != "" {
		msg.SetGenHeaderPreformatted("List-Unsubscribe", "<"+m.Unsubscribe+">")
	}
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg
}
