package api

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// recorder keeps an answer in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// reset makes it fit for another answer; the room for its body stays.
func (r *recorder) reset() {
	r.header, r.status = http.Header{}, 0
	r.body.Reset()
}

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
	b, _ = jsontext.AppendQuote(b, r.body.Bytes()) // as quote, without a copy
	return append(b, '}')
}
