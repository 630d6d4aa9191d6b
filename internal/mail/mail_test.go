package mail_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"groundwork/internal/mail"
)

const from = "Groundwork Bühne <groundwork@build.example.com>"

func message() mail.Message {
	return mail.Message{
		ID: "0198-ab", To: mail.Address{Name: `Bert "Bö" Brecht, 东京`, Email: "bert@example.org"},
		Subject: "Einladung: Überführung – 東京駅 ünd noch ein langer Rest, der in keine Zeile mehr paßt, wie sehr man sich auch müht",
		Text:    "Grüße,\n.\nhttps://build.example.com/?a=1&b=" + strings.Repeat("x", 200) + "\nBcc: nobody\n",
		HTML:    "<p>Grüße &amp; mehr</p>",
	}
}

func newSender(t *testing.T, c mail.Config) *mail.Sender {
	t.Helper()
	if c.From == "" {
		c.From = from
	}
	s, err := mail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parts reads a message the way a mail program does.
func parts(t *testing.T, data string) (netmail.Header, map[string]string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	read := func(header func(string) string, body io.Reader) {
		kind, params, err := mime.ParseMediaType(header("Content-Type"))
		if err != nil || !strings.EqualFold(params["charset"], "utf-8") {
			t.Errorf("content type %q: %v", header("Content-Type"), err)
		}
		if header("Content-Transfer-Encoding") == "quoted-printable" {
			body = quotedprintable.NewReader(body)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		found[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "multipart/alternative" {
		read(m.Header.Get, m.Body)
		return m.Header, found
	}
	for reader := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return m.Header, found
		}
		if err != nil {
			t.Fatal(err)
		}
		read(part.Header.Get, part)
	}
}

func TestSend(t *testing.T) {
	o := openOffice(t, false, false)
	now := time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC)
	s := newSender(t, mail.Config{URL: "smtp://" + o.address, Now: func() time.Time { return now }})
	m := message()
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	plain := mail.Message{To: mail.Address{Email: "ü@example.org"}, Subject: "x", Text: "y"}
	if err := s.Send(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	got := o.letters()
	if len(got) != 2 || got[0].from != "groundwork@build.example.com" || got[0].to != "bert@example.org" ||
		got[1].to != "ü@example.org" {
		t.Fatalf("received: %+v", got)
	}
	header, bodies := parts(t, got[0].data)
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if err != nil || subject != m.Subject {
		t.Errorf("subject %q, %v", subject, err)
	}
	to, err := header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != m.To.Name || to[0].Address != m.To.Email {
		t.Errorf("to %v, %v", to, err)
	}
	sender, err := header.AddressList("From")
	if err != nil || len(sender) != 1 || sender[0].Name != "Groundwork Bühne" {
		t.Errorf("from %v, %v", sender, err)
	}
	if date, err := header.Date(); err != nil || !date.Equal(now) {
		t.Errorf("date %v, %v", date, err)
	}
	if header.Get("Message-ID") != "<0198-ab@build.example.com>" || header.Get("Auto-Submitted") != "auto-generated" ||
		header.Get("MIME-Version") != "1.0" || header.Get("Bcc") != "" {
		t.Errorf("header %v", header)
	}
	if bodies["text/plain"] != m.Text || bodies["text/html"] != m.HTML || len(bodies) != 2 {
		t.Errorf("bodies %q", bodies)
	}
	for l := range strings.Lines(got[0].data) {
		if len(l) > 1000 || strings.ContainsFunc(l, func(r rune) bool { return r > 126 }) {
			t.Errorf("a line that not every server takes: %q", l)
		}
	}
	second, bodies := parts(t, got[1].data)
	if len(second.Get("Message-ID")) < 30 || bodies["text/plain"] != "y\n" || len(bodies) != 1 {
		t.Errorf("a plain mail: %v %q", second, bodies)
	}
}

// TestGreeting: the service greets with its domain name, and without one with its address: never with a bare name.
func TestGreeting(t *testing.T) {
	for host, want := range map[string]string{
		"build.example.com": "build.example.com", "build.example.com.": "build.example.com",
		"Bühne.example.com": "xn--bhne-0ra.example.com", "localhost": "[127.0.0.1]", "": "[127.0.0.1]",
		"127.0.0.1": "[127.0.0.1]", "::1": "[127.0.0.1]", "10.1.2.3": "[127.0.0.1]", "a b.example.com": "[127.0.0.1]",
		"build.example.com\r\nDATA": "[127.0.0.1]",
	} {
		o := openOffice(t, false, false)
		s := newSender(t, mail.Config{URL: "smtp://" + o.address, Host: host})
		if err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
		if got := o.letters()[0]; got.hello != want {
			t.Errorf("with the host %q the service greets as %q, want %q", host, got.hello, want)
		}
	}
}

func TestNothingIsInjected(t *testing.T) {
	o := openOffice(t, false, false)
	s := newSender(t, mail.Config{URL: "smtp://" + o.address})
	for name, change := range map[string]func(*mail.Message){
		"subject":           func(m *mail.Message) { m.Subject = "a\r\nBcc: eve@example.com" },
		"subject with LF":   func(m *mail.Message) { m.Subject = "a\nBcc: eve@example.com" },
		"subject with NEL":  func(m *mail.Message) { m.Subject = "a\u0085b" },
		"name":              func(m *mail.Message) { m.To.Name = "a\r\nBcc: eve@example.com" },
		"address":           func(m *mail.Message) { m.To.Email = "a@example.com\r\nRCPT TO:<eve@example.com>" },
		"two addresses":     func(m *mail.Message) { m.To.Email = "a@example.com, eve@example.com" },
		"an angle":          func(m *mail.Message) { m.To.Email = "a@example.com> <eve@example.com" },
		"no address":        func(m *mail.Message) { m.To.Email = "" },
		"ID":                func(m *mail.Message) { m.ID = "a>\r\nBcc: eve@example.com" },
		"no subject":        func(m *mail.Message) { m.Subject = "" },
		"no text":           func(m *mail.Message) { m.Text = "" },
		"a text that is no": func(m *mail.Message) { m.HTML = "\xff" },
	} {
		m := message()
		change(&m)
		if err := s.Send(t.Context(), m); !errors.As(err, new(mail.Refused)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := o.letters(); len(got) != 0 {
		t.Errorf("received: %+v", got)
	}
}

func TestRefusals(t *testing.T) {
	o := openOffice(t, false, false)
	s := newSender(t, mail.Config{URL: "smtp://" + o.address})
	for _, test := range []struct {
		at    string
		code  int
		final bool
	}{
		{"bert@example.org", 550, true},
		{"bert@example.org", 450, false},
		{"RCPT", 553, true},
		{"DATA", 554, true},
		{"DATA", 452, false},
		{"MAIL", 550, false},
		{"MAIL", 421, false},
	} {
		o.refuseAt(test.at, test.code)
		err := s.Send(t.Context(), message())
		if err == nil || errors.As(err, new(mail.Refused)) != test.final {
			t.Errorf("%s %d: %v", test.at, test.code, err)
		}
	}
	if len(o.letters()) != 0 {
		t.Error("a refused mail was received")
	}
}

func TestEncryption(t *testing.T) {
	plain, offers, implicit := openOffice(t, false, false), openOffice(t, true, false), openOffice(t, true, true)
	user := "anna%40example.com:p%3A%C3%A4%2F%40ss@"
	for _, test := range []struct {
		name   string
		office *office
		config mail.Config
		bad    string // what the error says
	}{
		{
			"elsewhere, without STARTTLS", plain,
			mail.Config{URL: "smtp://mail.example.com:25", Dial: plain.reach},
			"STARTTLS",
		},
		{"elsewhere, with STARTTLS", offers, mail.Config{
			URL: "smtp://" + user + "mail.example.com:25", Dial: offers.reach, Roots: offers.roots,
		}, ""},
		{"elsewhere, an unknown certificate", offers, mail.Config{
			URL: "smtp://mail.example.com:25", Dial: offers.reach,
		}, "certificate"},
		{"elsewhere, another name", offers, mail.Config{
			URL: "smtp://smtp.example.com:25", Dial: offers.reach, Roots: offers.roots,
		}, "certificate"},
		{"elsewhere, a wrong password", offers, mail.Config{
			URL: "smtp://anna%40example.com:canary@mail.example.com:25", Dial: offers.reach, Roots: offers.roots,
		}, "535"},
		{"here, with STARTTLS", offers, mail.Config{URL: "smtp://" + user + offers.address}, ""},
		{"TLS at once", implicit, mail.Config{
			URL: "smtps://" + user + "127.0.0.1:" + port(implicit.address), Roots: implicit.roots,
		}, ""},
		{
			"TLS at once, an unknown certificate", implicit,
			mail.Config{URL: "smtps://" + implicit.address},
			"certificate",
		},
		{"nobody there", plain, mail.Config{URL: "smtp://127.0.0.1:1"}, "refused"},
	} {
		before := len(test.office.letters())
		s := newSender(t, test.config)
		for what, err := range map[string]error{"send": s.Send(t.Context(), message()), "check": s.Check(t.Context())} {
			if (err == nil) != (test.bad == "") || err != nil && !strings.Contains(err.Error(), test.bad) {
				t.Errorf("%s: %s gives %v", test.name, what, err)
			}
			if errors.As(err, new(mail.Refused)) || err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: %s gives %v", test.name, what, err)
			}
		}
		got := test.office.letters()[before:]
		if test.bad == "" && (len(got) != 1 || !got[0].secure || got[0].user == "") || test.bad != "" && len(got) != 0 {
			t.Errorf("%s: received %+v", test.name, got)
		}
	}
}

// TestASilentServer holds that a caller who leaves is not kept.
func TestASilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := newSender(t, mail.Config{URL: "smtp://" + listener.Addr().String()})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Send(ctx, message()) }()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	select {
	case err := <-done:
		if err == nil || errors.As(err, new(mail.Refused)) {
			t.Errorf("got %v", err)
		}
	case <-time.After(answerWithin):
		t.Error("Send still waits")
	}
}

const answerWithin = 20 * time.Second

func TestLog(t *testing.T) {
	for level, shown := range map[slog.Level]bool{slog.LevelInfo: false, slog.LevelDebug: true} {
		var out bytes.Buffer
		s, err := mail.New(mail.Config{Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Send(t.Context(), message()), s.Check(t.Context())); err != nil {
			t.Error(err)
		}
		text := out.String()
		if !strings.Contains(text, "bert@example.org") || !strings.Contains(text, "Einladung") ||
			strings.Contains(text, "https://build.example.com/?a=1") != shown {
			t.Errorf("%v: %s", level, text)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		url, from string
		ok        bool
	}{
		{"", "", true},
		{"", from, true},
		{"smtp://mail.example.com", from, true},
		{"smtps://u:p@mail.example.com:465/", "a@example.com", true},
		{"smtp://[::1]:25", from, true},
		{"smtp://mail.example.com", "", false},
		{"smtp://mail.example.com", "nobody", false},
		{"", "a@b, c@d", false},
		{"smtp://u:canary@", from, false},
		{"smtp://u:canary@host:0", from, false},
		{"smtp://u:canary@host:99999", from, false},
		{"smtp://u:canary@host:x", from, false},
		{"http://u:canary@host", from, false},
		{"smtp://u@host", from, false},
		{"smtp://:canary@host", from, false},
		{"smtp://host/path", from, false},
		{"smtp://host?canary=1", from, false},
		{"canary", from, false},
	} {
		_, err := mail.New(mail.Config{URL: test.url, From: test.from})
		if (err == nil) != test.ok || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s from %q: %v", test.url, test.from, err)
		}
	}
}
