package transport

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// conn replaces the answers that net/http writes by itself, which are plain text or empty, by JSON. It looks only at
// the first bytes of an answer, which no handler can choose, never at those that follow: a file may hold anything.
type conn struct {
	net.Conn
	begun atomic.Bool // an answer is under way
	frame framing     // of what is read
	twice atomic.Bool // a request has two lengths
	in    deadline
	out   deadline
}

// between is to be called when an answer has been written whole.
func (c *conn) between() { c.begun.Store(false) }

// watch tells connections when an answer has been written whole.
func watch(c net.Conn, state http.ConnState) {
	if own, ok := c.(interface{ between() }); ok && state == http.StateIdle {
		own.between()
	}
}

// newConn keeps the abilities that net/http looks for: sending files and closing one direction.
func newConn(c net.Conn) net.Conn {
	if tcp, ok := c.(*net.TCPConn); ok {
		own := &tcpConn{tcp: tcp}
		own.wrap(c)
		return own
	}
	own := &otherConn{}
	own.wrap(c)
	return own
}

func (c *conn) wrap(inner net.Conn) {
	c.Conn, c.in.tell, c.out.tell = inner, inner.SetReadDeadline, inner.SetWriteDeadline
}

type tcpConn struct {
	conn
	tcp *net.TCPConn
}

func (c *tcpConn) ReadFrom(r io.Reader) (int64, error) {
	if err := c.out.begin(); err != nil {
		return 0, err
	}
	defer c.out.end()
	return c.tcp.ReadFrom(r)
}

func (c *tcpConn) CloseWrite() error { return c.tcp.CloseWrite() }

type otherConn struct{ conn }

func (c *otherConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.in.set(t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.out.set(t) }
func (c *conn) SetDeadline(t time.Time) error      { return errors.Join(c.in.set(t), c.out.set(t)) }

func (c *conn) Read(p []byte) (int, error) {
	if err := c.in.begin(); err != nil {
		return 0, err
	}
	defer c.in.end()
	n, err := c.Conn.Read(p)
	if c.frame.follow(p[:n]); c.frame.bad {
		c.twice.Store(true)
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	if err := c.out.begin(); err != nil {
		return 0, err
	}
	defer c.out.end()
	if c.begun.Swap(true) {
		return c.Conn.Write(p)
	}
	status, detail, ok := foreign(p)
	if !ok {
		return c.Conn.Write(p)
	}
	says := sentence(status, detail)
	if c.twice.Load() {
		says = "The request has two lengths: Content-Length and Transfer-Encoding. Send one of them."
	}
	if _, err := c.Conn.Write(rawError(status, says)); err != nil {
		return 0, err
	}
	return len(p), nil
}

const (
	protocol = "HTTP/1.1 "
	// bare is the whole header of the errors that net/http writes past its own writer; no answer of a handler looks
	// like it.
	bare = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	// unexpected is the answer to an Expect header that is not known. Handlers never give it.
	unexpected = "HTTP/1.1 417 Expectation Failed\r\n"
	longest    = 1024
)

// foreign tells whether p is a whole answer that net/http made by itself, and what its status line says.
func foreign(p []byte) (status int, detail string, ok bool) {
	if len(p) < len(protocol)+4 || len(p) > longest || !bytes.HasPrefix(p, []byte(protocol)) {
		return 0, "", false
	}
	if bytes.HasPrefix(p, []byte(unexpected)) {
		return http.StatusExpectationFailed, "", true
	}
	line, _, found := bytes.Cut(p[len(protocol):], []byte("\r\n"))
	if !found || !bytes.HasPrefix(p[len(protocol)+len(line):], []byte(bare)) {
		return 0, "", false
	}
	code, text, _ := strings.Cut(string(line), " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		return 0, "", false
	}
	_, detail, _ = strings.Cut(text, ": ")
	return status, detail, true
}

func sentence(status int, detail string) string {
	switch status {
	case http.StatusRequestHeaderFieldsTooLarge:
		return "The headers of the request are larger than the 16 KiB that are accepted."
	case http.StatusNotImplemented:
		return "The transfer encoding of the request is not supported."
	case http.StatusHTTPVersionNotSupported:
		return "The HTTP version of the request is not supported."
	case http.StatusExpectationFailed:
		return "The Expect header of the request asks for what cannot be given; only 100-continue can."
	}
	if detail == "" {
		return "The request is not valid HTTP."
	}
	return "The request is not valid HTTP: " + detail + "."
}

// rawError is a whole answer, after which the connection is closed.
func rawError(status int, message string) []byte {
	body, _ := jsontext.AppendQuote([]byte(`{"message":`), message) // what is not UTF-8 becomes U+FFFD
	body = append(body, '}')
	return append(fmt.Appendf(nil,
		"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nCache-Control: no-store\r\n"+
			"X-Content-Type-Options: nosniff\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n",
		status, http.StatusText(status), len(body), strings.ToLower(rand.Text())), body...)
}
