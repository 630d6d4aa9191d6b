package auth

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/password"
)

// visitorFrom is a request from an address. It tells when it steps aside.
type visitorFrom struct {
	address netip.Addr
	aside   chan struct{}
}

func (v visitorFrom) Origin() netip.Addr { return v.address }

func (v visitorFrom) Aside(wait func()) {
	v.aside <- struct{}{}
	wait()
}

// TestHashingHasALineOfItsOwn: only so many requests wait for a hash, of all and of one network; they give their places
// up meanwhile; whoever is one too many is told at once, and that is no attempt.
func TestHashingHasALineOfItsOwn(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		release := r.hasher.Hold() // as if passwords were being hashed
		aside := make(chan struct{}, password.MostInLine)
		answers := make(chan error)
		from := func(address string) context.Context {
			return password.WithWaiter(t.Context(), visitorFrom{netip.MustParseAddr(address), aside})
		}
		check := func(address string) error {
			_, err := r.Password(from(address), "anna@example.com", goodPassword)
			return err
		}
		wait := func(address string) { go func() { answers <- check(address) }() }
		waiting := func(more int) {
			for range more {
				<-aside
			}
		}
		for range password.LineOfNetwork {
			wait("192.0.2.1")
		}
		waiting(password.LineOfNetwork)
		refused(t, check("192.0.2.1"), fault.Limited, "your network")
		wait("2001:db8::1")
		wait("2001:db8::2")
		wait("2001:db8::3")
		wait("2001:db8::4")
		waiting(password.LineOfNetwork)
		refused(t, check("2001:db8::5"), fault.Limited, "your network")
		for i := 2 * password.LineOfNetwork; i < password.MostInLine; i++ {
			wait(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String())
		}
		waiting(password.MostInLine - 2*password.LineOfNetwork)
		_, _, err := r.SignIn(from("203.0.113.1"), "anna@example.com", goodPassword, Visit{Address: "203.0.113.1"})
		refused(t, err, fault.Unavailable, "Try again")
		if fault.Of(err).RetryAfter == 0 {
			t.Error("nobody says when to come again")
		}
		if n := r.tries.Count("from 203.0.113.1/32"); n != 0 {
			t.Errorf("who was turned away has tried %d times", n)
		}
		release()
		for range password.MostInLine {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		if n := r.hasher.Waiting(); n != 0 {
			t.Errorf("%d are in the line", n)
		}
	})
}

// TestPausingIsNoPlaceToWait: whoever would be held back, and finds no room for that, is told at once, and it was no
// attempt.
func TestPausingIsNoPlaceToWait(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		ctx := password.WithWaiter(t.Context(), visitorFrom{netip.MustParseAddr("192.0.2.1"), make(chan struct{}, 100)})
		held := 0
		r.tries = password.NewAttempts(func(context.Context, time.Duration) { held++ })
		try := func() error {
			_, _, err := r.SignIn(ctx, "anna@example.com", "nothing of the kind", home)
			return err
		}
		for range password.FreeOfPair + 1 {
			refused(t, try(), fault.Unauthenticated, "wrong")
		}
		release := r.tries.Hold()
		for range 2 * password.MostOfPair {
			refused(t, try(), fault.Unavailable, "Try again")
		}
		release()
		refused(t, try(), fault.Unauthenticated, "wrong")
		if held != 2 {
			t.Errorf("%d attempts were held back", held)
		}
	})
}
