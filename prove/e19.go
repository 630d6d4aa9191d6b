package main

import (
	"fmt"
	"slices"
	"time"
)

const (
	churnIssues = 5000
	churnShare  = 0.3
)

var e19 = &experiment{
	id:      "E19",
	title:   "incremental sync while 16 writers change 30 % of 5,000 issues, and four change records of every other kind, with kill -9 in between",
	bar:     "of every list two clients, one that follows next_page_url and one with own skip and X-Clock, end with exact copies",
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
		o, err := newOthers(t, s)
		if err != nil {
			return err
		}
		c.beside = o.work
		if _, err := syncWhile(t, c, t.pick(2, 8), faults, o.mirrors...); err != nil {
			return err
		}
		if err := o.judge(); err != nil {
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
			m := newMirror("the control", c.client, c.project+"/issues", pageCarelessly)
			// It starts with a whole copy. Then every poll has several pages, and changes between them: without waiting it might meet none.
			if err := m.poll(m, t); err != nil {
				return "", err
			}
			m.pause = func(done <-chan struct{}) { c.reach(c.acked.Load()+2*mirrorPage, done) }
			if err := c.run(1, nil, m); err != nil {
				return "", err
			}
			state, err := c.client.state(t, c.project+"/issues")
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

// syncWhile runs clients of the two safe ways during faults, beside those of others, and requires that their copies are exact. It gives the greatest updated_at.
func syncWhile(t *trial, c *churn, passes int, faults []func() error, others ...*mirror) (greatest string, err error) {
	// Of each way a quick client, which polls whenever it can, and a slow one, which has many changes between any two of its pages.
	mirrors := []*mirror{
		newMirror("follows pages", c.client, c.project+"/issues", followPages),
		newMirror("follows pages, slowly", c.client, c.project+"/issues", followPages),
		newMirror("own skip, X-Clock", c.client, c.project+"/issues", pageWithClock),
		newMirror("own skip, X-Clock, slowly", c.client, c.project+"/issues", pageWithClock),
	}
	for i, m := range mirrors {
		if i%2 == 1 {
			if err := m.poll(m, t); err != nil {
				return "", err
			}
			m.pause = func(done <-chan struct{}) { c.reach(c.acked.Load()+2*mirrorPage, done) }
		}
	}
	if err := c.run(passes, faults, slices.Concat(mirrors, others)...); err != nil {
		return "", err
	}
	state, err := c.client.state(t, c.project+"/issues")
	if err != nil {
		return "", err
	}
	t.note("changes", "%s", thousands(int(c.acked.Load())))
	t.note("issues", "%s", thousands(len(state)))
	for _, m := range mirrors {
		missing, wrong, first := m.compare(state)
		t.note(m.name, "%d polls, %d pages; %d missing, %d wrong", m.polls, m.pages, missing, wrong)
		t.require(missing+wrong == 0, "%s", first)
		t.require(m.pause != nil || m.polls > len(faults), "%s: only %d polls", m.name, m.polls)
	}
	return mirrors[0].greatest, nil
}
