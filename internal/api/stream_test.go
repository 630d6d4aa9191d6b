package api

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/transport"
)

func TestPace(t *testing.T) {
	began := time.Unix(1000, 0)
	for _, c := range []struct {
		after time.Duration
		moved int64
		want  time.Duration // after the beginning
	}{
		{0, 0, patience},
		{20 * time.Second, 0, patience}, // nothing came: the end does not move
		{20 * time.Second, 10 * leastPace, patience + 10*time.Second},
		{20 * time.Second, 1000 * leastPace, 20*time.Second + patience}, // however much came, nobody rests on it
		{time.Hour, 1 << 40, time.Hour + patience},
	} {
		r := &inflow{began: began, moved: c.moved, accepted: true, places: &places{most: 4}}
		if got := r.due(began.Add(c.after)).Sub(began); got != c.want {
			t.Errorf("after %s and %d bytes: %s, want %s", c.after, c.moved, got, c.want)
		}
	}
}

// streaming is an edge that takes and gives streams, on a server whose own deadlines have always passed already.
func streaming(t *testing.T, routes ...Route) (*Edge, string) {
	t.Helper()
	e := newEdge(t, testConfig(), routes)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := transport.NewServer(e, slog.New(slog.DiscardHandler))
	s.ReadTimeout = time.Nanosecond
	go func() { _ = s.Serve(transport.NewListener(l, nil)) }()
	t.Cleanup(func() { _ = s.Close() })
	return e, l.Addr().String()
}

// TestStreamsOutliveTheDeadlines: a body that is read as it comes has the time that it needs; any other has not.
func TestStreamsOutliveTheDeadlines(t *testing.T) {
	public := func(do func(*Call) error) func(*Route) {
		return func(r *Route) { r.Access, r.Do = Public, do }
	}
	_, address := streaming(t, route("POST", "/stream", public(func(c *Call) error {
		body, err := c.Stream()
		if err != nil {
			return err
		}
		if err := c.Accept("anna"); err != nil {
			return err
		}
		hash := sha256.New()
		n, err := io.Copy(hash, body)
		if err != nil {
			return err
		}
		return c.SendJSON(200, map[string]string{"message": fmt.Sprintf("%d %x", n, hash.Sum(nil))})
	})), route("POST", "/body", public(func(c *Call) error {
		_, err := c.Fields()
		return err
	})), route("POST", "/refused", public(func(c *Call) error {
		if _, err := c.Stream(); err != nil {
			return err
		}
		if err := c.Accept("anna"); err != nil {
			return err
		}
		return fault.New(fault.Forbidden, "No.")
	})))
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	post := func(path string) (*http.Response, string) {
		t.Helper()
		conn := dial(t, address)
		from := bufio.NewReader(conn)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, len(content))
		if line, _ := from.ReadString('\n'); strings.Contains(line, "100 Continue") {
			_, _ = from.ReadString('\n')
		} else {
			from = bufio.NewReader(io.MultiReader(strings.NewReader(line), from))
		}
		go func() { _, _ = conn.Write(content) }() // what is refused is not read to its end
		return answer(t, from)
	}
	sum := sha256.Sum256(content)
	if r, text := post("/stream"); r.StatusCode != 200 || text != fmt.Sprintf("%d %x", len(content), sum) {
		t.Errorf("the stream: %s %s", r.Status, text)
	}
	if r, text := post("/body"); r.StatusCode != 400 || !strings.Contains(text, "did not arrive in time") {
		t.Errorf("a body that is no stream has the time of one: %s %s", r.Status, text)
	}
	if r, text := post("/refused"); r.StatusCode != 403 || text != "No." {
		t.Errorf("a refusal does not reach who is still sending: %s %s", r.Status, text)
	}
}

// TestOpeningIsShort: who may not send has ten seconds for everything, whatever comes.
func TestOpeningIsShort(t *testing.T) {
	began := time.Unix(1000, 0)
	r := &inflow{began: began, moved: 1 << 30, places: &places{most: 4}}
	if got := r.due(began.Add(9 * time.Second)).Sub(began); got != openWithin {
		t.Errorf("an unknown sender has %s", got)
	}
	r.accepted = true
	if got := r.due(began.Add(9 * time.Second)).Sub(began); got != 9*time.Second+patience {
		t.Errorf("a known sender has %s", got)
	}
	for range 3 {
		r.places.take()
	}
	if got := r.due(began.Add(9 * time.Second)).Sub(began); got != 9*time.Second+crowdedPatience {
		t.Errorf("a known sender has %s where most places are taken", got)
	}
}

// TestStreamsAreBounded: there are places for so many streams, of all, of an address and of an account; each is given
// back; and what comes takes none of what goes.
func TestStreamsAreBounded(t *testing.T) {
	e, address := streaming(t, route("POST", "/stream", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) error {
			body, err := c.Stream()
			if err != nil {
				return err
			}
			if err := c.Accept(c.Header("X-Account")); err != nil {
				return err
			}
			if _, err = io.Copy(io.Discard, body); err != nil {
				return err
			}
			return c.Send(200, []byte(`{}`))
		}
	}), route("GET", "/file", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) error {
			return c.SendFile(File{Content: strings.NewReader(`{}`), Project: "tower", Type: "application/json"})
		}
	}))
	send := func(request string) (int, string) {
		t.Helper()
		conn := dial(t, address)
		fmt.Fprint(conn, request)
		_ = conn.(*net.TCPConn).CloseWrite()
		r, text := answer(t, bufio.NewReader(conn))
		return r.StatusCode, text
	}
	post := func(body string, headers string) (int, string) {
		return send(fmt.Sprintf("POST /stream HTTP/1.1\r\nHost: x\r\n%sContent-Length: 10\r\n\r\n%s", headers, body))
	}
	const file = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n"
	if got, _ := post("broken", ""); got != 400 {
		t.Errorf("a body that breaks off: %d", got)
	}
	if got, _ := post("0123456789", "Content-Encoding: gzip\r\n"); got != 400 {
		t.Errorf("a body that is compressed: %d", got)
	}
	if got, _ := post("0123456789", ""); got != 200 {
		t.Errorf("a body that is whole: %d", got)
	}
	home, elsewhere := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")
	for _, tt := range []struct {
		what   string
		places *places
		taken  int
		by     share
		post   int
		says   string
		get    int
	}{
		{"all openings", &e.opening, mostOpening, ofAddress(elsewhere, mostOpening, mostOpening)[0], 503, "", 200},
		{
			"the openings of the address", &e.opening, openingOfAddress, ofAddress(home, mostOpening, mostOpening)[0],
			429,
			"this address", 200,
		},
		{
			"the openings of another address", &e.opening, openingOfAddress,
			ofAddress(elsewhere, mostOpening, mostOpening)[0], 200, "", 200,
		},
		{"all uploads", &e.up, mostUp, ofAddress(elsewhere, mostUp, mostUp)[0], 503, "", 200},
		{
			"the uploads of the address", &e.up, upOfAddress, ofAddress(home, mostUp, mostUp)[0], 429, "this address",
			200,
		},
		{"the uploads of the account", &e.up, upOfAccount, ofAccount("anna", mostUp), 429, "this account", 200},
		{"the uploads of another account", &e.up, upOfAccount, ofAccount("bert", mostUp), 200, "", 200},
		{"all downloads", &e.down, mostDown, ofAddress(elsewhere, mostDown, mostDown)[0], 200, "", 503},
		{"the downloads of the address", &e.down, downOfAddress, ofAddress(home, mostDown, mostDown)[0], 200, "", 429},
		{"the downloads of the project", &e.down, downOfProject, ofProject("tower", mostDown), 200, "", 429},
		{"the downloads of another project", &e.down, downOfProject, ofProject("bridge", mostDown), 200, "", 200},
	} {
		for range tt.taken {
			if _, ok := tt.places.take(tt.by); !ok {
				t.Fatal("no place")
			}
		}
		if got, says := post("0123456789", "X-Account: anna\r\n"); got != tt.post || !strings.Contains(says, tt.says) {
			t.Errorf("with %s taken an upload is answered with %d %s", tt.what, got, says)
		}
		if got, says := send(file); got != tt.get {
			t.Errorf("with %s taken a download is answered with %d %s", tt.what, got, says)
		}
		for range tt.taken {
			tt.places.give(tt.by)
		}
	}
	for _, p := range []*places{&e.opening, &e.up, &e.down} {
		if p.all != 0 || len(p.by) != 0 {
			t.Errorf("%d places are taken, by %v", p.all, p.by)
		}
	}
	if n := e.inFlight.Load(); n != 0 {
		t.Errorf("%d requests are in flight", n)
	}
}

// TestUnknownSendersAreCutOff: nothing is read on for a sender that was refused before it was known.
func TestUnknownSendersAreCutOff(t *testing.T) {
	_, address := streaming(t, route("POST", "/refused", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) error {
			if _, err := c.Stream(); err != nil {
				return err
			}
			return fault.New(fault.Forbidden, "No.")
		}
	}))
	conn := dial(t, address)
	fmt.Fprint(conn, "POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nbeginning")
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	began := time.Now()
	r, text := answer(t, bufio.NewReader(conn))
	if r.StatusCode != 403 || text != "No." || !r.Close {
		t.Errorf("%s %s, closed: %t", r.Status, text, r.Close)
	}
	if took := time.Since(began); took > drainPatient {
		t.Errorf("it took %s", took)
	}
}

// TestSitesHaveAShare: whoever has very many IPv6 networks, as one customer can, takes no more than a share of any
// places; an IPv4 address is its own site.
func TestSitesHaveAShare(t *testing.T) {
	for name, tt := range map[string]struct{ most, network, site int }{
		"openings":  {mostOpening, openingOfAddress, openingOfSite},
		"uploads":   {mostUp, upOfAddress, upOfSite},
		"downloads": {mostDown, downOfAddress, downOfSite},
		"waits":     {mostWaiting, waitingOfAddress, waitingOfSite},
	} {
		p := &places{most: tt.most}
		taken := 0
		for i := range 65_536 {
			address := netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 7, byte(i >> 8), byte(i), 15: 1})
			if _, ok := p.take(ofAddress(address, tt.network, tt.site)...); ok {
				taken++
			}
		}
		if taken != tt.site || tt.site > tt.most/2 {
			t.Errorf("%s: one site has %d of %d places", name, taken, tt.most)
		}
		if _, ok := p.take(ofAddress(netip.MustParseAddr("2001:db8:8::1"), tt.network, tt.site)...); !ok {
			t.Errorf("%s: another site finds none", name)
		}
	}
	if shares := ofAddress(netip.MustParseAddr("::ffff:192.0.2.1"), 1, 1); len(shares) != 1 {
		t.Errorf("an IPv4 address has the shares %v", shares)
	}
}
