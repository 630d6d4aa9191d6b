package api

import (
	"net/http"
	"net/url"
)

// Ask gives what the API answers to who is signed in, for a page that shows it; path is one of the API's, escaped.
func (c *Call) Ask(path string) (status int, body []byte) {
	kept := &recorder{header: http.Header{}}
	r := &http.Request{
		Method: http.MethodGet, URL: &url.URL{}, RequestURI: path, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: c.r.Host, RemoteAddr: c.r.RemoteAddr, Body: http.NoBody,
	}
	if u, err := url.Parse(path); err == nil {
		r.URL = u
	}
	part := &Call{nested: true, from: c.address(), batch: c, RequestID: c.RequestID, w: kept}
	part.r = r.WithContext(c.Context())
	c.edge.serve(part)
	return kept.status, kept.body.Bytes()
}
