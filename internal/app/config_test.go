package app

import (
	"net"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"groundwork/internal/redact"
)

func TestSettled(t *testing.T) {
	folder := t.TempDir()
	c, err := Config{Data: folder}.settled()
	if err != nil {
		t.Fatal(err)
	}
	if c.DatabaseURL != redact.Secret("sqlite:"+filepath.Join(folder, "groundwork.db")) ||
		c.file() != filepath.Join(folder, "groundwork.db") {
		t.Errorf("the database is %s", string(c.DatabaseURL))
	}
	if c.BlobURL != redact.Secret("file:"+filepath.Join(folder, "files")) || c.Listen != DefaultListen || c.Log == nil {
		t.Errorf("got %+v", c)
	}
	for _, test := range []struct {
		database, blob redact.Secret
		err            string
	}{
		{"sqlite:x.db", "file:files", ""},
		{"sqlite:///var/lib/x.db", "file:///var/lib/files", ""},
		{"postgres://u:p@host/db", "s3://bucket/prefix?endpoint=https://s3.example.com", ""},
		{"postgresql:///db?host=/run", "s3://bucket", ""},
		{"sqlite:", "", "names no file"},
		{"mysql://h/d", "", "database URL"},
		{"://", "", "database URL"},
		{"", "s3:///x", "blob URL"},
		{"", "file:", "blob URL"},
		{"", "\x00", "blob URL"},
	} {
		_, err := Config{Data: folder, DatabaseURL: test.database, BlobURL: test.blob}.settled()
		if (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s, %s: got %v, want %q", string(test.database), string(test.blob), err, test.err)
		}
	}
	for _, bad := range []Config{
		{Data: folder, KeepJobs: time.Minute}, {Data: folder, MailURL: "smtp://mail.example.com"}, {
			Data: folder, MailURL: "http://x", MailFrom: "a@example.com",
		}, {Data: folder, MailFrom: "nobody"},
	} {
		if _, err := bad.settled(); err == nil {
			t.Errorf("accepted: %+v", bad)
		}
	}
	if _, err := (Config{}).settled(); err == nil {
		t.Error("a configuration without a data folder is accepted")
	}
}

func TestBase(t *testing.T) {
	listening := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	for _, test := range []struct{ listen, public, cert, want string }{
		{"127.0.0.1:0", "", "", "http://127.0.0.1:4711"},
		{"localhost:4711", "", "", "http://localhost:4711"},
		{"[::1]:0", "", "", "http://[::1]:4711"},
		{"127.0.0.1:0", "", "cert.pem", "https://127.0.0.1:4711"},
		{"127.0.0.1:0", "https://Build.example.com", "", "https://build.example.com"},
		{"127.0.0.1:0", "https://build.example.com:8443/", "", "https://build.example.com:8443"},
	} {
		c := Config{Listen: test.listen, PublicURL: test.public, TLSCert: test.cert, TLSKey: test.cert}
		if err := c.checkServing(); err != nil {
			t.Errorf("%+v: %v", test, err)
		}
		if got := c.base(listening); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}

func TestPlainHTTPIsForThisMachineOnly(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		listen string
		alone  bool
	}{
		{"127.0.0.1:80", true},
		{"127.9.9.9:80", true},
		{"localhost:80", true},
		{"LocalHost:80", true},
		{"[::1]:80", true},
		{"[::ffff:127.0.0.1]:80", true},
		{":80", false},
		{"0.0.0.0:80", false},
		{"[::]:80", false},
		{"10.0.0.1:80", false},
		{"build.example.com:80", false},
		{"localhost.example.com:80", false},
		{"[fe80::1]:80", false},
	} {
		c := Config{Listen: test.listen, PublicURL: "https://build.example.com"}
		if err := c.checkServing(); (err == nil) != test.alone {
			t.Errorf("%s: %v", test.listen, err)
		}
		c.Proxies = proxies
		if err := c.checkServing(); err != nil {
			t.Errorf("%s behind a proxy: %v", test.listen, err)
		}
		c.Proxies, c.TLSCert, c.TLSKey = nil, "cert.pem", "key.pem"
		if err := c.checkServing(); err != nil {
			t.Errorf("%s with TLS: %v", test.listen, err)
		}
	}
}

func TestParseProxies(t *testing.T) {
	got, err := ParseProxies([]string{"10.1.2.3/8", " 192.0.2.7 ", "2001:db8::1", "::ffff:192.0.2.8"})
	want := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"),
		netip.MustParsePrefix("2001:db8::1/128"), netip.MustParsePrefix("192.0.2.8/32"),
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", "proxy", "10.0.0.0/33", "10.0.0"} {
		if _, err := ParseProxies([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
