package api

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// ids names requests: unique among processes by a random beginning, inside one by a counter.
type ids struct {
	prefix string
	last   *atomic.Uint64
}

func newIDs() ids {
	return ids{prefix: strings.ToLower(rand.Text()[:12]) + "-", last: new(atomic.Uint64)}
}

func (i ids) next() string {
	var room [40]byte
	return string(strconv.AppendUint(append(room[:0], i.prefix...), i.last.Add(1), 36))
}

// of keeps the name that the caller, or a proxy before us, gave the request when it is a plain one.
func (i ids) of(h http.Header) string {
	if given := h["X-Request-Id"]; len(given) == 1 && plainID(given[0]) {
		return given[0]
	}
	return i.next()
}

func plainID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
