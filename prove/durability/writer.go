package durability

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// writer makes, changes and deletes records of its own, one request after the other.
type writer struct {
	journal *journal
	client  *lab.Client
	random  *rand.Rand
	name    string
	made    int
	issues  []*known
	lists   []*known
}

// newWriters gives every record that can be written to one of the writers.
func newWriters(t *lab.Trial, j *journal, c *lab.Client, round int) []*writer {
	out := make([]*writer, lab.Writers)
	for i := range out {
		out[i] = &writer{journal: j, client: c, random: t.Random(round, i), name: fmt.Sprintf("%d.%d", round, i)}
	}
	for i, uid := range slices.Sorted(maps.Keys(j.known)) {
		w, k := out[i%lab.Writers], j.known[uid]
		switch {
		case bytes.Contains(k.raw, []byte(`"deleted":true`)):
		case k.kind == "issues":
			w.issues = append(w.issues, k)
		case k.kind == "issue_lists":
			w.lists = append(w.lists, k)
		}
	}
	return out
}

// work writes until the context ends, a request gets no answer, or the service gives a wrong one. told is called after
// each acknowledgement.
func (w *writer) work(ctx context.Context, told func()) {
	for ctx.Err() == nil {
		before := w.journal.acked.Load()
		if !w.step(ctx) {
			return
		}
		if w.journal.acked.Load() > before {
			told()
		}
	}
}

// step makes one request.
func (w *writer) step(ctx context.Context) (goOn bool) {
	switch n := w.random.IntN(16); {
	case n == 0:
		return w.batch(ctx)
	case n == 1 && !w.journal.noFiles:
		return w.upload(ctx)
	}
	o := w.next(nil)
	var body []byte
	if o.fields != nil {
		body = o.fields.JSON()
	}
	// A request that was begun is waited for, whoever else gives up.
	a, err := w.client.Do(context.WithoutCancel(ctx), o.method, w.journal.project+o.path, body)
	switch {
	case lab.IsRefused(err):
		return false
	case err != nil:
		w.journal.failed(err)
		w.journal.unanswered(o)
		return false
	}
	w.journal.answered(o, a.Status, a.Body)
	w.adopt(o)
	return a.OK()
}

// batch makes several writes, of different records, in one request.
func (w *writer) batch(ctx context.Context) (goOn bool) {
	type part struct {
		Method string  `json:"method"`
		Path   string  `json:"path"`
		Body   *string `json:"body"`
	}
	var ops []*op
	var parts []part
	for range 2 + w.random.IntN(4) {
		o := w.next(ops)
		ops = append(ops, o)
		p := part{Method: o.method, Path: w.journal.project + o.path}
		if o.fields != nil {
			body := string(o.fields.JSON())
			p.Body = &body
		}
		parts = append(parts, p)
	}
	body, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	a, err := w.client.Do(context.WithoutCancel(ctx), http.MethodPost, "/batch", body)
	if lab.IsRefused(err) {
		return false
	}
	w.journal.failed(err)
	var results struct {
		Data []struct {
			Status int    `json:"status_code"`
			Body   string `json:"body"`
		} `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(a.Body, &results)
	}
	if err != nil || len(results.Data) != len(ops) {
		for _, o := range ops {
			w.journal.unanswered(o)
		}
		return false
	}
	for i, o := range ops {
		w.journal.answered(o, results.Data[i].Status, []byte(results.Data[i].Body))
		w.adopt(o)
	}
	return true
}

// adopt takes up a record that was made, and lets go of one that was deleted.
func (w *writer) adopt(o *op) {
	mine := &w.issues
	switch o.target.kind {
	case "issue_lists":
		mine = &w.lists
	case "attachments":
		return
	}
	switch {
	case o.method == http.MethodPost && o.target.uid != "":
		*mine = append(*mine, o.target)
	case o.method == http.MethodDelete:
		*mine = slices.DeleteFunc(*mine, func(k *known) bool { return k == o.target })
	}
}

// next chooses a write of a record that none of the others touches.
func (w *writer) next(others []*op) *op {
	free := func(k *known) bool { return !slices.ContainsFunc(others, func(o *op) bool { return o.target == k }) }
	switch n := w.random.IntN(20); {
	case n < 7 && len(w.issues) > 0:
		if k := w.issues[w.random.IntN(len(w.issues))]; free(k) {
			return &op{http.MethodPatch, "/issues/" + k.uid, w.someFields(), k}
		}
	case n < 9 && len(w.lists) > 0:
		if k := w.lists[w.random.IntN(len(w.lists))]; free(k) {
			return &op{http.MethodPatch, "/issue_lists/" + k.uid, lab.Fields{"name": w.title()}, k}
		}
	case n < 10 && len(w.lists) > 0:
		if k := w.lists[w.random.IntN(len(w.lists))]; free(k) {
			return &op{http.MethodDelete, "/issue_lists/" + k.uid, nil, k}
		}
	case n < 12:
		return &op{http.MethodPost, "/issue_lists", lab.Fields{"name": w.title()}, &known{kind: "issue_lists"}}
	}
	f := w.someFields()
	if len(w.lists) > 0 && len(others) == 0 && w.random.IntN(3) == 0 {
		f["issue_list_uid"] = lab.QuotedJSON(w.lists[w.random.IntN(len(w.lists))].uid)
	}
	return &op{http.MethodPost, "/issues", f, &known{kind: "issues"}}
}

// title names each record for all time.
func (w *writer) title() jsontext.Value {
	w.made++
	return lab.QuotedJSON(fmt.Sprintf("%s %d, façade <%d>", w.name, w.made, w.random.IntN(1000)))
}

// someFields are values for an issue, shown as they are sent.
func (w *writer) someFields() lab.Fields {
	f := lab.Fields{"title": w.title()}
	maybe := func(name string, value func() jsontext.Value) {
		if w.random.IntN(2) == 0 {
			f[name] = value()
		}
	}
	oneOf := func(texts ...string) func() jsontext.Value {
		return func() jsontext.Value { return lab.QuotedJSON(texts[w.random.IntN(len(texts))]) }
	}
	number := func() jsontext.Value { return jsontext.Value(strconv.Itoa(w.random.IntN(1_000_000))) }
	maybe("description", func() jsontext.Value {
		return lab.QuotedJSON(strings.Repeat("Sealant missing. ", w.random.IntN(60)))
	})
	maybe("room", oneOf("Level 1", "Level 2", "Plant room"))
	maybe("status", oneOf("open", "in_review", "pending", "closed"))
	maybe("type", oneOf("issue", "planned_work", "other"))
	maybe("start_date", oneOf("2026-03-01", "2026-04-02"))
	maybe("has_schedule_impact", func() jsontext.Value { return jsontext.Value("true") })
	maybe("schedule_impact", number)
	return f
}
