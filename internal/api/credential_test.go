package api

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"groundwork/internal/ipnet"
)

func TestCredentials(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, tt := range []struct {
		name   string
		values []string
		status int
		says   string
	}{
		{"key and empty password", []string{"Basic " + encode(keyAdmin+":")}, 200, ""},
		{"no colon", []string{"Basic " + encode(keyAdmin)}, 200, ""},
		{"quotes as password", []string{"Basic " + encode(keyAdmin+`:""`)}, 200, ""},
		{"None as password", []string{"Basic " + encode(keyAdmin+":None")}, 200, ""},
		{"colons in the password", []string{"Basic " + encode(keyAdmin+":a:b")}, 200, ""},
		{"lower case scheme", []string{"basic " + encode(keyAdmin+":")}, 200, ""},
		{"no padding", []string{"Basic " + strings.TrimRight(encode(keyAdmin+":"), "=")}, 200, ""},
		{"more spaces", []string{"Basic   " + encode(keyAdmin+":") + " "}, 200, ""},
		{"nothing", nil, 401, "no credentials"},
		{"empty header", []string{""}, 401, "no credentials"},
		{"scheme alone", []string{"Basic"}, 401, "no credentials"},
		{"password alone", []string{"Basic " + encode(":secret")}, 401, "no credentials"},
		{"bearer alone", []string{"Bearer"}, 401, "no credentials"},
		{"token", []string{"Bearer abc"}, 401, "access token"},
		{"key as token", []string{"bearer " + keyAdmin}, 401, "access token"},
		{"another scheme", []string{"Digest username=x"}, 401, "scheme is not known"},
		{"bare key", []string{keyAdmin}, 401, "scheme"},
		{"two headers", []string{basic(keyAdmin), basic(keyAdmin)}, 401, "2 Authorization headers"},
		{"not Base64", []string{"Basic ***"}, 403, "not Base64"},
		{"unknown key", []string{basic("nobody")}, 403, "not known"},
		{"deactivated key", []string{basic(keyOld)}, 403, "deactivated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var headers []string
			for _, v := range tt.values {
				headers = append(headers, "Authorization", v)
			}
			w := call(e, "GET", "/projects", "", headers...)
			if w.Code != tt.status {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			challenges := w.Header().Values("WWW-Authenticate")
			if tt.status == 401 {
				if len(challenges) != 2 || !strings.HasPrefix(challenges[0], "Basic realm=") ||
					!strings.HasPrefix(challenges[1], "Bearer") {
					t.Errorf("challenges %q", challenges)
				}
			} else if len(challenges) != 0 {
				t.Errorf("%d with challenges %q", tt.status, challenges)
			}
			if tt.status != 200 && !strings.Contains(message(t, w), tt.says) {
				t.Errorf("%s", w.Body)
			}
		})
	}
}

func TestRefusedCredentialsAreLimitedByAddress(t *testing.T) {
	now := newClock(1_000_020)
	config := testConfig()
	config.Now, config.Failures = now.now, 3
	config.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	e := newEdge(t, config, testRoutes())
	from := func(peer, forwarded, key string) int {
		r := newRequest("GET", "/projects", "Authorization", key)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		return record(e, r).Code
	}
	for range 3 {
		if got := from("192.0.2.1:1000", "", basic("wrong")); got != 403 {
			t.Fatalf("%d", got)
		}
	}
	for name, tt := range map[string]struct {
		peer, forwarded, key string
		status               int
	}{
		"the same address":               {"192.0.2.1:2000", "", basic("wrong"), 429},
		"a token counts too":             {"192.0.2.1:2000", "", "Bearer x", 429},
		"what a stranger says of others": {"192.0.2.1:2000", "198.51.100.7", basic("wrong"), 429},
		"a good key from it":             {"192.0.2.1:2000", "", basic(keyAdmin), 200},
		"no credentials from it":         {"192.0.2.1:2000", "", "", 401},
		"another address":                {"192.0.2.2:1000", "", basic("wrong"), 403},
		"the same address through a proxy": {
			"10.1.1.1:1000", "203.0.113.9, 192.0.2.1, 10.2.2.2", basic("wrong"),
			429,
		},
		"another address through the same proxy": {"10.1.1.1:1000", "192.0.2.1, 198.51.100.8", basic("wrong"), 403},
		"a proxy that says nothing readable":     {"10.1.1.1:1000", "192.0.2.1, unknown", basic("wrong"), 403},
	} {
		if got := from(tt.peer, tt.forwarded, tt.key); got != tt.status {
			t.Errorf("%s: %d", name, got)
		}
	}
	r := newRequest("GET", "/projects", "Authorization", basic("wrong"))
	r.RemoteAddr = "192.0.2.1:1"
	w := record(e, r)
	if want := `"rate_limit":{"request_type":"all","interval":60,"limit":3,"remaining":0,"reset":"1970-01-12T13:48:00+00:00"}`; !strings.Contains(w.Body.String(), want) || w.Header().Get("Retry-After") != "60" {
		t.Errorf("%s, Retry-After %s", w.Body, w.Header().Get("Retry-After"))
	}
	now.move(time.Minute)
	if got := from("192.0.2.1:1000", "", basic("wrong")); got != 403 {
		t.Errorf("in the next minute: %d", got)
	}
}

func TestFailuresCountNetworksAndStayBounded(t *testing.T) {
	f := wrongCredentials{most: 1}
	now := time.Unix(1000, 0)
	if f.add(netip.MustParseAddr("2001:db8::1"), fixed(now)) != nil ||
		f.add(netip.MustParseAddr("2001:db8::2"), fixed(now)) == nil {
		t.Error("one network is counted as two")
	}
	if f.add(netip.MustParseAddr("2001:db8:0:1::1"), fixed(now)) != nil {
		t.Error("two networks are counted as one")
	}
	sites, refused := wrongCredentials{most: 10}, 0
	for i := range 1000 {
		if sites.add(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 7, byte(i >> 8), byte(i)}),
			fixed(now)) != nil {
			refused++
		}
	}
	if refused != 1000-10*ipnet.WiderShare {
		t.Errorf("of 1000 networks of one site %d are refused", refused)
	}
	for i := range mostAddresses + 100 {
		f.add(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}), fixed(now))
	}
	if len(f.of) > mostAddresses+1 {
		t.Errorf("%d addresses are kept", len(f.of))
	}
	f.add(netip.MustParseAddr("192.0.2.1"), fixed(now.Add(time.Minute)))
	if len(f.of) != 1 {
		t.Errorf("%d addresses are left of the last minute", len(f.of))
	}
}
