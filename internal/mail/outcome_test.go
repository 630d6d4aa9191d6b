package mail_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"groundwork/internal/mail"
)

// TestOutcomes: whoever tries hears in a sentence how far it came, and what the server said.
func TestOutcomes(t *testing.T) {
	plain, offers := openOffice(t, false, false), openOffice(t, true, false)
	to := func(o *office, user string) mail.Config {
		return mail.Config{URL: "smtp://" + user + "mail.example.com:587", Dial: o.reach, Roots: o.roots}
	}
	for _, test := range []struct {
		name   string
		config mail.Config
		refuse string
		code   int
		says   []string
		taken  bool
	}{
		{"taken here", mail.Config{URL: "smtp://" + plain.address}, "", 0, []string{"without encryption and took the letter"}, true},
		{"taken elsewhere", to(offers, ""), "", 0, []string{"mail.example.com:587 was reached over TLS 1.3 and took"}, true},
		{"no server", mail.Config{URL: "smtp://127.0.0.1:1"}, "", 0, []string{"could not be reached", "refused", "--mail-url"}, false},
		{"no encryption", to(plain, ""), "", 0, []string{"did not let this service in", "STARTTLS"}, false},
		{
			"a wrong password", to(offers, "anna%40example.com:canary@"), "", 0,
			[]string{"did not let this service in", "535", "password"},
			false,
		},
		{"the sender", to(offers, ""), "MAIL", 550, []string{"over TLS 1.3 and refused the sender: 550", "--mail-from"}, false},
		{"the recipient", to(offers, ""), "RCPT", 550, []string{"refused the recipient: 550 5.1.1 no"}, false},
		{"the letter", to(offers, ""), "DATA", 554, []string{"refused the letter: 554"}, false},
		{"not now", to(offers, ""), "RCPT", 450, []string{"refused the recipient: 450"}, false},
	} {
		for _, o := range []*office{plain, offers} {
			o.refuseAt(test.refuse, test.code)
		}
		went, err := newSender(t, test.config).Try(t.Context(), message())
		sentence := went.Sentence()
		if (err == nil) != test.taken || went.Accepted != test.taken || strings.Contains(sentence, "canary") {
			t.Errorf("%s: %+v, %v", test.name, went, err)
		}
		for _, says := range test.says {
			if !strings.Contains(sentence, says) {
				t.Errorf("%s: %q is not in %q", test.name, says, sentence)
			}
		}
	}
}

// TestRefusedRecipients: a server that refuses an address says so with a status; other refusals say nothing of it.
func TestRefusedRecipients(t *testing.T) {
	o := openOffice(t, false, false)
	s := newSender(t, mail.Config{URL: "smtp://" + o.address})
	for at, recipient := range map[string]bool{"RCPT": true, "DATA": false} {
		o.refuseAt(at, 550)
		var refused mail.Refused
		if err := s.Send(t.Context(), message()); !errors.As(err, &refused) || refused.Recipient != recipient ||
			refused.Status != "5.1.1" || refused.Said != "550 5.1.1 no" {
			t.Errorf("%s: %+v, %v", at, refused, err)
		}
	}
}

// TestAHangingServer: who tries is told within the time that they gave.
func TestAHangingServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }()
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	went, err := newSender(t, mail.Config{URL: "smtp://" + listener.Addr().String()}).Try(ctx, message())
	if err == nil || went.Accepted || !went.Reached || !strings.Contains(went.Sentence(), "did not let this service in") {
		t.Errorf("%+v, %v", went, err)
	}
}

// TestHeaders: what a letter carries beside what it says, and that no line is too long for any server.
func TestHeaders(t *testing.T) {
	o := openOffice(t, false, false)
	s := newSender(t, mail.Config{URL: "smtp://" + o.address})
	m := message()
	m.ID = strings.Repeat("0198-ab.", 15) + "x"
	m.HTML = "<p>" + strings.Repeat("wörter ohne ende ", 300) + strings.Repeat("x", 3000) + "</p>"
	m.Unsubscribe = "https://build.example.com/account"
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	data := o.letters()[0].data
	header, bodies := parts(t, data)
	for name, want := range map[string]string{
		"List-Unsubscribe": "<https://build.example.com/account>", "Auto-Submitted": "auto-generated",
		"X-Auto-Response-Suppress": "All", "Message-Id": "<" + m.ID + "@build.example.com>", "Dkim-Signature": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if !strings.Contains(data, "\nMessage-ID: <"+m.ID) {
		t.Error("the ID does not stand in the line of its name")
	}
	if bodies["text/html"] != m.HTML {
		t.Error("the HTML came in another form")
	}
	head, body, _ := bytes.Cut([]byte(data), []byte("\r\n\r\n"))
	for line := range bytes.Lines(head) {
		if len(line) > 998+2 {
			t.Errorf("a header of %d bytes", len(line))
		}
	}
	for line := range bytes.Lines(body) {
		if len(line) > 76+2 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	for _, bad := range []string{
		"https://a.example/> <mailto:x@y", "javascript:alert(1)", "mailto:x@y.example", "https://a.example/\r\nBcc: x", "a b",
	} {
		m.Unsubscribe = bad
		if err := s.Send(t.Context(), m); !errors.As(err, new(mail.Refused)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
