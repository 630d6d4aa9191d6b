package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// others are records of every kind but issues, which change while clients keep copies of their lists; and photos that are linked to an issue.
type others struct {
	t       *trial
	client  *client
	project string
	linked  string // the photos of an issue
	lists   []string
	mirrors []*mirror
	changes atomic.Int64

	mu   sync.Mutex
	uids map[string][]string
}

const otherWriters = 4

func newOthers(t *trial, s *site) (*others, error) {
	estates, err := s.estates(1)
	if err != nil {
		return nil, err
	}
	e := estates[0]
	o := &others{t: t, client: s.client(), project: "/projects/" + e.project, uids: e.uids}
	o.linked = o.project + "/issues/" + e.of("issues") + "/photos"
	o.lists = []string{o.linked}
	for _, kind := range slices.Sorted(maps.Keys(textOf)) {
		if kind != "issues" {
			o.lists = append(o.lists, o.project+"/"+kind)
		}
	}
	for i, list := range o.lists {
		for _, poll := range []func(*mirror, context.Context) error{followPages, pageWithClock} {
			o.mirrors = append(o.mirrors, newMirror(fmt.Sprintf("list %d", i), o.client, list, poll))
		}
	}
	return o, nil
}

// work changes and makes records until over is closed. What is not answered is sent again.
func (o *others) work(over <-chan struct{}) error {
	var errs [otherWriters]error
	crew(otherWriters, func(w int) {
		random := o.t.random(19, w)
		for n := 0; errs[w] == nil; n++ {
			select {
			case <-over:
				return
			case <-o.t.Done():
				return
			default:
				errs[w] = o.change(random, fmt.Sprintf("%d.%d", w, n))
			}
		}
	})
	return errors.Join(errs[:]...)
}

func (o *others) change(random *rand.Rand, text string) error {
	list := o.lists[random.IntN(len(o.lists))]
	if list == o.linked {
		_, err := patiently(o.t, o.client, http.MethodPost, list, fields{"photo_uid": quoted(o.one(random, "photos"))}.bytes())
		o.changes.Add(1)
		return err
	}
	kind := list[len(o.project)+1:]
	body := fields{textOf[kind]: quoted(text)}
	switch kind {
	case "photos", "attachments", "sheets", "version_sets":
	case "field_reports":
		body["report_date"] = quoted("2026-03-01")
	case "annotations":
		body["sheet_uid"] = quoted(o.one(random, "sheets"))
	}
	if made := kind == "issue_lists" || kind == "rfis" || kind == "comments" || len(body) > 1; made && random.IntN(4) == 0 {
		a, err := patiently(o.t, o.client, http.MethodPost, list, body.bytes())
		if err != nil {
			return err
		}
		var f fields
		o.changes.Add(1)
		o.mu.Lock()
		defer o.mu.Unlock()
		err = json.Unmarshal(a.body, &f)
		o.uids[kind] = append(o.uids[kind], f.text("uid"))
		return err
	}
	delete(body, "sheet_uid") // only a new one takes it
	_, err := patiently(o.t, o.client, http.MethodPatch, list+"/"+o.one(random, kind), body.bytes())
	o.changes.Add(1)
	return err
}

func (o *others) one(random *rand.Rand, kind string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.uids[kind][random.IntN(len(o.uids[kind]))]
}

// judge requires that every copy is exact.
func (o *others) judge() error {
	states := map[string]map[string]jsontext.Value{}
	records, missed, wronged := 0, 0, 0
	for _, m := range o.mirrors {
		state := states[m.list]
		if state == nil {
			var err error
			if state, err = o.client.state(o.t, m.list); err != nil {
				return err
			}
			states[m.list] = state
			records += len(state)
		}
		missing, wrong, first := m.compare(state)
		missed, wronged = missed+missing, wronged+wrong
		o.t.require(missing+wrong == 0, "%s: %s", m.list, first)
		o.t.require(len(state) > 0, "%s is empty", m.list)
	}
	o.t.note("other kinds, with linked photos", "%d lists, %s records, %s changes; %d copies: %d missing, %d wrong",
		len(o.lists), thousands(records), thousands(int(o.changes.Load())), len(o.mirrors), missed, wronged)
	return nil
}
