package api

import (
	"time"

	"groundwork/internal/fault"
)

// hold takes a place for the call, instead of the one that it has: fault.Limited where a share has no room,
// fault.Unavailable where all places are taken. What names what there are too many of.
func (c *Call) hold(p *places, what string, shares ...share) error {
	c.release()
	full, ok := p.take(shares...)
	switch {
	case ok:
		c.held = held{p, shares}
		return nil
	case full == nil:
		return fault.Busy(nil)
	}
	whose := "this address"
	switch {
	case full.account != "":
		whose = "this account"
	case full.project != "":
		whose = "this project"
	}
	refusal := fault.New(fault.Limited,
		"There are %d %s of %s under way, which is as many as there may be at once. Try again when one of them has ended.",
		full.most, what, whose)
	refusal.RetryAfter = busyRetry
	return refusal
}

// busyRetry is when to try again after a share had no room: what holds it ends within seconds as a rule.
const busyRetry = 2 * time.Second

// release gives the place of the call back, where it has one.
func (c *Call) release() {
	if c.held.places != nil {
		c.held.places.give(c.held.shares...)
		c.held = held{}
	}
}

// Hold says that the call's answer has this many bytes, until the call ends: fault.Unavailable where the large answers
// of its account, or all of them, leave no room. It may be called again as an answer grows; small ones cost nothing.
func (c *Call) Hold(bytes int) error {
	more := bytes*copies - c.answer
	if bytes <= smallAnswer || more <= 0 {
		return nil
	}
	if !c.edge.answers.take(c.payer(), c.answer, more) {
		busy := fault.Busy(nil)
		busy.Message = "Too many large answers are on their way right now. Please try again, or ask for fewer records at once."
		return busy
	}
	c.answer += more
	return nil
}

// endAnswer gives back what the call takes of the budget.
func (c *Call) endAnswer() {
	if c.answer > 0 {
		c.edge.answers.give(c.payer(), c.answer)
		c.answer = 0
	}
}

// payer is whose share a call takes: that of the account's Payer; of a part, that of its batch.
func (c *Call) payer() string {
	if c.batch != nil {
		c = c.batch
	}
	if c.Credential == nil {
		return ""
	}
	return c.Credential.Account.Payer()
}

// vitalShare is how many requests for health are served above the cap.
const vitalShare = 64

// room refuses what comes on top of the requests that are served already. Parts of a batch have the room of their
// batch.
func (e *Edge) room(c *Call, end *endpoint) error {
	most := int64(e.config.InFlight)
	if end != nil && end.vital {
		most += vitalShare
	}
	if c.nested || e.inFlight.Load() <= most {
		return nil
	}
	return fault.Busy(nil)
}

// takeTurn waits until it is the call's turn, where its account goes by turns.
func (c *Call) takeTurn() (err error) {
	if c.turn == nil {
		c.turn, err = c.edge.turns.begin(c.Context(), c.payer(), c.parts)
	}
	return err
}

// Read counts bytes that were read for the call, whether it shows them or not.
func (c *Call) Read(bytes int) { c.moved += bytes }

// endTurn lets the next one have its turn. What is left to do needs no processor: an answer is on its way to a caller
// who may be slow.
func (c *Call) endTurn() {
	if c.turn != nil {
		if c.end.ByParts {
			c.parts += c.moved + volumeOfOne
		}
		c.edge.turns.end(c.turn, c.moved)
		c.turn, c.moved = nil, 0
	}
}

// byTurns tells whether the call as a whole is one thing of an account: neither a part, nor a page for people, nor a
// file, whose places are counted otherwise.
func (c *Call) byTurns() bool {
	return c.Credential != nil && !c.nested && c.page == nil && !c.end.ByParts && c.end.Gives == ""
}
