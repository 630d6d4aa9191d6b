package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Epoch changes with whatever changes every answer at once: the public address and the release.
func (c *Call) Epoch() uint64 { return c.edge.epoch }

// Period numbers the time in which links to files stay the same.
func (c *Call) Period() int64 { return c.linksOf().UnixNano() / int64(c.edge.config.LinkPeriod) }

func (c *Call) linksOf() time.Time {
	if c.linked.IsZero() {
		return c.began
	}
	return c.linked
}

// LinksUntil is when the links end that are made now.
func (c *Call) LinksUntil() time.Time {
	return time.Unix(0, (c.Period()+2)*int64(c.edge.config.LinkPeriod)).UTC()
}

// tilePeriod is how long the addresses of tiles stay the same: whoever looks at a drawing all day loads it once.
const tilePeriod = 24 * time.Hour

// TilePeriod numbers the time in which addresses of tiles stay the same.
func (c *Call) TilePeriod() int64 { return c.linksOf().UnixNano() / int64(tilePeriod) }

// TilesUntil is when the addresses of tiles end that are made now.
func (c *Call) TilesUntil() time.Time {
	return time.Unix(0, (c.TilePeriod()+2)*int64(tilePeriod)).UTC()
}

// Began is when the call came, by the service's clock.
func (c *Call) Began() time.Time { return c.began }

// Method is the request's method.
func (c *Call) Method() string { return c.r.Method }

// RawQuery is the request's query as sent.
func (c *Call) RawQuery() string { return c.r.URL.RawQuery }

// Asks tells whether the caller has an answer already and asks only for another one.
func (c *Call) Asks() bool { return len(c.r.Header["If-None-Match"]) > 0 }

// Acts says that the call does something, whatever its method: its answer is sent also to a caller who says that it has
// it already.
func (c *Call) Acts() { c.r.Header.Del("If-None-Match") }

// Fresh gives the answer its entity tag, without quotes, and tells whether the caller has just that one: then 304 was
// sent.
func (c *Call) Fresh(tag string) bool {
	c.tag(tag)
	return matches(c.r.Header["If-None-Match"], tag) && c.unchanged()
}

// FreshView is Fresh for a caller who names any tag that is view or ends with a dot and view: that very tag is sent
// back.
func (c *Call) FreshView(view string) bool {
	for tag := range tags(c.r.Header["If-None-Match"]) {
		if head, ok := strings.CutSuffix(tag, view); ok && (head == "" || head[len(head)-1] == '.') {
			c.tag(tag)
			return c.unchanged()
		}
	}
	return false
}

func (c *Call) tag(tag string) { c.w.Header()["Etag"] = []string{`"` + tag + `"`} }

// unchanged sends 304, to those who read: only they can have the answer already. What guards against a body is left
// out, as there is none, and a cache goes by what it has.
func (c *Call) unchanged() bool {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return false
	}
	h := c.w.Header()
	delete(h, "X-Content-Type-Options")
	delete(h, "Content-Security-Policy")
	_ = c.Send(http.StatusNotModified, nil)
	return true
}

// IfMatch tells whether the caller's condition, if there is one, names a tag that begins with head.
func (c *Call) IfMatch(head string) bool {
	headers := c.r.Header["If-Match"]
	if len(headers) == 0 {
		return true
	}
	for tag := range tags(headers) {
		got, _, _ := strings.Cut(tag, ".")
		if tag == "*" || got == head {
			return true
		}
	}
	return false
}

func matches(headers []string, tag string) bool {
	for t := range tags(headers) {
		if t == "*" || t == tag {
			return true
		}
	}
	return false
}

// tags gives the tags of a condition, without quotes, weakness, and the suffix that some proxies add for a coding.
func tags(headers []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, h := range headers {
			for part := range strings.SplitSeq(h, ",") {
				part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
				part = strings.Trim(part, `"`)
				for _, coding := range []string{"-gzip", "-deflate", "-zstd"} {
					part = strings.TrimSuffix(part, coding)
				}
				if part != "" && !yield(part) {
					return
				}
			}
		}
	}
}

// bodyTag is the tag of an answer that nobody tagged: it follows from its bytes.
func bodyTag(body []byte) string { return "b" + strconv.FormatUint(xxhash.Sum64(body), 36) }
