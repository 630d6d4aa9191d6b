// Package fuzz tries the sixth promise with requests made from the OpenAPI document, and judges every answer by it.
package fuzz

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
	"groundwork/prove/oauth"
	"groundwork/prove/openapi"
)

const (
	fuzzClients = 32
	fuzzEstates = 5 // the last is kept for what chance did not reach
	fuzzMemory  = 300 << 20
)

// E24 makes requests from the OpenAPI document, and judges each answer by it.
var E24 = &lab.Experiment{
	ID:       "E24",
	Title:    "requests made from the OpenAPI document: valid, nearly valid, random, chained by earlier answers; good keys and bad ones",
	MustHold: "no 5xx, every answer is JSON and as the document says for its status, goroutines as before, less than 300 MB of memory",
	Control:  "somebody who spoils one answer in 500",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		total := t.ShortOrFull(15_000, 1_000_000)
		if t.Engine == lab.PostgreSQL {
			total = t.ShortOrFull(3000, 100_000)
		}
		f, err := newFuzz(t, total)
		if err != nil {
			return err
		}
		idle, err := f.goroutines(0)
		if err != nil {
			return err
		}
		// What an account may do only so often, it does first.
		seldom := func(r *openapi.Route) bool {
			return strings.HasPrefix(r.Path, "/me/") || f.doc.CreatorOf(r) != nil && slices.ContainsFunc([]string{
				"/packets/", "/reports/", "/export/",
			}, func(part string) bool { return strings.Contains(r.Path, part) })
		}
		if err := f.visit(seldom); err != nil {
			return err
		}
		began := time.Now()
		if err := f.run(); err != nil {
			return err
		}
		took := time.Since(began)
		found := len(f.reached)
		if err := f.visit(func(*openapi.Route) bool { return true }); err != nil {
			return err
		}
		ended := time.Now()
		after, err := f.goroutines(idle)
		if err != nil {
			return err
		}
		most, err := lab.ProcessMemory(f.site.Server.Process.Pid, "VmHWM")
		if err != nil {
			return err
		}
		t.Note("requests, parts of batches", "%s, %s", lab.Thousands(int(f.fired.Load())),
			lab.Thousands(int(f.parts.Load())))
		t.Note("a second", "%s", lab.Thousands(int(float64(total)/took.Seconds())))
		t.Note("operations that succeeded", "%d of %d, %d by chance", len(f.reached), len(f.doc.Routes), found)
		t.Note("statuses", "%s", f.tally())
		t.Note("wrong answers", "%d", len(f.findings))
		t.Note("goroutines idle, after", "%d, %d", idle, after)
		t.Note("memory, most", "%s", lab.Megabytes(most))
		t.Note("until they were gone", "%.1f s", time.Since(ended).Seconds())
		if after > idle {
			t.Require(false, "%d goroutines in place of %d:\n%s", after, idle, f.site.Goroutines())
			return nil // the server has ended
		}
		t.Require(most < fuzzMemory, "it took %s of memory", lab.Megabytes(most))
		for _, text := range slices.Sorted(maps.Values(f.findings)) {
			t.Require(false, "%s", text)
		}
		for _, r := range f.doc.Routes {
			t.Require(f.reached[r], "no request of %s %s succeeded", r.Method, r.Path)
		}
		if len(f.findings) > 0 {
			t.Require(false, "the server said:\n%s", f.site.LogTail())
		}
		return f.site.Verify()
	},
	RunControl: func(t *lab.Trial) (string, error) {
		const total = 3000
		f, err := newFuzz(t, total)
		if err != nil {
			return "", err
		}
		f.rogue = &rogue{every: 500, spoiled: map[int64]string{}}
		if err := f.run(); err != nil {
			return "", err
		}
		for index, how := range f.rogue.spoiled {
			if f.findings[index] == "" {
				return "", fmt.Errorf("request %d was answered with %s, and nobody noticed", index, how)
			}
		}
		if len(f.rogue.spoiled) == 0 {
			return "", nil
		}
		return fmt.Sprintf("all of the %d spoiled answers of %s were noticed", len(f.rogue.spoiled),
			lab.Thousands(total)), nil
	},
}

func newFuzz(t *lab.Trial, total int) (*fuzz, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	f := &fuzz{
		t: t, site: s, total: int64(total), good: []string{s.Key}, findings: map[int64]string{},
		statuses: map[int]int{}, reached: map[*openapi.Route]bool{},
	}
	for _, name := range []string{"bob", "cleo"} {
		if _, err := s.Command(lab.Password+"\n", "account", "create", "--email", name+"@example.com", "--name", name,
			"--password-stdin"); err != nil {
			return nil, err
		}
		key, err := s.NewKey(name + "@example.com")
		if err != nil {
			return nil, err
		}
		f.good = append(f.good, key)
	}
	if f.limited, err = s.Command("", "key", "create", "--email", "ada@example.com", "--limit", "all/2=5", "--limit",
		"write/60=20"); err != nil {
		return nil, err
	}
	if f.revoked, err = s.NewKey("ada@example.com"); err != nil {
		return nil, err
	}
	if _, err := s.Command("", "key", "revoke", f.revoked); err != nil {
		return nil, err
	}
	f.person = &oauth.Provider{Site: s, RedirectURI: "https://sync.example.com/callback"}
	if err := f.person.Register(); err != nil {
		return nil, err
	}
	if f.estates, err = estate.Start(s, fuzzEstates); err != nil {
		return nil, err
	}
	if err := f.person.SignIn(); err != nil {
		return nil, err
	}
	f.plain = s.NewClient()
	if err := estate.AwaitTiles(t, f.plain, "/projects/"+f.estates[fuzzEstates-1].Project); err != nil {
		return nil, err
	}
	// What is published cannot be discarded: each estate has a set that cannot be read, too.
	for _, e := range f.estates {
		set, err := estate.SendSet(t, f.plain, "/projects/"+e.Project, []byte("no drawing"))
		if err != nil {
			return nil, err
		}
		e.UIDs["version_sets"] = append(e.UIDs["version_sets"], set.UID)
	}
	f.doc, err = openapi.Read(t, f.plain)
	return f, err
}

// run fires all requests.
func (f *fuzz) run() error {
	var errs [fuzzClients]error
	lab.Parallel(fuzzClients, func(i int) {
		g := f.gunner(i, f.estates[i%(fuzzEstates-1)])
		defer g.hangUp()
		for errs[i] == nil && f.t.Err() == nil {
			index := f.next.Add(1)
			if index > f.total {
				return
			}
			errs[i] = g.fire(g.aim(index))
		}
	})
	return errors.Join(append(errs[:], f.t.Err())...)
}

// visit tries every operation of some that nothing succeeded with yet, until something does; what deletes comes last.
// What is read by its uid is made first, where it can be: some things are seen by their maker only.
func (f *fuzz) visit(which func(*openapi.Route) bool) error {
	g := f.gunner(fuzzClients, f.estates[fuzzEstates-1])
	defer g.hangUp()
	fire := func(r *openapi.Route) error {
		d := g.made(r)
		if r.Form == nil { // in a form an application says who it is
			d.set("Authorization", lab.BasicAuth(f.good[0]))
		}
		return g.fire(g.shot(&d, f.next.Add(1)))
	}
	for _, deletes := range []bool{false, true} {
		for _, r := range f.doc.Routes {
			for n := 0; n < 100 && which(r) && !f.reached[r] && (r.Method == http.MethodDelete) == deletes; n++ {
				if maker := f.doc.CreatorOf(r); maker != nil && n%10 == 0 {
					if err := fire(maker); err != nil {
						return err
					}
				}
				if err := fire(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (f *fuzz) tally() string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		out = append(out, fmt.Sprintf("%d×%s", status, lab.Thousands(f.statuses[status])))
	}
	return strings.Join(out, " ")
}

// goroutines asks the service how many it has; it waits until there are no more than most, unless that is 0. There may
// still be drawings to read: as long as a worker is seen, that takes the time it takes; then they have a minute.
func (f *fuzz) goroutines(most int) (n int, err error) {
	server := f.site.Server.Process.Pid
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		for _, c := range []*http.Client{f.plain.HTTP, f.person.Browser, f.person.Anonymous} {
			c.CloseIdleConnections()
		}
		a, err := f.plain.Do(f.t, http.MethodGet, "/metrics", nil)
		if err != nil {
			return 0, err
		}
		_, rest, found := strings.Cut(string(a.Body), "\ngo_goroutines ")
		if !found {
			return 0, fmt.Errorf("the metrics do not tell the number of goroutines: %s", a)
		}
		line, _, _ := strings.Cut(rest, "\n")
		if n, err = strconv.Atoi(line); err != nil || most == 0 || n <= most || time.Now().After(end) {
			return n, err
		}
		if workers, _ := lab.ChildProcesses(server); len(workers) > 0 {
			end = time.Now().Add(time.Minute)
		}
	}
}

// gunner makes a client that begins in an estate.
func (f *fuzz) gunner(id int, e *estate.Estate) *gunner {
	g := &gunner{
		f: f, id: id, random: f.t.Random(id), project: e.Project,
		uids: map[string][]string{"projects": {e.Project}}, tags: map[string]string{},
	}
	for family, uids := range e.UIDs {
		g.uids[e.Project+family] = slices.Clone(uids)
	}
	return g
}

// fire sends a request and judges the answer.
func (g *gunner) fire(s *shot) error {
	a, err := g.send(s)
	if err != nil {
		g.hangUp()
		g.f.found(s, "no answer: %v", err)
		return nil
	}
	g.f.fired.Add(1)
	if g.f.rogue != nil {
		g.f.rogue.spoil(s, a)
	}
	g.judge(s, a)
	return g.f.t.Err()
}

// send writes a request as it is and reads the answer.
func (g *gunner) send(s *shot) (*lab.Answer, error) {
	if g.conn == nil {
		// Each client has an address of its own: refused credentials are counted by address.
		d := net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+g.id))}}
		conn, err := d.DialContext(g.f.t, "tcp", g.f.site.Address)
		if err != nil {
			return nil, err
		}
		g.conn, g.in = conn, bufio.NewReader(conn)
	}
	if err := g.conn.SetDeadline(time.Now().Add(lab.RequestTimeout)); err != nil {
		return nil, err
	}
	// What is refused before it was read whole may cut the writing off; the answer is what counts.
	_, written := g.conn.Write(s.raw)
	response, err := http.ReadResponse(g.in, &http.Request{Method: s.method})
	if err != nil {
		return nil, errors.Join(err, written)
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") && s.method != http.MethodHead {
		// A stream has no end: its beginning tells that it is one.
		defer g.hangUp()
		beginning := make([]byte, len(":\n\n"))
		_, err := io.ReadFull(response.Body, beginning)
		return &lab.Answer{Status: response.StatusCode, Header: response.Header, Body: beginning}, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(z); err != nil {
			return nil, err
		}
	}
	if response.Close {
		g.hangUp()
	}
	return &lab.Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

func (g *gunner) hangUp() {
	if g.conn != nil {
		_ = g.conn.Close()
		g.conn = nil
	}
}
