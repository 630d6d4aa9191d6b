package lab

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

// Mailbox receives mail as a server on the same machine does.
type Mailbox struct {
	Address string

	mu      sync.Mutex
	text    strings.Builder
	letters []string // the same, one by one
}

// NewMailbox listens until the trial ends.
func NewMailbox(t *Trial) (*Mailbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.AtEnd(l.Close)
	box := &Mailbox{Address: l.Addr().String()}
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
func (b *Mailbox) receive(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 mailbox")
	for lines.Scan() {
		switch verb, _, _ := strings.Cut(strings.ToUpper(lines.Text()), " "); verb {
		case "DATA":
			say("354 go on")
			var letter strings.Builder
			for lines.Scan() && lines.Text() != "." {
				letter.WriteString(lines.Text() + "\n")
			}
			if lines.Text() != "." {
				return // it was cut off, and comes again
			}
			b.take(letter.String())
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

var messageID = regexp.MustCompile(`(?im)^Message-ID:.*$`)

// take keeps a letter. Whoever does not hear that it was taken sends it again, which every mailbox knows by its id.
func (b *Mailbox) take(letter string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id := messageID.FindString(letter); id != "" && strings.Contains(b.text.String(), id) {
		return
	}
	b.text.WriteString(letter)
	b.letters = append(b.letters, letter)
}

// AwaitLink waits for a mail with a link of a kind, and gives the secret in it.
func (b *Mailbox) AwaitLink(ctx context.Context, path string) (string, error) {
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

var mailedLink = regexp.MustCompile(`/(?:invitation|reset-password)/gwi_[0-9A-Za-z]{38}`)

// NextLetter waits for the letter after so many to an address, and gives the link in it.
func (b *Mailbox) NextLetter(t *Trial, address string, after int) (string, error) {
	for end := time.Now().Add(RequestTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b.mu.Lock()
		n, found, link := 0, false, ""
		for _, m := range b.letters {
			if strings.Contains(strings.ToLower(m), "<"+strings.ToLower(address)+">") {
				if n++; n == after+1 {
					found, link = true, mailedLink.FindString(strings.ReplaceAll(m, "=\n", ""))
				}
			}
		}
		b.mu.Unlock()
		if found {
			return link, nil
		}
		if t.Err() != nil {
			return "", t.Err()
		}
	}
	return "", fmt.Errorf("no letter came to %s", address)
}

// Count is how many letters came.
func (b *Mailbox) Count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.letters)
}
