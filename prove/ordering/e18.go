package ordering

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

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

const (
	raceClients = 32
	raceLists   = 4
)

// E18 judges histories of numbers and of conditional changes: they must be linearizable.
var E18 = &lab.Experiment{
	ID:       "E18",
	Title:    "32 clients create and count issues and RFIs, and read and change by If-Match the same few records of every kind, with kill -9 in between; two processes where the database is shared",
	MustHold: "the whole history is linearizable: numbers without gaps in the order of real time, each change on the version it names (porcupine)",
	Control:  "changes without If-Match, told as if they had it; two numbers exchanged",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		r, err := newRace(t)
		if err != nil {
			return err
		}
		kills := t.ShortOrFull(3, 20)
		if err := r.run(t.ShortOrFull(4000, 42_000), kills); err != nil {
			return err
		}
		h, err := r.settle()
		if err != nil {
			return err
		}
		t.Note("operations", "%s", lab.Thousands(h.size()))
		t.Note("creates, counts", "%s, %s", lab.Thousands(r.count(opCreate)), lab.Thousands(r.count(opCount)))
		t.Note("reads, changes, stale (412)", "%s, %s, %s", lab.Thousands(r.count(opRead)),
			lab.Thousands(r.count(opChange)-r.stale), lab.Thousands(r.stale))
		t.Note("kinds, records", "%d, %d", len(estate.TextField), len(r.records))
		t.Note("kills, processes", "%d, %d", kills, len(r.sites))
		t.Note("done but never answered", "%d", h.unsaid)
		for place, verdict := range h.judge() {
			t.Require(verdict == "", "%s is %s", place, verdict)
		}
		t.Require(h.size() >= t.ShortOrFull(4000, 40_000), "only %d operations", h.size())
		t.Require(r.stale > 0 && (r.stale < r.count(opChange)), "no change was refused, or all were")
		for _, text := range r.wrong {
			t.Require(false, "%s", text)
		}
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
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
		return fmt.Sprintf("the histories of %d of %d records, and of the exchanged numbers, are illegal", illegal,
			len(r.records)), nil
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
	t        *lab.Trial
	sites    []*lab.Site
	clients  []*lab.Client
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

func newRace(t *lab.Trial) (*race, error) {
	sites, err := lab.StartAll(t, lab.Released)
	if err != nil {
		return nil, err
	}
	r := &race{t: t, sites: sites, gone: map[int][]time.Duration{}, tags: map[string]string{}}
	for _, s := range sites {
		r.clients = append(r.clients, s.NewClient())
	}
	for i := range raceLists {
		project, err := r.clients[0].NewProject(t, fmt.Sprintf("Pier %d", i))
		if err != nil {
			return nil, err
		}
		r.lists = append(r.lists, project+"/"+[]string{"issues", "rfis"}[i%2])
	}
	estates, err := estate.New(sites[0], 1)
	if err != nil {
		return nil, err
	}
	// A set that is renamed changes its sheets: the sheet is of another.
	project := "/projects/" + estates[0].Project
	another, err := estate.SendSet(t, r.clients[0], project, estate.Drawings("A-201"))
	if err == nil {
		err = estate.AwaitSet(t, r.clients[0], project, another)
	}
	if err == nil {
		err = estate.AwaitTiles(t, r.clients[0], project)
	}
	if err == nil {
		err = estates[0].ListUIDs(t, r.clients[0], "sheets")
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range slices.Sorted(maps.Keys(estate.TextField)) {
		one := raced{project + "/" + kind + "/" + estates[0].First(kind), estate.TextField[kind]}
		first := lab.Object{one.field: firstTitle}
		if err := r.clients[0].MustDo(t, http.MethodPatch, one.path, first, nil); err != nil {
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
		failed = lab.KillAfter(r.t, r.sites, kills, n, &r.done, over, func(s *lab.Site) {
			r.mu.Lock()
			defer r.mu.Unlock()
			for i := range r.sites {
				if r.sites[i] == s {
					r.gone[i] = append(r.gone[i], r.now())
				}
			}
		})
	})
	lab.Parallel(raceClients, func(i int) {
		random := r.t.Random(i)
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
		if a := r.send(e, client, site, http.MethodPost, list, lab.Fields{"title": lab.QuotedJSON(title)}.JSON(), "",
			http.StatusCreated); a != nil {
			var f lab.Fields
			if err := json.Unmarshal(a.Body, &f); err == nil {
				_ = json.Unmarshal(f["number"], &e.number) // one that is no number stays 0, which is illegal
			}
		}
	case n < 4:
		e := &event{op: opCount, place: list}
		if a := r.send(e, client, site, http.MethodGet, list+"?limit=0", nil, "", http.StatusOK); a != nil {
			var p lab.Page
			_ = json.Unmarshal(a.Body, &p) // as above
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
		a := r.send(e, client, random.IntN(len(r.sites)), http.MethodPatch, record.path,
			lab.Fields{record.field: lab.QuotedJSON(title)}.JSON(), tag, http.StatusOK, http.StatusPreconditionFailed)
		if a != nil {
			r.mu.Lock()
			if e.done = a.OK(); !e.done {
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
	var f lab.Fields
	_ = json.Unmarshal(a.Body, &f) // without a title it is illegal
	e.seen, tag = f.Text(record.field), a.Header.Get("ETag")
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, known := r.tags[record.path+tag]; known && old != e.seen {
		r.wrong = append(r.wrong, fmt.Sprintf("the tag %s stands for %q and for %q", tag, old, e.seen))
	}
	r.tags[record.path+tag] = e.seen
	return e.seen, tag
}

// send makes the request of an event and takes that into the history; it gives nothing when there was no answer that
// can be.
func (r *race) send(e *event, client, site int, method, path string, body []byte, tag string, may ...int) *lab.Answer {
	header := ""
	if tag != "" {
		header = "If-Match"
	}
	e.client, e.site, e.call = client, site, r.now()
	a, err := r.clients[site].DoWithHeader(r.t, method, path, body, header, tag)
	end := r.now()
	if lab.IsRefused(err) {
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
		if a.Status == status {
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
