package api

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Inner is a request that is made inside of another one: a part of a batch, or what a page shows.
type Inner struct {
	// Method is GET where it is empty; Path is one of the API's, escaped, with its query.
	Method, Path string
	Header       http.Header
	Body         string
}

// Dispatch runs a request through the edge, in process and with all its refusals, and gives the answer. A person who is
// signed in makes it as themselves; a program says who it is in the header, as always.
func (c *Call) Dispatch(in Inner) (status int, header http.Header, body []byte) {
	u, err := url.Parse(in.Path)
	if err != nil {
		u = &url.URL{} // leads nowhere, and the edge says so
	}
	kept := &recorder{header: http.Header{}}
	c.dispatch(kept, c.inner(in, u), c.RequestID)
	return kept.status, kept.header, kept.body.Bytes()
}

// inner makes the HTTP request of an Inner, whose path was read as u.
func (c *Call) inner(in Inner, u *url.URL) *http.Request {
	r := &http.Request{
		Method: in.Method, URL: u, RequestURI: in.Path, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: in.Header, Host: c.r.Host, RemoteAddr: c.r.RemoteAddr, Body: http.NoBody,
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if in.Body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(in.Body)), int64(len(in.Body))
	}
	return r.WithContext(c.Context())
}

// dispatch serves a request as part of this one, and has kept keep its answer. What that takes of the budget for large
// answers is given back: the caller holds what it keeps of it.
func (c *Call) dispatch(kept *recorder, r *http.Request, id string) {
	part := &Call{nested: true, from: c.address(), batch: c, RequestID: id, w: kept, r: r}
	c.edge.serve(part)
	part.endAnswer()
}

// refused is the answer to a part that is no request.
func (c *Call) refused(kept *recorder, err error, id string) {
	part := &Call{
		nested: true, from: c.address(), batch: c, RequestID: id, w: kept, r: c.r, end: c.edge.lost, edge: c.edge,
	}
	c.edge.dress(part, false)
	part.refuse(err)
}
