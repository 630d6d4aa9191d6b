package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// File is what came of a link.
type File struct {
	Type, Name string
	Bytes      int64
	SHA256     string
}

// ErrGone says that a link leads to nothing, or has ended.
var ErrGone = errors.New("the server does not give it")

// slowest is how long a file may bring nothing before its connection is given up.
const slowest = time.Minute

// fileClient fetches what links lead to, without credentials. The server itself may have any address; other hosts may
// have public ones, and private ones that were allowed.
func (c *Client) fileClient() *http.Client {
	dialer := &net.Dialer{Timeout: 20 * time.Second}
	guarded := &net.Dialer{Timeout: 20 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		return c.admits(address)
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if strings.EqualFold(address, hostPort(c.base)) {
					return dialer.DialContext(ctx, network, address)
				}
				return guarded.DialContext(ctx, network, address)
			},
			TLSHandshakeTimeout: 20 * time.Second, ResponseHeaderTimeout: slowest, MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost: 4, DisableCompression: true,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= mostHops || via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
				return errors.New("it leads on too often, or to where others can read it")
			}
			r.Header.Del("Referer") // the link that led here has a signature
			return nil
		},
	}
}

// special are networks that are nobody's public address, beside those that the library knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("fec0::/10"),
}

// admits refuses an address that files are not fetched from.
func (c *Client) admits(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	a := to.Addr().Unmap().WithZone("")
	for _, p := range c.Private {
		if p.Contains(a) {
			return nil
		}
	}
	public := a.IsGlobalUnicast() && !a.IsPrivate()
	for _, p := range special {
		public = public && !p.Contains(a)
	}
	if !public {
		return &Refusal{
			Path: "a file", Status: http.StatusForbidden,
			Message: fmt.Sprintf("%s is a private address; allow it with --allow-private if files do lie there", a),
		}
	}
	return nil
}

// Fetch stores what a link leads to, up to so many bytes, in a file that has its name once it is whole. No credentials
// are sent. ErrGone where the link leads to nothing.
func (c *Client) Fetch(ctx context.Context, link, path string, most int64) (f File, err error) {
	u, err := url.Parse(link)
	if err != nil || u.User != nil || u.Scheme != "https" && u.Scheme != "http" ||
		u.Scheme == "http" && !c.Same(u) && !isLoopback(u.Hostname()) {
		return f, fmt.Errorf("%w: its link is none", ErrGone)
	}
	for attempt := 1; ; attempt++ {
		f, err = c.fetch(ctx, u.String(), path, most)
		var lasting *Refusal
		if err == nil || errors.Is(err, ErrGone) || errors.As(err, &lasting) || ctx.Err() != nil ||
			attempt == mostAttempts {
			return f, err
		}
		var full *os.PathError
		if errors.As(err, &full) {
			return f, err // the disk, not the server
		}
		if err := sleep(ctx, min(c.Pause<<min(attempt-1, 16), mostPause)); err != nil {
			return f, err
		}
	}
}

func (c *Client) fetch(ctx context.Context, link, path string, most int64) (f File, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return f, err
	}
	r.Header.Set("User-Agent", "groundwork-mirror")
	w, err := c.files.Do(r)
	if err != nil {
		return f, plainly(err)
	}
	defer w.Body.Close()
	switch {
	case w.StatusCode == 403, w.StatusCode == 404, w.StatusCode == 410, w.StatusCode == 401:
		return f, fmt.Errorf("%w: %d", ErrGone, w.StatusCode)
	case w.StatusCode != http.StatusOK && !transient(w.StatusCode):
		return f, &Refusal{Path: "a file", Status: w.StatusCode, Message: http.StatusText(w.StatusCode)}
	case w.StatusCode != http.StatusOK:
		return f, fmt.Errorf("the server answered %d", w.StatusCode)
	case w.ContentLength > most:
		return f, tooLarge(most)
	}
	f.Type, f.Name = w.Header.Get("Content-Type"), ""
	if _, params, err := mime.ParseMediaType(w.Header.Get("Content-Disposition")); err == nil {
		f.Name = params["filename"]
	}
	idle := time.AfterFunc(slowest, stop)
	defer idle.Stop()
	return c.keep(&f, &alive{w.Body, idle}, w.ContentLength, path, most)
}

func tooLarge(most int64) error {
	return &Refusal{Path: "a file", Status: 413, Message: fmt.Sprintf("it has more than %d MB (--max-file)", most>>20)}
}

// keep writes a file beside its name, and gives it that once it is whole and on the disk.
func (c *Client) keep(f *File, from io.Reader, said int64, path string, most int64) (File, error) {
	part, err := os.OpenFile(path+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return *f, err
	}
	sum := sha256.New()
	f.Bytes, err = io.Copy(io.MultiWriter(part, sum), io.LimitReader(from, most+1))
	switch {
	case err != nil:
	case f.Bytes > most:
		err = tooLarge(most)
	case said >= 0 && f.Bytes != said:
		err = io.ErrUnexpectedEOF
	default:
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return *f, errors.Join(err, os.Remove(path+".part"))
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return *f, os.Rename(path+".part", path)
}

// alive gives up a connection that brings nothing.
type alive struct {
	io.Reader
	idle *time.Timer
}

// Read reads on.
func (a *alive) Read(b []byte) (int, error) {
	n, err := a.Reader.Read(b)
	a.idle.Reset(slowest)
	return n, err
}
