// Package idempotency tries the fourth promise: repeating is safe.
package idempotency

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// E7 sends creates several times over connections that break, and counts what came of them.
var E7 = &lab.Experiment{
	ID:       "E7",
	Title:    "creates sent one to five times each, in parallel, over connections that are cut, with kill -9 in between; two processes where the database is shared",
	MustHold: "one record for each, the same answer to every repetition, 422 for another body",
	Control:  "the same without Idempotency-Key",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		r, err := newRepeats(t, t.ShortOrFull(500, 5000), "Idempotency-Key")
		if err != nil {
			return err
		}
		kills := t.ShortOrFull(3, 20)
		if err := r.run(kills); err != nil {
			return err
		}
		if err := r.again(); err != nil {
			return err
		}
		records, err := r.records()
		t.Note("creates", "%s", lab.Thousands(len(r.creates)))
		t.Note("sent, cut, unanswered", "%s, %s, %s", lab.Thousands(int(r.sent.Load())),
			lab.Thousands(int(r.cut.Load())), lab.Thousands(int(r.unanswered.Load())))
		t.Note("kills, processes", "%d, %d", kills, len(r.sites))
		t.Note("whole answers, replayed", "%s, %s", lab.Thousands(int(r.whole.Load())),
			lab.Thousands(int(r.replayed.Load())))
		t.Note("asked to come again (503)", "%d", r.busy.Load())
		t.Note("records", "%s", lab.Thousands(records))
		t.Note("422 for another body", "%s", lab.Thousands(int(r.mismatched.Load())))
		t.Require(records == len(r.creates), "%d creates made %d records", len(r.creates), records)
		for _, text := range r.wrong {
			t.Require(false, "%s", text)
		}
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		r, err := newRepeats(t, 100, "X-No-Key")
		if err != nil {
			return "", err
		}
		if err := r.run(0); err != nil {
			return "", err
		}
		records, err := r.records()
		if err != nil || records <= len(r.creates) {
			return "", err
		}
		return fmt.Sprintf("makes %d records of %d creates", records, len(r.creates)), nil
	},
}

// repeats is a set of creates, each of which is sent several times.
type repeats struct {
	t       *lab.Trial
	sites   []*lab.Site
	clients []*lab.Client
	project string
	header  string // that carries the key
	creates []*create

	done, sent, cut, unanswered, whole, replayed, busy, mismatched atomic.Int64

	mu    sync.Mutex
	wrong []string
}

// create is one record that a client wants.
type create struct {
	key    string
	body   []byte
	random *rand.Rand

	mu    sync.Mutex
	first []byte // the answer
	fresh int    // answers that were not replayed
}

func newRepeats(t *lab.Trial, n int, header string) (*repeats, error) {
	sites, err := lab.StartAll(t, lab.Released)
	if err != nil {
		return nil, err
	}
	r := &repeats{t: t, sites: sites, header: header}
	for _, s := range sites {
		r.clients = append(r.clients, s.NewClient())
	}
	for i := range n {
		random := t.Random(i)
		body := lab.Fields{
			"title":       lab.QuotedJSON(fmt.Sprintf("Create %d", i)),
			"description": lab.QuotedJSON(strings.Repeat("Rebar exposed. ", random.IntN(100))),
		}.JSON()
		r.creates = append(r.creates, &create{key: fmt.Sprintf("key-%d-%d", t.Seed, i), body: body, random: random})
	}
	r.project, err = r.clients[0].NewProject(t, "Lock")
	return r, err
}

// run sends everything until each create was answered whole, with kills in between.
func (r *repeats) run(kills int) error {
	const together = 32
	var next atomic.Int64
	var errs [together + 1]error
	over := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		errs[together] = lab.KillAfter(r.t, r.sites, kills, len(r.creates), &r.done, over, nil)
	})
	lab.Parallel(together, func(w int) {
		for errs[w] == nil {
			i := int(next.Add(1)) - 1
			if i >= len(r.creates) {
				return
			}
			errs[w] = r.make(r.creates[i])
			r.done.Add(1)
		}
	})
	close(over)
	killer.Wait()
	return errors.Join(errs[:]...)
}

// make sends a create one to five times at once, each time in another way, and then until it has been answered.
func (r *repeats) make(c *create) error {
	ways := make([]int, 1+c.random.IntN(5))
	for i := range ways {
		ways[i] = c.random.IntN(8 * len(r.sites))
	}
	lab.Parallel(len(ways), func(i int) {
		site, way := ways[i]%len(r.sites), ways[i]/len(r.sites)
		r.sent.Add(1)
		if way < 4 {
			r.send(c, r.clients[site])
			return
		}
		r.cut.Add(1)
		r.cutOff(c, r.sites[site], way)
	})
	for c.first == nil {
		if err := r.t.Err(); err != nil {
			return err
		}
		r.sent.Add(1)
		if answered, _ := r.send(c, r.clients[c.random.IntN(len(r.clients))]); !answered {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// send sends a create and looks at the answer, if there is one; again tells whether it was given before.
func (r *repeats) send(c *create, to *lab.Client) (answered, again bool) {
	a, err := to.DoWithHeader(r.t, http.MethodPost, r.project+"/issues", c.body, r.header, c.key)
	if err != nil {
		r.unanswered.Add(1)
		return false, false
	}
	if a.Status == http.StatusServiceUnavailable {
		r.busy.Add(1)
		return false, false
	}
	r.whole.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	again = a.Header.Get("Idempotent-Replayed") == "true"
	if again {
		r.replayed.Add(1)
	} else {
		c.fresh++
	}
	switch {
	case a.Status != http.StatusCreated:
		r.fail("%s: %s", c.key, a)
	case c.first == nil:
		c.first = a.Body
	case r.header == "Idempotency-Key" && !bytes.Equal(c.first, a.Body):
		r.fail("%s was answered with %s and then with %s", c.key, c.first, a.Body)
	case r.header == "Idempotency-Key" && c.fresh > 1:
		r.fail("%s took effect %d times", c.key, c.fresh)
	}
	return true, again
}

func (r *repeats) fail(format string, args ...any) {
	r.mu.Lock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
	r.mu.Unlock()
}

// cutOff sends a create over a connection that ends too early.
func (r *repeats) cutOff(c *create, to *lab.Site, way int) {
	conn, err := net.DialTimeout("tcp", to.Address, time.Second)
	if err != nil {
		return
	}
	defer conn.Close()
	text := fmt.Appendf(nil,
		"POST %s/issues HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n\r\n%s",
		r.project, to.Address, base64.StdEncoding.EncodeToString([]byte(to.Key+":")), len(c.body), r.header, c.key,
		c.body)
	switch way {
	case 4: // in the middle of the body
		_, _ = conn.Write(text[:len(text)-len(c.body)/2])
	case 5: // politely, when all is sent
		_, _ = conn.Write(text)
	default: // as when a cable is pulled: before the answer, or in its first bytes
		_, _ = conn.Write(text)
		if way == 7 {
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			_, _ = conn.Read(make([]byte, 40))
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
}

// again repeats every create, with the same body and with another, after all harm was done.
func (r *repeats) again() error {
	const together = 16
	lab.Parallel(together, func(w int) {
		for i := w; i < len(r.creates); i += together {
			c, to := r.creates[i], r.clients[i%len(r.clients)]
			if _, again := r.send(c, to); !again {
				r.fail("%s was not replayed at the end", c.key)
			}
			a, err := to.DoWithHeader(r.t, http.MethodPost, r.project+"/issues", []byte(`{"title":"Another"}`),
				r.header, c.key)
			switch {
			case err != nil:
				r.fail("%s with another body: %v", c.key, err)
			case a.Status != http.StatusUnprocessableEntity:
				r.fail("%s with another body: %s", c.key, a)
			default:
				r.mismatched.Add(1)
			}
		}
	})
	return r.t.Err()
}

// records counts what was made, and holds each against the answer of its create.
func (r *repeats) records() (int, error) {
	records, _, err := r.clients[0].ListAll(r.t, r.project+"/issues")
	if err != nil {
		return 0, err
	}
	made := map[string][]byte{}
	for i, raw := range records {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return 0, err
		}
		if number := string(f["number"]); number != fmt.Sprint(i+1) {
			r.fail("the record at place %d has the number %s", i+1, number)
		}
		made[f.Text("title")] = raw
	}
	for i, c := range r.creates {
		if r.header == "Idempotency-Key" && !bytes.Equal(made[fmt.Sprintf("Create %d", i)], c.first) {
			r.fail("%s was answered with %s; the record is %s", c.key, c.first, made[fmt.Sprintf("Create %d", i)])
		}
	}
	return len(records), nil
}
