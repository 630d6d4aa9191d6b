// Package availability tries the sixth promise: always JSON, always soon. It brings overload and abuse that one client
// can bring alone; its subfolders hold the experiments that are large.
package availability

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

	"groundwork/prove/lab"
)

const (
	walBound    = 64 << 20
	longReaders = 8
)

// E6 has long readers beside writers: the write-ahead log must stay bounded.
var E6 = &lab.Experiment{
	ID:       "E6",
	Title:    "16 writers and 8 readers who walk through everything again and again",
	MustHold: "the write-ahead log stays under 64 MB; p99 of a write < 250 ms (judged in the full form)",
	Control:  "never empties the log",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		m, err := newMixed(t, lab.Released)
		if err != nil {
			return err
		}
		if err := m.run(time.Duration(t.ShortOrFull(10, 120))*time.Second, nil); err != nil {
			return err
		}
		p99 := lab.Quantile(m.latencies, 0.99)
		t.Note("writes", "%s", lab.Thousands(len(m.latencies)))
		t.Note("pages read", "%s", lab.Thousands(int(m.pages.Load())))
		t.Note("write p50, p99, max", "%s, %s, %s", lab.Millis(lab.Quantile(m.latencies, 0.5)), lab.Millis(p99),
			lab.Millis(lab.Quantile(m.latencies, 1)))
		t.Note("log, greatest size", "%s", lab.Megabytes(m.greatest))
		t.Require(m.greatest > 0, "there is no log at %s", m.wal)
		t.Require(m.greatest <= walBound, "the log grew to %s", lab.Megabytes(m.greatest))
		t.RequireOnTime(p99 < 250*time.Millisecond, "p99 of a write is %s", lab.Millis(p99))
		return m.site.Verify()
	},
	RunControl: func(t *lab.Trial) (string, error) {
		m, err := newMixed(t, lab.Planted, "GROUNDWORK_PLANT=no-checkpoint")
		if err != nil {
			return "", err
		}
		if err := m.run(2*time.Minute, func() bool { return m.greatest > walBound }); err != nil {
			return "", err
		}
		if m.greatest > walBound {
			return fmt.Sprintf("its log grew to %s after %s writes", lab.Megabytes(m.greatest),
				lab.Thousands(len(m.latencies))), nil
		}
		return "", nil
	},
}

// mixed is an installation under a load of writes and long reads.
type mixed struct {
	t       *lab.Trial
	site    *lab.Site
	client  *lab.Client
	project string
	wal     string

	greatest  int64 // size of the log
	pages     atomic.Int64
	mu        sync.Mutex
	latencies []time.Duration
	errs      []error
}

func newMixed(t *lab.Trial, tag string, env ...string) (*mixed, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	c := s.NewClient()
	project, err := c.NewProject(t, "Bridge")
	return &mixed{t: t, site: s, client: c, project: project, wal: s.DataFolder + "/groundwork.db-wal"}, err
}

// run works for a time, or until enough says so.
func (m *mixed) run(within time.Duration, enough func() bool) error {
	ctx, cancel := context.WithTimeout(m.t, within)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		lab.Parallel(lab.Writers+longReaders, func(i int) {
			var err error
			if i < lab.Writers {
				err = m.write(ctx, m.t.Random(i))
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
		body := lab.Fields{
			"title": lab.QuotedJSON("Crack"), "description": lab.QuotedJSON(strings.Repeat("Sealant missing. ", random.IntN(240))),
		}.JSON()
		began := time.Now()
		a, err := m.client.Do(m.t, method, path, body)
		if err != nil {
			return err
		}
		took := time.Since(began)
		var f lab.Fields
		if err := json.Unmarshal(a.Body, &f); err != nil || !a.OK() {
			return fmt.Errorf("%s %s: %s", method, path, a)
		}
		if method == http.MethodPost {
			mine = append(mine, f.Text("uid"))
		}
		m.mu.Lock()
		m.latencies = append(m.latencies, took)
		m.mu.Unlock()
	}
	return nil
}

// read walks through all issues, from the first to the last, again and again. It decodes nothing but where to go on:
// the machine is there for the server.
func (m *mixed) read(ctx context.Context) error {
	const field = `"next_page_url":`
	for next := ""; ctx.Err() == nil; {
		if next == "" {
			next = m.project + "/issues?updated_after=1970-01-01T00:00:00Z"
		}
		a, err := m.client.Do(m.t, http.MethodGet, next, nil)
		if err != nil {
			return err
		}
		at := bytes.LastIndex(a.Body, []byte(field))
		if !a.OK() || at < 0 {
			return fmt.Errorf("GET %s: %s", next, a)
		}
		m.pages.Add(1)
		var on *string
		if err := json.Unmarshal(bytes.TrimSuffix(a.Body[at+len(field):], []byte("}")), &on); err != nil {
			return err
		}
		next = ""
		if on != nil {
			next = *on
		}
	}
	return nil
}
