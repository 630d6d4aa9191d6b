package certificate

import (
	"crypto/ecdsa"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/acmetest"
	"groundwork/internal/await"
)

// TestObtained: each challenge alone gives a certificate, where the other port leads nowhere; and gives none where only
// the other port leads here.
func TestObtained(t *testing.T) {
	for _, by := range []string{HTTP01, ALPN01} {
		t.Run(by, func(t *testing.T) {
			a, p, folder := acmetest.Start(t), listen(t), filepath.Join(t.TempDir(), "tls")
			p.leads(a, by)
			s := settings(t, a, folder, by+".example.org", "second."+by+".example.org")
			s.Challenge = by
			x := open(t, a, p, s)
			leaf := x.obtained(t, by+".example.org")
			if err := leaf.VerifyHostname(by + ".example.org"); err != nil {
				t.Error(err)
			}
			x.obtained(t, "second."+by+".example.org")
			if n := a.Orders(); n != 2 {
				t.Errorf("%d certificates were asked for", n)
			}
			if _, err := x.shown("other.example.org"); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
				t.Errorf("who asks for another name is told %v", err)
			}
			c, err := tls.Dial("tcp", x.secure, &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if got := c.ConnectionState().PeerCertificates[0]; !same(got, leaf) {
				t.Errorf("who names nobody is shown %v", got.DNSNames)
			}
			if one := x.status(t); one.Failure != nil || one.Err(time.Now()) != nil || one.Days(time.Now()) != 89 ||
				!strings.Contains(one.Issuer, "Pebble") {
				t.Errorf("the status is %+v, %v", one, one.Err(time.Now()))
			}
			forOwner(t, folder)
		})
		t.Run("not "+by, func(t *testing.T) {
			a, p := acmetest.Start(t), listen(t)
			p.leads(a, map[string]string{HTTP01: ALPN01, ALPN01: HTTP01}[by])
			s := settings(t, a, t.TempDir(), "not."+by+".example.org")
			s.Challenge = by
			x := open(t, a, p, s)
			await.True(t, soon, "nothing failed", func() bool { return x.Failures("not."+by+".example.org") > 0 })
			if _, err := x.shown("not." + by + ".example.org"); err == nil {
				t.Error("there is a certificate")
			}
		})
	}
}

// forOwner holds that nobody else reads keys.
func forOwner(t *testing.T, folder string) {
	t.Helper()
	keys := 0
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 && filepath.Base(filepath.Dir(path)) != "locks" {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if filepath.Ext(path) == ".key" {
			keys++
		}
		return nil
	})
	if err != nil || keys < 2 {
		t.Errorf("%d keys, %v", keys, err)
	}
}

// TestFolderOfOthers: a folder that others use is not shut in front of them; one that is the service's own, or empty,
// is.
func TestFolderOfOthers(t *testing.T) {
	for _, test := range []struct {
		has  []string
		mode fs.FileMode
		want fs.FileMode
		said string
	}{
		{nil, 0o755, 0o700, ""},
		{[]string{"acme", "certificates", "failures", "locks"}, 0o750, 0o700, ""},
		{[]string{"certs"}, 0o755, 0o755, "such as certs"},
		{[]string{"certificates", "live"}, 0o710, 0o710, "such as live"},
		{[]string{"certs"}, 0o700, 0o700, ""},
	} {
		folder := filepath.Join(t.TempDir(), "tls")
		err := os.Mkdir(folder, 0o700)
		for _, name := range test.has {
			err = errors.Join(err, os.Mkdir(filepath.Join(folder, name), 0o755))
		}
		if err = errors.Join(err, os.Chmod(folder, test.mode)); err != nil {
			t.Fatal(err)
		}
		err = takeFolder(folder)
		info, looked := os.Stat(folder)
		if looked != nil || info.Mode().Perm() != test.want || (err == nil) != (test.said == "") ||
			err != nil && (!strings.Contains(err.Error(), test.said) || !strings.HasSuffix(err.Error(), "run: chmod 700 "+folder)) {
			t.Errorf("%v with %v: %v, %v, %v", test.mode, test.has, info.Mode(), err, looked)
		}
	}
}

// TestKept: a restart asks for nothing, and serves what there is from the first moment, though the authority is away.
func TestKept(t *testing.T) {
	a, p, folder := acmetest.Start(t), listen(t), t.TempDir()
	p.leads(a, Any)
	s := settings(t, a, folder, "kept.example.org")
	x := open(t, a, p, s)
	leaf := x.obtained(t, "kept.example.org")
	x.stop()
	a.Away()
	s.every = 10 * time.Millisecond // how often it is looked what is due
	x = open(t, a, listen(t), s)
	again, err := x.shown("kept.example.org")
	if err != nil || !same(leaf, again) {
		t.Fatalf("after a restart: %v", err)
	}
	x.stop()
	a.Back()
	if n := a.Orders(); n != 1 {
		t.Errorf("%d certificates were asked for", n)
	}
	if n := x.Failures("kept.example.org"); n != 0 {
		t.Errorf("%d failures", n)
	}
	// What is damaged is obtained anew.
	if err := os.WriteFile(s.path("kept.example.org"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = listen(t)
	p.leads(a, Any)
	x = open(t, a, p, s)
	if healed := x.obtained(t, "kept.example.org"); same(leaf, healed) {
		t.Error("the damaged certificate is served")
	}
}

// TestRenewed: what is due is renewed by itself while the site serves, with a new key.
func TestRenewed(t *testing.T) {
	a, p := acmetest.Start(t), listen(t)
	p.leads(a, Any)
	s := settings(t, a, t.TempDir(), "renewed.example.org")
	s.window, s.every = 1, 100*time.Millisecond // it is due all of its life
	x := open(t, a, p, s)
	before := x.obtained(t, "renewed.example.org")
	after := before
	await.Until(t, soon, func() string {
		var err error
		if after, err = x.shown("renewed.example.org"); err != nil {
			t.Fatalf("while it is renewed: %v", err)
		}
		if same(before, after) {
			return "the certificate of before is served"
		}
		return ""
	})
	if after.PublicKey.(*ecdsa.PublicKey).Equal(before.PublicKey) {
		t.Error("the key is the one of before")
	}
	if a.Revoked(before) {
		t.Error("the one of before is revoked")
	}
}

// TestRevoked: another certificate is served before one is revoked, and nothing is revoked without.
func TestRevoked(t *testing.T) {
	a, p, folder := acmetest.Start(t), listen(t), t.TempDir()
	p.leads(a, Any)
	s := settings(t, a, folder, "revoked.example.org")
	s.Email = "it@example.org"
	x := open(t, a, p, s)
	first := x.obtained(t, "revoked.example.org")
	a.Leads("", "")
	if _, err := x.Revoke(t.Context(), "revoked.example.org", 0); err == nil ||
		!strings.Contains(err.Error(), "Nothing was revoked.") || a.Revoked(first) {
		t.Errorf("without another one: %v; revoked: %v", err, a.Revoked(first))
	}
	p.leads(a, Any)
	old, err := x.Revoke(t.Context(), "Revoked.example.org.", Reasons["key-compromise"])
	if err != nil || !same(old, first) || !a.Revoked(first) {
		t.Fatalf("%v; revoked: %v", err, a.Revoked(first))
	}
	second, err := x.shown("revoked.example.org")
	if err != nil || same(first, second) || a.Revoked(second) {
		t.Fatalf("served now: %v", err)
	}
	if x.status(t).Failure != nil {
		t.Error("the failure is still told")
	}
	if _, err := x.Revoke(t.Context(), "never.example.org", 0); err == nil ||
		!strings.Contains(err.Error(), "There is no certificate of never.example.org") {
		t.Errorf("of a stranger: %v", err)
	}
	x.stop()

	// The name was given up: the account of before revokes its certificate, and nothing is left of it.
	p = listen(t)
	p.leads(a, Any)
	s.Domains = []string{"successor.example.org"}
	x = open(t, a, p, s)
	x.obtained(t, "successor.example.org")
	x.stop()
	x = open(t, a, listen(t), s) // it has asked for nothing since its start
	if _, err := x.Revoke(t.Context(), "revoked.example.org", Reasons["cessation"]); err != nil || !a.Revoked(second) {
		t.Errorf("of a name that was given up: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(s.path("revoked.example.org"))); err == nil {
		t.Error("it is still stored")
	}
	if err := x.Renew(t.Context(), "revoked.example.org"); err == nil || !strings.Contains(err.Error(), "--tls-domain") {
		t.Errorf("renewed: %v", err)
	}
}

// TestAuthorityAway: the site serves what it has, tells the log once when it begins and once when it ends, and goes on
// by itself.
func TestAuthorityAway(t *testing.T) {
	a, p, folder := acmetest.Start(t), listen(t), t.TempDir()
	p.leads(a, Any)
	a.Away()
	s := settings(t, a, folder, "away.example.org")
	s.again = time.Millisecond
	x := open(t, a, p, s)
	await.True(t, soon, "it is not tried again", func() bool { return x.Failures("away.example.org") > 1 })
	if _, err := x.shown("away.example.org"); err == nil {
		t.Error("a certificate came from nowhere")
	}
	one := x.status(t)
	if one.Failure == nil || one.Err(time.Now()) == nil ||
		!strings.Contains(one.Err(time.Now()).Error(), "there is none, and it could not be obtained since ") {
		t.Errorf("the status is %+v: %v", one, one.Err(time.Now()))
	}
	a.Back()
	leaf := x.obtained(t, "away.example.org")
	await.True(t, soon, "the end is not told", func() bool { return x.log.count("failed_for=") == 1 })
	if n := x.log.count("a certificate cannot be obtained"); n != 1 {
		t.Errorf("the log has %d lines of the beginning", n)
	}
	if x.status(t).Failure != nil {
		t.Error("the failure is still told")
	}
	x.stop()

	a.Away()
	p = listen(t)
	p.leads(a, Any)
	s.window = 1
	x = open(t, a, p, s)
	await.True(t, soon, "what is due is not renewed at the start", func() bool { return x.Failures("away.example.org") > 0 })
	if kept, err := x.shown("away.example.org"); err != nil || !same(kept, leaf) {
		t.Fatalf("meanwhile: %v", err)
	}
	await.True(t, soon, "the failure is not kept", func() bool { return x.status(t).Failure != nil })
	if err := x.status(t).Err(time.Now()); err == nil ||
		!strings.Contains(err.Error(), "it ends in 89 days, and could not be renewed since ") {
		t.Errorf("the status is %v", err)
	}
	a.Back()
	if err := x.Renew(t.Context(), "away.example.org"); err != nil {
		t.Fatal(err)
	}
	if n := x.log.count("a certificate cannot be obtained"); n != 1 {
		t.Errorf("the log has %d lines of the beginning", n)
	}
}

// TestWrongDomains: a name that the authority refuses, and one that leads elsewhere, do not keep a good one from its
// certificate, and are told in the authority's words.
func TestWrongDomains(t *testing.T) {
	a, p := acmetest.Start(t), listen(t)
	p.leads(a, Any)
	s := settings(t, a, t.TempDir(), acmetest.Blocked, acmetest.Elsewhere, "good.example.org")
	x := open(t, a, p, s)
	x.obtained(t, "good.example.org")
	await.Until(t, soon, func() string {
		all := x.Look()
		if all[0].Failure == nil || all[1].Failure == nil {
			return "not both are refused"
		}
		if !strings.Contains(all[0].Failure.Why, "the authority says: ") ||
			!strings.Contains(all[0].Failure.Why, "blocked") || !strings.Contains(all[1].Failure.Why, "127.0.0.9") {
			t.Fatalf("the failures are %+v and %+v", all[0].Failure, all[1].Failure)
		}
		return ""
	})
	for _, name := range []string{acmetest.Blocked, acmetest.Elsewhere} {
		if _, err := x.shown(name); err == nil {
			t.Errorf("there is a certificate of %s", name)
		}
	}
	if n := x.log.count("a certificate cannot be obtained"); n != 2 {
		t.Errorf("the log has %d lines", n)
	}
}

// TestShared: two that share a folder ask for one certificate, and both serve what either renews.
func TestShared(t *testing.T) {
	a, p, folder := acmetest.Start(t), listen(t), t.TempDir()
	p.leads(a, Any)
	s := settings(t, a, folder, "shared.example.org")
	s.look = 10 * time.Millisecond
	one, two := open(t, a, p, s), open(t, a, listen(t), s)
	first := one.obtained(t, "shared.example.org")
	if !same(first, two.obtained(t, "shared.example.org")) || a.Orders() != 1 {
		t.Errorf("%d certificates were asked for", a.Orders())
	}
	if err := two.Renew(t.Context(), "shared.example.org"); err != nil {
		t.Fatal(err)
	}
	await.True(t, soon, "the other serves the certificate of before", func() bool {
		leaf, err := one.shown("shared.example.org")
		return err == nil && !same(leaf, first)
	})
}
