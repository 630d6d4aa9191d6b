package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// inflow is a body that must keep moving.
type inflow struct {
	body    io.Reader
	control *http.ResponseController
	places  *places // where its place is once it is accepted
	began   time.Time
	moved   int64
	// accepted says that the sender may send it.
	accepted bool
}

func (r *inflow) Read(p []byte) (int, error) {
	now := time.Now()
	if err := errors.Join(r.control.SetReadDeadline(r.due(now)),
		r.control.SetWriteDeadline(now.Add(answerWithin))); err != nil {
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
	if !r.accepted {
		return r.began.Add(openWithin)
	}
	due := r.began.Add(patience + time.Duration(r.moved/leastPace)*time.Second)
	if late := now.Add(r.places.patience()); late.Before(due) {
		return late
	}
	return due
}

// patience is how long nothing may move.
func (p *places) patience() time.Duration {
	if p.crowded() {
		return crowdedPatience
	}
	return patience
}

// What is read of a body that was refused, so that the refusal reaches a client that listens only after it has sent
// everything.
const (
	mostDrained  = 8 << 20
	drainPatient = 5 * time.Second
)

// refused ends the body of a call that was refused. One that was accepted is read on for a while, since its sender may
// listen only then. Any other is cut off: nothing more is read for whoever may not send.
func (r *inflow) refused(h http.Header) {
	if r == nil {
		return
	}
	if !r.accepted {
		h.Set("Connection", "close")
		// net/http would read on by itself; what fails here has been refused already
		_ = r.control.SetReadDeadline(time.Now())
		return
	}
	if r.control.SetReadDeadline(time.Now().Add(drainPatient)) == nil {
		_, _ = io.CopyN(io.Discard, r.body, mostDrained) // what fails here has been refused already
	}
}
