//go:build bars

package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// tasks are what the main thread of a page was busy with, in milliseconds of its time. Painting happens elsewhere.
type tasks []float64

func (s tasks) longest() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Max(s)
}

func (s tasks) sum() (all float64) {
	for _, ms := range s {
		all += ms
	}
	return all
}

// traced does something and gives what the main thread of the page did meanwhile, and for a little while after.
func (p *tab) traced(do func()) tasks {
	p.t.Helper()
	data, done := chromedp.Events(p.ctx, tracing.DataCollected), chromedp.Events(p.ctx, tracing.TracingComplete)
	var (
		mu     sync.Mutex
		events []map[string]any
	)
	gathered := make(chan error, 1)
	go func() {
		for e, err := range data {
			if err != nil {
				return
			}
			raw, err := json.Marshal(e)
			var part struct {
				Value []map[string]any `json:"value"`
			}
			if err == nil {
				err = json.Unmarshal(raw, &part)
			}
			if err != nil {
				gathered <- err
				return
			}
			mu.Lock()
			events = append(events, part.Value...)
			mu.Unlock()
		}
	}()
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(events)
	}
	ended := make(chan struct{})
	go func() {
		for range done {
			close(ended)
			return
		}
	}()
	_, err := chromedp.Call(p.ctx, tracing.Start, tracing.StartParams{
		TransferMode: "ReportEvents",
		TraceConfig:  &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "devtools.timeline"}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	do()
	eval[bool](p, `new Promise(done => setTimeout(() => done(true), 500))`)
	if _, err := chromedp.Call(p.ctx, tracing.End, struct{}{}); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-ended:
	case err := <-gathered:
		p.t.Fatal(err)
	case <-time.After(patience):
		p.t.Fatal("the trace never ended")
	}
	for n := -1; n != count(); { // what came before the end may still be on its way to the other goroutine
		n = count()
		eval[bool](p, `new Promise(done => setTimeout(() => done(true), 100))`)
	}
	return p.own(events)
}

// own are the tasks of the page's main thread: of all threads called so it is the one that was busiest.
func (p *tab) own(events []map[string]any) tasks {
	p.t.Helper()
	mains := map[string]tasks{}
	for _, e := range events {
		if args, _ := e["args"].(map[string]any); e["name"] == "thread_name" && args["name"] == "CrRendererMain" {
			mains[fmt.Sprint(e["pid"], "/", e["tid"])] = tasks{}
		}
	}
	for _, e := range events {
		thread := fmt.Sprint(e["pid"], "/", e["tid"])
		name, _ := e["name"].(string)
		took, _ := e["tdur"].(float64)
		if all, is := mains[thread]; is && e["ph"] == "X" && (name == "RunTask" || name == "ThreadControllerImpl::RunTask") {
			mains[thread] = append(all, took/1000)
		}
	}
	var busiest tasks
	for _, all := range mains {
		if busiest == nil || all.sum() > busiest.sum() {
			busiest = all
		}
	}
	if len(busiest) == 0 {
		p.t.Fatalf("of %d events in the trace none is a task of the page", len(events))
	}
	return busiest
}

// slowed has the processor of a page be so many times slower.
func (p *tab) slowed(times float64) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetCPUThrottlingRate,
		emulation.SetCPUThrottlingRateParams{Rate: times}); err != nil {
		p.t.Fatal(err)
	}
}

// slowLine has the network of a page be that of a phone with few bars.
func (p *tab) slowLine(slow bool) {
	p.t.Helper()
	if !slow {
		p.networked()
		return
	}
	const bits = 1.6e6
	p.networked(&network.Conditions{Latency: 150, DownloadThroughput: bits / 8, UploadThroughput: bits / 2 / 8})
}

// heap is how much memory the scripts of a page hold, in megabytes, after everything that nobody needs was let go.
func (p *tab) heap() float64 {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		p.t.Fatal(err)
	}
	return eval[float64](p, `performance.memory.usedJSHeapSize / 1e6`)
}
