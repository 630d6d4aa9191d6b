package durability

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// E16 upgrades the service while others work with it, and goes back.
var E16 = &lab.Experiment{
	ID:       "E16",
	Title:    "a rolling upgrade and back: the next release changes the tables and serves beside this one, each is stopped and started again, under 12 writers",
	MustHold: "no request fails but those that a stopped process refuses; nothing acknowledged is lost; no field that the next release wrote is dropped by this one",
	Control:  "this release drops fields that it does not know; the next release says that there is no way back",
	Engines:  []string{lab.PostgreSQL},
	Run: func(t *lab.Trial) error {
		u, err := newUpgrade(t, lab.Released, "", "next-release")
		if err != nil {
			return err
		}
		if err := u.roll(t.ShortOrFull(2, 10)); err != nil {
			return err
		}
		t.Note("changes of program", "%d", u.changes)
		t.Note("requests, of them failed", "%s, %d", lab.Thousands(int(u.sent.Load())), u.failed.Load())
		t.Note("issues made by the next release, changed by this one", "%d", u.mixed)
		t.Note("from the start of the next release until it answers: first, p50 of the others", "%s, %s",
			lab.Millis(u.first), lab.Millis(lab.Quantile(u.starts, 0.5)))
		t.Require(u.failed.Load() == 0, "%d requests failed, the first one: %s", u.failed.Load(), u.why())
		t.Require(u.mixed > 0, "nothing was made by the next release and changed by this one")
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		caught := ""
		err := t.Inner("drop", func(t *lab.Trial) error {
			u, err := newUpgrade(t, lab.Planted, "drop-later", "next-release")
			if err != nil {
				return err
			}
			if err := u.roll(1); err != nil {
				return err
			}
			if len(t.Problems) > 0 {
				caught, t.Problems = "fields that are dropped: "+t.Problems[0], nil
			}
			return nil
		})
		if err != nil || caught == "" {
			return "", err
		}
		other := ""
		err = t.Inner("back", func(t *lab.Trial) error {
			u, err := newUpgrade(t, lab.Released, "", "next-release-only")
			if err != nil {
				return err
			}
			if err = u.roll(1); err != nil && strings.Contains(err.Error(), "is of a later release") {
				other, err = "; no way back: "+lab.Clip([]byte(err.Error())), nil
			}
			return err
		})
		if err != nil || other == "" {
			return "", err
		}
		return caught + other, nil
	},
}

// upgrade is an installation that is served by two releases.
type upgrade struct {
	t       *lab.Trial
	sites   [2]*lab.Site // this release and the next
	up      [2]atomic.Bool
	project string
	changes int
	mixed   int
	first   time.Duration
	starts  []time.Duration

	sent, failed atomic.Int64
	mu           sync.Mutex
	reason       string
	issues       []*upgraded
}

// upgraded is an issue as its writer knows it.
type upgraded struct {
	uid   string
	title string
	by    int  // which release made it
	both  bool // the other one has changed it
}

func newUpgrade(t *lab.Trial, tag, plant, next string) (*upgrade, error) {
	var env []string
	if plant != "" {
		env = []string{"GROUNDWORK_PLANT=" + plant}
	}
	this, err := lab.NewSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	later, err := this.Twin(lab.Planted, "GROUNDWORK_PLANT="+next)
	if err != nil {
		return nil, err
	}
	return &upgrade{t: t, sites: [2]*lab.Site{this, later}}, nil
}

func (u *upgrade) why() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.reason
}

func (u *upgrade) fails(format string, args ...any) {
	u.failed.Add(1)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.reason == "" {
		u.reason = fmt.Sprintf(format, args...)
	}
}

// roll has writers work while this release is replaced by the next, and the other way round, so many times; then it
// compares what is there with what was acknowledged.
func (u *upgrade) roll(times int) (err error) {
	if _, err := u.start(0); err != nil {
		return err
	}
	if u.project, err = u.sites[0].NewClient().NewProject(u.t, "Tower"); err != nil {
		return err
	}
	over := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() { u.write(i, over) })
	}
	err = u.replace(times)
	close(over)
	writers.Wait()
	if err != nil {
		return err
	}
	return u.compare()
}

func (u *upgrade) start(i int) (time.Duration, error) {
	took, err := u.sites[i].Start()
	u.up[i].Store(err == nil)
	return took, err
}

// replace starts the next release beside this one, stops this one, and goes back in the same way.
func (u *upgrade) replace(times int) error {
	for n := range 2 * times {
		from, to := n%2, 1-n%2
		if err := u.pass(200); err != nil {
			return err
		}
		took, err := u.start(to)
		if err != nil {
			return err
		}
		if n == 0 {
			u.first = took
		} else {
			u.starts = append(u.starts, took)
		}
		if err := u.pass(400); err != nil { // both serve
			return err
		}
		u.up[from].Store(false)
		if _, err := u.sites[from].Stop(); err != nil {
			return err
		}
		u.changes++
	}
	return u.pass(200)
}

// pass waits until so many further requests were answered.
func (u *upgrade) pass(n int64) error {
	for until := u.sent.Load() + n; u.sent.Load() < until; {
		select {
		case <-u.t.Done():
			return u.t.Err()
		case <-time.After(time.Millisecond):
		}
		if u.failed.Load() > 100 {
			return fmt.Errorf("more than 100 requests failed, the first one: %s", u.why())
		}
	}
	return nil
}

// write makes issues, and changes what any writer made, at whichever release serves.
func (u *upgrade) write(writer int, over <-chan struct{}) {
	random := u.t.Random(writer)
	clients := [2]*lab.Client{u.sites[0].NewClient(), u.sites[1].NewClient()}
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		at := random.IntN(2)
		if !u.up[at].Load() {
			at = 1 - at
		}
		var mine *upgraded
		if u.mu.Lock(); len(u.issues) > 0 && n%3 > 0 {
			// Each writer changes its own: what is acknowledged last is then known.
			if i := random.IntN(len(u.issues)); i%12 == writer {
				mine = u.issues[i]
			}
		}
		u.mu.Unlock()
		title := fmt.Sprintf("Issue %d.%d", writer, n)
		body, err := json.Marshal(map[string]string{"title": title})
		if err != nil {
			u.fails("%v", err)
			return
		}
		method, path := http.MethodPost, u.project+"/issues"
		if mine != nil {
			method, path = http.MethodPatch, path+"/"+mine.uid
		}
		// With a key a client repeats what it sent into a connection that was just closed.
		a, err := clients[at].DoWithHeader(u.t, method, path, body, "Idempotency-Key", fmt.Sprintf("e16-%d-%d", writer, n))
		if lab.IsRefused(err) || u.t.Err() != nil {
			continue // it was stopped meanwhile
		}
		u.sent.Add(1)
		if err != nil || !a.OK() {
			u.fails("%s %s at release %d: %v %v", method, path, at, a, err)
			continue
		}
		u.note(mine, a.Body, title, at)
	}
}

// note keeps what was acknowledged.
func (u *upgrade) note(mine *upgraded, body []byte, title string, at int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if mine != nil {
		mine.title = title
		mine.both = mine.both || mine.by != at
		return
	}
	var made struct {
		UID string `json:"uid"`
	}
	if err := json.Unmarshal(body, &made); err != nil || made.UID == "" {
		u.reason = errors.Join(err, errors.New("an answer without a uid")).Error()
		u.failed.Add(1)
		return
	}
	u.issues = append(u.issues, &upgraded{uid: made.UID, title: title, by: at})
}

// compare holds what is there against what was acknowledged.
func (u *upgrade) compare() error {
	at := 0
	if !u.up[0].Load() {
		at = 1
	}
	all, _, err := u.sites[at].NewClient().ListAll(u.t, u.project+"/issues?limit=50")
	if err != nil {
		return err
	}
	type found struct {
		UID   string `json:"uid"`
		Title string `json:"title"`
		Next  string `json:"next_release"`
	}
	there := map[string]found{}
	for _, raw := range all {
		var f found
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		there[f.UID] = f
	}
	for _, i := range u.issues {
		f, is := there[i.uid]
		u.t.Require(is && f.Title == i.title, "the issue %s is %q and was acknowledged as %q", i.uid, f.Title, i.title)
		if i.by == 1 {
			u.t.Require(f.Next == i.uid, "the issue %s lost what the next release wrote", i.uid)
			if i.both {
				u.mixed++
			}
		}
	}
	return nil
}
