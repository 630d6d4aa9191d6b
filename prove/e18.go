package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	raceClients = 32
	raceLists   = 4
)

var e18 = &experiment{
	id:      "E18",
	title:   "32 clients create and count issues and RFIs, and read and change by If-Match the same few records of every kind, with kill -9 in between; two processes where the database is shared",
	bar:     "the whole history is linearizable: numbers without gaps in the order of real time, each change on the version it names (porcupine)",
	control: "changes without If-Match, told as if they had it; two numbers exchanged",
	engines: bothEngines,
	run: func(t *trial) error {
		r, err := newRace(t)
		if err != nil {
			return err
		}
		kills := t.pick(3, 20)
		if err := r.run(t.pick(4000, 42_000), kills); err != nil {
			return err
		}
		h, err := r.settle()
		if err != nil {
			return err
		}
		t.note("operations", "%s", thousands(h.size()))
		t.note("creates, counts", "%s, %s", thousands(r.count(opCreate)), thousands(r.count(opCount)))
		t.note("reads, changes, stale (412)", "%s, %s, %s", thousands(r.count(opRead)), thousands(r.count(opChange)-r.stale), thousands(r.stale))
		t.note("kinds, records", "%d, %d", len(textOf), len(r.records))
		t.note("kills, processes", "%d, %d", kills, len(r.sites))
		t.note("done but never answered", "%d", h.unsaid)
		for place, verdict := range h.judge() {
			t.require(verdict == "", "%s is %s", place, verdict)
		}
		t.require(h.size() >= t.pick(4000, 40_000), "only %d operations", h.size())
		t.require(r.stale > 0 && (r.stale < r.count(opChange)), "no change was refused, or all were")
		for _, text := range r.wrong {
			t.require(false, "%s", text)
		}
		return nil
	},
	runControl: func(t *trial) (string, error) {
		r, err := newRace(t)
		if err != nil {
			return "", err
		}
		r.careless = true
		if err := r.run(2000, 0); err != nil {
			return "", err
		}
		h, err := r.settle()
		if err != nil {
			return "", err
		}
		if !h.exchange() {
			return "", errors.New("no two creates came one after the other")
		}
		verdicts := h.judge()
		illegal, numbers := 0, false
		for place, verdict := range verdicts {
			if verdict != illegalHistory {
				continue
			}
			if _, of := h.numbers[place]; of {
				numbers = true
			} else {
				illegal++
			}
		}
		if illegal == 0 || !numbers {
			return "", nil
		}
		return fmt.Sprintf("the histories of %d of %d records, and of the exchanged numbers, are illegal", illegal, len(r.records)), nil
	},
}

// The operations of a race.
const (
	opCreate = iota
	opCount
	opRead
	opChange
)

// event is one operation as its client saw it.
type event struct {
	op     int
	place  string // the list or the record it concerns
	client int
	site   int
	call   time.Duration
	end    time.Duration // 0 while the outcome is not known
	title  string        // that it wrote
	expect string        // the title of the version it named
	number int           // that it got or counted
	seen   string        // the title it read
	done   bool          // a change that was carried out
}

// race is a load of many clients on few records.
type race struct {
	t        *trial
	sites    []*site
	clients  []*client
	lists    []string // of issues and of RFIs
	records  []raced
	careless bool // leave If-Match out
	began    time.Time

	done  atomic.Int64
	mu    sync.Mutex
	all   []*event
	gone  map[int][]time.Duration // when a process was dead, by site
	tags  map[string]string       // title by record and tag
	stale int
	wrong []string
}

// raced is a record that many change.
type raced struct{ path, field string }

func newRace(t *trial) (*race, error) {
	sites, err := startAll(t, released)
	if err != nil {
		return nil, err
	}
	r := &race{t: t, sites: sites, gone: map[int][]time.Duration{}, tags: map[string]string{}}
	for _, s := range sites {
		r.clients = append(r.clients, s.client())
	}
	for i := range raceLists {
		project, err := r.clients[0].newProject(t, fmt.Sprintf("Pier %d", i))
		if err != nil {
			return nil, err
		}
		r.lists = append(r.lists, project+"/"+[]string{"issues", "rfis"}[i%2])
	}
	estates, err := sites[0].estates(1)
	if err != nil {
		return nil, err
	}
	// A set that is renamed changes its sheets: the sheet is of another.
	project := "/projects/" + estates[0].project
	another, err := r.clients[0].sendSet(t, project, drawings("A-201"))
	if err == nil {
		err = r.clients[0].readSet(t, project, another)
	}
	if err == nil {
		err = r.clients[0].tiled(t, project)
	}
	if err == nil {
		err = estates[0].learn(t, r.clients[0], "sheets")
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range slices.Sorted(maps.Keys(textOf)) {
		one := raced{project + "/" + kind + "/" + estates[0].of(kind), textOf[kind]}
		if err := r.clients[0].must(t, http.MethodPatch, one.path, object{one.field: firstTitle}, nil); err != nil {
			return nil, err
		}
		r.records = append(r.records, one)
	}
	return r, nil
}

// firstTitle is what every record of a race says at the beginning.
const firstTitle = "first"

func (r *race) now() time.Duration { return time.Since(r.began) }

// run makes about n operations.
func (r *race) run(n, kills int) error {
	r.began = time.Now()
	over := make(chan struct{})
	var killer sync.WaitGroup
	var failed error
	killer.Go(func() {
		failed = killAfter(r.t, r.sites, kills, n, &r.done, over, func(s *site) {
			r.mu.Lock()
			defer r.mu.Unlock()
			for i := range r.sites {
				if r.sites[i] == s {
					r.gone[i] = append(r.gone[i], r.now())
				}
			}
		})
	})
	crew(raceClients, func(i int) {
		random := r.t.random(i)
		for made := 0; r.done.Load() < int64(n) && r.t.Err() == nil; made++ {
			r.step(random, i, made)
		}
	})
	close(over)
	killer.Wait()
	return errors.Join(failed, r.t.Err())
}

// step makes one operation, or two: a read and the change of what was read.
func (r *race) step(random *rand.Rand, client, made int) {
	site, title := random.IntN(len(r.sites)), fmt.Sprintf("%d.%d", client, made)
	list := r.lists[random.IntN(len(r.lists))]
	switch n := random.IntN(8); {
	case n < 3:
		e := &event{op: opCreate, place: list, title: title}
		if a := r.send(e, client, site, http.MethodPost, list, fields{"title": quoted(title)}.bytes(), "", http.StatusCreated); a != nil {
			var f fields
			if err := json.Unmarshal(a.body, &f); err == nil {
				_ = json.Unmarshal(f["number"], &e.number) // one that is no number stays 0, which is illegal
			}
		}
	case n < 4:
		e := &event{op: opCount, place: list}
		if a := r.send(e, client, site, http.MethodGet, list+"?limit=0", nil, "", http.StatusOK); a != nil {
			var p page
			_ = json.Unmarshal(a.body, &p) // as above
			e.number = p.Total
		}
	default:
		record := r.records[random.IntN(len(r.records))]
		seen, tag := r.read(client, site, record)
		if tag == "" {
			return
		}
		if r.careless {
			tag = ""
		}
		e := &event{op: opChange, place: record.path, title: title, expect: seen}
		a := r.send(e, client, random.IntN(len(r.sites)), http.MethodPatch, record.path, fields{record.field: quoted(title)}.bytes(), tag, http.StatusOK, http.StatusPreconditionFailed)
		if a != nil {
			r.mu.Lock()
			if e.done = a.ok(); !e.done {
				r.stale++
			}
			r.mu.Unlock()
		}
	}
}

// read reads a record and gives what it says and its tag.
func (r *race) read(client, site int, record raced) (title, tag string) {
	e := &event{op: opRead, place: record.path}
	a := r.send(e, client, site, http.MethodGet, record.path, nil, "", http.StatusOK)
	if a == nil {
		return "", ""
	}
	var f fields
	_ = json.Unmarshal(a.body, &f) // without a title it is illegal
	e.seen, tag = f.text(record.field), a.header.Get("ETag")
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, known := r.tags[record.path+tag]; known && old != e.seen {
		r.wrong = append(r.wrong, fmt.Sprintf("the tag %s stands for %q and for %q", tag, old, e.seen))
	}
	r.tags[record.path+tag] = e.seen
	return e.seen, tag
}

// send makes the request of an event and takes that into the history; it gives nothing when there was no answer that can be.
func (r *race) send(e *event, client, site int, method, path string, body []byte, tag string, may ...int) *answer {
	header := ""
	if tag != "" {
		header = "If-Match"
	}
	e.client, e.site, e.call = client, site, r.now()
	a, err := r.clients[site].send(r.t, method, path, body, header, tag)
	end := r.now()
	if isRefused(err) {
		time.Sleep(time.Millisecond)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
	if err != nil {
		return nil
	}
	r.done.Add(1)
	for _, status := range may {
		if a.status == status {
			e.end = end
			return a
		}
	}
	r.wrong = append(r.wrong, fmt.Sprintf("%s %s: %s", method, path, a))
	return nil
}

func (r *race) count(op int) (n int) {
	for _, e := range r.all {
		if e.op == op && e.end != 0 {
			n++
		}
	}
	return n
}
