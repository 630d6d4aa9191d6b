package app

import (
	"testing"

	"groundwork/internal/certificate"
	"groundwork/internal/mail"
	"groundwork/internal/mail/smtptest"
	"groundwork/internal/redact"
)

// TestMailServersAreGreeted with the name that the installation has outside.
func TestMailServersAreGreeted(t *testing.T) {
	server := smtptest.Start(t)
	for _, test := range []struct {
		url     string
		domains []string
		want    string
	}{
		{"https://build.example.com:8443", nil, "build.example.com"},
		{"", []string{"tower.example.com", "b.example.com"}, "tower.example.com"},
		{"https://build.example.com", []string{"b.example.com", "build.example.com"}, "build.example.com"},
		{"http://localhost:8080", nil, "[127.0.0.1]"},
		{"", nil, "[127.0.0.1]"},
	} {
		c := Config{
			PublicURL: test.url, MailURL: redact.Secret(server.URL), MailFrom: "groundwork@example.com",
			Certificates: certificate.Settings{Domains: test.domains},
		}
		s, err := c.sender()
		if err != nil {
			t.Fatal(err)
		}
		m := mail.Message{To: mail.Address{Email: "ada@example.com"}, Subject: "x", Text: "y"}
		if err := s.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		all := server.Letters("ada@example.com")
		if got := all[len(all)-1].Hello; got != test.want {
			t.Errorf("%+v: greeted as %q", test, got)
		}
	}
}
