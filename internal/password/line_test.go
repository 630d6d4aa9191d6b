package password

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/ipnet"
)

// TestLinesAtTheEdge: a network, a site and all together have so many places in a line, no more and no fewer, and each
// is given back. Who is held back after many attempts stands in such a line too.
func TestLinesAtTheEdge(t *testing.T) {
	for name, most := range map[string]struct{ all, network, site int }{
		"hashing": {MostInLine, LineOfNetwork, MostInLine / 2},
		"pausing": {mostPausing, pausingOfNetwork, ipnet.WiderShare * pausingOfNetwork},
	} {
		var in []netip.Addr
		l := &line{most: most.all, each: most.network}
		enter := func(a netip.Addr) error {
			err := l.enter(a)
			if err == nil {
				in = append(in, a)
			}
			return err
		}
		home := netip.MustParseAddr("192.0.2.1")
		for i := range most.network {
			if err := enter(home); err != nil {
				t.Fatalf("%s: place %d of a network: %v", name, i+1, err)
			}
		}
		turnedAway(t, enter(home), fault.Limited, "your network")
		for i := range most.site {
			if err := enter(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 7: byte(i)})); err != nil {
				t.Fatalf("%s: place %d of a site: %v", name, i+1, err)
			}
		}
		turnedAway(t, enter(netip.MustParseAddr("2001:db8:0:ffff::1")), fault.Limited, "your network")
		for i := len(in); i < most.all; i++ {
			if err := enter(netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})); err != nil {
				t.Fatalf("%s: place %d: %v", name, i+1, err)
			}
		}
		turnedAway(t, enter(netip.MustParseAddr("203.0.113.1")), fault.Unavailable, "Try again")
		l.leave(home)
		if err := l.enter(home); err != nil {
			t.Errorf("%s: a place that was given back: %v", name, err)
		}
		for _, a := range in {
			l.leave(a)
		}
		if l.all != 0 || len(l.of) != 0 {
			t.Errorf("%s: %d are in the line, %v", name, l.all, l.of)
		}
		// The operator and the program itself wait as long as it takes, and are never turned away.
		l.all = most.all
		passed := false
		if err := l.pass(t.Context(), func() { passed = true }); err != nil || !passed {
			t.Errorf("%s: the program itself: %t %v", name, passed, err)
		}
	}
}

// TestGuessingAcross shows that many e-mail addresses tried from one network, and one tried from many networks, become
// slow and then are refused, too.
func TestGuessingAcross(t *testing.T) {
	for name, c := range map[string]struct {
		free, most int64
		email      func(i int) string
		address    func(i int) string
	}{
		"one address": {freeOfNetwork, mostOfNetwork, func(i int) string {
			return fmt.Sprintf("p%d@example.com", i)
		}, func(int) string { return "192.0.2.1" }},
		"one IPv6 network": {freeOfNetwork, mostOfNetwork, func(i int) string {
			return fmt.Sprintf("p%d@example.com", i)
		}, func(i int) string { return fmt.Sprintf("2001:db8:0:7::%x", i+1) }},
		"one site": {ipnet.WiderShare * freeOfNetwork, ipnet.WiderShare * mostOfNetwork, func(i int) string {
			return fmt.Sprintf("p%d@example.com", i)
		}, func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) }},
		"one person": {freeOfEmail, mostOfEmail, func(i int) string {
			return []string{"ada@example.com", "ADA@example.com"}[i%2]
		}, func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i) }},
	} {
		var tries Attempts
		const now = int64(1e15)
		for i := range int(c.most) {
			over, err := tries.Take(now, SignIns(strings.ToLower(c.email(i)), c.address(i))...)
			if want := max(0, int64(i)+1-c.free); err != nil || over != want {
				t.Fatalf("%s, attempt %d: %d beyond what is free, want %d: %v", name, i+1, over, want, err)
			}
		}
		_, err := tries.Take(now, SignIns(strings.ToLower(c.email(500)), c.address(500))...)
		turnedAway(t, err, fault.Limited, "too often")
		if over, err := tries.Take(now, SignIns("bob@example.com", "198.51.100.1")...); err != nil || over != 0 {
			t.Errorf("%s: somebody else: %d %v", name, over, err)
		}
		if _, err := tries.Take(now+AttemptWindow, SignIns(strings.ToLower(c.email(500)),
			c.address(500))...); err != nil {
			t.Errorf("%s, later: %v", name, err)
		}
	}
	for address, want := range map[string][2]string{
		"192.0.2.1": {"192.0.2.1/32", "192.0.2.1/32"}, "::ffff:192.0.2.1": {"192.0.2.1/32", "192.0.2.1/32"},
		"2001:db8::1":     {"2001:db8::/64", "2001:db8::/48"},
		"2001:db8:1:2::1": {"2001:db8:1:2::/64", "2001:db8:1::/48"}, "fe80::1%eth0": {"fe80::/64", "fe80::/48"},
		"": {"", ""}, "nonsense": {"nonsense", "nonsense"},
	} {
		if network, site := from(address); network != want[0] || site != want[1] {
			t.Errorf("%s is of %s and %s, not %s", address, network, site, want)
		}
	}
}

// turnedAway asks for a refusal of this kind, with this text.
func turnedAway(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if !fault.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v", err)
	}
}
