package published_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/mail/dnstest"
	"groundwork/internal/mail/published"
)

const domain = "build.example.com"

// zone is a domain that does everything right; tests spoil it.
func zone() dnstest.Zone {
	return dnstest.Zone{
		TXT: map[string][]string{
			domain:                      {"google-site-verification=x", "v=spf1 include:_spf.relay.example mx -all"},
			"_spf.relay.example":        {"v=spf1 ip4:192.0.2.0/28 ip6:2001:db8::/64 ~all"},
			"_dmarc.example.com":        {"v=DMARC1; p=quarantine"},
			"s1._domainkey." + domain:   {"v=DKIM1; k=rsa; p=" + strings.Repeat("QUFB", 90)},
			"far.relay.example":         {"v=spf1 redirect=_spf.relay.example"},
			"macro.example":             {"v=spf1 exists:%{i}.x.example -all"},
			"round.example":             {"v=spf1 include:round.example -all"},
			"near.example":              {"v=spf1 a:smtp.relay.example/24 -all"},
			"mine.example":              {"v=spf1 mx -all"},
			"anybody.example":           {"v=spf1 +all"},
			"forbidden.example":         {"v=spf1 -ip4:192.0.2.5 +all"},
			"v.example":                 {"v=spf10 ip4:192.0.2.5 -all"},
			"_dmarc.two.example":        {"v=DMARC1; p=none", "v=DMARC1; p=reject"},
			"two.example":               {"v=spf1 -all", "v=spf1 +all"},
			"gone._domainkey." + domain: {"v=DKIM1; p="},
			"odd._domainkey." + domain:  {"v=DKIM1; p=***"},
			"many._domainkey." + domain: {"p=QUFB", "p=QkJC"},
		},
		MX: map[string][]string{
			domain: {"mx.example.com"}, "mine.example": {"smtp.relay.example"}, "null.example": {"."},
		},
		A: map[string][]string{
			"smtp.relay.example": {"192.0.2.5", "2001:db8::5"}, "other.example": {"198.51.100.7"},
			"smtp2.relay.example": {"192.0.2.77"}, "one.example": {"192.0.2.5"},
			"mx.example.com": {"203.0.113.9"},
		},
	}
}

func lookUp(t *testing.T, server string, s published.Sender) map[string]published.Finding {
	t.Helper()
	dns, err := published.Resolver(server)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]published.Finding{}
	for _, f := range published.Look(t.Context(), dns, s) {
		kind, _, _ := strings.Cut(f.Name, " ")
		all[kind] = f
	}
	return all
}

func TestAllIsWell(t *testing.T) {
	server := dnstest.Start(t, zone())
	all := lookUp(t, server.Address, published.Sender{Domain: domain, Host: "smtp.relay.example", Selector: "s1"})
	for _, kind := range []string{"MX", "SPF", "DKIM", "DMARC"} {
		if f, there := all[kind]; !there || f.Hint != "" || f.Wrong || !strings.Contains(f.Name, domain) {
			t.Errorf("%s: %+v", kind, f)
		}
	}
	if len(all) != 4 || all["SPF"].Name != "SPF of "+domain+" (it names smtp.relay.example)" {
		t.Errorf("%+v", all)
	}
}

func TestSPF(t *testing.T) {
	server := dnstest.Start(t, zone())
	for _, test := range []struct {
		domain, host string
		hint, name   string // what they contain; no hint where empty
	}{
		{domain, "smtp.relay.example", "", "it names"},
		{domain, "192.0.2.5", "", "it names"},
		{domain, "other.example", "does not name other.example (198.51.100.7)", ""},
		{domain, "198.51.100.7", "add ip4:198.51.100.7", ""},
		{domain, "mx.example.com", "", "it names"}, // by its mx
		{"far.relay.example", "smtp.relay.example", "", "it names"},
		{"macro.example", "smtp.relay.example", "", "only receivers can tell"},
		{"round.example", "smtp.relay.example", "it leads to too many other names", ""},
		{"near.example", "smtp2.relay.example", "", "it names"}, // in the same network
		{"near.example", "other.example", "does not name", ""},
		{"mine.example", "one.example", "", "it names"},
		{"anybody.example", "other.example", "", "it names"},
		{"forbidden.example", "one.example", "does not name", ""},
		{"forbidden.example", "other.example", "", "it names"},
		{"v.example", "one.example", `"v=spf1 a:one.example ~all"`, ""},
		{"two.example", "one.example", "2 SPF records", ""},
		{"nothing.example", "one.example", "does not say which servers", ""},
		{domain, "unknown.example", "", "are not known"},
	} {
		f := lookUp(t, server.Address, published.Sender{Domain: test.domain, Host: test.host})["SPF"]
		if (f.Hint == "") != (test.hint == "") || !strings.Contains(f.Hint, test.hint) ||
			!strings.Contains(f.Name, test.name) || f.Wrong {
			t.Errorf("%s by %s: %+v", test.domain, test.host, f)
		}
	}
	f := lookUp(t, server.Address, published.Sender{Domain: domain, Host: "127.0.0.1", Local: true})["SPF"]
	if f.Hint != "" || !strings.Contains(f.Name, "on this machine") {
		t.Errorf("a server on this machine: %+v", f)
	}
}

// TestManyAddresses: a usual sender, whose mail server has many addresses and whose record includes it after others, is
// looked up with few questions. What is wrong with its signatures is said, though its record leads anywhere.
func TestManyAddresses(t *testing.T) {
	z := zone()
	z.TXT["usual.example"] = []string{"v=spf1 include:a.usual.example include:b.usual.example mx:mx.usual.example a include:c.usual.example include:far.relay.example -all"}
	for i, name := range []string{"a", "b", "c"} {
		z.TXT[name+".usual.example"] = []string{fmt.Sprintf("v=spf1 ip4:203.0.113.%d -all", i)}
	}
	z.MX["mx.usual.example"], z.A["usual.example"] = []string{"mx.example.com"}, []string{"203.0.113.77"}
	for i := range 15 {
		z.A["smtp.usual.example"] = append(z.A["smtp.usual.example"], fmt.Sprintf("192.0.2.%d", i))
	}
	z.TXT["wild.example"] = []string{"v=spf1 " + strings.Repeat("include:wild.example ", 15) + "-all"}
	z.TXT["wide.example"] = []string{"v=spf1 -all"}
	for i := range 50 {
		name := fmt.Sprintf("n%d.w.ex", i)
		z.TXT[name] = []string{"v=spf1 -all"}
		z.TXT["wide.example"][0] = strings.Replace(z.TXT["wide.example"][0], " -all", " include:"+name+" -all", 1)
	}
	for _, name := range []string{"usual.example", "wild.example", "wide.example"} {
		z.TXT["mail._domainkey."+name] = []string{"v=DKIM1; p=QUFB"}
		z.TXT["_dmarc."+name] = []string{"v=DMARC1; p=none"}
	}
	server := dnstest.Start(t, z)
	look := func(domain string) map[string]published.Finding {
		return lookUp(t, server.Address, published.Sender{
			Domain: domain, Host: "smtp.usual.example", Selector: "mail", Public: []byte("another key"),
		})
	}
	all := look("usual.example")
	if f := all["SPF"]; f.Hint != "" || !strings.Contains(f.Name, "it names smtp.usual.example") {
		t.Errorf("SPF: %+v", f)
	}
	if n := len(server.Asked()); n > 20 {
		t.Errorf("%d questions were asked: %v", n, server.Asked())
	}
	for _, domain := range []string{"usual.example", "wild.example", "wide.example"} {
		all := look(domain)
		if domain != "usual.example" && !strings.Contains(all["SPF"].Hint, "too many other names") {
			t.Errorf("SPF of %s: %+v", domain, all["SPF"])
		}
		if f := all["DKIM"]; !f.Wrong || !strings.Contains(f.Hint, "is another one") {
			t.Errorf("DKIM of %s: %+v", domain, f)
		}
		if f := all["DMARC"]; f.Hint != "" {
			t.Errorf("DMARC of %s: %+v", domain, f)
		}
	}
}

func TestDKIM(t *testing.T) {
	pair, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	own, err := x509.MarshalPKIXPublicKey(&pair.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	edwards, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString
	z := zone()
	key := func(selector, record string) { z.TXT[selector+"._domainkey."+domain] = []string{record} }
	key("own", "v=DKIM1;k=rsa;t=s; p="+text(own))
	key("old", "p="+text(x509.MarshalPKCS1PublicKey(&pair.PublicKey)))
	key("ed", "v=DKIM1; k=ed25519; p="+text(edwards))
	server := dnstest.Start(t, z)
	for _, test := range []struct {
		selector string
		public   []byte
		hint     string
		wrong    bool
	}{
		{"", nil, "--mail-dkim-selector", false},
		{"s1", nil, "", false},
		{"own", own, "", false},
		{"old", own, "", false},
		{"ed", edwards, "", false},
		{"s1", own, `another one than this service signs with (--mail-dkim-key), so no signature is right; publish a TXT record there: "v=DKIM1; k=rsa; p=` + text(own), true},
		{"own", edwards, "k=ed25519", true},
		{"none", nil, "there is no key at none._domainkey." + domain, false},
		{"none", edwards, "publish a TXT record there", false},
		{"gone", own, "was revoked", true},
		{"gone", nil, "was revoked", false},
		{"odd", own, "cannot be read", true},
		{"many", nil, "has 2 keys", false},
	} {
		f := lookUp(t, server.Address, published.Sender{
			Domain: domain, Host: "one.example", Selector: test.selector, Public: test.public,
		})["DKIM"]
		if (f.Hint == "") != (test.hint == "") || !strings.Contains(f.Hint, test.hint) || f.Wrong != test.wrong {
			t.Errorf("%q: %+v", test.selector, f)
		}
	}
}

func TestMXAndDMARC(t *testing.T) {
	server := dnstest.Start(t, zone())
	for _, test := range []struct{ domain, mx, dmarc string }{
		{domain, "", ""}, // of the domain above
		{"null.example", "takes no mail", "_dmarc.null.example"},
		{"two.example", "takes no mail", "2 such records"},
		{"BÜCHER.example", "takes no mail", "_dmarc.xn--bcher-kva.example"},
	} {
		all := lookUp(t, server.Address, published.Sender{Domain: test.domain, Host: "one.example"})
		for kind, hint := range map[string]string{"MX": test.mx, "DMARC": test.dmarc} {
			if f := all[kind]; (f.Hint == "") != (hint == "") || !strings.Contains(f.Hint, hint) {
				t.Errorf("%s of %s: %+v", kind, test.domain, f)
			}
		}
	}
	for _, none := range []string{"localhost", "", "a b.example"} {
		all := lookUp(t, server.Address, published.Sender{Domain: none, Host: "one.example"})
		if len(all) != 1 || !strings.Contains(all["mail"].Hint, "none that others know") {
			t.Errorf("%q: %+v", none, all)
		}
	}
}

// TestDNSIsAway: a server that is silent, broken or not there is a hint, and nobody waits for long.
func TestDNSIsAway(t *testing.T) {
	z := zone()
	z.Broken = map[string]bool{domain: true}
	who := published.Sender{Domain: domain, Host: "one.example", Selector: "s1"}
	broken := lookUp(t, dnstest.Start(t, z).Address, who)
	for kind, says := range map[string]string{
		"MX": "could not be looked up", "SPF": "could not be looked up", "DKIM": "", "DMARC": "",
	} {
		if f := broken[kind]; (f.Hint == "") != (says == "") || !strings.Contains(f.Hint, says) || f.Wrong {
			t.Errorf("%s where its name is broken: %+v", kind, f)
		}
	}
	dns, err := published.Resolver(dnstest.Silent(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond) // as Within would, later
	defer cancel()
	for _, f := range published.Look(ctx, dns, who) {
		if f.Hint == "" || f.Wrong {
			t.Errorf("a silent server: %+v", f)
		}
	}
	for name, f := range lookUp(t, "127.0.0.1:1", who) {
		if f.Hint == "" || f.Wrong {
			t.Errorf("no server, %s: %+v", name, f)
		}
	}
}

// TestEndlessRecords: a domain whose records lead on and on is asked a bounded number of times.
func TestEndlessRecords(t *testing.T) {
	z := zone()
	z.TXT[domain] = []string{"v=spf1" + strings.Repeat(" include:w.example", 30) + " -all"}
	z.TXT["w.example"] = []string{"v=spf1" + strings.Repeat(" a:other.example", 30) + " -all"}
	server := dnstest.Start(t, z)
	f := lookUp(t, server.Address, published.Sender{Domain: domain, Host: "one.example"})["SPF"]
	if !strings.Contains(f.Hint, "too many") || len(server.Asked()) > 150 {
		t.Errorf("%+v after %d questions", f, len(server.Asked()))
	}
}

func TestResolver(t *testing.T) {
	for server, good := range map[string]bool{
		"": true, "9.9.9.9": true, "9.9.9.9:53": true, "[2001:db8::1]:53": true, "dns.example.com": true,
		":53": false, "a b": false, "https://dns.example.com/": false,
	} {
		if _, err := published.Resolver(server); (err == nil) != good {
			t.Errorf("%q: %v", server, err)
		}
	}
}
