package transport

import (
	"bytes"
	"strings"
)

// framing follows the bytes of a connection from one request to the next, and finds requests that have both
// Content-Length and Transfer-Encoding, or a Transfer-Encoding in HTTP/1.0. A proxy in front may believe the one and
// net/http, which drops Content-Length without a word, the other: then what is the end of a body to one of them is a
// request of somebody else's to the other. Such a request is made unreadable on its way, so that net/http refuses it
// and closes.
type framing struct {
	state state
	line  [longestName]byte // the beginning of the present line of a head, or the end of the request line
	n     int               // how many bytes the present line has
	left  int64             // bytes of the body, or of the present chunk
	seen  bool              // the request line was there
	old   bool              // it is HTTP/1.0
	long  bool              // it has Content-Length
	coded bool              // it has Transfer-Encoding
	value bool              // the present line is a Content-Length, whose digits come
	bad   bool              // a request has both
}

type state uint8

const (
	inHead state = iota
	inBody
	inChunkSize
	inChunk
	afterChunk
	inTrailer
)

const (
	lengthName  = "content-length"
	codingName  = "transfer-encoding"
	longestName = len(codingName)
	oldProtocol = "HTTP/1.0"
	// mostLeft is more than any body has; beyond it a length is not followed, as net/http refuses it.
	mostLeft = 1 << 60
)

// follow reads on, and changes a byte of p where a request must not be read.
func (f *framing) follow(p []byte) {
	for len(p) > 0 && !f.bad {
		switch f.state {
		case inBody, inChunk:
			k := min(int64(len(p)), f.left)
			p, f.left = p[k:], f.left-k
			if f.left == 0 && f.state == inChunk {
				f.next(afterChunk)
			} else if f.left == 0 {
				f.next(inHead)
			}
			continue
		case inHead:
			if end := bytes.IndexByte(p, '\n'); end >= 0 && f.n == 0 && f.whole(p[:end]) {
				p = p[end+1:]
				continue
			}
			f.head(p)
		case inChunkSize:
			f.chunkSize(p[0])
		case afterChunk:
			if p[0] == '\n' {
				f.next(inChunkSize)
			}
		case inTrailer:
			f.trailer(p[0])
		}
		p = p[1:]
	}
}

// next begins a state.
func (f *framing) next(s state) {
	*f = framing{state: s}
}

// whole takes a line at once that is neither empty nor about lengths, as nearly all are.
func (f *framing) whole(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	if !f.seen {
		f.seen, f.old = true, bytes.HasSuffix(bytes.TrimRight(line, "\r"), []byte(oldProtocol))
		return true
	}
	first := line[0] | 0x20
	return first != lengthName[0] && first != codingName[0]
}

// head takes the first byte of p, of a request's head.
func (f *framing) head(p []byte) {
	b := p[0]
	switch {
	case b == '\n':
		f.endLine()
		return
	case b == '\r':
		return
	case !f.seen:
		// Of the request line its end is kept.
		copy(f.line[:], f.line[1:len(oldProtocol)])
		f.line[len(oldProtocol)-1] = b
	case b == ':' && f.n > 0 && f.n <= longestName:
		name := f.line[:f.n]
		f.value = bytes.EqualFold(name, []byte(lengthName)) && !f.long
		f.long = f.long || bytes.EqualFold(name, []byte(lengthName))
		f.coded = f.coded || bytes.EqualFold(name, []byte(codingName))
		if f.coded && (f.long || f.old) {
			// A line without a colon is no header.
			p[0], f.bad = ' ', true
		}
		f.n = longestName // what follows is no name
	case f.value && b >= '0' && b <= '9' && f.left < mostLeft:
		f.left = f.left*10 + int64(b-'0')
	case f.n < longestName:
		f.line[f.n] = b
	}
	f.n++
}

// endLine takes the end of a line of a head.
func (f *framing) endLine() {
	switch {
	case f.n == 0 && !f.seen:
		// Lines before a request are passed over, as net/http does.
	case !f.seen:
		f.seen, f.old = true, string(f.line[:len(oldProtocol)]) == oldProtocol
	case f.n > 0:
	case f.coded:
		f.next(inChunkSize)
	case f.left > 0:
		*f = framing{state: inBody, left: f.left}
	default:
		f.next(inHead)
	}
	f.n, f.value = 0, false
}

// chunkSize takes a byte of the line that says how long a chunk is; n is 1 behind its digits.
func (f *framing) chunkSize(b byte) {
	switch digit := strings.IndexByte("0123456789abcdef", b|0x20); {
	case b == '\n' && f.left == 0:
		f.next(inTrailer)
	case b == '\n':
		*f = framing{state: inChunk, left: f.left}
	case digit >= 0 && f.n == 0 && b > ' ' && f.left < mostLeft:
		f.left = f.left<<4 | int64(digit)
	default:
		f.n = 1
	}
}

// trailer takes a byte behind the last chunk; an empty line ends the request.
func (f *framing) trailer(b byte) {
	switch b {
	case '\r':
	case '\n':
		if f.n == 0 {
			f.next(inHead)
			return
		}
		f.n = 0
	default:
		f.n = 1
	}
}
