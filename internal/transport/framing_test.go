package transport

import (
	"strings"
	"testing"
)

// Requests that follow each other on one connection, and how many of them may be read.
var framed = map[string]struct {
	sent string
	good int
	bad  bool
}{
	"nothing else": {"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 2, false},
	"a body that looks like a head": {
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 45\r\n\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n" +
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 2, false,
	},
	"chunks that look like heads": {
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1b;ext=\"a\"\r\nContent-Length: 9\r\nTransfer\r\nA\r\nContent-Le\r\n0\r\nTrail: er\r\n\r\n" +
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 2, false,
	},
	"behind a body":          {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 1, true},
	"behind chunks":          {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 1, true},
	"bare line feeds":        {"POST / HTTP/1.1\nHost: x\nContent-Length: 3\nTransfer-Encoding: chunked\n\n", 0, true},
	"behind line breaks":     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na\r\nPOST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: x\r\n\r\n", 1, true},
	"a longer name":          {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding-Not: chunked\r\nContent-Lengths: 4\r\n\r\n", 1, false},
	"a name in a value":      {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nT: Transfer-Encoding: chunked\r\n\r\n", 1, false},
	"in a continuation line": {"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1, false},
	"HTTP 1.0":               {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 0, true},
}

// TestFraming: two lengths are found wherever a request begins, in however small pieces it comes; what only looks like
// them is left as it is.
func TestFraming(t *testing.T) {
	for name, tt := range framed {
		for size := 1; size <= len(tt.sent); size++ {
			var f framing
			got := []byte(tt.sent)
			for from := 0; from < len(got); from += size {
				f.follow(got[from:min(from+size, len(got))])
			}
			if f.bad != tt.bad || !tt.bad && (string(got) != tt.sent || f.state != inHead) {
				t.Errorf("%s in pieces of %d: bad %t, in state %d, %q", name, size, f.bad, f.state, got)
				break
			}
			if tt.bad && strings.Count(string(got), ":") != strings.Count(tt.sent, ":")-1 {
				t.Errorf("%s in pieces of %d: %q", name, size, got)
				break
			}
		}
	}
}

func BenchmarkFraming(b *testing.B) {
	request := []byte("GET /projects/01a1e6ca-32ee-7f34-b89e-3ed9e55a4af3/issues?limit=50 HTTP/1.1\r\nHost: build.example.com\r\nUser-Agent: client/1.0\r\n" +
		"Accept: application/json\r\nAuthorization: Basic Z3drX2FkbWluZ3drX2FkbWluZ3drX2FkbWluZ3drX2FkbWluZ3drX2FkbWlu\r\nAccept-Encoding: gzip\r\n\r\n")
	var f framing
	b.ReportAllocs()
	for b.Loop() {
		f.follow(request)
	}
}
