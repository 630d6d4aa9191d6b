package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// NewListener wraps l so that every answer on its connections is JSON, those that net/http makes by itself too. With t,
// connections are TLS. A connection whose client wants another protocol that t has is closed after the handshake, which
// is all that such a protocol says.
func NewListener(l net.Listener, t *tls.Config) net.Listener {
	if t == nil {
		return plain{l}
	}
	t = t.Clone()
	others := slices.DeleteFunc(slices.Clone(t.NextProtos), isHTTP)
	t.NextProtos = append([]string{"h2", "http/1.1"}, others...)
	s := &secure{Listener: l, config: t, ready: make(chan net.Conn), closed: make(chan struct{})}
	go s.accept()
	return s
}

type plain struct{ net.Listener }

func (l plain) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// secure makes the handshake before it hands a connection on: only then is it known whether the client speaks HTTP/2,
// which net/http serves on nothing but a *tls.Conn and which needs no wrapping, or HTTP/1.
type secure struct {
	net.Listener
	config *tls.Config
	ready  chan net.Conn
	closed chan struct{}
	once   sync.Once
	err    error // why accept ended; to be read after closed is
}

const handshakeWithin = 5 * time.Second

func (l *secure) accept() {
	for {
		c, err := l.Listener.Accept()
		var passing interface{ Temporary() bool }
		if errors.As(err, &passing) && passing.Temporary() {
			// Too many open files, most likely: some will be closed.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			l.once.Do(func() { l.err = err; close(l.closed) })
			return
		}
		go l.shake(c)
	}
}

func (l *secure) shake(c net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeWithin)
	defer cancel()
	t := tls.Server(c, l.config)
	if err := t.HandshakeContext(ctx); err != nil {
		var noTLS tls.RecordHeaderError
		if errors.As(err, &noTLS) && noTLS.Conn != nil && looksLikeHTTP(noTLS.RecordHeader[:]) {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = c.Write(rawError(400, "This port speaks HTTPS only; use an address that begins with https://."))
		}
		_ = c.Close()
		return
	}
	var ready net.Conn = t
	switch spoken := t.ConnectionState().NegotiatedProtocol; {
	case !isHTTP(spoken) && spoken != "":
		_ = c.Close()
		return
	case spoken != "h2":
		ready = newConn(t)
	}
	select {
	case l.ready <- ready:
	case <-l.closed:
		_ = c.Close()
	}
}

func isHTTP(protocol string) bool { return protocol == "h2" || protocol == "http/1.1" }

func looksLikeHTTP(start []byte) bool {
	switch string(start) {
	case "GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO":
		return true
	default:
		return false
	}
}

func (l *secure) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case <-l.closed:
		return nil, l.err
	}
}

func (l *secure) Close() error {
	err := l.Listener.Close()
	l.once.Do(func() { l.err = net.ErrClosed; close(l.closed) })
	return err
}
