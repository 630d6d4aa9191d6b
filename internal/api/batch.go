package api

import (
	"net/http"
	"strconv"

	"groundwork/internal/fault"
)

const (
	mostBatch = 4 << 20
	mostParts = 50
	// mostBatchAnswer is after how many bytes of answers no further part is run: all of them are in memory until the
	// last one is ready.
	mostBatchAnswer = 8 << 20
)

func (e *Edge) batchRoute() Route {
	return Route{
		Method: "POST", Pattern: "/batch", Access: Caller, Alone: true, ByParts: true, Do: e.batch, Keyed: true,
		Summary: "Make up to 50 requests in one, in order. Each has a result of its own; it counts once against rate limits.", Tag: "batch",
		In: Schema{"type": "array", "minItems": 1, "maxItems": mostParts, "items": Schema{
			"$ref": "#/components/schemas/BatchRequest",
		}},
		Out: object(Schema{
			"data": Schema{"type": "array", "items": Schema{"$ref": "#/components/schemas/BatchResult"}},
		}), Status: 200,
		Components: map[string]Schema{
			"BatchRequest": {
				"type": "object", "required": []string{"method", "path"},
				"properties": Schema{
					"method": Schema{"type": "string", "examples": []string{"GET"}},
					"path":   Schema{"type": "string", "pattern": "^/", "examples": []string{"/projects?limit=10"}},
					"headers": Schema{
						"type": []string{"array", "null"}, "items": Schema{"$ref": "#/components/schemas/HeaderField"},
					},
					"body": Schema{
						"type":        []string{"string", "null"},
						"description": "A JSON object with at least one field, as a string.",
					},
				},
			},
			"BatchResult": object(Schema{
				"status_code": Schema{"type": "integer"},
				"headers":     Schema{"type": "array", "items": Schema{"$ref": "#/components/schemas/HeaderField"}},
				"body": Schema{
					"type":        "string",
					"description": "The JSON of the answer, as a string; empty when the answer has no body.",
				},
			}),
			"HeaderField": object(Schema{"name": Schema{"type": "string"}, "value": Schema{"type": "string"}}),
		},
	}
}

// batch runs its parts in order through the same edge. Later ones see what earlier ones did; nothing is undone when one
// fails.
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
	kept, out := &recorder{}, append(make([]byte, 0, 4096), `{"data":[`...)
	for i, raw := range parts {
		if err := c.Context().Err(); err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		if err := c.Hold(len(out)); err != nil {
			return err
		}
		id := c.RequestID + "-" + strconv.Itoa(i+1)
		r, err := e.part(c, raw, i+1)
		if err == nil && len(out) > mostBatchAnswer {
			err = fault.New(fault.TooLarge,
				"This part was not run: the answers of the parts before it have more than %d MB. "+
					"Send it in another batch.", mostBatchAnswer>>20)
		}
		if err == nil {
			err = c.takeTurn()
		}
		kept.reset()
		if err != nil {
			c.refused(kept, err, id)
			out = kept.append(out)
			continue
		}
		c.dispatch(kept, r, id)
		c.moved += len(raw) + kept.body.Len()
		out = kept.append(out)
		c.endTurn()
	}
	_ = c.takeTurn() // to compress it is work too; what was done is answered in any case
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
	return c.inner(Inner{Method: p.method, Path: p.path, Header: header, Body: p.body}, p.url), nil
}
