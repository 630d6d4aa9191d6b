package main

import (
	"crypto/tls"
	"net"
	"strconv"
	"time"
)

// A wire is one kept-alive connection and the last answer on it.
type wire struct {
	answer
	conn  net.Conn
	until time.Time // its deadline
	in    []byte
}

const (
	answerWithin = time.Minute
	mostRead     = 256 << 10 // at once
)

func dial(address string, secure bool) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if secure {
		// The certificate was made a minute ago by this program.
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	}
	return &wire{conn: conn, in: make([]byte, mostRead)}, nil
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
	w.expect(keep)
	for rest := 0; w.part != ended; {
		n, err := w.conn.Read(w.in[rest:])
		if err != nil {
			return 0, err
		}
		left, err := w.take(w.in[:rest+n])
		if err != nil {
			return 0, err
		}
		rest = copy(w.in, left)
	}
	return w.status, nil
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
