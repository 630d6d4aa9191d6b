package api

import (
	"io"
	"net/http"
	"time"

	"groundwork/internal/ipnet"
)

// A stream is a body or an answer of any length. It may take as long as it moves: the deadlines of the connection go
// ahead of it, and it gives its place among the requests in flight back, for a place among the streams. Those that come
// and those that go have places of their own, so that neither keeps the other out.
//
// A body that comes has two stages. Until Accept it is *opening*: nobody knows yet whether its sender may send it, so
// it has little time, and one address has few such places. Accept takes a place among the streams for whoever the
// sender acts for.

const (
	// mostOpening bounds the bodies whose senders are not known yet, at about 100 KiB of memory each; openingOfAddress
	// those of one address. Opening takes a round trip or two, so 32 at once are an office full of people.
	mostOpening, openingOfAddress, openingOfSite = 512, 32, 32 * ipnet.WiderShare
	openWithin                                   = 10 * time.Second
	// An office behind one address has many people, each of whom sends and fetches several files at once. A site
	// (auth.Site) has half of the places at most.
	mostUp, upOfAddress, upOfSite, upOfAccount = 256, 64, 128, 32
	// downOfProject keeps places for others when the files of one project are fetched from very many addresses: a crew
	// of a hundred, on a hundred phones, has room.
	mostDown, downOfAddress, downOfSite, downOfProject = 512, 128, 256, 192
	// leastPace is how many bytes a second must move on the whole, and patience how long nothing may. Where most places
	// are taken it is less.
	leastPace       = 16 << 10
	patience        = 30 * time.Second
	crowdedPatience = 10 * time.Second
	// answerWithin is the time for an answer after a body that took long.
	answerWithin = 60 * time.Second
)

// beginStream has a call that holds a place among the streams give its place among the requests in flight back.
func (c *Call) beginStream() {
	if !c.aside {
		c.stepAside()
	}
}

// Stream gives the body as it arrives, for a route that takes what is not JSON. Until Accept is called only its
// beginning can be read, within a few seconds. Its errors are faults: Invalid for a body that is compressed, breaks off
// or comes too slowly, Limited when too many of this address are opening, Unavailable when too many of all are.
func (c *Call) Stream() (io.Reader, error) {
	c.inflow = &inflow{body: c.r.Body, control: http.NewResponseController(c.w), began: time.Now(), places: &c.edge.up}
	if err := isPlain(c.r.Header); err != nil {
		return nil, err
	}
	if err := c.hold(&c.edge.opening, "unfinished uploads",
		ofAddress(c.address(), openingOfAddress, openingOfSite)...); err != nil {
		return nil, err
	}
	c.beginStream()
	return c.inflow, nil
}

// Accept says that the sender of the stream may send it, for an account: fault.Limited when the account or the address
// has as many under way as it may, fault.Unavailable when all have. From now on the body may take as long as it moves,
// and a refusal waits for what is left of it.
func (c *Call) Accept(account string) error {
	err := c.hold(&c.edge.up, "uploads",
		append(ofAddress(c.address(), upOfAddress, upOfSite), ofAccount(account, upOfAccount))...)
	if err != nil {
		return err
	}
	c.inflow.accepted, c.inflow.began, c.inflow.moved = true, time.Now(), 0
	return nil
}

// Length is how many bytes the body is said to have; -1 when that is not said.
func (c *Call) Length() int64 { return c.r.ContentLength }
