package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// mostBody is how many bytes a body may have.
const mostBody = 1 << 20

// Fields reads the body as one strict JSON object: UTF-8, no name twice in any object, at most mostDepth deep, nothing
// after it. An empty body is an empty Object. fault.Invalid for what is not that, or not sent as application/json, and
// fault.TooLarge for more than 1 MiB, with an Object that is like no other: a repetition of a request is never mistaken
// for one with a body that could be read.
func (c *Call) Fields() (Object, error) {
	body, err := c.read(mostBody)
	if err == nil && len(body) == 0 {
		return nil, nil
	}
	var o Object
	if err == nil {
		o, err = parseObject(body)
	}
	if err != nil {
		return Object{{}}, err
	}
	return o, nil
}

// Bare reads a body that has nothing to say: there is none, or it is an empty object. fault.Invalid for a field, and
// for what Fields refuses.
func (c *Call) Bare() (Object, error) {
	body, err := c.Fields()
	if err != nil || len(body) == 0 {
		return body, err
	}
	problems := map[string]string{}
	for _, f := range body[:min(len(body), mostNamed)] {
		problems[f.Name] = "There is no such field. This takes none."
	}
	return body, fault.Fields(problems)
}

// BareSchema describes a body for Bare; it is optional.
func BareSchema() Schema {
	return Schema{"type": "object", "additionalProperties": false, "properties": Schema{}}
}

// mostNamed is how many fields of a body that takes none are named in the answer.
const mostNamed = 50

// Raw is Fields for any JSON value, of at most most bytes. An empty body is an empty value.
func (c *Call) Raw(most int) (jsontext.Value, error) {
	body, err := c.read(most)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	return body, checkJSON(body)
}

// read gives the bytes of a JSON body.
func (c *Call) read(most int) ([]byte, error) { return c.readAs(most, isReadable) }

// readAs gives the bytes of a body whose headers are readable. Its memory grows with what arrives, not with what is
// announced.
func (c *Call) readAs(most int, isReadable func(http.Header) error) ([]byte, error) {
	r := c.r
	if r.Body == nil || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > 0 {
		if err := isReadable(r.Header); err != nil {
			return nil, err
		}
		if r.ContentLength > int64(most) {
			return nil, tooLarge(most)
		}
	}
	size := r.ContentLength
	if size < 0 || size > firstRead {
		size = firstRead
	}
	body := make([]byte, 0, size+1)
	c.stepAside()
	for {
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if len(body) > most {
			return nil, tooLarge(most)
		}
		if len(body) > mostAside || err == io.EOF {
			if busy := c.comeBack(); busy != nil {
				return nil, busy
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			c.w.Header().Set("Connection", "close")
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return nil, badBody("The body did not arrive in time.")
			}
			return nil, badBody("The body could not be read to its end.")
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
	if c.byTurns() {
		c.moved += len(body) * readingCosts
		if err := c.takeTurn(); err != nil {
			return nil, err
		}
	}
	if len(body) == 0 {
		return nil, nil
	}
	return body, isReadable(r.Header)
}

const (
	firstRead = 4 << 10
	mostAside = 16 << 10
)

// stepAside gives the place among the requests in flight back while a body is on its way, so that slow senders keep
// nobody out.
func (c *Call) stepAside() {
	if !c.nested {
		c.aside = true
		c.edge.inFlight.Add(-1)
		c.endTurn()
	}
}

// comeBack takes a place again: fault.Unavailable when there is none. A body that grows beyond mostAside must have one,
// which bounds the memory of all; one that never arrives needs none any more.
func (c *Call) comeBack() error {
	if !c.aside {
		return nil
	}
	c.aside = false
	c.edge.inFlight.Add(1)
	return c.edge.room(c, c.end)
}

// isReadable looks at the headers of a body that is not empty.
func isReadable(h http.Header) error {
	if err := isPlain(h); err != nil {
		return err
	}
	if kind := h.Get("Content-Type"); !strings.Contains(strings.ToLower(kind), "application/json") {
		if kind == "" {
			return badBody("The body has no content type; send it with Content-Type: application/json.")
		}
		return badBody("The body has the content type %s; it must be application/json.", clip(kind))
	}
	return nil
}

// isPlain refuses a compressed body.
func isPlain(h http.Header) error {
	for _, coding := range h["Content-Encoding"] {
		if coding = strings.Trim(coding, " \t"); coding != "" && !strings.EqualFold(coding, "identity") {
			return badBody("A compressed body (Content-Encoding: %s) is not accepted; send it as it is.", clip(coding))
		}
	}
	return nil
}

func tooLarge(most int) error {
	return fault.New(fault.TooLarge, "The body is larger than the %d bytes that are accepted here.", most)
}
