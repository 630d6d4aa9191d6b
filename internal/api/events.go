package api

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An event stream is an answer that goes on for as long as its caller listens (text/event-stream). It holds a place
// among the streams and none among the requests in flight, and is not compressed: a compressor would take twenty times
// the memory of the stream.

const (
	// DefaultStreams is how many event streams may be open at once, at about 30 KB each.
	DefaultStreams = 4096
	// streamsOfAccount are those of one account: its browsers, each of which shares one among its tabs, and programs.
	streamsOfAccount = 32
	// An address, behind which may be an office, has a quarter of all streams, a site (ipnet.Site) half.
	addressShare, siteShare = 4, 2

	// EventStream is the content type of a stream of events.
	EventStream = "text/event-stream"
	// quietFor is after how long a stream in which nothing happened sends a comment, so that nobody on the way takes it
	// for dead.
	quietFor = 15 * time.Second
	// reconnectAfter is when a caller is to come back after the service has stopped.
	reconnectAfter = 2 * time.Second
)

// Events is an open event stream. Only the call's own function may use it.
type Events struct {
	c       *Call
	control *http.ResponseController
	buf     *bytes.Buffer // what was added and not sent
	last    time.Time     // of the last sending
}

// OpenEvents begins the answer: from now on it can be refused no more. fault.Limited where the account or the address
// has as many streams as it may, fault.Unavailable where all are taken. nil without an error says that the caller wants
// no more than the headers.
func (c *Call) OpenEvents() (*Events, error) {
	if c.status != 0 {
		return nil, errSent
	}
	most := c.edge.streams.most
	shares := append(ofAddress(c.address(), max(most/addressShare, 1), max(most/siteShare, 1)),
		ofAccount(c.payer(), min(streamsOfAccount, most)))
	if err := c.hold(&c.edge.streams, "event streams", shares...); err != nil {
		return nil, err
	}
	c.beginStream()
	h := c.w.Header()
	h.Set("Content-Type", EventStream)
	h["Cache-Control"] = noStore
	h.Set("X-Accel-Buffering", "no") // proxies that would gather what is sent
	c.status = http.StatusOK
	s := &Events{c: c, control: http.NewResponseController(c.w), last: time.Now()}
	// Nothing more is read from the caller but that they have gone.
	_ = s.control.SetReadDeadline(time.Time{})
	_ = s.control.SetWriteDeadline(time.Now().Add(patience))
	c.w.WriteHeader(c.status)
	if c.r.Method == http.MethodHead {
		return nil, nil
	}
	s.room().WriteString(":\n\n") // so that callers, and those on the way, see at once that it has begun
	if s.Send() != nil {
		return nil, nil // they have gone already
	}
	return s, nil
}

// errGone is that the caller has gone, or takes nothing.
var errGone = errors.New("api: the caller of a stream has gone")

// Over gives what is to be logged of a stream that ended with an error: that its caller left, or may no longer listen,
// is nothing.
func (s *Events) Over(err error) error {
	if err == nil || errors.Is(err, errGone) || s.c.Context().Err() != nil || faultOf(err).Kind.Status() < 500 {
		return nil
	}
	return err
}

func (s *Events) room() *bytes.Buffer {
	if s.buf == nil {
		s.buf = buffers.Get().(*bytes.Buffer)
	}
	return s.buf
}

// Add adds an event; id "" leaves the last one. data has no line breaks.
func (s *Events) Add(id, event string, data []byte) {
	b := s.room()
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteString("event: " + event + "\ndata: ")
	b.Write(data)
	b.WriteString("\n\n")
}

// AddID moves the place from which the caller would go on, without an event.
func (s *Events) AddID(id string) { s.room().WriteString("id: " + id + "\n\n") }

// Pending is how many bytes were added and not sent.
func (s *Events) Pending() int {
	if s.buf == nil {
		return 0
	}
	return s.buf.Len()
}

// Turn waits for the turn of an account that goes by turns, before what is to be sent is made; Send ends it. Links that
// are made from now on are of this time, not of when the stream began.
func (s *Events) Turn() (err error) {
	s.c.linked = s.c.edge.config.Now()
	if s.c.turn == nil {
		s.c.turn, err = s.c.edge.turns.listen(s.c.Context(), s.c.payer())
	}
	return err
}

// TurnToRead is Turn for a stream that reads something for itself alone, as every request does.
func (s *Events) TurnToRead() error {
	s.c.linked = s.c.edge.config.Now()
	return s.c.takeTurn()
}

// Send sends what was added.
func (s *Events) Send() error {
	s.c.moved += s.Pending()
	s.c.endTurn()
	if s.buf == nil {
		return nil
	}
	err := s.control.SetWriteDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = s.c.w.Write(s.buf.Bytes())
	}
	if err == nil {
		err = s.control.Flush()
	}
	release(s.buf)
	if s.buf, s.last = nil, time.Now(); err != nil {
		return errGone
	}
	return nil
}

// Quiet tells whether nothing was sent for a while.
func (s *Events) Quiet() bool { return time.Since(s.last) >= quietFor }

// Alive sends a comment, and what was added, where nothing was sent for a while.
func (s *Events) Alive() error {
	if !s.Quiet() {
		return nil
	}
	s.room().WriteString(":\n\n")
	return s.Send()
}

// Stopping is closed when the service begins to stop.
func (s *Events) Stopping() <-chan struct{} { return s.c.edge.stopping.Done() }

// Stop tells the caller when to come back.
func (s *Events) Stop() error {
	s.room().WriteString("retry: " + strconv.FormatInt(reconnectAfter.Milliseconds(), 10) + "\n\n")
	return s.Send()
}

// admitsEvents tells whether the Accept headers name event streams.
func admitsEvents(accept []string) bool {
	for _, header := range accept {
		for header != "" {
			var one string
			one, header = cutUnquoted(header, ',')
			kind, params := cutUnquoted(one, ';')
			kind = strings.Trim(kind, " \t")
			if (strings.EqualFold(kind, EventStream) || strings.EqualFold(kind, "text/*")) && readQuality(params) > 0 {
				return true
			}
		}
	}
	return false
}
