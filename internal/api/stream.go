package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"groundwork/internal/fault"
)

// A stream is a body or an answer of any length. It may take as long as it moves: the deadlines of the connection go ahead of it, and it gives
// its place among the requests in flight back, for a place among the streams.

const (
	mostStreams = 512
	// leastPace is how many bytes a second must move on the whole, and patience how long nothing may.
	leastPace = 16 << 10
	patience  = 30 * time.Second
	// answerWithin is the time for an answer after a body that took long.
	answerWithin = 60 * time.Second
)

// beginStream takes a place among the streams: fault.Unavailable when there is none.
func (c *Call) beginStream() error {
	if c.edge.streams.Add(1) > mostStreams {
		c.edge.streams.Add(-1)
		return fault.Busy(nil)
	}
	c.streaming = true
	c.stepAside()
	return nil
}

func (c *Call) endStream() {
	if c.streaming {
		c.edge.streams.Add(-1)
	}
}

// Stream gives the body as it arrives, for a route that takes what is not JSON. Its errors are faults: Invalid for a body that is compressed, breaks off
// or comes too slowly.
func (c *Call) Stream() (io.Reader, error) {
	if err := isPlain(c.r.Header); err != nil {
		return nil, err
	}
	if err := c.beginStream(); err != nil {
		return nil, err
	}
	c.inflow = &inflow{body: c.r.Body, control: http.NewResponseController(c.w), began: time.Now()}
	return c.inflow, nil
}

// Length is how many bytes the body is said to have; -1 when that is not said.
func (c *Call) Length() int64 { return c.r.ContentLength }

// inflow is a body that must keep moving.
type inflow struct {
	body    io.Reader
	control *http.ResponseController
	began   time.Time
	moved   int64
}

func (r *inflow) Read(p []byte) (int, error) {
	now := time.Now()
	if err := errors.Join(r.control.SetReadDeadline(r.due(now)), r.control.SetWriteDeadline(now.Add(answerWithin))); err != nil {
		return 0, err
	}
	n, err := r.body.Read(p)
	r.moved += int64(n)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, badBody("The body came too slowly.")
	default:
		return n, badBody("The body could not be read to its end.")
	}
}

// due is when the next bytes must have come: not later than the pace allows, and never more than one patience from now.
func (r *inflow) due(now time.Time) time.Time {
	due := r.began.Add(patience + time.Duration(r.moved/leastPace)*time.Second)
	if late := now.Add(patience); late.Before(due) {
		return late
	}
	return due
}

// What is read of a body that was refused, so that the refusal reaches a client that listens only after it has sent everything.
const (
	mostDrained  = 8 << 20
	drainPatient = 5 * time.Second
)

func (r *inflow) drain() {
	if r == nil || r.control.SetReadDeadline(time.Now().Add(drainPatient)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.body, mostDrained) // what fails here has been refused already
}
