package ordering

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// mirror is a client that keeps a copy of a list and asks only for what changed.
type mirror struct {
	name   string
	client *lab.Client
	list   string // path
	poll   func(*mirror, context.Context) error
	// pause is called before each page, unless nothing changes any more.
	pause func(done <-chan struct{})
	done  <-chan struct{}

	copied   map[string]jsontext.Value // by uid
	greatest string                    // updated_at
	clock    string                    // X-Clock of the last round's first page
	polls    int
	pages    int
	records  int
}

func newMirror(name string, c *lab.Client, list string, poll func(*mirror, context.Context) error) *mirror {
	return &mirror{
		name: name, client: c, list: list, poll: poll, copied: map[string]jsontext.Value{},
		greatest: "1970-01-01T00:00:00Z",
	}
}

// keepUp polls until done is closed, and once more. After a poll that brought nothing it rests, as clients do.
func (m *mirror) keepUp(ctx context.Context, done <-chan struct{}) error {
	m.done = done
	for last := false; ; {
		before := m.records
		if err := m.poll(m, ctx); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		m.polls++
		if last {
			return nil
		}
		rest := time.Duration(0)
		if m.records == before {
			rest = 5 * time.Millisecond
		}
		select {
		case <-done:
			last = true
		case <-time.After(rest):
		}
	}
}

const mirrorPage = 50

// followPages is the first of the two ways that the contract calls safe: follow next_page_url, ask on from the greatest
// updated_at.
func followPages(m *mirror, ctx context.Context) error {
	address := m.list + "?updated_after=" + url.QueryEscape(m.greatest)
	for next := &address; next != nil; {
		p, _, err := m.read(ctx, *next)
		if err != nil {
			return err
		}
		next = p.Next
	}
	return nil
}

// pageWithClock is the second: own skip, ask on from the X-Clock of the round's first page.
func pageWithClock(m *mirror, ctx context.Context) error {
	first, err := m.walk(ctx, m.clock)
	m.clock = first
	return err
}

// pageCarelessly mixes the two, which the contract warns of: own skip, ask on from the greatest updated_at.
func pageCarelessly(m *mirror, ctx context.Context) error {
	_, err := m.walk(ctx, m.greatest)
	return err
}

// walk pages by its own skip and gives the X-Clock of the first page.
func (m *mirror) walk(ctx context.Context, after string) (clock string, err error) {
	query := url.Values{"limit": {strconv.Itoa(mirrorPage)}}
	if after != "" {
		query.Set("updated_after", after)
	}
	for skip := 0; ; skip += mirrorPage {
		query.Set("skip", strconv.Itoa(skip))
		p, header, err := m.read(ctx, m.list+"?"+query.Encode())
		if err != nil {
			return "", err
		}
		if skip == 0 {
			clock = header.Get("X-Clock")
		}
		if len(p.Data) < mirrorPage {
			return clock, nil
		}
	}
}

// read takes one page into the copy. A service that is being killed is asked again until it is back.
func (m *mirror) read(ctx context.Context, address string) (*lab.Page, http.Header, error) {
	if m.pause != nil && m.done != nil {
		m.pause(m.done)
	}
	a, err := lab.DoUntilAnswered(ctx, m.client, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	var p lab.Page
	if err := json.Unmarshal(a.Body, &p); err != nil {
		return nil, nil, err
	}
	for _, raw := range p.Data {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, nil, err
		}
		m.copied[f.Text("uid")] = raw
		m.greatest = max(m.greatest, f.Text("updated_at"))
	}
	m.pages++
	m.records += len(p.Data)
	return &p, a.Header, nil
}

// compare counts how the copy differs from what the service has.
func (m *mirror) compare(state map[string]jsontext.Value) (missing, wrong int, first string) {
	for uid, raw := range state {
		switch have := m.copied[uid]; {
		case have == nil:
			missing++
			first = fmt.Sprintf("%s: never saw %s", m.name, lab.Clip(raw))
		case !bytes.Equal(lab.WithoutFileLinks(have), lab.WithoutFileLinks(raw)):
			wrong++
			first = fmt.Sprintf("%s: has %s; the service has %s", m.name, have, raw)
		}
	}
	if extra := len(m.copied) - (len(state) - missing); extra > 0 {
		wrong += extra
		first = fmt.Sprintf("%s: has %d records that do not exist", m.name, extra)
	}
	return missing, wrong, first
}
