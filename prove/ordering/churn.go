// Package ordering tries the third promise: changes are told once and in order. Clients follow the changes, and keep
// copies, while others write, processes are killed and the clock jumps.
package ordering

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// churn is a project with many issues of which a part keeps changing.
type churn struct {
	t       *lab.Trial
	client  *lab.Client
	project string
	hot     []string // uids of those that change
	acked   atomic.Int64
	beside  func(over <-chan struct{}) error // other work, until over is closed; or nil
}

// newChurn fills a project with n issues; a share of them will change.
func newChurn(t *lab.Trial, c *lab.Client, n int, share float64) (*churn, error) {
	project, err := c.NewProject(t, "Harbour")
	if err != nil {
		return nil, err
	}
	// Many at once, because whatever waits for the disk together is committed together.
	const together, crews = 20, 128
	type part struct {
		Method string `json:"method"`
		Path   string `json:"path"`
		Body   string `json:"body"`
	}
	var mu sync.Mutex
	var uids []string
	var errs []error
	lab.Parallel(crews, func(w int) {
		for from := w * together; from < n; from += crews * together {
			var parts []part
			for i := from; i < min(n, from+together); i++ {
				parts = append(parts, part{
					"POST", project + "/issues", string(lab.Fields{"title": lab.QuotedJSON(fmt.Sprintf("Issue %d", i))}.JSON()),
				})
			}
			var results struct {
				Data []struct {
					Body string `json:"body"`
				} `json:"data"`
			}
			err := c.MustDo(t, http.MethodPost, "/batch", parts, &results)
			mu.Lock()
			errs = append(errs, err)
			for _, r := range results.Data {
				var f lab.Fields
				errs = append(errs, json.Unmarshal([]byte(r.Body), &f))
				uids = append(uids, f.Text("uid"))
			}
			mu.Unlock()
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.Sort(uids)
	t.Random(n).Shuffle(len(uids), func(i, j int) { uids[i], uids[j] = uids[j], uids[i] })
	return &churn{t: t, client: c, project: project, hot: uids[:int(float64(n)*share)]}, nil
}

// pass changes each hot issue once, and makes a new one for every ten changes. What is not answered is sent again.
func (c *churn) pass(n int) error {
	order := slices.Clone(c.hot)
	random := c.t.Random(n, len(order))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var next atomic.Int64
	var mu sync.Mutex
	var errs []error
	lab.Parallel(lab.Writers, func(w int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(order) {
				return
			}
			title := lab.Fields{"title": lab.QuotedJSON(fmt.Sprintf("Pass %d, change %d", n, i))}.JSON()
			_, err := lab.DoUntilAnswered(c.t, c.client, http.MethodPatch, c.project+"/issues/"+order[i], title)
			if err == nil && i%10 == 0 {
				_, err = lab.DoUntilAnswered(c.t, c.client, http.MethodPost, c.project+"/issues", title)
			}
			if err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
				return
			}
			c.acked.Add(1)
		}
	})
	return errors.Join(errs...)
}

// run makes the passes, applies each fault after an equal share of the changes, and lets the mirrors keep up meanwhile.
func (c *churn) run(passes int, faults []func() error, mirrors ...*mirror) error {
	done := make(chan struct{})
	errs := make([]error, 2+len(mirrors))
	var wg sync.WaitGroup
	for i, m := range mirrors {
		wg.Go(func() { errs[2+i] = m.keepUp(c.t, done) })
	}
	began := c.acked.Load()
	wg.Go(func() {
		for i, fault := range faults {
			if !c.reach(began+int64((i+1)*passes*len(c.hot)/(len(faults)+1)), done) || errs[1] != nil {
				return
			}
			errs[1] = fault()
		}
	})
	over := make(chan struct{})
	var others sync.WaitGroup
	var otherErr error
	if c.beside != nil {
		others.Go(func() { otherErr = c.beside(over) })
	}
	for n := range passes {
		if errs[0] = c.pass(n); errs[0] != nil {
			break
		}
	}
	close(over)
	others.Wait()
	close(done)
	wg.Wait()
	return errors.Join(append(errs, otherErr)...)
}

// reach waits for a number of acknowledged changes; it is false when there will be no more.
func (c *churn) reach(target int64, done <-chan struct{}) bool {
	for c.acked.Load() < target {
		select {
		case <-done:
			return false
		case <-c.t.Done():
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return true
}

// stateOf is what a list of the service has.
func stateOf(ctx context.Context, c *lab.Client, list string) (map[string]jsontext.Value, error) {
	records, total, err := c.ListAll(ctx, list)
	if err != nil {
		return nil, err
	}
	out := map[string]jsontext.Value{}
	for _, raw := range records {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, err
		}
		out[f.Text("uid")] = raw
	}
	if len(out) != total {
		return nil, fmt.Errorf("the list has %d records and counts %d", len(out), total)
	}
	return out, nil
}
