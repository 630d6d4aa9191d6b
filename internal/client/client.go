// Package client owns requests to another server that speaks this API: one origin, one key, its rate limits, and what
// is tried again. It refuses to send the key anywhere else, to follow an answer to another origin, to read without
// bounds, and to fetch files from private addresses that nobody allowed. New is its entry point.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The bounds of what another server can make this one do.
const (
	// MostAnswer is how many bytes one answer may have.
	MostAnswer = 64 << 20
	// mostAttempts is how often a request is tried that the server could not answer.
	mostAttempts = 8
	// mostWait is the longest time that an answer may ask to wait: the longest window is a day.
	mostWait   = 25 * time.Hour
	mostPause  = time.Minute
	mostSaid   = 300 // characters of a sentence of the server that are repeated
	mostHops   = 5
	answerTime = 5 * time.Minute
)

// Options say how a server is asked.
type Options struct {
	// Key is sent to the origin, and to nobody else.
	Key string
	// Private are networks of private addresses from which files may be fetched, beside the origin itself.
	Private []netip.Prefix
	// Notice is told what takes long, or is tried again; nil where nobody listens.
	Notice func(text string)
	// Pause is how long the first repetition waits; half a second where it is zero.
	Pause time.Duration
}

// Client asks one server.
type Client struct {
	Options
	base  *url.URL
	api   *http.Client
	files *http.Client
	pace  pace
}

// Refusal is an answer that repeating does not change.
type Refusal struct {
	Path    string
	Status  int
	Message string
	// Fields are those that the answer says are wrong.
	Fields map[string]string
}

// Error says what was asked and what the server said.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: the server answered %d: %s", r.Path, r.Status, r.Message)
}

// IsRefused tells whether an error is an answer with one of the statuses.
func IsRefused(err error, statuses ...int) bool {
	var r *Refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, s := range statuses {
		if r.Status == s {
			return true
		}
	}
	return false
}

// New makes ready to ask the server at an address such as https://api.example.com.
func New(address string, o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, errors.New("The address of the server must be a URL such as https://api.example.com.")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("The address of the server has no user, query or fragment: the key is given with --key.")
	}
	if base.Scheme == "http" && !isLoopback(base.Hostname()) {
		return nil, errors.New("The address of the server must begin with https: others could read the key on the way.")
	}
	if o.Key == "" || strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r == ':' || r > '~' }) {
		return nil, errors.New("The key must be an API key of the server: letters and digits without spaces or colons.")
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Pause == 0 {
		o.Pause = time.Second / 2
	}
	c := &Client{Options: o, base: base}
	c.api = &http.Client{
		Timeout: answerTime, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 20 * time.Second,
			ResponseHeaderTimeout: 2 * time.Minute, MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 4,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= mostHops || !c.Same(r.URL) {
				return fmt.Errorf("it leads to %s, which is not the server that was given", shorten(r.URL.Redacted()))
			}
			return nil
		},
	}
	c.files = c.fileClient()
	return c, nil
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Origin is the address of the server, without a slash at its end.
func (c *Client) Origin() string { return c.base.String() }

// Same tells whether a URL is of the server's own origin.
func (c *Client) Same(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && strings.EqualFold(hostPort(u), hostPort(c.base)) && u.User == nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Resolve gives the address of a path, or of a URL that an answer gave: an error where that is of another origin.
func (c *Client) Resolve(target string) (string, error) {
	if strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "//") {
		return c.base.String() + target, nil
	}
	u, err := url.Parse(target)
	if err != nil || !c.Same(u) {
		return "", fmt.Errorf("The server names %s as its own page, which is elsewhere. It is not asked: the key is for %s only.",
			shorten(target), c.base.Host)
	}
	u.Fragment = ""
	return u.String(), nil
}

// Get asks for a path or a URL of the origin and gives the JSON of its answer. What the server could not do for now is
// asked again, and its rate limits are obeyed. A *Refusal is what asking again does not change.
func (c *Client) Get(ctx context.Context, target string, headers ...string) ([]byte, http.Header, error) {
	return c.ask(ctx, http.MethodGet, target, "", headers)
}

// ask sends a request until it is answered.
func (c *Client) ask(ctx context.Context, method, target, body string, headers []string) ([]byte, http.Header, error) {
	address, err := c.Resolve(target)
	if err != nil {
		return nil, nil, err
	}
	for attempt := 1; ; {
		if err := c.pace.wait(ctx); err != nil {
			return nil, nil, err
		}
		a, err := c.send(ctx, method, address, body, headers)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err == nil && a.status < 300 {
			c.pace.learn(a.header)
			return a.body, a.header, nil
		}
		if err == nil && !transient(a.status) {
			return nil, nil, a.refusal(method + " " + pathOf(address))
		}
		pause, why := c.again(a, err, attempt)
		if a == nil || a.status != http.StatusTooManyRequests {
			if attempt++; attempt > mostAttempts {
				return nil, nil, fmt.Errorf("The server does not answer %s: %s.", pathOf(address), why)
			}
		}
		if pause > 10*time.Second {
			c.Notice(fmt.Sprintf("%s. Going on at %s.", why, time.Now().Add(pause).UTC().Format("2006-01-02 15:04:05 UTC")))
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, nil, err
		}
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *Client) send(ctx context.Context, method, address, body string, headers []string) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.SetBasicAuth(c.Key, "")
	r.Header.Set("Accept", "application/vnd.groundwork+json; version=1")
	r.Header.Set("User-Agent", "groundwork-mirror")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := c.api.Do(r)
	if err != nil {
		return nil, plainly(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(io.LimitReader(w.Body, MostAnswer+1))
	switch {
	case err != nil:
		return nil, plainly(err)
	case len(text) > MostAnswer:
		return &answer{status: http.StatusRequestEntityTooLarge, body: []byte(`{"message":"The answer has more than 64 MB."}`)}, nil
	case w.StatusCode < 300 && !json.Valid(text):
		return nil, errors.New("its answer is not JSON, or breaks off")
	}
	return &answer{w.StatusCode, w.Header, text}, nil
}

// plainly is an error of the network without the address, in which a link may have its signature.
func plainly(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// transient tells of a status whether asking again may help.
func transient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return true
	}
	return false
}

// refusal reads what the server says of a request that it refuses.
func (a *answer) refusal(path string) error {
	var said struct {
		Message string            `json:"message"`
		Errors  map[string]string `json:"errors"`
	}
	_ = json.Unmarshal(a.body, &said) // a refusal without a sentence is one too
	if said.Message == "" {
		said.Message = http.StatusText(a.status)
	}
	return &Refusal{Path: path, Status: a.status, Message: shorten(said.Message), Fields: said.Errors}
}

// again tells how long to wait before the next attempt, and why it is needed.
func (c *Client) again(a *answer, err error, attempt int) (time.Duration, string) {
	pause := min(c.Pause<<min(attempt-1, 16), mostPause)
	pause = pause/2 + rand.N(pause/2+1) // not all at once
	if err != nil {
		return pause, "The server does not answer: " + shorten(err.Error())
	}
	why := fmt.Sprintf("The server answered %d", a.status)
	if a.status == http.StatusTooManyRequests {
		why = "The server's rate limit is reached"
	}
	if asked, ok := retryAfter(a); ok {
		return min(asked, mostWait), why
	}
	return pause, why
}

// retryAfter is how long a server asks to wait, by its header or by the window that its answer names.
func retryAfter(a *answer) (time.Duration, bool) {
	text := a.header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1<<30 {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0), true
	}
	var said struct {
		Limit *struct {
			Reset time.Time `json:"reset"`
		} `json:"rate_limit"`
	}
	if a.status == http.StatusTooManyRequests && json.Unmarshal(a.body, &said) == nil && said.Limit != nil {
		return max(time.Until(said.Limit.Reset), 0), true
	}
	return 0, false
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// pathOf is the path of an address: its query may have what is nobody's business.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the server"
	}
	return u.Path
}

// shorten bounds what a message repeats of a server, on one line.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > mostSaid {
		text = string(runes[:mostSaid]) + "…"
	}
	return text
}
