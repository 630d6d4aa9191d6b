package api

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
)

// The values of headers that are the same on every answer. They are shared: nobody may change them.
var (
	typeJSON   = []string{"application/json"}
	noSniff    = []string{"nosniff"}
	noContent  = []string{"default-src 'none'; frame-ancestors 'none'"}
	private    = []string{"private, no-cache"}
	noStore    = []string{"no-store"}
	strict     = []string{"max-age=31536000"}
	anyOrigin  = []string{"*"}
	closing    = []string{"close"}
	byOrigin   = []string{"Origin"}
	byEncoding = []string{"Accept-Encoding"}
	byBoth     = []string{"Origin, Accept-Encoding"}
	exposed    = []string{"ETag, X-Request-Id, Retry-After, X-Clock, Preference-Applied"}
)

// dress sets what every answer has. Any origin may read the API's answers, for no cookie is ever looked at; health and
// metrics are not for web pages. Programs, which have no origin, are not told: an answer with more than eight headers
// costs twice the memory of one with eight.
func (e *Edge) dress(c *Call, shared bool) {
	h := c.w.Header()
	c.idValue[0] = c.RequestID
	h["X-Request-Id"] = c.idValue[:]
	h["Cache-Control"] = private
	if c.nested {
		return
	}
	if e.draining.Load() {
		h["Connection"] = closing
	}
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = noContent
	if c.page != nil {
		c.page.dress(h)
	}
	if e.secure {
		h["Strict-Transport-Security"] = strict
	}
	if !shared {
		return
	}
	h["Vary"] = byOrigin
	if len(c.r.Header["Origin"]) > 0 {
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
	}
}

// preflight answers OPTIONS.
func (c *Call) preflight(allow string) {
	h := c.w.Header()
	h.Set("Access-Control-Allow-Methods", allow)
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Prefer, X-Request-Id")
	h.Set("Access-Control-Max-Age", "86400")
	_ = c.Send(http.StatusNoContent, nil)
}

var errSent = errors.New("api: the answer was sent already")

// Send answers with JSON bytes as they are; 204 and 304 have no body. Header values must be set before.
func (c *Call) Send(status int, body []byte) error {
	if c.status != 0 {
		return errSent
	}
	if status == http.StatusOK && c.r.Method == http.MethodGet && c.end.Access > Public &&
		c.w.Header()["Etag"] == nil && c.Fresh(bodyTag(body)) {
		return nil
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		c.status = status
		c.w.WriteHeader(status)
		return nil
	}
	// What was written stands, and its answer is sent whatever its size.
	if status == http.StatusOK && c.r.Method == http.MethodGet {
		if err := c.Hold(len(body)); err != nil {
			return err
		}
	}
	c.moved += len(body)
	h := c.w.Header()
	if _, given := h["Content-Type"]; !given {
		h["Content-Type"] = typeJSON
	}
	if len(body) >= leastCompressed && !c.nested {
		switch vary := h["Vary"]; {
		case vary == nil:
			h["Vary"] = byEncoding
		case vary[0] == byOrigin[0]:
			h["Vary"] = byBoth
		default:
			h.Add("Vary", "Accept-Encoding")
		}
		if coding := chooseCoding(c.r.Header["Accept-Encoding"]); coding != identityCoding {
			room := buffers.Get().(*bytes.Buffer)
			defer release(room)
			coding.compress(room, body)
			body = room.Bytes()
			h["Content-Encoding"] = coding.header()
			weaken(h)
		}
	}
	return c.write(status, body)
}

// write sends a body as it is.
func (c *Call) write(status int, body []byte) error {
	c.status = status
	c.endTurn()
	c.lengthValue[0] = strconv.Itoa(len(body))
	c.w.Header()["Content-Length"] = c.lengthValue[:]
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		// An error here means that the caller has gone.
		_, _ = c.w.Write(body)
	}
	return nil
}

// SendJSON answers with a value: empty lists are [], never null, and the names of a map are sorted.
func (c *Call) SendJSON(status int, v any) error {
	room := buffers.Get().(*bytes.Buffer)
	defer release(room)
	if err := json.MarshalWrite(room, v, json.Deterministic(true)); err != nil {
		return err
	}
	return c.Send(status, room.Bytes())
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostKept is how large a buffer may have grown to be used again.
const mostKept = 1 << 20

func release(b *bytes.Buffer) {
	if b.Cap() <= mostKept {
		b.Reset()
		buffers.Put(b)
	}
}
