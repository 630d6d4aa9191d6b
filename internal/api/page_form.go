package api

import "net/http"

// Page makes a route one for browsers: its refusals are pages too, no page of another site may read its answers or send
// it anything but GET, and the OpenAPI document leaves it out. Its function says what its answers are with
// SetHeader("Content-Type", …).
type Page struct {
	// Policy is the Content-Security-Policy of its answers.
	Policy string
	// Refusal renders an error as HTML; message is a whole sentence, and as untrusted as what the caller sent.
	Refusal func(status int, message, requestID string) []byte
}

var (
	typeHTML   = []string{"text/html; charset=utf-8"}
	noReferrer = []string{"no-referrer"}
	sameOrigin = []string{"same-origin"}
)

// dress sets what every answer of a page has.
func (p *Page) dress(h http.Header) {
	h["Content-Security-Policy"] = []string{p.Policy}
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Cross-Origin-Resource-Policy"] = sameOrigin
}
