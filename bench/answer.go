package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// answer reads one answer piece by piece, as it arrives. It decodes nothing, so that what is measured is the server and
// not this client.
type answer struct {
	keep    bool // remember head and body
	status  int
	head    []byte
	body    []byte
	part    part
	left    int // bytes of the body, or of a chunk of it, that are still to come
	chunked bool
	last    bool // chunk
}

// part is what an answer's next bytes belong to.
type part int

const (
	inHead part = iota
	inSize      // of a chunk
	inBody
	inEnd // of a chunk
	ended
)

// expect makes ready for the next answer.
func (a *answer) expect(keep bool) { *a = answer{keep: keep, head: a.head[:0], body: a.body[:0]} }

// take reads what has come and gives back what it cannot read before more comes.
func (a *answer) take(in []byte) (rest []byte, err error) {
	for {
		switch a.part {
		case inHead:
			head, after, found := bytes.Cut(in, []byte("\r\n\r\n"))
			if !found {
				return in, nil
			}
			if err := a.begin(head); err != nil {
				return nil, err
			}
			in = after
		case inSize:
			line, after, found := bytes.Cut(in, []byte("\r\n"))
			if !found {
				return in, nil
			}
			size, err := strconv.ParseUint(string(line), 16, 31)
			if err != nil {
				return nil, err
			}
			in, a.part, a.left, a.last = after, inBody, int(size), size == 0
		case inBody:
			n := min(a.left, len(in))
			if a.keep {
				a.body = append(a.body, in[:n]...)
			}
			if in, a.left = in[n:], a.left-n; a.left > 0 {
				return nil, nil
			}
			if a.part = ended; a.chunked {
				a.part = inEnd
			}
		case inEnd:
			if len(in) < len("\r\n") {
				return in, nil
			}
			if in, a.part = in[len("\r\n"):], inSize; a.last {
				a.part = ended
			}
		case ended:
			if len(in) > 0 {
				return nil, fmt.Errorf("%d bytes follow the answer", len(in))
			}
			return nil, nil
		}
	}
}

// begin reads the head.
func (a *answer) begin(head []byte) error {
	line, fields, _ := bytes.Cut(head, []byte("\r\n"))
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return fmt.Errorf("the answer begins with %q", line)
	}
	var err error
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return err
	}
	if a.keep {
		a.head = append(a.head, fields...)
	}
	a.part = inBody
	for len(fields) > 0 {
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		switch {
		case hasName(line, "Content-Length:"):
			if a.left, err = strconv.Atoi(string(bytes.TrimSpace(line[len("Content-Length:"):]))); err != nil {
				return err
			}
		case hasName(line, "Transfer-Encoding:"):
			a.part, a.chunked = inSize, true
		}
	}
	return nil
}

func hasName(line []byte, name string) bool {
	return len(line) > len(name) && strings.EqualFold(string(line[:len(name)]), name)
}

// header is a header of a kept answer.
func (a *answer) header(name string) string {
	for line := range strings.SplitSeq(string(a.head), "\r\n") {
		if n, value, found := strings.Cut(line, ":"); found && strings.EqualFold(n, name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
