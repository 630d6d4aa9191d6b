// Package durability tries the first promise: what was acknowledged stays. Writers keep a journal of what they were
// told; the process is killed, the power cut, the disk filled, the service stopped; then everything is compared with
// the journal.
package durability

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"groundwork/prove/lab"
)

// drill is an installation that is harmed again and again while writers work.
type drill struct {
	t        *lab.Trial
	site     *lab.Site
	client   *lab.Client
	journals []*journal
	restarts []time.Duration
	total    seen
	noFiles  bool // nothing is uploaded
}

func newDrill(t *lab.Trial, tag string, env ...string) (*drill, error) {
	s, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	if tag == lab.Planted {
		if err := s.Settle(); err != nil {
			return nil, err
		}
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	return &drill{t: t, site: s, client: s.NewClient()}, nil
}

// sum adds up a count of all journals.
func (d *drill) sum(count func(*journal) int64) (n int) {
	for _, j := range d.journals {
		n += int(count(j))
	}
	return n
}

func acked(j *journal) int64 { return j.acked.Load() }
func cut(j *journal) int64   { return j.cut.Load() }
func reads(j *journal) int64 { return j.reads.Load() }

func (d *drill) acked() int { return d.sum(acked) }

// uploaded counts the documents that are there.
func (d *drill) uploaded() int {
	return d.sum(func(j *journal) (n int64) {
		for _, k := range j.known {
			if k.looked {
				n++
			}
		}
		return n
	})
}

// failed counts the requests that the service had begun and did not answer whole.
func (d *drill) failed() int { return d.total.unsaid + d.sum(cut) }

// requireSound requires that everything is as it was acknowledged, and that no answer was wrong.
func (d *drill) requireSound() {
	d.t.Require(d.total.bad() == 0, "%s", d.total.first)
	for _, j := range d.journals {
		for _, text := range j.wrong {
			d.t.Require(false, "a wrong answer: %s", text)
		}
	}
}

// round lets the writers work, ends the server in the middle of it, starts it again and compares.
func (d *drill) round(i int, end func() error) error {
	const perProject = 10
	if i%perProject == 0 {
		project, err := d.client.NewProject(d.t, fmt.Sprintf("Tower %d", i/perProject))
		if err != nil {
			return err
		}
		if err := settled(d.t, d.client, project); err != nil {
			return err
		}
		j := newJournal(project)
		j.noFiles = d.noFiles
		d.journals = append(d.journals, j)
	}
	j, random := d.journals[len(d.journals)-1], d.t.Random(i)
	// The end comes after a number of acknowledgements, not after a time: a slow machine tries as much as a fast one.
	target := j.acked.Load() + 260 + random.Int64N(140)
	pause := time.Duration(random.IntN(5000)) * time.Microsecond
	if err := d.load(i, j, target, func() error {
		time.Sleep(pause)
		return end()
	}); err != nil {
		return err
	}
	took, err := d.site.Start()
	if err != nil {
		return err
	}
	d.restarts = append(d.restarts, took)
	return d.check(j)
}

// settled waits for a project that was acknowledged, by a control perhaps too early.
func settled(ctx context.Context, c *lab.Client, project string) error {
	ctx, cancel := context.WithTimeout(ctx, lab.RequestTimeout)
	defer cancel()
	for {
		a, err := c.Do(ctx, http.MethodGet, project, nil)
		if err != nil || a.OK() {
			return err
		}
	}
}

// readers is the number of clients that read lists beside the writers.
const readers = 4

// load runs the writers, and the fault once target writes were acknowledged.
func (d *drill) load(round int, j *journal, target int64, fault func() error) error {
	ctx, cancel := context.WithCancel(d.t)
	defer cancel()
	reached := make(chan struct{}, 1)
	done := make(chan struct{})
	all := newWriters(d.t, j, d.client, round)
	go func() {
		defer close(done)
		lab.Parallel(lab.Writers+readers, func(i int) {
			if i >= lab.Writers {
				j.read(ctx, d.client)
				return
			}
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
		return fmt.Errorf("all clients ended after %d acknowledgements: %s", j.acked.Load(),
			lab.Clip([]byte(strings.Join(j.wrong, "; "))))
	}
	<-done
	d.client.HTTP.Transport.(*http.Transport).CloseIdleConnections()
	return err
}

func (d *drill) check(j *journal) error {
	found, err := j.check(d.t, d.client)
	d.total.add(found)
	return err
}
