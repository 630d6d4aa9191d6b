package lab

import (
	"bytes"
	"context"
	"encoding/base64"
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

// Client speaks to a service with one key.
type Client struct {
	BaseURL string
	Key     string
	HTTP    *http.Client
}

// RequestTimeout is far above any bar: whoever waits longer hangs.
const RequestTimeout = 30 * time.Second

// NewClient gives a client with the key of the site and connections of its own.
func (s *Site) NewClient() *Client {
	transport := &http.Transport{
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 0,
		DisableCompression: true,
	}
	s.Trial.AtEnd(func() error { transport.CloseIdleConnections(); return nil })
	return &Client{BaseURL: s.BaseURL, Key: s.Key, HTTP: &http.Client{Transport: transport, Timeout: RequestTimeout}}
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK tells whether the request took effect.
func (a *Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

func (a *Answer) String() string {
	return fmt.Sprintf("%d %s", a.Status, Clip(a.Body))
}

// Clip is the beginning of a text, short enough for a report.
func Clip(text []byte) string {
	const most = 300
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// ErrAnswerCut says that an answer had begun and did not end.
var ErrAnswerCut = errors.New("the answer was cut off")

// Do sends one request. An error means that its outcome is not known, unless IsRefused.
func (c *Client) Do(ctx context.Context, method, path string, body []byte) (*Answer, error) {
	return c.DoWithHeader(ctx, method, path, body, "", "")
}

// DoWithHeader is Do with one more header, unless that has no name.
func (c *Client) DoWithHeader(ctx context.Context, method, path string, body []byte,
	header, value string,
) (*Answer, error) {
	target := path
	if strings.HasPrefix(path, "/") {
		target = c.BaseURL + path
	}
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.SetBasicAuth(c.Key, "")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if header != "" {
		r.Header.Set(header, value)
	}
	response, err := c.HTTP.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, errors.Join(ErrAnswerCut, err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

// IsRefused tells that nobody listened, so that the request reached nobody.
func IsRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// MustDo is Do for a request that has to succeed; it decodes the answer into v unless that is nil.
func (c *Client) MustDo(ctx context.Context, method, path string, body, v any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	a, err := c.Do(ctx, method, path, text)
	if err != nil {
		return err
	}
	if !a.OK() {
		return fmt.Errorf("%s %s: %s", method, path, a)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(a.Body, v)
}

// Page is the envelope of a list.
type Page struct {
	Data  []jsontext.Value `json:"data"`
	Total int              `json:"total_count"`
	Next  *string          `json:"next_page_url"`
}

// NewProject makes a project and gives its path.
func (c *Client) NewProject(ctx context.Context, name string) (string, error) {
	var made struct {
		UID string `json:"uid"`
	}
	err := c.MustDo(ctx, http.MethodPost, "/projects", map[string]string{"name": name}, &made)
	return "/projects/" + made.UID, err
}

// ListAll reads a whole list, page by page.
func (c *Client) ListAll(ctx context.Context, path string) (records []jsontext.Value, total int, err error) {
	for next := &path; next != nil; {
		var p Page
		if err := c.MustDo(ctx, http.MethodGet, *next, nil, &p); err != nil {
			return nil, 0, err
		}
		records, total, next = append(records, p.Data...), p.Total, p.Next
	}
	return records, total, nil
}

// DoUntilAnswered repeats a request that may be repeated until it is answered.
func DoUntilAnswered(ctx context.Context, c *Client, method, path string, body []byte) (*Answer, error) {
	for {
		a, err := c.Do(ctx, method, path, body)
		if err == nil && !a.OK() {
			return nil, fmt.Errorf("%s %s: %s", method, path, a)
		}
		if err == nil || ctx.Err() != nil {
			return a, err
		}
		time.Sleep(time.Millisecond)
	}
}

// BasicAuth is the header Authorization of a key.
func BasicAuth(key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"))
}

// BatchHeader is a header inside a batch.
type BatchHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
