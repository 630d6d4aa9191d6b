package ordering

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

const feedWriters = 8

// E5 holds the change log against what writers were told, and against what a reader got that followed it.
var E5 = &lab.Experiment{
	ID:       "E5",
	Title:    "8 writers make, change, comment, delete and restore issues, with kill -9 in between; one reader follows the change log; two processes where the database is shared",
	MustHold: "every acknowledged change is in the log once and in its order, nothing else is but what was never answered, and the reader that waited got exactly the log",
	Control:  "leaves out one change in forty",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		f, err := newFollowed(t, lab.Released)
		if err != nil {
			return err
		}
		kills := t.ShortOrFull(3, 30)
		if err := f.run(t.ShortOrFull(1200, 20_000), kills); err != nil {
			return err
		}
		wrong, err := f.judge()
		if err != nil {
			return err
		}
		for _, text := range wrong {
			t.Require(false, "%s", text)
		}
		if err := f.sites[0].Verify(); err != nil {
			t.Require(false, "doctor --verify: %v", err)
		}
		t.Note("kills, processes", "%d, %d", kills, len(f.sites))
		t.Note("acknowledged changes", "%s", lab.Thousands(int(f.done.Load())))
		t.Note("changes in the log", "%s", lab.Thousands(len(f.log)))
		t.Note("done but never answered", "%d", f.unsaid)
		t.Note("missing, twice, out of order", "%d", len(wrong))
		t.Require(int(f.done.Load()) >= t.ShortOrFull(1200, 20_000), "only %d acknowledged changes", f.done.Load())
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		f, err := newFollowed(t, lab.Planted, "GROUNDWORK_PLANT=lose-changes")
		if err != nil {
			return "", err
		}
		if err := f.run(400, 1); err != nil {
			return "", err
		}
		wrong, err := f.judge()
		if err != nil || len(wrong) == 0 {
			return "", err
		}
		return fmt.Sprintf("%d changes are not as they were acknowledged: %s", len(wrong), wrong[0]), nil
	},
}

// followed is a project whose change log is followed.
type followed struct {
	t       *lab.Trial
	sites   []*lab.Site
	clients []*lab.Client
	project string
	done    atomic.Int64

	mu     sync.Mutex
	told   map[string][]string // by record, what was acknowledged, in order
	open   map[string]string   // by record, what was never answered, after all that was
	lost   int                 // creates that were never answered
	unsaid int                 // of these and those, how many were done
	live   []logged            // what the reader got
	log    []logged            // what there is in the end
	failed error
}

// logged is one line of the change log.
type logged struct {
	Sequence             int64
	Kind, UID, Operation string
}

func newFollowed(t *lab.Trial, tag string, env ...string) (*followed, error) {
	f := &followed{t: t, told: map[string][]string{}, open: map[string]string{}}
	var err error
	if f.sites, err = lab.StartAll(t, tag, env...); err != nil {
		return nil, err
	}
	for _, s := range f.sites {
		f.clients = append(f.clients, s.NewClient())
	}
	f.project, err = f.clients[0].NewProject(t, "Tower")
	return f, err
}

// run has the writers work until so many changes are acknowledged, with kills in between, and the reader until it has
// all.
func (f *followed) run(changes, kills int) error {
	over, stop := make(chan struct{}), make(chan struct{})
	var killing, reading sync.WaitGroup
	killing.Go(func() {
		if err := lab.KillAfter(f.t, f.sites, kills, changes, &f.done, over, nil); err != nil {
			f.fail(err)
		}
	})
	reading.Go(func() { f.read(stop) })
	lab.Parallel(feedWriters, func(i int) {
		random := f.t.Random(i)
		for n := 0; f.done.Load() < int64(changes) && f.t.Err() == nil && f.fine(); n++ {
			f.life(f.clients[(i+n)%len(f.clients)], fmt.Sprintf("%d.%d", i, n), random.IntN(6))
		}
	})
	close(over)
	killing.Wait()
	close(stop)
	reading.Wait()
	return f.failed
}

func (f *followed) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		f.failed = err
	}
}

func (f *followed) fine() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed == nil
}

// life makes an issue and changes it until one request is not answered.
func (f *followed) life(c *lab.Client, name string, changes int) {
	uid, ok := f.step(c, "", "create", http.MethodPost, "/issues", `{"title":"`+name+`"}`)
	if !ok {
		return
	}
	path := "/issues/" + uid
	for n := range changes {
		if _, ok := f.step(c, uid, "update", http.MethodPatch, path, `{"title":"`+name+"."+strconv.Itoa(n)+`"}`); !ok {
			return
		}
		if _, ok := f.step(c, "", "create", http.MethodPost, path+"/comments", `{"text":"`+name+`"}`); !ok {
			return
		}
	}
	if _, ok := f.step(c, uid, "delete", http.MethodDelete, path, ""); ok && changes > 2 {
		f.step(c, uid, "restore", http.MethodPost, path+"/restore", "")
	}
}

// step sends one change and notes what became of it.
func (f *followed) step(c *lab.Client, uid, operation, method, path, body string) (made string, ok bool) {
	var sent []byte
	if body != "" {
		sent = []byte(body)
	}
	a, err := c.Do(f.t, method, f.project+path, sent)
	if lab.IsRefused(err) {
		time.Sleep(time.Millisecond) // its process is down
		return "", false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || a.Status == http.StatusServiceUnavailable {
		if uid == "" {
			f.lost++
		} else {
			f.open[uid] = operation
		}
		return "", false
	}
	if !a.OK() {
		f.failed = fmt.Errorf("%s %s: %s", method, path, a)
		return "", false
	}
	if uid == "" {
		var record struct{ UID string }
		if err := json.Unmarshal(a.Body, &record, json.MatchCaseInsensitiveNames(true)); err != nil {
			f.failed = err
			return "", false
		}
		uid = record.UID
	}
	f.told[uid] = append(f.told[uid], operation)
	f.done.Add(1)
	return uid, true
}

// read follows the log, waiting for what comes, until it is told to stop and has come to its end.
func (f *followed) read(stop <-chan struct{}) {
	var after int64
	for n := 0; f.t.Err() == nil; n++ {
		c := f.clients[n%len(f.clients)]
		stopped := false
		select {
		case <-stop:
			stopped = true
		default:
		}
		lines, next, err := f.part(c, after, "wait=1")
		if err != nil {
			continue // its process is down; what was not received is asked for again
		}
		f.live, after = append(f.live, lines...), next
		if stopped && len(lines) == 0 {
			return
		}
	}
}

// part reads the next part of the log.
func (f *followed) part(c *lab.Client, after int64, prefer string) (lines []logged, next int64, err error) {
	ctx, cancel := context.WithTimeout(f.t, 20*time.Second)
	defer cancel()
	address := fmt.Sprintf("%s/changes?limit=50&after=%d", f.project, after)
	a, err := c.DoWithHeader(ctx, http.MethodGet, address, nil, "Prefer", prefer)
	if err != nil {
		return nil, after, err
	}
	if a.Status != http.StatusOK {
		return nil, after, fmt.Errorf("the change log: %s", a)
	}
	var got struct {
		Data []logged
		Next int64 `json:"next_after"`
	}
	err = json.Unmarshal(a.Body, &got, json.MatchCaseInsensitiveNames(true))
	return got.Data, got.Next, err
}

// judge reads the whole log and compares.
func (f *followed) judge() (wrong []string, err error) {
	for after := int64(0); ; {
		lines, next, err := f.part(f.clients[0], after, "")
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			break
		}
		f.log, after = append(f.log, lines...), next
	}
	if !slices.Equal(f.live, f.log) {
		wrong = append(wrong,
			fmt.Sprintf("the reader got %d lines, and the log has %d, or others", len(f.live), len(f.log)))
	}
	seen := map[string][]string{}
	var last int64
	for _, l := range f.log {
		if l.Sequence <= last {
			wrong = append(wrong, fmt.Sprintf("change %d comes after %d", l.Sequence, last))
		}
		last = l.Sequence
		if l.Kind == "issues" || l.Kind == "comments" {
			seen[l.UID] = append(seen[l.UID], l.Operation)
		}
	}
	for uid, told := range f.told {
		is := seen[uid]
		delete(seen, uid)
		if open := f.open[uid]; open != "" && slices.Equal(is, append(slices.Clone(told), open)) {
			f.unsaid++
			continue
		}
		if !slices.Equal(is, told) {
			wrong = append(wrong, fmt.Sprintf("record %s was told %v, and the log says %v", uid, told, is))
		}
	}
	for uid, is := range seen {
		f.unsaid++
		if f.lost--; f.lost < 0 || !slices.Equal(is, []string{"create"}) {
			wrong = append(wrong, fmt.Sprintf("record %s was never told of, and the log says %v", uid, is))
		}
	}
	return wrong, nil
}
