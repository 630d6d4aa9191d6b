package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// pace spreads requests so that the server's windows are not met: what it says of them by /rate_limits before, and by
// headers on the way.
type pace struct {
	mu    sync.Mutex
	apart time.Duration // least time between two requests
	next  time.Time
}

// wait waits until the next request may be sent.
func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(p.apart)
	p.mu.Unlock()
	if d := at.Sub(now); d > 0 {
		return sleep(ctx, d)
	}
	return ctx.Err()
}

// learn reads how many requests are left, where the server's headers say so.
func (p *pace) learn(h http.Header) {
	for _, name := range []string{"X-Ratelimit-", "Ratelimit-"} {
		if h.Get(name+"Remaining") != "0" {
			continue
		}
		n, err := strconv.ParseInt(h.Get(name+"Reset"), 10, 64)
		if err != nil || n < 0 {
			continue
		}
		at := time.Now().Add(time.Duration(min(n, int64(mostWait/time.Second))) * time.Second)
		if n > 1e9 { // a moment, not a time to wait
			at = time.Unix(n, 0)
		}
		p.mu.Lock()
		if at.After(p.next) && time.Until(at) <= mostWait {
			p.next = at
		}
		p.mu.Unlock()
	}
}

// shortWindow is the longest window that requests are spread over; a day's is used up as fast as it is needed.
const shortWindow = 60

// Limits asks the server for the windows of the key, and spreads requests over the short ones. A server that does not
// tell is asked as fast as it answers.
func (c *Client) Limits(ctx context.Context) error {
	text, _, err := c.Get(ctx, "/rate_limits")
	if IsRefused(err, http.StatusNotFound, http.StatusMethodNotAllowed) {
		return nil
	}
	if err != nil {
		return err
	}
	var page struct {
		Data []struct {
			Interval float64 `json:"interval"`
			Limit    float64 `json:"limit"`
		} `json:"data"`
	}
	if json.Unmarshal(text, &page) != nil {
		return nil
	}
	for _, w := range page.Data {
		if w.Interval > 0 && w.Interval <= shortWindow && w.Limit >= 1 {
			c.pace.mu.Lock()
			c.pace.apart = max(c.pace.apart, time.Duration(w.Interval/w.Limit*float64(time.Second)))
			c.pace.mu.Unlock()
		}
	}
	return nil
}
