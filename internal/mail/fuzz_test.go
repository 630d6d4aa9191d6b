package mail

import (
	netmail "net/mail"
	"strings"
	"testing"
)

// FuzzURL checks that a mail server's URL is taken only when it says what is needed, and that a refusal never repeats
// it: it holds a password.
func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"smtp://mail.example.com", "smtps://u:p@mail.example.com:465", "smtp://localhost:25", "smtp://[::1]:1025",
		"smtp://u@x", "smtp://:p@x", "smtp://x:99999", "smtp://x:0", "smtp://x/path",
		"http://x", "smtp:x", "smtp://u:se%zzcret@x", "smtp://x?y", "smtp://x#y", "smtp://u:p@", "smtp://x:",
		"smtp://u:@x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseURL(Config{URL: text})
		if err != nil {
			if s != nil || err.Error() != errURL.Error() {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if s.host == "" || s.port < 1 || s.port > 65535 || s.tls == nil || s.tls.ServerName != s.host ||
			(s.password != "") && s.user == "" {
			t.Fatalf("%q is %+v", text, s)
		}
		if s.tls.InsecureSkipVerify && (s.secure || !s.local) {
			t.Fatalf("%q: the certificate of %s is not looked at", text, s.host)
		}
	})
}

// FuzzRecipient checks that whoever passes stands in a header as one address that is read back, and begins no other
// header.
func FuzzRecipient(f *testing.F) {
	for _, s := range []string{
		"", "ann@example.com", "ann@example.com\r\nBcc: x@y", "a@b>", "<a@b>", `"a b"@c`,
		"a@[127.0.0.1]", "é@ü.de", "a@b (comment)", "a@b,c@d", "a@b\u2028",
	} {
		f.Add("Ann Lee", s)
		f.Add(s, "ann@example.com")
	}
	f.Fuzz(func(t *testing.T, name, email string) {
		if problem(name, email) != "" {
			return
		}
		shown := (&netmail.Address{Name: name, Address: email}).String()
		if strings.ContainsAny(shown, "\r\n\x00") {
			t.Fatalf("%q, %q is written %q", name, email, shown)
		}
		back, err := netmail.ParseAddress(shown)
		if err != nil || back.Address != email || back.Name != name {
			t.Fatalf("%q, %q is written %q and read back as %+v: %v", name, email, shown, back, err)
		}
	})
}
