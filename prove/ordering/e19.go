package ordering

import (
	"fmt"
	"slices"
	"time"

	"groundwork/prove/lab"
)

const (
	churnIssues = 5000
	churnShare  = 0.3
)

// E19 keeps copies by incremental sync while records of every kind change.
var E19 = &lab.Experiment{
	ID:       "E19",
	Title:    "incremental sync while 16 writers change 30 % of 5,000 issues, and four change records of every other kind, with kill -9 in between",
	MustHold: "of every list two clients, one that follows next_page_url and one with own skip and X-Clock, end with exact copies",
	Control:  "a client with own skip and the greatest updated_at",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		s, c, err := startChurn(t, lab.Released)
		if err != nil {
			return err
		}
		var restarts []time.Duration
		kill := func() error {
			if err := s.Kill(); err != nil {
				return err
			}
			took, err := s.Start()
			restarts = append(restarts, took)
			return err
		}
		faults := make([]func() error, t.ShortOrFull(3, 10))
		for i := range faults {
			faults[i] = kill
		}
		o, err := newOthers(t, s)
		if err != nil {
			return err
		}
		c.beside = o.work
		if _, err := syncWhile(t, c, t.ShortOrFull(2, 8), faults, o.mirrors...); err != nil {
			return err
		}
		if err := o.judge(); err != nil {
			return err
		}
		t.Note("kills", "%d", len(restarts))
		t.Require(len(restarts) == len(faults), "only %d kills", len(restarts))
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		const attempts = 5
		_, c, err := startChurn(t, lab.Released)
		if err != nil {
			return "", err
		}
		for range attempts {
			m := newMirror("the control", c.client, c.project+"/issues", pageCarelessly)
			// It starts with a whole copy. Then every poll has several pages, and changes between them: without waiting
			// it might meet none.
			if err := m.poll(m, t); err != nil {
				return "", err
			}
			m.pause = func(done <-chan struct{}) { c.reach(c.acked.Load()+2*mirrorPage, done) }
			if err := c.run(1, nil, m); err != nil {
				return "", err
			}
			state, err := stateOf(t, c.client, c.project+"/issues")
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

func startChurn(t *lab.Trial, tag string, env ...string) (*lab.Site, *churn, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.Start(); err != nil {
		return nil, nil, err
	}
	c, err := newChurn(t, s.NewClient(), churnIssues, churnShare)
	return s, c, err
}

// syncWhile runs clients of the two safe ways during faults, beside those of others, and requires that their copies are
// exact. It gives the greatest updated_at.
func syncWhile(t *lab.Trial, c *churn, passes int, faults []func() error,
	others ...*mirror,
) (greatest string, err error) {
	// Of each way a quick client, which polls whenever it can, and a slow one, which has many changes between any two
	// of its pages.
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
	state, err := stateOf(t, c.client, c.project+"/issues")
	if err != nil {
		return "", err
	}
	t.Note("changes", "%s", lab.Thousands(int(c.acked.Load())))
	t.Note("issues", "%s", lab.Thousands(len(state)))
	for _, m := range mirrors {
		missing, wrong, first := m.compare(state)
		t.Note(m.name, "%d polls, %d pages; %d missing, %d wrong", m.polls, m.pages, missing, wrong)
		t.Require(missing+wrong == 0, "%s", first)
		t.Require(m.pause != nil || m.polls > len(faults), "%s: only %d polls", m.name, m.polls)
	}
	return mirrors[0].greatest, nil
}
