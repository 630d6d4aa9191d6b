package durability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// journal is what a set of writers was told about the records of one project, and what they cannot know.
type journal struct {
	project string // path
	noFiles bool   // its writers upload nothing
	acked   atomic.Int64
	cut     atomic.Int64 // answers that had begun and did not end
	reads   atomic.Int64

	mu       sync.Mutex
	known    map[string]*known // by uid
	creating map[string]*known // sent and not answered, by title
	wrong    []string          // answers that should not have been given
	files    map[string]string // the hashes of what was sent, by the names of the documents

	seen
}

// seen is what the checks of a journal found.
type seen struct {
	lost     int // acknowledged and not there
	changed  int // there, but neither as acknowledged nor as the one change in flight would have made it
	half     int // records that lack fields
	invented int // records that nobody asked for
	gaps     int // numbers that are missing, twice, or out of order
	torn     int // documents whose file is missing, short or another
	unsaid   int // changes that took effect and were never answered
	first    string
}

func (s *seen) bad() int { return s.lost + s.changed + s.half + s.invented + s.gaps + s.torn }

func (s *seen) add(o seen) {
	s.lost, s.changed, s.half, s.invented = s.lost+o.lost, s.changed+o.changed, s.half+o.half, s.invented+o.invented
	s.gaps, s.unsaid, s.torn = s.gaps+o.gaps, s.unsaid+o.unsaid, s.torn+o.torn
	if s.first == "" {
		s.first = o.first
	}
}

func (s *seen) note(count *int, format string, args ...any) {
	if *count++; s.first == "" {
		s.first = fmt.Sprintf(format, args...)
	}
}

// known is one record as its writer knows it.
type known struct {
	kind    string
	uid     string
	raw     jsontext.Value // exactly as last acknowledged; nil while the create is not answered
	deleted bool           // a delete was acknowledged since
	pending lab.Fields     // what was sent last and not answered
	looked  bool           // its file was compared with what was sent
}

func newJournal(project string) *journal {
	return &journal{
		project: project, known: map[string]*known{}, creating: map[string]*known{}, files: map[string]string{},
	}
}

// op is one write.
type op struct {
	method string
	path   string // below the project
	fields lab.Fields
	target *known
}

// answered notes the answer to a write.
func (j *journal) answered(o *op, status int, body []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case o.method == "POST" && status == 201, o.method == "PATCH" && status == 200:
		var f lab.Fields
		if err := json.Unmarshal(body, &f); err != nil || f.Text("uid") == "" {
			j.wrong = append(j.wrong, fmt.Sprintf("%s %s: %d %s", o.method, o.path, status, lab.Clip(body)))
			return
		}
		o.target.raw, o.target.uid = body, f.Text("uid")
		j.known[o.target.uid] = o.target
	case o.method == "DELETE" && status == 204:
		o.target.deleted = true
	default:
		j.wrong = append(j.wrong, fmt.Sprintf("%s %s: %d %s", o.method, o.path, status, lab.Clip(body)))
		return
	}
	j.acked.Add(1)
}

// unanswered notes a write whose outcome is not known.
func (j *journal) unanswered(o *op) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o.target.pending = o.fields
	switch o.method {
	case "POST":
		j.creating[o.fields.Text(titleOf(o.target.kind))] = o.target
	case "DELETE":
		o.target.pending = lab.Fields{"deleted": jsontext.Value("true")}
	}
}

// read reads lists until the context ends or a request gets no answer.
func (j *journal) read(ctx context.Context, c *lab.Client) {
	for ctx.Err() == nil {
		a, err := c.Do(context.WithoutCancel(ctx), http.MethodGet,
			j.project+"/issues?updated_after=1970-01-01T00:00:00Z", nil)
		if err != nil {
			j.failed(err)
			return
		}
		if j.reads.Add(1); !a.OK() {
			j.mu.Lock()
			j.wrong = append(j.wrong, "a read: "+a.String())
			j.mu.Unlock()
			return
		}
	}
}

// failed notes a request without a whole answer.
func (j *journal) failed(err error) {
	if errors.Is(err, lab.ErrAnswerCut) {
		j.cut.Add(1)
	}
}

// titleOf is the field that a create is recognised by.
func titleOf(kind string) string {
	if kind == "issues" {
		return "title"
	}
	return "name"
}

// check compares everything with the service, and takes what it finds as the new state.
func (j *journal) check(ctx context.Context, c *lab.Client) (seen, error) {
	j.seen = seen{}
	a, err := c.Do(ctx, http.MethodGet, j.project, nil)
	if err != nil {
		return j.seen, err
	}
	if a.Status == http.StatusNotFound {
		j.note(&j.lost, "lost: the project with all that is in it")
		j.lost += len(j.known)
		clear(j.known)
		return j.seen, nil
	}
	found := map[string]bool{}
	for _, kind := range []string{"issues", "issue_lists", "attachments"} {
		records, total, err := c.ListAll(ctx, j.project+"/"+kind)
		if err != nil {
			return j.seen, err
		}
		if total != len(records) {
			j.note(&j.gaps, "%s: total_count is %d, %d were listed", kind, total, len(records))
		}
		if err := j.compare(kind, records, found); err != nil {
			return j.seen, err
		}
		if kind == "attachments" {
			if err := j.lookAll(ctx, c, records); err != nil {
				return j.seen, err
			}
		}
	}
	j.missing(found)
	clear(j.creating) // whatever did not happen by now never will
	return j.seen, nil
}

// missing notes what was acknowledged and not found.
func (j *journal) missing(found map[string]bool) {
	for uid, k := range j.known {
		if !found[uid] {
			j.note(&j.lost, "lost: %s %s, acknowledged as %s", k.kind, uid, lab.Clip(k.raw))
			delete(j.known, uid) // told once
		}
	}
}

func (j *journal) compare(kind string, records []jsontext.Value, found map[string]bool) error {
	var names []string
	for i, raw := range records {
		var f lab.Fields
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		uid := f.Text("uid")
		if found[uid] {
			j.note(&j.gaps, "twice in the list: %s %s", kind, uid)
		}
		found[uid] = true
		if number := string(f["number"]); kind == "issues" && number != fmt.Sprint(i+1) {
			j.note(&j.gaps, "the issue at place %d has the number %s", i+1, number)
		}
		has := slices.Sorted(maps.Keys(f))
		if names == nil {
			names = has
		}
		if !slices.Equal(has, names) || f.Text("created_at") == "" || f.Text("updated_at") == "" {
			j.note(&j.half, "half-made: %s", lab.Clip(raw))
		}
		j.compareOne(kind, uid, raw, f)
	}
	return nil
}

func (j *journal) compareOne(kind, uid string, raw jsontext.Value, f lab.Fields) {
	k := j.known[uid]
	if k == nil {
		title := f.Text(titleOf(kind))
		if k = j.creating[title]; k == nil || !holds(f, k.pending) {
			j.note(&j.invented, "nobody asked for %s", lab.Clip(raw))
			return
		}
		delete(j.creating, title)
		j.unsaid++
		j.known[uid] = k
	} else {
		happened := k.pending != nil && j.happened(k, raw, f)
		if happened {
			j.unsaid++
		}
		if !happened && !k.stands(raw, f) {
			j.note(&j.changed, "acknowledged (deleted: %t) was %s; now it is %s", k.deleted, k.raw, raw)
		}
	}
	k.uid, k.raw, k.pending, k.deleted = uid, raw, nil, false
}

// stands tells whether the record is as it was acknowledged.
func (k *known) stands(raw jsontext.Value, f lab.Fields) bool {
	if !k.deleted {
		return bytes.Equal(lab.WithoutFileLinks(k.raw), lab.WithoutFileLinks(raw))
	}
	return k.became(f, lab.Fields{"deleted": jsontext.Value("true")})
}

func (j *journal) happened(k *known, raw jsontext.Value, f lab.Fields) bool {
	return !bytes.Equal(k.raw, raw) && k.became(f, k.pending)
}

// follow lists the fields that follow from a change without being part of it.
var follow = []string{"updated_at", "updated_by", "closed_at"}

// became tells whether f is what was acknowledged with the change made to it, whole and nothing else.
func (k *known) became(f, change lab.Fields) bool {
	var was lab.Fields
	if err := json.Unmarshal(k.raw, &was); err != nil || was.Text("updated_at") >= f.Text("updated_at") {
		return false
	}
	maps.Copy(was, change)
	for name := range was {
		if !slices.Contains(follow, name) && !same(was[name], f[name]) {
			return false
		}
	}
	return true
}

// holds tells whether f has all of some values.
func holds(f, some lab.Fields) bool {
	for name, value := range some {
		// A record is referred to by its uid and shown with its address.
		if at, ok := strings.CutSuffix(name, "_uid"); ok {
			if !bytes.Contains(f[at], value) {
				return false
			}
		} else if !same(f[name], value) {
			return false
		}
	}
	return true
}

// same compares two JSON values by what they mean.
func same(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}
