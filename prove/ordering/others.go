package ordering

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

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// others are records of every kind but issues, which change while clients keep copies of their lists; and photos that
// are linked to an issue.
type others struct {
	t       *lab.Trial
	client  *lab.Client
	project string
	linked  string // the photos of an issue
	lists   []string
	mirrors []*mirror
	changes atomic.Int64

	mu   sync.Mutex
	uids map[string][]string
}

const otherWriters = 4

func newOthers(t *lab.Trial, s *lab.Site) (*others, error) {
	estates, err := estate.New(s, 1)
	if err != nil {
		return nil, err
	}
	e := estates[0]
	o := &others{t: t, client: s.NewClient(), project: "/projects/" + e.Project, uids: e.UIDs}
	o.linked = o.project + "/issues/" + e.First("issues") + "/photos"
	o.lists = []string{o.linked}
	for _, kind := range slices.Sorted(maps.Keys(estate.TextField)) {
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
	lab.Parallel(otherWriters, func(w int) {
		random := o.t.Random(19, w)
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
		_, err := lab.DoUntilAnswered(o.t, o.client, http.MethodPost, list, lab.Fields{
			"photo_uid": lab.QuotedJSON(o.one(random, "photos")),
		}.JSON())
		o.changes.Add(1)
		return err
	}
	kind := list[len(o.project)+1:]
	body := lab.Fields{estate.TextField[kind]: lab.QuotedJSON(text)}
	made := random.IntN(4) == 0
	switch kind {
	case "photos", "attachments", "sheets", "version_sets": // made of files
		made = false
	case "field_reports":
		body["report_date"] = lab.QuotedJSON("2026-03-01")
	case "annotations":
		body["sheet_uid"] = lab.QuotedJSON(o.one(random, "sheets"))
	case "views":
		body["of"] = lab.QuotedJSON("issues")
	}
	if made {
		a, err := lab.DoUntilAnswered(o.t, o.client, http.MethodPost, list, body.JSON())
		if err != nil {
			return err
		}
		var f lab.Fields
		o.changes.Add(1)
		o.mu.Lock()
		defer o.mu.Unlock()
		err = json.Unmarshal(a.Body, &f)
		o.uids[kind] = append(o.uids[kind], f.Text("uid"))
		return err
	}
	delete(body, "sheet_uid") // only a new one takes it, or the list that a view is of
	delete(body, "of")
	_, err := lab.DoUntilAnswered(o.t, o.client, http.MethodPatch, list+"/"+o.one(random, kind), body.JSON())
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
			if state, err = stateOf(o.t, o.client, m.list); err != nil {
				return err
			}
			states[m.list] = state
			records += len(state)
		}
		missing, wrong, first := m.compare(state)
		missed, wronged = missed+missing, wronged+wrong
		o.t.Require(missing+wrong == 0, "%s: %s", m.list, first)
		o.t.Require(len(state) > 0, "%s is empty", m.list)
	}
	o.t.Note("other kinds, with linked photos", "%d lists, %s records, %s changes; %d copies: %d missing, %d wrong",
		len(o.lists), lab.Thousands(records), lab.Thousands(int(o.changes.Load())), len(o.mirrors), missed, wronged)
	return nil
}
