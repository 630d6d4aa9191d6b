package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// line is one connection of a loop, with a request under way.
type line struct {
	answer
	fd      int
	chance  *rand.Rand
	request []byte
	sent    time.Time
	rest    []byte // of what has arrived and cannot be read yet
}

// loop asks over TCP with nothing between it and the kernel: one call to send a request, one to read an answer that is
// there, and one to wait for whichever answers come next. What asks takes a processor from what answers, so that the
// faster a server is, the more it would be charged for a client that does more.
func (t *turn) loop(ctx context.Context, n int) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(poll)
	lines := make([]line, n)
	for i := range lines {
		l := &lines[i]
		if l.fd, err = connect(t.on.address); err != nil {
			return err
		}
		defer unix.Close(l.fd)
		if err := unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, l.fd,
			&unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}); err != nil {
			return err
		}
		l.chance = rand.New(rand.NewPCG(uint64(i), uint64(t.begin.UnixNano())))
		if err := t.send(l, time.Now()); err != nil {
			return err
		}
	}
	in, events := make([]byte, mostRead), make([]unix.EpollEvent, n)
	for waiting := n; waiting > 0; {
		ready, err := unix.EpollWait(poll, events, int(answerWithin.Milliseconds()))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		if ready == 0 && err == nil {
			return fmt.Errorf("%s does not answer within %s", t.on.name, answerWithin)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, e := range events[:max(0, ready)] {
			i := int(e.Fd)
			l := &lines[i]
			if err := l.receive(in); err != nil {
				return fmt.Errorf("%s: %w", t.on.name, err)
			}
			if l.part != ended {
				continue
			}
			done, err := t.answered(i, l.status, l.request, l.sent)
			if err != nil {
				return err
			}
			if !done.Before(t.end) {
				waiting--
				continue
			}
			if err := t.send(l, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// connect opens a connection whose calls do not wait.
func connect(address string) (int, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return 0, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	err = errors.Join(
		unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.SetNonblock(fd, true),
	)
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// send sends the next request, which finds the connection empty and fits into it.
func (t *turn) send(l *line, now time.Time) error {
	l.request = t.next(l.request[:0], l.chance)
	l.expect(false)
	l.sent = now
	n, err := unix.Write(l.fd, l.request)
	if err == nil && n < len(l.request) {
		err = fmt.Errorf("%s took %d of the %d bytes of a request", t.on.name, n, len(l.request))
	}
	return err
}

// receive reads what has arrived, into what all connections share.
func (l *line) receive(in []byte) error {
	kept := copy(in, l.rest)
	n, err := unix.Read(l.fd, in[kept:])
	switch {
	case errors.Is(err, unix.EAGAIN):
		return nil
	case err != nil:
		return err
	case n == 0:
		return errors.New("the connection was closed")
	}
	rest, err := l.take(in[:kept+n])
	l.rest = append(l.rest[:0], rest...)
	return err
}
