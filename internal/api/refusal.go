package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"groundwork/internal/fault"
)

// refuse answers with an error; it is the only way in which one is answered. An error that comes after the answer is
// only logged.
func (c *Call) refuse(err error) {
	e := faultOf(err)
	if e.Kind.Status() >= 500 || c.status != 0 {
		c.problem = err
	}
	if c.status != 0 {
		kept, ok := c.w.(*recorder)
		if !ok {
			return
		}
		kept.reset()
		c.status = 0
		c.edge.dress(c, false)
	}
	h := c.w.Header()
	h["Cache-Control"] = noStore
	h.Del("ETag")
	switch {
	case e.Kind != fault.Unauthenticated || c.browser:
	case c.token:
		h["Www-Authenticate"] = tokenChallenges
	default:
		h["Www-Authenticate"] = challenges
	}
	if after := retryAfter(e); after > 0 {
		h.Set("Retry-After", strconv.FormatInt(after, 10))
	}
	if e.Kind == fault.TooLarge && !c.nested {
		// What is left of the body is not worth reading.
		h.Set("Connection", "close")
	}
	body := errorBody(e, c.over)
	if c.page != nil {
		h["Content-Type"] = typeHTML
		body = c.page.Refusal(e.Kind.Status(), e.Message, c.RequestID)
	}
	// Send can fail only on an answer that was sent already.
	_ = c.Send(e.Kind.Status(), body)
}

var (
	challenges      = []string{`Basic realm="Groundwork", charset="UTF-8"`, `Bearer realm="Groundwork"`}
	tokenChallenges = []string{challenges[0], `Bearer realm="Groundwork", error="invalid_token"`}
)

// faultOf gives the error that the caller may read. A request that ended before its answer is no failure of ours.
func faultOf(err error) *fault.Error {
	var known *fault.Error
	if !errors.As(err, &known) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return fault.Busy(err)
	}
	return fault.Of(err)
}

// retryAfter is in whole seconds, never too early. A 503 always has one: clients rely on it.
func retryAfter(e *fault.Error) int64 {
	after := int64((e.RetryAfter + time.Second - 1) / time.Second)
	if after < 1 && e.Kind.Status() == http.StatusServiceUnavailable {
		return 1
	}
	return after
}

// errorBody is the one form of an error: message always, errors on field errors, url of the caller's own record that is
// in the way, rate_limit when a limit refused.
func errorBody(e *fault.Error, over *window) []byte {
	b := append(make([]byte, 0, 256), `{"message":`...)
	b = quote(b, e.Message)
	if len(e.Fields) > 0 {
		b = append(b, `,"errors":{`...)
		for i, name := range slices.Sorted(maps.Keys(e.Fields)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, name), ':')
			b = quote(b, e.Fields[name])
		}
		b = append(b, '}')
	}
	if e.URL != "" {
		b = quote(append(b, `,"url":`...), e.URL)
	}
	if e.Kind == fault.Limited && over != nil {
		b = over.append(append(b, `,"rate_limit":`...))
	} else if e.Kind == fault.Limited {
		b = append(b, `,"rate_limit":null`...) // what is shared is used up, and not a window
	}
	return append(b, '}')
}
