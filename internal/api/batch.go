package api

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/fault"
)

const (
	mostBatch = 4 << 20
	mostParts = 50
)

func (e *Edge) batchRoute() Route {
	return Route{
		Method: "POST", Pattern: "/batch", Access: Caller, Alone: true, Do: e.batch, Keyed: true,
		Summary: "Make up to 50 requests in one, in order. Each has a result of its own; it counts once against rate limits.", Tag: "batch",
		In:  Schema{"type": "array", "minItems": 1, "maxItems": mostParts, "items": Schema{"$ref": "#/components/schemas/BatchRequest"}},
		Out: object(Schema{"data": Schema{"type": "array", "items": Schema{"$ref": "#/components/schemas/BatchResult"}}}), Status: 200,
		Components: map[string]Schema{
			"BatchRequest": {
				"type": "object", "required": []string{"method", "path"},
				"properties": Schema{
					"method":  Schema{"type": "string", "examples": []string{"GET"}},
					"path":    Schema{"type": "string", "pattern": "^/", "examples": []string{"/projects?limit=10"}},
					"headers": Schema{"type": []string{"array", "null"}, "items": Schema{"$ref": "#/components/schemas/HeaderField"}},
					"body":    Schema{"type": []string{"string", "null"}, "description": "A JSON object with at least one field, as a string."},
				},
			},
			"BatchResult": object(Schema{
				"status_code": Schema{"type": "integer"},
				"headers":     Schema{"type": "array", "items": Schema{"$ref": "#/components/schemas/HeaderField"}},
				"body":        Schema{"type": "string", "description": "The JSON of the answer, as a string; empty when the answer has no body."},
			}),
			"HeaderField": object(Schema{"name": Schema{"type": "string"}, "value": Schema{"type": "string"}}),
		},
	}
}

// batch runs its parts in order through the same edge. Later ones see what earlier ones did; nothing is undone when one fails.
func (e *Edge) batch(c *Call) error {
	raw, err := c.Raw(mostBatch)
	if err != nil {
		return err
	}
	parts, ok := parseArray(raw)
	switch {
	case !ok:
		return badBody("The body must be a JSON array of requests.")
	case len(parts) == 0:
		return badBody("The array has no request; send 1 to %d.", mostParts)
	case len(parts) > mostParts:
		return badBody("The array has %d requests; send 1 to %d.", len(parts), mostParts)
	}
	from := c.address()
	out := append(make([]byte, 0, 4096), `{"data":[`...)
	for i, raw := range parts {
		if err := c.Context().Err(); err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		part := &Call{nested: true, from: from, batch: c, RequestID: c.RequestID + "-" + strconv.Itoa(i+1)}
		kept := &recorder{header: http.Header{}}
		part.w = kept
		if part.r, err = e.part(c, raw, i+1); err != nil {
			part.r, part.end, part.edge = c.r, e.lost, e
			e.dress(part, false)
			part.refuse(err)
		} else {
			e.serve(part)
		}
		out = kept.append(out)
	}
	return c.Send(http.StatusOK, append(out, "]}"...))
}

// part makes the request that one element of the array describes: fault.Invalid when it describes none.
func (e *Edge) part(c *Call, raw []byte, place int) (*http.Request, error) {
	p, err := readPart(raw)
	if err != nil {
		return nil, err
	}
	if e.alone[firstSegment(p.url)] {
		return nil, fault.Field("path", "Only API routes can be part of a batch.")
	}
	header := make(http.Header, 4)
	for _, name := range []string{"Authorization", "Content-Type", "Accept"} {
		if values := c.r.Header[name]; len(values) > 0 && !p.has(name) {
			header[name] = values
		}
	}
	for _, h := range p.headers {
		header[h.name] = append(header[h.name], h.value)
	}
	// A batch that may be repeated gives each of its parts a key of its own.
	if key := c.Header("Idempotency-Key"); key != "" && header["Idempotency-Key"] == nil {
		header.Set("Idempotency-Key", key+"/"+strconv.Itoa(place))
	}
	r := &http.Request{
		Method: p.method, URL: p.url, RequestURI: p.path, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Host: c.r.Host, RemoteAddr: c.r.RemoteAddr, Body: http.NoBody,
	}
	if p.body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(p.body)), int64(len(p.body))
	}
	return r.WithContext(c.Context()), nil
}

// recorder keeps an answer in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *recorder) reset() { *r = recorder{header: http.Header{}} }

// append writes the batch result object of the contract.
func (r *recorder) append(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, `{"status_code":`...), int64(r.status), 10), `,"headers":[`...)
	first := true
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		for _, value := range r.header[name] {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = quote(append(b, `{"name":`...), strings.ToLower(name))
			b = append(quote(append(b, `,"value":`...), value), '}')
		}
	}
	b = append(b, `],"body":`...)
	return append(quote(b, r.body.String()), '}')
}
