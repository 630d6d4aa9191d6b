package identity

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"groundwork/prove/lab"
)

// game is an installation with tenants who have nothing to do with each other, and an operator.
type game struct {
	*lab.Site
	box      *lab.Mailbox
	client   *lab.Client
	tenants  []*player
	operator string // the cookie of her session
	mail     bool

	mu       sync.Mutex
	steps    int
	compared int
	followed int
	wrong    []string
}

// player is somebody with projects, who would like to see those of others.
type player struct {
	name, email, uid string
	*lab.Client
}

const gamers = 4

// judge notes an answer that the model does not give.
func (g *game) judge(ok bool, format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.compared++; !ok {
		g.wrong = append(g.wrong, fmt.Sprintf(format, args...))
	}
}

func receive(response *http.Response, err error) (*lab.Answer, error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, errors.Join(lab.ErrAnswerCut, err)
	}
	return &lab.Answer{Status: response.StatusCode, Header: response.Header, Body: text}, nil
}

func stays(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func cookieOf(a *lab.Answer) string {
	name, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	return name
}

// browse sends a request as a browser with a cookie does.
func (g *game) browse(method, path, cookie, kind string, body []byte) (*lab.Answer, error) {
	r, err := http.NewRequestWithContext(g.Trial, method, g.BaseURL+path, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	return receive(g.client.HTTP.Do(r))
}

func (g *game) form(path, cookie string, f lab.FormValues) (*lab.Answer, error) {
	return g.browse(http.MethodPost, path, cookie, "application/x-www-form-urlencoded", []byte(f.Encode()))
}
