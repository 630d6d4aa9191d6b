package app

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"groundwork/internal/blob"
	"groundwork/internal/redact"
)

// FuzzConfig checks that a configuration is settled or refused in sentences, and that no refusal repeats what may hold
// a password.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"", "sqlite:x.db", "sqlite:", "sqlite:///tmp/x", "postgres://u:secretword@h/d", "postgresql://%zz", "file:x",
		"file:", "s3://bucket/p?endpoint=https://e", "s3://", "mysql://x", "\x00", "postgres:secretword@h",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, database, blob string) {
		c, err := Config{Data: "d", DatabaseURL: redact.Secret(database), BlobURL: redact.Secret(blob)}.settled()
		if err == nil {
			if c.DatabaseURL == "" || c.BlobURL == "" || c.Listen == "" {
				t.Fatalf("%q, %q: %+v", database, blob, c)
			}
			return
		}
		for _, secret := range []string{database, blob} {
			if len(secret) > 3 && strings.Contains(err.Error(), secret) && !strings.Contains(refusals(), secret) {
				t.Fatalf("%q is told in %q", secret, err)
			}
		}
	})
}

// refusals are the sentences that refuse URLs without any text of theirs.
func refusals() string {
	return errors.Join(Config{DatabaseURL: "x"}.checkDatabase(), Config{DatabaseURL: "sqlite:"}.checkDatabase(),
		blob.CheckURL("x")).Error()
}

// FuzzServing checks that an address that is served over plain HTTP is of this machine alone, and that the base of all
// URLs is a plain one.
func FuzzServing(f *testing.F) {
	for _, s := range []string{
		"", "https://build.example.com", "https://Build.example.com/", "http://x:8080", "https://x/path",
		"https://u:p@x", "https://x?q", "https://x#f", "ftp://x", "https:x", "https://[::1]:8443",
		"https://x:99999", "https://x:", "https://a b", "https://%41", "https://x/?",
	} {
		f.Add("127.0.0.1:8080", s)
		f.Add(s, "https://x")
	}
	f.Add(":8080", "")
	f.Add("0.0.0.0:0", "https://x")
	f.Add("[::ffff:127.0.0.1]:80", "")
	f.Fuzz(func(t *testing.T, listen, public string) {
		c := Config{Listen: listen, PublicURL: public}
		if c.checkServing() != nil {
			return
		}
		host, _, err := net.SplitHostPort(listen)
		if err != nil {
			t.Fatalf("%q is served", listen)
		}
		if addr, err := netip.ParseAddr(host); !strings.EqualFold(host, "localhost") && (err != nil ||
			!addr.Unmap().IsLoopback()) {
			t.Fatalf("%q is served over plain HTTP", listen)
		}
		base := c.base(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080})
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" ||
			u.RawQuery != "" || u.User != nil || strings.HasSuffix(base, "/") {
			t.Fatalf("%q, %q: the base of all URLs is %q: %v", listen, public, base, err)
		}
		if again := (Config{Listen: listen, PublicURL: base}); again.checkServing() != nil || again.base(nil) != base {
			t.Fatalf("%q, %q: the base %q as public URL is %v", listen, public, base, again.checkServing())
		}
	})
}

// FuzzProxies checks that a proxy is itself among the trusted, and that a network is written in one way.
func FuzzProxies(f *testing.F) {
	for _, s := range []string{
		"10.0.0.5", "10.0.0.0/8", "10.1.2.3/8", "::1", "fe80::1%eth0", "fe80::/10",
		"::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "0.0.0.0/0", "10.0.0.0/33", " 10.0.0.1 ", "x", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		proxies, err := ParseProxies([]string{text})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "The trusted proxy ") {
				t.Fatal(err)
			}
			return
		}
		if len(proxies) != 1 || !proxies[0].IsValid() || proxies[0] != proxies[0].Masked() {
			t.Fatalf("%q is %v", text, proxies)
		}
		// A peer is compared in its plain form: a network of the mapped form would trust nobody.
		if addr := proxies[0].Addr(); !proxies[0].Contains(addr.Unmap().WithZone("")) {
			t.Fatalf("%q is %v, which does not contain %s", text, proxies[0], addr.Unmap())
		}
		if again, err := ParseProxies([]string{proxies[0].String()}); err != nil || again[0] != proxies[0] {
			t.Fatalf("%q is %v, read back as %v: %v", text, proxies[0], again, err)
		}
	})
}
