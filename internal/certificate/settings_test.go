package certificate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSettled(t *testing.T) {
	s, err := Settings{
		Domains: []string{"Project.Example.org.", " bücher.example.org", "project.example.org"}, Agreed: true,
	}.Settled("/data/tls")
	if err != nil || !slices.Equal(s.Domains, []string{"project.example.org", "xn--bcher-kva.example.org"}) ||
		s.Folder != "/data/tls" || s.HTTP != ":80" || s.Challenge != Any || !strings.Contains(s.Directory, "letsencrypt") {
		t.Fatalf("got %+v, %v", s, err)
	}
	if again, err := s.Settled("/elsewhere"); err != nil || !slices.Equal(again.Domains, s.Domains) || again.Folder != s.Folder {
		t.Errorf("settled again: %+v, %v", again, err)
	}
	if !s.Has("BÜCHER.example.org") || s.Has("example.org") || s.Has("") {
		t.Error("Has takes names for others")
	}
	if _, err := (Settings{}).Settled("/data/tls"); err != nil {
		t.Error(err)
	}
}

// TestRefused: one sentence names the option and the remedy.
func TestRefused(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(broken, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := Settings{Domains: []string{"project.example.org"}, Agreed: true}
	with := func(change func(*Settings)) Settings {
		s := good
		change(&s)
		return s
	}
	at := func(domain string) Settings { return with(func(s *Settings) { s.Domains = []string{domain} }) }
	for _, test := range []struct {
		s          Settings
		name, said string
	}{
		{at(""), "--tls-domain", "empty name"},
		{at("192.0.2.7"), "--tls-domain", "192.0.2.7 is an address"},
		{at("192.0.2.7:443"), "--tls-domain", "is an address"},
		{at("2001:db8::1"), "--tls-domain", "is an address"},
		{at("[2001:db8::1]:443"), "--tls-domain", "is an address"},
		{at("*.example.org"), "--tls-domain", "DNS-01"},
		{at("project.example.org:8443"), "--tls-domain", "has a port"},
		{at("https://project.example.org"), "--tls-domain", "Write the name alone"},
		{at("project.example.org/app"), "--tls-domain", "Write the name alone"},
		{at("it@example.org"), "--tls-domain", "Write the name alone"},
		{at("project..example.org"), "--tls-domain", "is not the name of a machine"},
		{at("-project.example.org"), "--tls-domain", "is not the name of a machine"},
		{at("pro_ject.example.org"), "--tls-domain", "is not the name of a machine"},
		{at("project example.org"), "--tls-domain", "is not the name of a machine"},
		{at("10.20.30"), "--tls-domain", "is not the name of a machine"},
		{at(strings.Repeat("a", 64) + ".example.org"), "--tls-domain", "is not the name of a machine"},
		{at(strings.Repeat("long.", 60) + "example.org"), "--tls-domain", "is not the name of a machine"},
		{at("../../etc"), "--tls-domain", "Write the name alone"},
		{at("project.local"), "--tls-domain", "name of a local network, and Let's Encrypt gives"},
		{at("project"), "--tls-domain", "name of a local network"},
		{at("site.test"), "--tls-domain", "name of a local network"},
		{with(func(s *Settings) {
			s.Domains, s.Directory = []string{"site.lan"}, "https://acme.zerossl.com/v2/DV90"
		}), "--tls-domain", "ZeroSSL gives certificates for public names only"},
		{with(func(s *Settings) { s.Agreed = false }), "--tls-agree", "https://letsencrypt.org/repository/"},
		{with(func(s *Settings) { s.Agreed, s.Directory = false, "https://ca.corp/dir" }), "--tls-agree", "https://ca.corp/dir"},
		{with(func(s *Settings) { s.Email = "nobody" }), "--tls-email", "not an e-mail address"},
		{with(func(s *Settings) { s.Email = "A <a@example.org>" }), "--tls-email", "not an e-mail address"},
		{with(func(s *Settings) { s.Directory = "ca.example.org" }), "--tls-ca", "ACME directory"},
		{with(func(s *Settings) { s.Directory = "http://ca.example.org/dir" }), "--tls-ca", "https://"},
		{with(func(s *Settings) { s.Roots = "/nowhere/ca.pem" }), "--tls-ca-root", "cannot be read"},
		{with(func(s *Settings) { s.Roots = broken }), "--tls-ca-root", "no certificate in PEM"},
		{with(func(s *Settings) { s.Challenge = "dns-01" }), "--tls-challenge", "must be one of"},
		{with(func(s *Settings) { s.HTTP = "80" }), "--tls-http-listen", "HOST:PORT"},
		{with(func(s *Settings) { s.HTTP = ":http" }), "--tls-http-listen", "HOST:PORT"},
		{with(func(s *Settings) { s.HTTP, s.Challenge = Off, HTTP01 }), "--tls-http-listen", "Leave one of them out"},
		{Settings{Agreed: true}, "--tls-agree", "does nothing without --tls-domain"},
		{Settings{Email: "it@example.org"}, "--tls-email", "does nothing without --tls-domain"},
		{Settings{Folder: "/tls"}, "--tls-folder", "does nothing without --tls-domain"},
		{Settings{HTTP: Off}, "--tls-http-listen", "does nothing without --tls-domain"},
	} {
		_, err := test.s.Settled("/data/tls")
		if err == nil || !strings.HasPrefix(err.Error(), test.name) || !strings.Contains(err.Error(), test.said) ||
			!strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%+v: got %v, want %q", test.s, err, test.said)
		}
	}
	own := with(func(s *Settings) {
		s.Domains, s.Directory, s.HTTP = []string{"site.lan", "site"}, "https://ca.lan/acme/directory", Off
	})
	if _, err := own.Settled("/data/tls"); err != nil {
		t.Errorf("an authority of one's own: %v", err)
	}
}
