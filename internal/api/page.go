package api

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// PrefersHTML tells whether the caller is a browser that shows what it gets to a person: it names HTML, and likes it
// better than JSON.
func (c *Call) PrefersHTML() bool {
	html, json := 0, 0
	for _, header := range c.r.Header["Accept"] {
		for header != "" {
			var one string
			one, header = cutUnquoted(header, ',')
			kind, params := cutUnquoted(one, ';')
			switch kind = strings.Trim(kind, " \t"); {
			case strings.EqualFold(kind, "text/html"):
				html = max(html, readQuality(params))
			case kind != "*/*" && isJSON(kind):
				json = max(json, readQuality(params))
			}
		}
	}
	return html > json
}

// Redirect sends the caller on to another address with 303.
func (c *Call) Redirect(to string) error {
	if c.status != 0 {
		return errSent
	}
	c.SetHeader("Location", to)
	return c.write(http.StatusSeeOther, nil)
}

// Packed is a body that never changes, compressed beforehand.
type Packed struct {
	// Type is the content type, Tag the entity tag without quotes.
	Type, Tag string
	// Zstd and Gzip are its compressed forms.
	Zstd, Gzip []byte
}

// SendPacked answers with a packed body in the form that the caller likes best, or with 304 when the caller has it.
func (c *Call) SendPacked(p *Packed) error {
	if c.status != 0 {
		return errSent
	}
	h := c.w.Header()
	h["Vary"] = byEncoding
	if c.Fresh(p.Tag) {
		return nil
	}
	h.Set("Content-Type", p.Type)
	body := p.Gzip
	switch best := chooseCoding(c.r.Header["Accept-Encoding"]); best {
	case zstandard, gzipped:
		if best == zstandard {
			body = p.Zstd
		}
		h["Content-Encoding"] = best.header()
		weaken(h)
	default:
		r, err := gzip.NewReader(bytes.NewReader(p.Gzip))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(r); err != nil {
			return err
		}
	}
	return c.write(http.StatusOK, body)
}
