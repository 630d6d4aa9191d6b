package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

var e1 = &experiment{
	id:      "E1",
	title:   "kill -9 under 16 writers who create, change, delete and send batches",
	bar:     "no acknowledged write lost, numbers without gaps, no half-made record; restart p50 < 0.3 s, max < 1 s",
	control: "acknowledges before the commit",
	engines: bothEngines,
	run:     killUnderLoad,
	runControl: func(t *trial) (string, error) {
		const rounds = 20
		k, err := newKills(t, planted, "GROUNDWORK_PLANT=ack-early")
		if err != nil {
			return "", err
		}
		for i := range rounds {
			if err := k.round(i); err != nil {
				return "", err
			}
			if k.total.lost+k.total.changed > 0 {
				return fmt.Sprintf("lost %d of %d acknowledged writes by kill %d", k.total.lost+k.total.changed, k.acked(), i+1), nil
			}
		}
		return "", nil
	},
}

func killUnderLoad(t *trial) error {
	k, err := newKills(t, released)
	if err != nil {
		return err
	}
	rounds := t.pick(20, 200)
	if t.engine == postgres {
		rounds = t.pick(5, 50)
	}
	for i := range rounds {
		if err := k.round(i); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
	}
	// Once more, all of it: nothing that was right may have become wrong since.
	for _, j := range k.journals {
		if err := k.check(j); err != nil {
			return err
		}
	}
	if err := k.site.verify(); err != nil {
		t.require(false, "doctor --verify: %v", err)
	}
	t.note("kills", "%d", rounds)
	t.note("acknowledged writes", "%s", thousands(k.acked()))
	t.note("lost", "%d", k.total.lost+k.total.changed)
	t.note("half-made", "%d", k.total.half)
	t.note("gaps in numbers", "%d", k.total.gaps)
	t.note("done but never answered", "%d", k.total.unsaid)
	t.note("restart p50, max", "%s, %s", millis(quantile(k.restarts, 0.5)), millis(quantile(k.restarts, 1)))
	t.require(k.total.bad() == 0, "%s", k.total.first)
	for _, j := range k.journals {
		for _, text := range j.wrong {
			t.require(false, "a wrong answer: %s", text)
		}
	}
	if t.full && t.engine == lite {
		t.require(k.acked() >= 50_000, "only %d acknowledged writes", k.acked())
	}
	t.require(quantile(k.restarts, 0.5) < 300*time.Millisecond, "restart p50 is %s", millis(quantile(k.restarts, 0.5)))
	t.require(quantile(k.restarts, 1) < time.Second, "the slowest restart took %s", millis(quantile(k.restarts, 1)))
	return nil
}

// kills is an installation that is killed again and again.
type kills struct {
	t        *trial
	site     *site
	client   *client
	journals []*journal
	restarts []time.Duration
	total    seen
}

func newKills(t *trial, tag string, env ...string) (*kills, error) {
	s, err := newSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if _, err := s.start(); err != nil {
		return nil, err
	}
	return &kills{t: t, site: s, client: s.client()}, nil
}

func (k *kills) acked() (n int) {
	for _, j := range k.journals {
		n += int(j.acked.Load())
	}
	return n
}

// round lets the writers work, kills the server in the middle of it, starts it again and compares.
func (k *kills) round(i int) error {
	const perProject = 10
	if i%perProject == 0 {
		project, err := k.client.newProject(k.t, fmt.Sprintf("Tower %d", i/perProject))
		if err != nil {
			return err
		}
		if err := k.settled(project); err != nil {
			return err
		}
		k.journals = append(k.journals, newJournal(project))
	}
	j, random := k.journals[len(k.journals)-1], k.t.random(i)
	// The kill comes after a number of acknowledgements, not after a time: a slow machine tries as much as a fast one.
	target := j.acked.Load() + 260 + random.Int64N(140)
	pause := time.Duration(random.IntN(5000)) * time.Microsecond
	if err := k.load(i, j, target, func() error {
		time.Sleep(pause)
		return k.site.kill()
	}); err != nil {
		return err
	}
	took, err := k.site.start()
	if err != nil {
		return err
	}
	k.restarts = append(k.restarts, took)
	return k.check(j)
}

// settled waits for a project that was acknowledged, by a control perhaps too early.
func (k *kills) settled(project string) error {
	ctx, cancel := context.WithTimeout(k.t, 5*time.Second)
	defer cancel()
	for {
		a, err := k.client.do(ctx, http.MethodGet, project, nil)
		if err != nil || a.ok() {
			return err
		}
	}
}

// load runs the writers, and the fault once target writes were acknowledged.
func (k *kills) load(round int, j *journal, target int64, fault func() error) error {
	ctx, cancel := context.WithCancel(k.t)
	defer cancel()
	reached := make(chan struct{}, 1)
	done := make(chan struct{})
	all := newWriters(k.t, j, k.client, round)
	go func() {
		defer close(done)
		crew(writers, func(i int) {
			all[i].work(ctx, func() {
				if j.acked.Load() >= target {
					select {
					case reached <- struct{}{}:
					default:
					}
				}
			})
		})
	}()
	var err error
	select {
	case <-reached:
		err = fault()
		cancel()
	case <-done:
		return fmt.Errorf("the writers ended after %d acknowledgements: %s", j.acked.Load(), clip([]byte(strings.Join(j.wrong, "; "))))
	}
	<-done
	k.client.http.Transport.(*http.Transport).CloseIdleConnections()
	return err
}

func (k *kills) check(j *journal) error {
	found, err := j.check(k.t, k.client)
	k.total.add(found)
	return err
}
