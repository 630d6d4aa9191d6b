package main

import (
	"fmt"
	"time"
)

const (
	churnIssues = 5000
	churnShare  = 0.3
)

var e19 = &experiment{
	id:      "E19",
	title:   "incremental sync while 16 writers change 30 % of 5,000 issues, with kill -9 in between",
	bar:     "two clients, one that follows next_page_url and one with own skip and X-Clock, end with exact copies",
	control: "a client with own skip and the greatest updated_at",
	engines: bothEngines,
	run: func(t *trial) error {
		s, c, err := startChurn(t, released)
		if err != nil {
			return err
		}
		var restarts []time.Duration
		kill := func() error {
			if err := s.kill(); err != nil {
				return err
			}
			took, err := s.start()
			restarts = append(restarts, took)
			return err
		}
		faults := make([]func() error, t.pick(3, 10))
		for i := range faults {
			faults[i] = kill
		}
		if err := syncWhile(t, c, t.pick(2, 8), faults); err != nil {
			return err
		}
		t.note("kills", "%d", len(restarts))
		t.require(len(restarts) == len(faults), "only %d kills", len(restarts))
		return nil
	},
	runControl: func(t *trial) (string, error) {
		const attempts = 5
		_, c, err := startChurn(t, released)
		if err != nil {
			return "", err
		}
		for range attempts {
			m := newMirror("the control", c.client, c.project, pageCarelessly)
			var polled int64
			// Changes between its pages are what harms it; without waiting for some it might be too quick to meet any.
			m.pause = func() {
				end := time.Now().Add(time.Second)
				for target := polled + 20; c.acked.Load() < target && time.Now().Before(end); {
					time.Sleep(time.Millisecond)
				}
				polled = c.acked.Load()
			}
			if err := c.run(1, nil, m); err != nil {
				return "", err
			}
			state, err := c.state(t)
			if err != nil {
				return "", err
			}
			if missing, wrong, _ := m.compare(state); missing+wrong > 0 {
				return fmt.Sprintf("its copy lacks %d changes", missing+wrong), nil
			}
		}
		return "", nil
	},
}

func startChurn(t *trial, tag string, env ...string) (*site, *churn, error) {
	s, err := newSite(t, tag, env...)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.start(); err != nil {
		return nil, nil, err
	}
	c, err := newChurn(t, s.client(), churnIssues, churnShare)
	return s, c, err
}

// syncWhile runs the two safe clients during faults and requires that their copies are exact.
func syncWhile(t *trial, c *churn, passes int, faults []func() error) error {
	mirrors := []*mirror{
		newMirror("the client that follows pages", c.client, c.project, followPages),
		newMirror("the client with own skip", c.client, c.project, pageWithClock),
	}
	if err := c.run(passes, faults, mirrors...); err != nil {
		return err
	}
	state, err := c.state(t)
	if err != nil {
		return err
	}
	t.note("changes", "%s", thousands(int(c.acked.Load())))
	t.note("issues", "%s", thousands(len(state)))
	for _, m := range mirrors {
		missing, wrong, first := m.compare(state)
		t.note(m.name, "%d polls, %d pages; %d missing, %d wrong", m.polls, m.pages, missing, wrong)
		t.require(missing+wrong == 0, "%s", first)
		t.require(m.polls > len(faults), "%s polled only %d times", m.name, m.polls)
	}
	return nil
}
