package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// LongestWait is the most that a caller may ask a request to wait.
	LongestWait = 30 * time.Second
	// mostWaiting is how many requests may wait at once, waitingOfAccount how many of one account, however many keys it
	// has, and waitingOfAddress how many of one address, behind which may be an office; waitingOfSite how many of its
	// auth.Site. A request that finds no room is answered at once.
	mostWaiting, waitingOfAccount, waitingOfAddress, waitingOfSite = 1024, 16, 256, 512
)

// AskedToWait is how long the caller would wait for an answer that says something new, by the header Prefer:
// wait=SECONDS; 0 where it would not, and where nobody may: in a batch, which has other parts to get on with.
func (c *Call) AskedToWait() time.Duration {
	if c.nested || c.r.Method != http.MethodGet {
		return 0
	}
	for _, header := range c.r.Header["Prefer"] {
		for part := range strings.SplitSeq(header, ",") {
			preference, _, _ := strings.Cut(part, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			seconds, err := strconv.Atoi(strings.Trim(strings.TrimSpace(value), `"`))
			if err != nil || seconds < 0 {
				return 0 // a preference that makes no sense is none
			}
			return min(time.Duration(min(seconds, 3600))*time.Second, LongestWait)
		}
	}
	return 0
}

// Wait runs until, which is to return when there is something new, for at most the given time; its context also ends
// when the caller goes away and when the service stops. Meanwhile the call has no place among the requests in flight.
// Afterwards the caller is admitted anew: the error says that they may no longer. waited is false where there are too
// many already.
func (c *Call) Wait(most time.Duration, until func(ctx context.Context)) (waited bool, err error) {
	e := c.edge
	shares := append(ofAddress(c.address(), waitingOfAddress, waitingOfSite),
		ofAccount(c.Credential.Account.Payer(), waitingOfAccount))
	if _, ok := e.waiting.take(shares...); !ok {
		return false, nil
	}
	defer e.waiting.give(shares...)
	// An answer may come later than usual. Where there is no connection there is nothing to extend.
	control := http.NewResponseController(c.w)
	_ = control.SetWriteDeadline(time.Now().Add(most + time.Minute))
	ctx, cancel := context.WithTimeout(c.Context(), most)
	defer cancel()
	defer context.AfterFunc(e.stopping, cancel)()
	c.stepAside()
	until(ctx)
	_ = c.comeBack() // whoever was let in to wait is answered, also where there are too many: their number is bounded
	return true, c.Readmit()
}

// Readmit asks anew whether the caller may make this call: what they are about to be shown may be later than their
// first admission.
func (c *Call) Readmit() (err error) {
	if c.Credential, err = c.edge.credential(c); err != nil {
		return err
	}
	return c.edge.enter(c)
}
