package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	walBound    = 64 << 20
	longReaders = 8
)

var e6 = &experiment{
	id:      "E6",
	title:   "16 writers and 8 readers who walk through everything again and again",
	bar:     "the write-ahead log stays under 64 MB; p99 of a write < 250 ms (judged in the full form)",
	control: "never empties the log",
	engines: []string{lite},
	run: func(t *trial) error {
		m, err := newMixed(t, released)
		if err != nil {
			return err
		}
		if err := m.run(time.Duration(t.pick(10, 120))*time.Second, nil); err != nil {
			return err
		}
		p99 := quantile(m.latencies, 0.99)
		t.note("writes", "%s", thousands(len(m.latencies)))
		t.note("pages read", "%s", thousands(int(m.pages.Load())))
		t.note("write p50, p99, max", "%s, %s, %s", millis(quantile(m.latencies, 0.5)), millis(p99), millis(quantile(m.latencies, 1)))
		t.note("log, greatest size", "%s", megabytes(m.greatest))
		t.require(m.greatest > 0, "there is no log at %s", m.wal)
		t.require(m.greatest <= walBound, "the log grew to %s", megabytes(m.greatest))
		if t.full {
			t.require(p99 < 250*time.Millisecond, "p99 of a write is %s", millis(p99))
		}
		return m.site.verify()
	},
	runControl: func(t *trial) (string, error) {
		m, err := newMixed(t, planted, "GROUNDWORK_PLANT=no-checkpoint")
		if err != nil {
			return "", err
		}
		if err := m.run(2*time.Minute, func() bool { return m.greatest > walBound }); err != nil {
			return "", err
		}
		if m.greatest > walBound {
			return fmt.Sprintf("its log grew to %s after %s writes", megabytes(m.greatest), thousands(len(m.latencies))), nil
		}
		return "", nil
	},
}

// mixed is an installation under a load of writes and long reads.
type mixed struct {
	t       *trial
	site    *site
	client  *client
	project string
	wal     string

	greatest  int64 // size of the log
	pages     atomic.Int64
	mu        sync.Mutex
	latencies []time.Duration
	errs      []error
}

func newMixed(t *trial, tag string, env ...string) (*mixed, error) {
	s, err := newSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if _, err := s.start(); err != nil {
		return nil, err
	}
	c := s.client()
	project, err := c.newProject(t, "Bridge")
	return &mixed{t: t, site: s, client: c, project: project, wal: s.data + "/groundwork.db-wal"}, err
}

// run works for a time, or until enough says so.
func (m *mixed) run(within time.Duration, enough func() bool) error {
	ctx, cancel := context.WithTimeout(m.t, within)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		crew(writers+longReaders, func(i int) {
			var err error
			if i < writers {
				err = m.write(ctx, m.t.random(i))
			} else {
				err = m.read(ctx)
			}
			if err != nil {
				cancel()
				m.mu.Lock()
				m.errs = append(m.errs, err)
				m.mu.Unlock()
			}
		})
	})
	for ctx.Err() == nil {
		if info, err := os.Stat(m.wal); err == nil {
			m.greatest = max(m.greatest, info.Size())
		}
		if enough != nil && enough() {
			cancel()
		}
		time.Sleep(10 * time.Millisecond)
	}
	wg.Wait()
	if len(m.errs) > 0 {
		return m.errs[0]
	}
	return m.t.Err()
}

// write makes issues and changes them.
func (m *mixed) write(ctx context.Context, random *rand.Rand) error {
	var mine []string
	for ctx.Err() == nil {
		method, path := http.MethodPost, m.project+"/issues"
		if len(mine) > 0 && random.IntN(2) == 0 {
			method, path = http.MethodPatch, path+"/"+mine[random.IntN(len(mine))]
		}
		body := fields{"title": quoted("Crack"), "description": quoted(strings.Repeat("Sealant missing. ", random.IntN(240)))}.bytes()
		began := time.Now()
		a, err := m.client.do(m.t, method, path, body)
		if err != nil {
			return err
		}
		took := time.Since(began)
		var f fields
		if err := json.Unmarshal(a.body, &f); err != nil || !a.ok() {
			return fmt.Errorf("%s %s: %s", method, path, a)
		}
		if method == http.MethodPost {
			mine = append(mine, f.text("uid"))
		}
		m.mu.Lock()
		m.latencies = append(m.latencies, took)
		m.mu.Unlock()
	}
	return nil
}

// read walks through all issues, from the first to the last, again and again. It decodes nothing but where to go on: the machine is there for
// the server.
func (m *mixed) read(ctx context.Context) error {
	const field = `"next_page_url":`
	for next := ""; ctx.Err() == nil; {
		if next == "" {
			next = m.project + "/issues?updated_after=1970-01-01T00:00:00Z"
		}
		a, err := m.client.do(m.t, http.MethodGet, next, nil)
		if err != nil {
			return err
		}
		at := bytes.LastIndex(a.body, []byte(field))
		if !a.ok() || at < 0 {
			return fmt.Errorf("GET %s: %s", next, a)
		}
		m.pages.Add(1)
		var on *string
		if err := json.Unmarshal(bytes.TrimSuffix(a.body[at+len(field):], []byte("}")), &on); err != nil {
			return err
		}
		next = ""
		if on != nil {
			next = *on
		}
	}
	return nil
}
