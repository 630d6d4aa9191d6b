package fairness

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// tenant is somebody who uses what the limits leave open. Their keys have the default limits.
type tenant struct {
	Keys    []string `json:"keys"`
	Email   string   `json:"email"`
	Address string   `json:"address"` // from which they come
	Project string   `json:"project"` // with long texts, a sheet and its marks
	Deep    string   `json:"deep"`    // with many records
	Quiet   string   `json:"quiet"`   // in which nothing is written
	After   int64    `json:"after"`   // the last change of Quiet
	Sheet   string   `json:"sheet"`
	Many    int      `json:"many"` // records in Deep

	free    *lab.Client // with a key that no limit holds back, for what is there before
	has     map[string]bool
	created bool
}

// ground is an installation on which a neighbour works and a crowd comes and goes.
type ground struct {
	t         *lab.Trial
	site      *lab.Site
	neighbour *neighbour
	tenants   []*tenant
	atRest    int          // goroutines
	burst     atomic.Int64 // the memory at which the server was ended, before the machine would have been
}

// mostMemory is where the server is ended: the bar is far below, and others use this machine.
const mostMemory = 1500 << 20

// newGround makes the accounts by the command line and starts the server.
func newGround(t *lab.Trial, tag string, options []string) (*ground, error) {
	s, err := lab.NewSite(t, tag, "GROUNDWORK_PLANT=no-turns") // which only the build for the control knows
	if err != nil {
		return nil, err
	}
	s.ServerOptions = options
	g := &ground{t: t, site: s}
	for i := range t.ShortOrFull(4, len(loads)) {
		one := &tenant{
			Email: fmt.Sprintf("tenant%d@example.com", i), Address: fmt.Sprintf("127.0.1.%d", i+1),
			has: map[string]bool{},
		}
		if _, err := s.Command(lab.Password+"\n", "account", "create", "--email", one.Email, "--name",
			fmt.Sprint("Tenant ", i), "--password-stdin"); err != nil {
			return nil, err
		}
		free, err := s.NewKey(one.Email)
		if err != nil {
			return nil, err
		}
		one.free = s.NewClient()
		one.free.Key = free
		for range g.keys(i) {
			key, err := s.Command("", "key", "create", "--email", one.Email)
			if err != nil && len(one.Keys) > 0 {
				break // there are no more for one account
			}
			if err != nil {
				return nil, err
			}
			one.Keys = append(one.Keys, key)
		}
		g.tenants = append(g.tenants, one)
	}
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	go g.guard(s.Server.Process.Pid, s.Ended)
	if g.neighbour, err = newNeighbour(t, s.NewClient()); err != nil {
		return nil, err
	}
	g.atRest, err = g.goroutines()
	return g, err
}

// keys is how many keys a tenant gets: one, and those who poll as many as take all places there are.
func (g *ground) keys(i int) int {
	for place, l := range loads {
		if l.name == "long polls" && g.t.Full && i >= place && i < place+perLoad {
			return 22
		}
	}
	return 1
}

// guard ends the server when it takes too much memory.
func (g *ground) guard(pid int, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(25 * time.Millisecond):
		}
		if n, err := lab.ProcessMemory(pid, "VmRSS"); err == nil && n > mostMemory {
			g.burst.Store(n)
			_ = g.site.Server.Process.Kill()
			return
		}
	}
}

// alive tells whether the server still runs.
func (g *ground) alive() bool {
	select {
	case <-g.site.Ended:
		return false
	default:
		return true
	}
}

// provide gives a tenant what a load needs.
func (g *ground) provide(t *lab.Trial, one *tenant, needs []string) error {
	if !one.created {
		for _, project := range []*string{&one.Project, &one.Deep, &one.Quiet} {
			var err error
			if *project, err = one.free.NewProject(t, "Site"); err != nil {
				return err
			}
		}
		var log struct {
			After int64 `json:"next_after"`
		}
		if err := one.free.MustDo(t, http.MethodGet, one.Quiet+"/changes?limit=1000", nil, &log); err != nil {
			return err
		}
		one.After, one.created = log.After, true
	}
	for _, need := range needs {
		if one.has[need] {
			continue
		}
		one.has[need] = true
		var err error
		switch need {
		case "texts":
			err = g.texts(t, one)
		case "deep":
			one.Many, err = g.fill(t, one, one.Deep+"/issues", t.ShortOrFull(600, 5000), func(i int) lab.Object {
				return lab.Object{
					"title": fmt.Sprint("Issue ", i), "type": "issue",
					"due_at": fmt.Sprintf("2026-03-%02dT12:00:00Z", i%28+1),
				}
			})
		case "projects":
			_, err = g.fill(t, one, "/projects", t.ShortOrFull(400, 5000), func(i int) lab.Object {
				return lab.Object{"name": fmt.Sprint("Project ", i)}
			})
		case "sheet":
			err = g.sheet(t, one)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", need, err)
		}
	}
	return nil
}

// fill makes records, fifty at a time, until there are n or no more are admitted; it gives how many there are.
func (g *ground) fill(t *lab.Trial, one *tenant, list string, n int, body func(i int) lab.Object) (int, error) {
	for made := 0; ; {
		parts := []lab.Object{}
		for i := range min(50, n-made) {
			text, err := json.Marshal(body(made + i))
			if err != nil {
				return made, err
			}
			parts = append(parts, lab.Object{"method": "POST", "path": list, "body": string(text)})
		}
		if len(parts) == 0 {
			return made, nil
		}
		var results struct {
			Data []struct {
				Status int    `json:"status_code"`
				Body   string `json:"body"`
			} `json:"data"`
		}
		if err := one.free.MustDo(t, http.MethodPost, "/batch", parts, &results); err != nil {
			return made, err
		}
		for _, r := range results.Data {
			switch {
			case r.Status == http.StatusCreated:
				made++
			case r.Status == http.StatusConflict || r.Status == http.StatusTooManyRequests ||
				r.Status == http.StatusForbidden:
				return made, nil // that is what they may have
			default:
				return made, fmt.Errorf("%s: %d %s", list, r.Status, lab.Clip([]byte(r.Body)))
			}
		}
	}
}

// texts makes issues whose texts are as long as they may be, of words that are nearly all different.
func (g *ground) texts(t *lab.Trial, one *tenant) error {
	random := t.Random(42)
	const most = 65_000
	_, err := g.fill(t, one, one.Project+"/issues", t.ShortOrFull(25, 150), func(i int) lab.Object {
		var b strings.Builder
		for b.Len() < most {
			for range 3 + random.IntN(6) {
				b.WriteByte(byte('a' + random.IntN(26)))
			}
			b.WriteByte(' ')
		}
		return lab.Object{"title": fmt.Sprint("Long text ", i), "description": b.String()}
	})
	return err
}

// sheet uploads a drawing and draws on it as much as one may.
func (g *ground) sheet(t *lab.Trial, one *tenant) error {
	set, err := estate.SendSet(t, one.free, one.Project, estate.Drawings("A-101"))
	if err == nil {
		err = estate.AwaitSet(t, one.free, one.Project, set)
	}
	if err == nil {
		err = estate.AwaitTiles(t, one.free, one.Project)
	}
	if err != nil {
		return err
	}
	e := &estate.Estate{Project: strings.TrimPrefix(one.Project, "/projects/"), UIDs: map[string][]string{}}
	if err := e.ListUIDs(t, one.free, "sheets"); err != nil {
		return err
	}
	one.Sheet = e.First("sheets")
	_, err = g.fill(t, one, one.Project+"/annotations", 50, func(i int) lab.Object { return pen(one.Sheet, i) })
	return err
}

// goroutines asks the server how many it has; connections that nobody uses are none of them.
func (g *ground) goroutines() (int, error) {
	g.neighbour.client.HTTP.CloseIdleConnections()
	for _, one := range g.tenants {
		one.free.HTTP.CloseIdleConnections()
	}
	ctx, cancel := context.WithTimeout(g.t, 5*time.Second)
	defer cancel()
	a, err := g.neighbour.client.Do(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(a.Body), "\ngo_goroutines ")
	line, _, _ := strings.Cut(rest, "\n")
	return strconv.Atoi(line)
}

// calm waits until the server and its children rest: they take less than a fifth of a core, and the server has as many
// goroutines as before. It gives the time that took, or what is not so in the end.
func (g *ground) calm(within time.Duration) (time.Duration, string) {
	const look, busy = 300 * time.Millisecond, 0.2
	began := time.Now()
	for why := ""; ; {
		before := g.processor()
		time.Sleep(look)
		spent := g.processor() - before
		n, err := g.goroutines()
		switch {
		case err != nil:
			why = err.Error()
		case n > g.atRest+50:
			why = fmt.Sprintf("%d goroutines, %d before", n, g.atRest)
		case spent.Seconds() > busy*look.Seconds():
			why = "still at work"
		default:
			return time.Since(began), ""
		}
		if time.Since(began) > within || !g.alive() || g.t.Err() != nil {
			return time.Since(began), why
		}
	}
}

// processor is the time that the server and its children have had.
func (g *ground) processor() (sum time.Duration) {
	pids, _ := lab.ChildProcesses(g.site.Server.Process.Pid) // what cannot be seen counts as nothing
	for _, pid := range append(pids, g.site.Server.Process.Pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it is gone
		}
		rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		for _, at := range []int{11, 12} { // utime, stime
			if at < len(rest) {
				n, _ := strconv.ParseInt(rest[at], 10, 64) // a number, says proc(5)
				sum += time.Duration(n) * (time.Second / 100)
			}
		}
	}
	return sum
}
