package availability

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"groundwork/prove/lab"
)

const (
	normalClients = 100
	normalEvery   = 500 * time.Millisecond // each
	normalBar     = 100 * time.Millisecond
)

// E26 lets slow clients crowd the service while normal ones work.
var E26 = &lab.Experiment{
	ID:       "E26",
	Title:    "slow clients, who send headers and bodies and read answers a byte at a time, while 100 normal ones work",
	MustHold: "none of the normal clients is refused, their p99 < 100 ms (judged in the full form); 10,000 slow clients, 1,000 in the short form",
	Control:  "a plain server with 256 connections and no deadlines",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		slow := t.ShortOrFull(1000, 10_000)
		// Before the server is started, which inherits it.
		if err := allowFiles(slow + slow/2); err != nil {
			return lab.CannotRun(err.Error())
		}
		s, err := lab.NewSite(t, lab.Released)
		if err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		c := s.NewClient()
		project, err := c.NewProject(t, "Lock")
		if err != nil {
			return err
		}
		for i := range 50 {
			issue := map[string]string{"title": fmt.Sprint("Issue ", i)}
			if err := c.MustDo(t, http.MethodPost, project+"/issues", issue, nil); err != nil {
				return err
			}
		}
		q := &queue{t: t, address: s.Address, client: c, project: project, slow: slow}
		if err := q.run(time.Duration(t.ShortOrFull(6, 40)) * time.Second); err != nil {
			return err
		}
		p99 := lab.Quantile(q.latencies, 0.99)
		t.Note("slow clients, greatest number", "%s", lab.Thousands(q.most))
		t.Note("normal requests", "%s", lab.Thousands(len(q.latencies)))
		t.Note("refused or failed", "%d", len(q.failures))
		t.Note("normal p50, p99, max", "%s, %s, %s", lab.Millis(lab.Quantile(q.latencies, 0.5)), lab.Millis(p99),
			lab.Millis(lab.Quantile(q.latencies, 1)))
		t.Require(q.most >= q.slow*9/10, "only %d slow clients were connected at once", q.most)
		t.RequireOnTime(p99 < normalBar, "p99 of the normal clients is %s", lab.Millis(p99))
		for _, f := range q.failures {
			t.Require(false, "a normal request failed: %s", f)
		}
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		base, _, err := lab.StartRival(t, 256)
		if err != nil {
			return "", err
		}
		c := &lab.Client{BaseURL: base, Key: "x", HTTP: &http.Client{Timeout: 2 * time.Second}}
		q := &queue{t: t, address: strings.TrimPrefix(base, "http://"), client: c, project: "/projects/1", slow: 1000}
		if err := q.run(6 * time.Second); err != nil {
			return "", err
		}
		p99 := lab.Quantile(q.latencies, 0.99)
		if len(q.failures) == 0 && p99 < normalBar {
			return "", nil
		}
		return fmt.Sprintf("%d of %d normal requests got no answer within 2 s", len(q.failures),
			len(q.latencies)+len(q.failures)), nil
	},
}

// queue is slow and normal clients at one server.
type queue struct {
	t       *lab.Trial
	address string
	client  *lab.Client
	project string
	slow    int

	most      int // slow clients that were connected at once
	mu        sync.Mutex
	latencies []time.Duration
	failures  []string
}

// run connects the slow clients, then lets the normal ones work for a time.
func (q *queue) run(within time.Duration) error {
	q.latencies, q.failures = nil, nil
	ctx, cancel := context.WithCancel(q.t)
	defer cancel()
	connected, err := startSlow(ctx, q.address, q.client.Key, q.project+"/issues?limit=50", q.slow)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	working, stop := context.WithCancel(ctx)
	defer stop()
	enough := time.After(time.Minute)
	for started := false; ; {
		select {
		case n, more := <-connected:
			if !more {
				return errors.New("the slow clients ended")
			}
			if q.most = max(q.most, n); n < q.slow*9/10 || started {
				continue
			}
		case <-enough:
			stop()
			return q.t.Err()
		}
		started, enough = true, time.After(within)
		for i := range normalClients {
			wg.Go(func() { q.work(working, i) })
		}
	}
}

// work is a normal client: mostly reads, some writes, a pause after each.
func (q *queue) work(ctx context.Context, i int) {
	random := q.t.Random(i)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(random.Int64N(int64(2 * normalEvery)))):
		}
		method, path, body := http.MethodGet, q.project+"/issues?limit=20", []byte(nil)
		if random.IntN(5) == 0 {
			method, path, body = http.MethodPost, q.project+"/issues", []byte(`{"title":"from a normal client"}`)
		}
		began := time.Now()
		a, err := q.client.Do(q.t, method, path, body)
		took := time.Since(began)
		q.mu.Lock()
		switch {
		case err != nil:
			q.failures = append(q.failures, err.Error())
		case !a.OK():
			q.failures = append(q.failures, a.String())
		default:
			q.latencies = append(q.latencies, took)
		}
		q.mu.Unlock()
	}
}

// allowFiles raises the number of files that this process and those it starts may have open.
func allowFiles(n int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur >= uint64(n) {
		return nil
	}
	want := syscall.Rlimit{Cur: uint64(n), Max: max(limit.Max, uint64(n))}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &want); err != nil {
		return errors.Join(fmt.Errorf("%d open files are needed and %d are allowed", n, limit.Max), err)
	}
	return nil
}
