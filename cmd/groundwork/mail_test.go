package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/mail/dnstest"
	"groundwork/internal/mail/smtptest"
)

// TestMailCommands sends test letters, has them come back, and has the operator say that they arrive.
func TestMailCommands(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		mail := smtptest.Start(t)
		p = append(p, "--mail-url", mail.URL, "--mail-from", "Tower Works <groundwork@example.com>")
		createAccount(t, p, "anna@example.com")
		uid := strings.Fields(strings.Split(works(t, p, "", "account", "list"), "\n")[1])[0]
		serve(t, p)
		said := works(t, p, "", "mail", "test", "ANNA@example.com")
		if !strings.Contains(said, mail.Address+" was reached without encryption and took the letter") {
			t.Errorf("mail test printed %q", said)
		}
		fails(t, p, "one @ with something on both sides", "", "mail", "test", "anna")
		mail.Refuse("gone@example.com", 550, [3]int{5, 1, 1}, "No such person")
		fails(t, p, "refused the recipient: 550 5.1.1 No such person", "", "mail", "test", "gone@example.com")
		if shown := works(t, p, "", "account", "show", "anna@example.com"); !strings.Contains(shown, uid) ||
			!strings.Contains(shown, "no letter is known to have come back") {
			t.Errorf("account show printed\n%s", shown)
		}
		fails(t, p, "No letter to anna@example.com has come back.", "", "mail", "clear", "anna@example.com")

		letters := mail.Letters("ANNA@example.com")
		if len(letters) != 1 {
			t.Fatalf("%+v", letters)
		}
		report := smtptest.Report(letters[0], "failed", "5.2.1", "550 5.2.1 Mailbox disabled")
		for _, noise := range []string{"", "hello", strings.Replace(report, uid, "00000000-0000-4000-8000-000000000000", 1)} {
			if said := works(t, p, noise, "mail", "bounce"); !strings.HasPrefix(said, "Nothing was noted: ") {
				t.Errorf("mail bounce printed %q", said)
			}
		}
		// A whole letter comes along with many reports.
		long := strings.Replace(report, "\r\n--frontier--", strings.Repeat("x", 2<<20)+"\r\n--frontier--", 1)
		if said := works(t, p, long, "mail", "bounce"); said != "It was noted that letters to account "+uid+" come back." {
			t.Errorf("mail bounce printed %q", said)
		}
		if said := works(t, p, report, "mail", "bounce"); !strings.Contains(said, "noted before") {
			t.Errorf("mail bounce printed %q", said)
		}
		if shown := works(t, p, "", "account", "show", "anna@example.com"); !regexp.MustCompile(
			`mail +came back, the last time on [0-9T:Z -]+: 550 5\.2\.1 Mailbox disabled`).MatchString(shown) {
			t.Errorf("account show printed\n%s", shown)
		}
		if table := works(t, p, "", "account", "list"); !strings.Contains(table, "mail comes back") {
			t.Errorf("account list printed\n%s", table)
		}
		if said := works(t, p, "", "mail", "clear", "anna@example.com"); said != "Noted: letters to anna@example.com arrive." {
			t.Errorf("mail clear printed %q", said)
		}
		if table := works(t, p, "", "account", "list"); strings.Contains(table, "mail comes back") {
			t.Errorf("account list printed\n%s", table)
		}
		for _, args := range [][]string{{"mail", "clear"}, {"mail", "clear", "--all", "anna@example.com"}} {
			fails(t, p, "Name an address, or say --all", "", args...)
		}
		works(t, p, strings.Replace(report, "Mailbox", "Mail box", 1), "mail", "bounce")
		if said := works(t, p, "", "mail", "clear", "--all"); !strings.HasPrefix(said, "Noted: letters to everybody arrive. To 1 ") {
			t.Errorf("mail clear --all printed %q", said)
		}
	})
}

// TestAskedWithOtherSettings: a running server answers for itself, and says which of the settings given it does not
// have.
func TestAskedWithOtherSettings(t *testing.T) {
	p := newPlace(t)
	mail := smtptest.Start(t)
	serve(t, p, "--mail-url", mail.URL, "--mail-from", "a@example.com", "--mail-dns", "127.0.0.1:1")
	const said = "The running server was asked, and it has other settings than were given here: "
	r := command(t, p, "", "mail", "test", "anna@example.com", "--mail-url", "smtp://me:"+canary+"@127.0.0.1:1", "--mail-from", "a@example.com")
	if r.exit != 0 || !strings.HasPrefix(r.err, "groundwork: "+said+"--mail-url. ") || strings.Contains(r.err+r.out, canary) {
		t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
	}
	r = command(t, p, "", "doctor", "--mail-dkim-selector", "x", "--mail-dns", "127.0.0.1:1", "--public-url", "https://build.example.com")
	if !strings.HasPrefix(r.out, "--  settings: "+said+"--mail-dkim-selector, --public-url. ") || r.err != "" {
		t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
	}
	works(t, p, "", "mail", "test", "anna@example.com", "--mail-url", mail.URL, "--mail-from", "a@example.com")
}

// TestBounceIsTriedAgain: a report that cannot be noted now is not lost: the mail server is told to bring it again.
func TestBounceIsTriedAgain(t *testing.T) {
	r := command(t, append(newPlace(t), "--database-url", "postgres://anna:canary@127.0.0.1:1/none"), "x", "mail", "bounce")
	if r.exit != exitAgain || strings.Contains(r.out+r.err, "canary") {
		t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
	}
	p := newPlace(t)
	createAccount(t, p, "anna@example.com")
	r = command(t, p, "", "mail", "test", "anna@example.com")
	if r.exit != exitFailure || !strings.Contains(r.err, "No mail server is set") {
		t.Errorf("a test without a mail server: exit %d\n%s%s", r.exit, r.out, r.err)
	}
}

// TestMailNeedsAnInstallation: a pipe that was told of another place, or of another secret, than the server makes no
// installation and loses no report.
func TestMailNeedsAnInstallation(t *testing.T) {
	for _, args := range [][]string{
		{"mail", "bounce"},
		{"mail", "test", "a@example.com"},
		{"mail", "clear", "a@example.com"},
		{"account", "show", "a@example.com"},
	} {
		p := newPlace(t)
		if err := os.Mkdir(p[1], 0o700); err != nil {
			t.Fatal(err)
		}
		exit := exitFailure
		if args[1] == "bounce" {
			exit = exitAgain
		}
		r := command(t, p, "From: a@b\r\n\r\nx", args...)
		if r.exit != exit || r.out != "" || !strings.HasPrefix(r.err, "groundwork: There is no installation here: ") ||
			strings.Count(r.err, "\n") != 1 {
			t.Errorf("%q: exit %d\n%s%s", args, r.exit, r.out, r.err)
		}
		if left, err := os.ReadDir(p[1]); err != nil || len(left) > 0 {
			t.Errorf("%q left %v, %v", args, left, err)
		}
	}
	places(t, func(t *testing.T, p place) {
		createAccount(t, p, "anna@example.com")
		variables := []string{"GROUNDWORK_SECRET=" + strings.Repeat("canary", 6)}
		s := serveWith(t, variables, p)
		if status, _ := s.get(t, "", "/readyz"); status != 200 || s.stop(t) != 0 {
			t.Fatalf("the server failed: %d %s", status, s.errs)
		}
		// The server has ended, so the command does it all itself.
		if r := command(t, p, "x", "mail", "bounce"); r.exit != exitAgain || !strings.Contains(r.err, "GROUNDWORK_SECRET") {
			t.Errorf("with another secret: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		if r := with(t, variables, append([]string{"mail", "bounce"}, p...)...); r.exit != 0 || !strings.HasPrefix(r.out, "Nothing was noted") {
			t.Errorf("with the secret: exit %d\n%s%s", r.exit, r.out, r.err)
		}
	})
}

// TestDoctorLooksAtTheSender: what the sender's domain publishes is told as hints, which are no failure; a key that is
// not the one that letters are signed with is. A DNS server that is away keeps nobody from anything.
func TestDoctorLooksAtTheSender(t *testing.T) {
	mail := smtptest.Start(t)
	p := newPlace(t)
	createAccount(t, p, "anna@example.com")
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "dkim.pem")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	dns := dnstest.Start(t, dnstest.Zone{
		TXT: map[string][]string{
			"good.example":                {"v=spf1 mx -all"},
			"_dmarc.good.example":         {"v=DMARC1; p=none"},
			"s1._domainkey.good.example":  {"v=DKIM1; p=QUFB"},
			"bad.example":                 {"v=spf1 -all", "v=spf1 +all"},
			"key._domainkey.good.example": {"v=DKIM1; p=QUFB"},
		},
		MX: map[string][]string{"good.example": {"mx.good.example"}},
	})
	for _, test := range []struct {
		name string
		args []string
		says []string
		exit int
	}{
		{
			"all is well",
			[]string{"--mail-from", "a@good.example", "--mail-dkim-selector", "s1", "--mail-dns", dns.Address},
			[]string{"ok  MX of good.example", "ok  SPF of good.example", "ok  DKIM of good.example (s1)", "ok  DMARC of good.example"},
			0,
		},
		{
			"hints",
			[]string{"--mail-from", "a@bad.example", "--mail-dns", dns.Address},
			[]string{"--  MX of bad.example: ", "--  SPF of bad.example: bad.example has 2 SPF records", "--  DKIM of bad.example: ", "--  DMARC of bad.example: "},
			0,
		},
		{
			"another key",
			[]string{"--mail-from", "a@good.example", "--mail-dkim-key", key, "--mail-dkim-selector", "key", "--mail-dns", dns.Address},
			[]string{"BAD DKIM of good.example (key): the key at key._domainkey.good.example is another one"},
			exitFailure,
		},
		{
			"no DNS server",
			[]string{"--mail-from", "a@good.example", "--mail-dns", "127.0.0.1:1"},
			[]string{"--  SPF of good.example: it could not be looked up"},
			0,
		},
		{
			"a silent DNS server",
			[]string{"--mail-from", "a@good.example", "--mail-dns", dnstest.Silent(t)},
			[]string{"--  MX of good.example: it could not be looked up: the DNS server does not answer", "--  DNS: "},
			0,
		},
		{
			"no domain",
			[]string{"--mail-from", "a@localhost", "--mail-dns", dns.Address},
			[]string{"--  mail sender: the domain of --mail-from is none that others know"},
			0,
		},
	} {
		r := command(t, append(p, append([]string{"--mail-url", mail.URL}, test.args...)...), "", "doctor")
		for _, says := range test.says {
			if r.exit != test.exit || !strings.Contains("\n"+r.out, "\n"+says) {
				t.Errorf("%s: exit %d, no line %q in\n%s%s", test.name, r.exit, says, r.out, r.err)
			}
		}
	}
	fails(t, append(p, "--mail-dns", "a b"), "is not of the form HOST:PORT", "", "account", "list")
	fails(t, append(p, "--mail-dkim-key", key), "--mail-dkim-selector", "", "account", "list")
}

// TestDKIMKeyInTheFile: the file of settings names the key, and config check says when others can read it.
func TestDKIMKeyInTheFile(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "dkim.pem")
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	p := settled(t, "mail_dkim_key = \""+key+"\"\nmail_dkim_selector = \"s1\"\nmail_dns = \"9.9.9.9:53\"\n", 0o600)
	if said := works(t, p, "", "config", "check"); !strings.Contains(said, "ok  the settings are good; 3 are from") {
		t.Errorf("config check printed\n%s", said)
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := command(t, p, "", "config", "check"); r.exit != exitFailure ||
		!strings.Contains(r.out, "mail_dkim_key: every user of this machine can read") {
		t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
	}
}
