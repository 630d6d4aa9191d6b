// Package atomicity tries the second promise: nothing half-made. What the service needs while it makes something, a
// store of files or a process that reads them, breaks in the middle, and no record may be seen in part.
package atomicity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"groundwork/internal/s3test"
	"groundwork/prove/lab"
)

// E13 spoils the link to an S3 store while files go up and come down.
var E13 = &lab.Experiment{
	ID:       "E13",
	Title:    "the link to an S3 store becomes slow, is cut, breaks off, is open at one end only, while files go up and come down",
	MustHold: "no request takes more than 10 s (30 s in the short form), every refusal is 503 in JSON with Retry-After; every document that was completed has its whole file, and every upload can be finished later",
	Control:  "waits for the store as long as it takes; takes a write whose outcome is unknown for done",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		all, err := strain(t, lab.Released, troubles(t))
		if err != nil {
			return err
		}
		var sum ordeal
		for _, name := range slices.Sorted(maps.Keys(all)) {
			o := all[name]
			t.Note(name, "%d up, %d down, %d refused, %d broken off; longest %s", o.up, o.down, o.refused, o.broken,
				lab.Millis(o.longest))
			t.RequireOnTime(o.longest <= hangs, "%s: a request took %s", name, lab.Millis(o.longest))
			t.Require(o.torn == 0, "%s: %d documents without their whole file: %s", name, o.torn, o.first)
			for _, text := range o.wrong {
				t.Require(false, "%s: %s", name, text)
			}
			sum.up, sum.refused = sum.up+o.up, sum.refused+o.refused
			sum.late, sum.torn = sum.late+o.late, sum.torn+o.torn
		}
		t.Note("documents, finished later, torn", "%d, %d, %d", sum.up, sum.late, sum.torn)
		// A link that refuses nothing would prove nothing.
		t.Require(sum.up > 0 && sum.refused > 0 && sum.late > 0, "%d files came up, %d were refused", sum.up,
			sum.refused)
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		all, err := strain(t, lab.Planted, []trouble{{name: "silent", orders: silence, fault: "store-patient"}, {
			name: "cut", orders: []string{"cut"}, fault: "store-trust",
		}})
		if err != nil {
			return "", err
		}
		longest, torn := all["silent"].longest, all["cut"].torn
		if longest <= hangs || torn == 0 {
			return "", nil
		}
		return fmt.Sprintf("a request took more than %s; %d documents had no file", lab.Millis(longest), torn), nil
	},
}

// silence is a link at which nothing comes back. What comes is held for an hour: a plain halt of the link would end
// when the store closes its end.
var silence = []string{toxic("latency", "downstream", "latency", 3_600_000)}

func toxic(kind, stream, attribute string, value int) string {
	return fmt.Sprintf(`{"name":"%s %s","type":"%s","stream":"%s","attributes":{"%s":%d}}`, kind, stream, kind, stream,
		attribute, value)
}

func troubles(t *lab.Trial) []trouble {
	all := []trouble{
		{name: "slow", slow: true, orders: []string{
			toxic("latency", "upstream", "latency", 300),
			toxic("latency", "downstream", "latency", 300), toxic("bandwidth", "upstream", "rate", 500),
		}},
		{name: "cut", orders: []string{"cut"}},
		{name: "silent", orders: silence},
		{name: "deaf", orders: []string{toxic("timeout", "upstream", "timeout", 0)}},
		{name: "breaks off", orders: []string{
			toxic("limit_data", "upstream", "bytes", 100_000), toxic("limit_data", "downstream", "bytes", 100_000),
		}},
	}
	if t.Full {
		all = append(all,
			trouble{name: "resets", orders: []string{toxic("reset_peer", "downstream", "timeout", 20)}},
			trouble{name: "crawls", slow: true, orders: []string{
				toxic("bandwidth", "downstream", "rate", 50), toxic("bandwidth", "upstream", "rate", 100),
			}},
		)
	}
	return all
}

// strain lets each trouble happen to an installation of its own, all at once, and gives what came of it.
func strain(t *lab.Trial, tag string, all []trouble) (map[string]*ordeal, error) {
	server, err := s3test.Start()
	if err != nil {
		return nil, err
	}
	t.AtEnd(server.Stop)
	// Built before they are needed by several at once.
	if _, err := t.Lab.Build(t, tag); err != nil {
		return nil, err
	}
	if _, err := t.Lab.BuildTool(t, "link"); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var failed error
	found := map[string]*ordeal{}
	lab.Parallel(len(all), func(i int) {
		err := t.Inner(strings.ReplaceAll(all[i].name, " ", "-"), func(t *lab.Trial) error {
			o, err := newOrdeal(t, tag, []string{"GROUNDWORK_PLANT=" + all[i].fault}, server, i)
			if err != nil {
				return err
			}
			mu.Lock()
			found[all[i].name] = o
			mu.Unlock()
			return o.suffer(all[i])
		})
		if err != nil {
			mu.Lock()
			failed = fmt.Errorf("%s: %w", all[i].name, err)
			mu.Unlock()
		}
	})
	return found, failed
}
