package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"
)

// mailbox receives mail as a server on the same machine does.
type mailbox struct {
	address string

	mu   sync.Mutex
	text strings.Builder
}

func newMailbox(t *trial) (*mailbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.atEnd(l.Close)
	box := &mailbox{address: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go box.receive(conn)
		}
	}()
	return box, nil
}

// receive speaks as much SMTP as it takes.
func (b *mailbox) receive(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 mailbox")
	for lines.Scan() {
		switch verb, _, _ := strings.Cut(strings.ToUpper(lines.Text()), " "); verb {
		case "DATA":
			say("354 go on")
			for lines.Scan() && lines.Text() != "." {
				b.mu.Lock()
				b.text.WriteString(lines.Text() + "\n")
				b.mu.Unlock()
			}
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// link waits for a mail with a link of a kind, and gives the secret in it.
func (b *mailbox) link(ctx context.Context, path string) (string, error) {
	form := regexp.MustCompile(regexp.QuoteMeta(path) + `(gwi_[0-9A-Za-z]{38})`)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		b.mu.Lock()
		text := strings.ReplaceAll(b.text.String(), "=\n", "") // lines that were too long for mail
		b.mu.Unlock()
		if m := form.FindStringSubmatch(text); m != nil {
			return m[1], nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("no mail with a link to %s: %w", path, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
