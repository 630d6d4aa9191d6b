package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// A wire is one kept-alive connection. It reads answers without decoding them, so that what is measured is the server and not this client.
type wire struct {
	conn  net.Conn
	until time.Time // its deadline
	in    *bufio.Reader
	head  []byte // of the last answer, when asked to keep it
	body  []byte
}

const answerWithin = time.Minute

func dial(address string, secure bool) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if secure {
		// The certificate was made a minute ago by this program.
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 256<<10)}, nil
}

func (w *wire) close() { _ = w.conn.Close() }

// do sends a whole request and reads the answer to its end; keep remembers it.
func (w *wire) do(request []byte, keep bool) (status int, err error) {
	if now := time.Now(); w.until.Sub(now) < answerWithin/2 { // to set it takes longer than to look
		w.until = now.Add(answerWithin)
		if err := w.conn.SetDeadline(w.until); err != nil {
			return 0, err
		}
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, err
	}
	return w.read(keep)
}

func (w *wire) read(keep bool) (status int, err error) {
	w.head, w.body = w.head[:0], w.body[:0]
	line, err := w.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, fmt.Errorf("the answer begins with %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		if line, err = w.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if keep {
			w.head = append(w.head, line...)
		}
		switch {
		case hasName(line, "Content-Length:"):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len("Content-Length:"):]))); err != nil {
				return 0, err
			}
		case hasName(line, "Transfer-Encoding:"):
			chunked = true
		}
	}
	if !chunked {
		return status, w.take(length, keep)
	}
	for {
		if line, err = w.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return 0, err
		}
		if err := errors.Join(w.take(int(size), keep), w.take(2, false)); err != nil || size == 0 {
			return status, err
		}
	}
}

func (w *wire) take(n int, keep bool) error {
	if !keep {
		_, err := w.in.Discard(n)
		return err
	}
	at := len(w.body)
	w.body = append(w.body, make([]byte, n)...)
	_, err := io.ReadFull(w.in, w.body[at:])
	return err
}

func hasName(line []byte, name string) bool {
	return len(line) > len(name) && strings.EqualFold(string(line[:len(name)]), name)
}

// header is a header of the last kept answer.
func (w *wire) header(name string) string {
	for line := range strings.SplitSeq(string(w.head), "\r\n") {
		if n, value, found := strings.Cut(line, ":"); found && strings.EqualFold(n, name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// appendRequest appends a whole request. headers are complete lines.
func appendRequest(buf []byte, method, path, headers string, body []byte) []byte {
	buf = append(buf, method...)
	buf = append(buf, ' ')
	buf = append(buf, path...)
	buf = append(buf, " HTTP/1.1\r\nHost: localhost\r\n"...)
	buf = append(buf, headers...)
	if body != nil {
		buf = append(buf, "Content-Type: application/json\r\nContent-Length: "...)
		buf = strconv.AppendInt(buf, int64(len(body)), 10)
		buf = append(buf, "\r\n"...)
	}
	buf = append(buf, "\r\n"...)
	return append(buf, body...)
}
