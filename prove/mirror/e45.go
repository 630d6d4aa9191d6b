package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/prove/lab"
)

const (
	streamPeople    = 25 // an account has 32 streams at most
	streamsOfPerson = 20
	streamProjects  = 50
)

// What must hold of streams.
const (
	seenWithin  = time.Second
	leastRate   = 0.8
	mostMemory  = 40 << 10
	outWithin   = time.Second
	pollsBehind = 2 * time.Second // how often the control's readers ask
)

// E45 opens many streams and looks at what they see, and what they cost.
var E45 = &lab.Experiment{
	ID:       "E45",
	Title:    "500 event streams of 25 people in 50 projects, 16 writers; two processes where the database is shared",
	MustHold: "a create is seen by others within 1 s (p95), 16 writers make at least 0.8 of what they make without streams, a stream takes at most 40 KB, and who is removed is out within 1 s",
	Control:  "readers who ask every 2 s instead",
	Engines:  lab.BothEngines,
	ByName:   true,
	Run: func(t *lab.Trial) error {
		c, err := newCrowd(t)
		if err != nil {
			return err
		}
		during := time.Duration(t.ShortOrFull(6, 30)) * time.Second
		if _, err := c.write(during / 3); err != nil { // warm
			return err
		}
		plain, err := c.write(during)
		if err != nil {
			return err
		}
		each, err := c.open()
		if err != nil {
			return err
		}
		beside, err := c.write(during)
		if err != nil {
			return err
		}
		time.Sleep(2 * seenWithin) // what is later than that is late
		seen, most := c.late()
		out, err := c.remove()
		if err != nil {
			return err
		}
		t.Note("creates a second without, with streams", "%.0f, %.0f (%.2f)", plain, beside, beside/plain)
		t.Note("seen by others, p95; sightings", "%s; %s", lab.Millis(seen), lab.Thousands(most))
		t.Note("memory of a stream", "%.1f KB", float64(each)/1024)
		t.Note("who was removed is out after", "%s", lab.Millis(out))
		t.RequireOnTime(seen <= seenWithin, "a create is seen after %s", seen)
		t.RequireOnTime(beside >= leastRate*plain, "with streams %.0f creates a second, without %.0f", beside, plain)
		t.Require(each <= mostMemory, "a stream takes %d bytes", each)
		t.RequireOnTime(out <= outWithin, "who was removed listened for %s", out)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		c, err := newCrowd(t)
		if err != nil {
			return "", err
		}
		stop := c.poll()
		_, err = c.write(6 * time.Second)
		time.Sleep(pollsBehind)
		stop()
		seen, n := c.late()
		if err != nil || n == 0 || seen <= seenWithin {
			return "", err
		}
		return fmt.Sprintf("a create is seen after %s (p95)", lab.Millis(seen)), nil
	},
}

// crowd is people who listen to many projects.
type crowd struct {
	t        *lab.Trial
	sites    []*lab.Site
	ada      *person
	people   []*person
	projects []string
	open500  atomic.Int64

	mu    sync.Mutex
	made  map[string]time.Time // issues, when their writer was told
	times []time.Duration
}

func newCrowd(t *lab.Trial) (*crowd, error) {
	c := &crowd{t: t, made: map[string]time.Time{}}
	var err error
	if c.sites, err = lab.StartAll(t, lab.Released, "GROUNDWORK_INVITATIONS=1000000"); err != nil {
		return nil, err
	}
	if c.ada, err = newPerson(c.sites, "ada", false); err != nil {
		return nil, err
	}
	for i := range streamPeople {
		p, err := newPerson(c.sites, fmt.Sprintf("person%d", i), true)
		if err != nil {
			return nil, err
		}
		c.people = append(c.people, p)
	}
	for i := range streamProjects {
		project, err := c.ada.at[0].NewProject(t, fmt.Sprintf("Tower %d", i))
		if err != nil {
			return nil, err
		}
		c.projects = append(c.projects, project)
	}
	for i, p := range c.people {
		for n := range streamsOfPerson {
			err := c.ada.at[0].MustDo(t, http.MethodPost, c.project(i, n)+"/users/invites",
				lab.Object{"email": p.name + "@example.com"}, nil)
			if err == nil {
				err = p.at[0].MustDo(t, http.MethodGet, c.project(i, n), nil, nil)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// project is the project of a person's nth stream.
func (c *crowd) project(person, n int) string {
	return c.projects[(person*7+n*streamProjects/streamsOfPerson)%streamProjects]
}

// write has 16 writers make issues for a while, and gives how many they made a second.
func (c *crowd) write(during time.Duration) (rate float64, err error) {
	var made atomic.Int64
	var failed atomic.Pointer[error]
	end := time.Now().Add(during)
	lab.Parallel(lab.Writers, func(i int) {
		random := c.t.Random(i, int(end.UnixNano()))
		client := c.ada.at[i%len(c.ada.at)]
		for time.Now().Before(end) && failed.Load() == nil {
			a, err := client.Do(c.t, http.MethodPost, lab.OneOf(random, c.projects)+"/issues", []byte(`{"title":"Door"}`))
			if err == nil && !a.OK() {
				err = errors.New(a.String())
			}
			if err != nil {
				failed.Store(&err)
				return
			}
			now := time.Now()
			made.Add(1)
			c.mu.Lock()
			c.made[uidOf(a.Body)] = now
			c.mu.Unlock()
		}
	})
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(made.Load()) / during.Seconds(), nil
}

// saw notes when somebody saw an issue. What was seen before its writer was told of it is seen at once.
func (c *crowd) saw(data []byte) {
	_, rest, found := strings.Cut(string(data), `"uid":"`)
	if !found {
		return
	}
	uid, _, _ := strings.Cut(rest, `"`)
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, known := c.made[uid]; known {
		c.times = append(c.times, now.Sub(at))
	} else {
		c.times = append(c.times, 0)
	}
}

// late is the 95th percentile of how late creates were seen, and how often one was.
func (c *crowd) late() (time.Duration, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.times) == 0 {
		return 0, 0
	}
	return lab.Quantile(c.times, 0.95), len(c.times)
}

// open opens all streams, at the last process, and gives what each takes of its memory.
func (c *crowd) open() (each int64, err error) {
	site := c.sites[len(c.sites)-1]
	before, err := lab.ProcessMemory(site.Server.Process.Pid, "VmRSS")
	if err != nil {
		return 0, err
	}
	for i, p := range c.people {
		for n := range streamsOfPerson {
			go func() {
				_ = events(c.t, p.at[len(p.at)-1], c.project(i, n)+"/events", func(id string, data []byte) {
					if data == nil {
						c.open500.Add(1)
						return
					}
					c.saw(data)
				})
			}()
		}
	}
	for c.open500.Load() < streamPeople*streamsOfPerson {
		select {
		case <-c.t.Done():
			return 0, fmt.Errorf("%d streams are open: %w", c.open500.Load(), c.t.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
	time.Sleep(time.Second)
	after, err := lab.ProcessMemory(site.Server.Process.Pid, "VmRSS")
	return max(after-before, 0) / (streamPeople * streamsOfPerson), err
}

// remove removes somebody from a project, at the first process, and gives how long a stream of theirs went on.
func (c *crowd) remove() (time.Duration, error) {
	ended, begun := make(chan time.Time, 1), make(chan struct{}, 8)
	p := c.people[0]
	go func() {
		_ = events(c.t, p.at[len(p.at)-1], c.project(0, 0)+"/events", func(string, []byte) {
			select {
			case begun <- struct{}{}:
			default:
			}
		})
		ended <- time.Now()
	}()
	<-begun
	if err := c.ada.at[0].MustDo(c.t, http.MethodDelete, c.project(0, 0)+"/users/"+p.uid, nil, nil); err != nil {
		return 0, err
	}
	removed := time.Now()
	select {
	case at := <-ended:
		return at.Sub(removed), nil
	case <-time.After(10 * time.Second):
		return 10 * time.Second, nil
	}
}

// poll has one person ask for what is new every two seconds, in some projects, until stop.
func (c *crowd) poll() (stop func()) {
	ctx, cancel := context.WithCancel(c.t)
	var asking sync.WaitGroup
	for n := range streamsOfPerson {
		asking.Go(func() {
			after := "0"
			for ctx.Err() == nil {
				a, err := c.people[0].at[0].Do(ctx, http.MethodGet, c.project(0, n)+"/changes?limit=1000&after="+after, nil)
				if err == nil && a.OK() {
					for _, entry := range strings.Split(string(a.Body), `{"sequence":`) {
						if strings.Contains(entry, `"kind":"issues"`) {
							c.saw([]byte(entry))
						}
					}
					_, rest, _ := strings.Cut(string(a.Body), `"next_after":`)
					after, _, _ = strings.Cut(rest, ",")
				}
				select {
				case <-ctx.Done():
				case <-time.After(pollsBehind):
				}
			}
		})
	}
	return func() { cancel(); asking.Wait() }
}
