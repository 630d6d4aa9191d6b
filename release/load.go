package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// load reads and writes without a pause, as people do who know nothing of an upgrade.
type load struct {
	base, key string
	client    *http.Client
	stop      context.CancelFunc
	done      sync.WaitGroup

	mu    sync.Mutex
	asked []asked
}

// asked is one request: when it began and ended, and why it failed.
type asked struct {
	began, ended time.Time
	wrote        bool
	err          error
}

// afterFailure is how long somebody waits before they try again.
const afterFailure = 5 * time.Millisecond

// loadOn begins to read a project and to write issues into it.
func loadOn(ctx context.Context, address, key, project string) *load {
	ctx, stop := context.WithCancel(ctx)
	l := &load{base: "http://" + address, key: key, client: &http.Client{Timeout: within}, stop: stop}
	issues := "/projects/" + project + "/issues"
	l.done.Go(func() { l.repeat(ctx, http.MethodGet, issues+"?limit=1", "") })
	l.done.Go(func() { l.repeat(ctx, http.MethodPost, issues, `{"title":"Handrail loose"}`) })
	return l
}

func (l *load) repeat(ctx context.Context, method, path, body string) {
	for ctx.Err() == nil {
		one := asked{began: time.Now(), wrote: method == http.MethodPost}
		// What was begun is finished, so that it is known what became of it.
		one.err = l.ask(context.WithoutCancel(ctx), method, path, body, nil)
		one.ended = time.Now()
		l.mu.Lock()
		l.asked = append(l.asked, one)
		l.mu.Unlock()
		if one.err != nil {
			time.Sleep(afterFailure)
		}
	}
}

// ask sends one request, and reads its answer into a value unless that is nil.
func (l *load) ask(ctx context.Context, method, path, body string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, l.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.SetBasicAuth(l.key, "")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := l.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, bytes.TrimSpace(text))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// succeeded waits until a request that began after a moment was answered.
func (l *load) succeeded(after time.Time) error {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(afterFailure) {
		l.mu.Lock()
		for _, a := range l.asked {
			if a.err == nil && a.began.After(after) {
				l.mu.Unlock()
				return nil
			}
		}
		l.mu.Unlock()
	}
	return fmt.Errorf("no request was answered for %s", within)
}

// end stops the load.
func (l *load) end() {
	l.stop()
	l.done.Wait()
	l.client.CloseIdleConnections()
}

// outage is what a restart did to a load.
type outage struct {
	gap                     time.Duration // the longest between two answers, from the stop on
	before, after           int           // requests that were answered
	lost                    int           // during the restart
	acknowledged, uncertain int           // writes
}

// judge looks at all requests around a restart: whatever fails before it began or after the new program served is an
// error.
func judge(all []asked, stopped, serves time.Time) (o outage, err error) {
	var answers []time.Time
	for _, a := range all {
		switch {
		case a.err == nil && a.ended.Before(serves):
			o.before++
		case a.err == nil:
			o.after++
		case a.ended.Before(stopped) || a.began.After(serves):
			return o, fmt.Errorf("a request failed outside of the restart: %w", a.err)
		default:
			o.lost++
		}
		if a.err == nil {
			answers = append(answers, a.ended)
		}
		if a.wrote && a.err == nil {
			o.acknowledged++
		} else if a.wrote {
			o.uncertain++
		}
	}
	if o.before == 0 || o.after == 0 {
		return o, fmt.Errorf("%d requests were answered before the restart and %d after it", o.before, o.after)
	}
	// The new program may have answered before it was seen to serve, so the longest gap is looked for.
	slices.SortFunc(answers, time.Time.Compare)
	for i, at := range answers[1:] {
		if at.After(stopped) {
			o.gap = max(o.gap, at.Sub(answers[i]))
		}
	}
	return o, nil
}
