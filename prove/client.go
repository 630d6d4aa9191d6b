package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// client speaks to a service with one key.
type client struct {
	base string
	key  string
	http *http.Client
}

// requestWithin is far above any bar: whoever waits longer hangs.
const requestWithin = 30 * time.Second

func (s *site) client() *client {
	transport := &http.Transport{
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 0, DisableCompression: true,
	}
	s.t.atEnd(func() error { transport.CloseIdleConnections(); return nil })
	return &client{base: s.base, key: s.key, http: &http.Client{Transport: transport, Timeout: requestWithin}}
}

// answer is a whole answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

func (a *answer) String() string {
	return fmt.Sprintf("%d %s", a.status, clip(a.body))
}

func clip(text []byte) string {
	const most = 300
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// errCut says that an answer had begun and did not end.
var errCut = errors.New("the answer was cut off")

// do sends one request. An error means that its outcome is not known, unless isRefused.
func (c *client) do(ctx context.Context, method, path string, body []byte) (*answer, error) {
	return c.send(ctx, method, path, body, "", "")
}

// send is do with one more header, unless that has no name.
func (c *client) send(ctx context.Context, method, path string, body []byte, header, value string) (*answer, error) {
	target := path
	if strings.HasPrefix(path, "/") {
		target = c.base + path
	}
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.SetBasicAuth(c.key, "")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if header != "" {
		r.Header.Set(header, value)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, errors.Join(errCut, err)
	}
	return &answer{response.StatusCode, response.Header, text}, nil
}

// isRefused tells that nobody listened, so that the request reached nobody.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// must is do for a request that has to succeed; it decodes the answer into v unless that is nil.
func (c *client) must(ctx context.Context, method, path string, body, v any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	a, err := c.do(ctx, method, path, text)
	if err != nil {
		return err
	}
	if !a.ok() {
		return fmt.Errorf("%s %s: %s", method, path, a)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(a.body, v)
}

// fields is an object of which only some values matter.
type fields map[string]jsontext.Value

func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s) // null and absent are ""
	return s
}

// page is the envelope of a list.
type page struct {
	Data  []jsontext.Value `json:"data"`
	Total int              `json:"total_count"`
	Next  *string          `json:"next_page_url"`
}

// newProject makes a project and gives its path.
func (c *client) newProject(ctx context.Context, name string) (string, error) {
	var made struct {
		UID string `json:"uid"`
	}
	err := c.must(ctx, http.MethodPost, "/projects", map[string]string{"name": name}, &made)
	return "/projects/" + made.UID, err
}

// all reads a whole list, page by page.
func (c *client) all(ctx context.Context, path string) (records []jsontext.Value, total int, err error) {
	for next := &path; next != nil; {
		var p page
		if err := c.must(ctx, http.MethodGet, *next, nil, &p); err != nil {
			return nil, 0, err
		}
		records, total, next = append(records, p.Data...), p.Total, p.Next
	}
	return records, total, nil
}
