package fairness

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// neighbour is a tenant with a project of its own, who works at a modest pace whatever the others do.
type neighbour struct {
	t       *lab.Trial
	client  *lab.Client
	project string
	issues  []string
	file    string // the address of a document's file

	following sync.Mutex
	after     int64 // the last change that was seen

	mu    sync.Mutex
	took  []time.Duration
	worst map[string]time.Duration // of each chore
	// health is of /healthz, which touches nothing that is stored: what the machine and the network cost.
	health []time.Duration
	wrong  []string
	made   int
}

// neighbourWithin is when the neighbour gives a chore up; it is far above the bar.
const neighbourWithin = 10 * time.Second

// chores are what the neighbour does in a second, in this order.
var chores = []chore{
	list, get, create, list, get, search, list, get, change, list, get, create, list, get, upload, change, list, search,
	get, create, download, change,
}

// chore is one thing that the neighbour does.
type chore struct {
	name string
	do   func(n *neighbour, ctx context.Context, i int) (*lab.Answer, error)
}

var (
	list     = chore{"list", (*neighbour).list}
	get      = chore{"get", (*neighbour).get}
	create   = chore{"create", (*neighbour).create}
	change   = chore{"change", (*neighbour).change}
	search   = chore{"search", (*neighbour).search}
	upload   = chore{"upload", (*neighbour).upload}
	download = chore{"download", (*neighbour).download}
)

func newNeighbour(t *lab.Trial, c *lab.Client) (*neighbour, error) {
	n := &neighbour{t: t, client: c, worst: map[string]time.Duration{}}
	var err error
	if n.project, err = n.client.NewProject(t, "House by the river"); err != nil {
		return nil, err
	}
	for i := range 60 {
		var made lab.Fields
		body := lab.Object{
			"title":       fmt.Sprintf("Door %d does not close", i),
			"description": "The frame is out of plumb by some millimetres.",
		}
		if err := n.client.MustDo(t, http.MethodPost, n.project+"/issues", body, &made); err != nil {
			return nil, err
		}
		n.issues = append(n.issues, made.Text("uid"))
	}
	a, err := n.client.Upload(t, n.project, "attachments", lab.Object{
		"name": "plan.pdf", "content_type": "application/pdf",
	}, make([]byte, 20_000))
	if err != nil {
		return nil, err
	}
	var document lab.Fields
	err = json.Unmarshal(a.Body, &document)
	n.file = document.Text("url")
	return n, err
}

func (n *neighbour) list(ctx context.Context, _ int) (*lab.Answer, error) {
	return n.client.Do(ctx, http.MethodGet, n.project+"/issues?limit=20", nil)
}

func (n *neighbour) get(ctx context.Context, i int) (*lab.Answer, error) {
	return n.client.Do(ctx, http.MethodGet, n.project+"/issues/"+n.issues[i%len(n.issues)], nil)
}

func (n *neighbour) create(ctx context.Context, i int) (*lab.Answer, error) {
	return n.client.Do(ctx, http.MethodPost, n.project+"/issues",
		fmt.Appendf(nil, `{"title":"Window %d is scratched"}`, i))
}

func (n *neighbour) change(ctx context.Context, i int) (*lab.Answer, error) {
	return n.client.Do(ctx, http.MethodPatch, n.project+"/issues/"+n.issues[i%len(n.issues)],
		fmt.Appendf(nil, `{"room":"Room %d"}`, i))
}

func (n *neighbour) search(ctx context.Context, _ int) (*lab.Answer, error) {
	return n.client.Do(ctx, http.MethodGet, n.project+"/issues?limit=20&q=door+plumb", nil)
}

func (n *neighbour) upload(ctx context.Context, i int) (*lab.Answer, error) {
	return n.client.Upload(ctx, n.project, "attachments", lab.Object{
		"name": fmt.Sprintf("photo %d.pdf", i), "content_type": "application/pdf",
	}, make([]byte, 20_000))
}

func (n *neighbour) download(ctx context.Context, _ int) (*lab.Answer, error) {
	return n.client.DoWithoutKey(ctx, http.MethodGet, n.file, nil, "")
}

// work does the chores at their times until over is closed, and waits for those that are under way. A chore takes from
// when it was due, also where it had to wait for the one who does it.
func (n *neighbour) work(over <-chan struct{}) {
	var wg sync.WaitGroup
	defer wg.Wait()
	every := time.Second / time.Duration(len(chores))
	began := time.Now()
	for i := 0; ; i++ {
		due := began.Add(time.Duration(i) * every)
		select {
		case <-over:
			return
		case <-n.t.Done():
			return
		case <-time.After(time.Until(due)):
		}
		n.made++
		chore, place := chores[i%len(chores)], n.made
		wg.Go(func() {
			do := func(ctx context.Context) (*lab.Answer, error) { return chore.do(n, ctx, place) }
			late := n.do(due, do, &n.took)
			n.mu.Lock()
			defer n.mu.Unlock()
			n.worst[chore.name] = max(n.worst[chore.name], late)
		})
		if i%5 == 0 {
			wg.Go(func() {
				n.do(due, func(ctx context.Context) (*lab.Answer, error) {
					return n.client.Do(ctx, http.MethodGet, "/healthz", nil)
				}, &n.health)
			})
		}
		if i%(2*len(chores)) == 0 {
			wg.Go(n.wait)
		}
	}
}

func (n *neighbour) do(due time.Time, chore func(ctx context.Context) (*lab.Answer, error),
	took *[]time.Duration,
) (late time.Duration) {
	ctx, cancel := context.WithTimeout(n.t, neighbourWithin)
	defer cancel()
	a, err := chore(ctx)
	late = time.Since(due)
	n.mu.Lock()
	*took = append(*took, late) // whoever is refused waited too
	n.mu.Unlock()
	switch {
	case err != nil:
		n.complain(err.Error())
	case !a.OK():
		n.complain(a.String())
	}
	return late
}

// wait follows the change log for a moment. Being answered at once, although nothing is new, is a place that others
// took.
func (n *neighbour) wait() {
	n.following.Lock()
	defer n.following.Unlock()
	for n.t.Err() == nil {
		address := fmt.Sprintf("%s/changes?limit=1000&after=%d", n.project, n.after)
		a, err := n.client.DoWithHeader(n.t, http.MethodGet, address, nil, "Prefer", "wait=1")
		var log struct {
			After int64 `json:"next_after"`
		}
		if err == nil && a.OK() {
			err = json.Unmarshal(a.Body, &log)
		}
		switch {
		case err != nil:
			n.complain(err.Error())
		case !a.OK():
			n.complain(a.String())
		case a.Header.Get("Preference-Applied") != "":
			n.after = log.After
		case log.After > n.after: // there is something new, and perhaps more
			n.after = log.After
			continue
		default:
			n.complain("waiting for changes was not allowed")
		}
		return
	}
}

func (n *neighbour) complain(about string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.t.Err() == nil {
		n.wrong = append(n.wrong, about)
	}
}

// report asks for a small report and gives the time until it can be fetched, or false when that is not within the
// bound.
func (n *neighbour) report(within time.Duration) (time.Duration, bool) {
	ctx, cancel := context.WithTimeout(n.t, within)
	defer cancel()
	began := time.Now()
	text, err := json.Marshal(lab.Object{"issue_uids": n.issues[:5], "format": "pdf"})
	var a *lab.Answer
	if err == nil {
		a, err = n.client.Do(ctx, http.MethodPost, n.project+"/issues/reports", text)
	}
	var made lab.Fields
	for err == nil && a.OK() {
		if err = json.Unmarshal(a.Body, &made); err != nil || made.Text("status") == "errored" {
			break
		}
		if made.Text("status") == "complete" {
			return time.Since(began), true
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
		a, err = n.client.Do(ctx, http.MethodGet, n.project+"/issues/reports/"+made.Text("uid"), nil)
	}
	if ctx.Err() == nil {
		n.complain(fmt.Sprintf("a report failed: %v, %v", a, err))
	}
	return time.Since(began), false
}

// taken gives what was measured since it was asked the last time.
func (n *neighbour) taken() (took, health []time.Duration, wrong []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	took, health, wrong = n.took, n.health, n.wrong
	n.took, n.health, n.wrong = nil, nil, nil
	return took, health, wrong
}

// slowest gives the longest that each chore took since it was asked last, the slowest chore first.
func (n *neighbour) slowest() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var told []string
	for _, name := range slices.SortedFunc(maps.Keys(n.worst), func(a, b string) int {
		return cmp.Compare(n.worst[b], n.worst[a])
	}) {
		told = append(told, name+" "+lab.Millis(n.worst[name]))
	}
	clear(n.worst)
	return strings.Join(told, ", ")
}
