package api

import (
	"net/netip"

	"groundwork/internal/password"
)

// waiter is the call behind a password that is to be hashed. A part of a batch waits with its batch's place.
type waiter struct{ call *Call }

// Origin is the address that the call comes from.
func (w waiter) Origin() netip.Addr { return w.call.address() }

// Aside runs wait while the call's place among the requests in flight is free.
func (w waiter) Aside(wait func()) {
	c := w.call
	if c.nested {
		c = c.batch
	}
	if c.aside {
		wait()
		return
	}
	c.stepAside()
	wait()
	_ = c.comeBack() // whoever waited is answered, also where there are too many: their number is bounded
}

// hashing has package auth know which call a password is hashed for, on routes that may ask for it.
func (c *Call) hashing() {
	if c.end.hashes {
		c.named.Context = password.WithWaiter(c.named.Context, waiter{c})
	}
}
