package resource

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

const (
	mostChanges    = 1000
	defaultChanges = 100
	// mostRounds bounds how much of the log one request passes over that is not shown.
	mostRounds = 20
	// leastRead is how many lines are read at once, to pass over those that are not shown.
	leastRead = 100
)

// operations are the words of the feed. A change of what is shown with a record, such as a count, is not one of the record and has no word.
var operations = map[store.Op]string{
	store.Created: "create", store.Updated: "update", store.Deleted: "delete", store.Restored: "restore", store.Linked: "link", store.Unlinked: "unlink",
}

// Changes is the route of a project's change log: what happened to which record, in commit order. A reader that goes on from next_after misses
// nothing and gets nothing twice.
func Changes(all *Catalog) api.Route {
	everyone := auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	change := object("A change of one record.", api.Schema{
		"sequence":  api.Schema{"type": "integer", "format": "int64", "minimum": 1, "description": "Later changes have greater ones; not every number is shown."},
		"kind":      api.Schema{"type": "string", "description": "The plural of the record's kind."},
		"uid":       api.Schema{"type": "string"},
		"operation": api.Schema{"type": "string", "enum": []any{"create", "update", "delete", "restore", "link", "unlink"}},
		"actor":     orNull(ref("UserReference")),
		"time":      stampSchema,
		"fields":    api.Schema{"type": "array", "items": api.Schema{"type": "string"}, "description": "The names of the fields that changed; none for a create."},
	})
	parts := shared()
	parts["Change"] = change
	parts["ChangePage"] = object("A part of the change log.", api.Schema{
		"data":          api.Schema{"type": "array", "items": ref("Change")},
		"next_after":    api.Schema{"type": "integer", "format": "int64", "minimum": 0, "description": "Where to go on: the next request's after."},
		"next_page_url": api.Schema{"type": []any{"string", "null"}, "format": "uri", "description": "The next part; null where there is none yet."},
	})
	return api.Route{
		Method: "GET", Pattern: "/projects/{project}/changes", Access: api.Member, Right: everyone, Tag: "changes", Status: 200, Extension: true, Errors: []int{400},
		Summary: "Follow the changes of a project, in the order in which they were committed. With the header Prefer: wait=30 the answer waits until there is one.",
		Query: []api.Param{
			{Name: "after", Summary: "Only changes after this sequence number.", Schema: api.Schema{"type": "integer", "minimum": 0, "default": 0}},
			{Name: "limit", Summary: "The most changes to give.", Schema: api.Schema{"type": "integer", "minimum": 0, "maximum": mostChanges, "default": defaultChanges}},
		},
		Out: ref("ChangePage"), Components: parts,
		Do: func(c *api.Call) error { return feed(c, all) },
	}
}

// feed answers with the next part of the log, after waiting for it when the caller prefers that.
func feed(c *api.Call, all *Catalog) error {
	r, err := newReader(c, all)
	if err != nil {
		return err
	}
	wait := c.AskedToWait()
	r.waits = wait > 0
	for end := time.Now().Add(wait); ; {
		if err := r.read(); err != nil {
			return err
		}
		if err := r.stillAllowed(); err != nil {
			return err
		}
		left := time.Until(end)
		if wait == 0 || r.shown > 0 || r.more || r.limit == 0 || left <= 0 {
			return r.answer()
		}
		moved := false
		waited, err := c.Wait(left, func(ctx context.Context) { moved = c.Store.Await(ctx, r.project, r.seq) })
		if err != nil {
			return err
		}
		if r.waits = waited; !moved {
			return r.answer()
		}
	}
}

// reader is how far one request has read the log.
type reader struct {
	c          *api.Call
	all        *Catalog
	project    *store.Project
	limit      int
	after      int64 // the last sequence that was looked at
	clock, seq int64 // of the project, before the log was read
	shown      int
	more       bool
	waits      bool // the caller's preference to wait is honoured
	people     *gallery
	rows       []byte
}

func newReader(c *api.Call, all *Catalog) (*reader, error) {
	r := &reader{c: c, all: all, project: c.Scope.Project(), limit: defaultChanges}
	q, problems := c.Query(), map[string]string{}
	readLimit(q, &r.limit, mostChanges, problems)
	if q.Has("after") {
		n, err := strconv.ParseInt(q.Get("after"), 10, 64)
		if err != nil || n < 0 || q.Get("after")[0] == '+' {
			problems["after"] = "It must be 0 or a sequence number that the change log gave."
		}
		r.after = n
	}
	if err := fault.Fields(problems); err != nil {
		return nil, err
	}
	return r, nil
}

// read goes on until there is enough, or no more.
func (r *reader) read() (err error) {
	if r.people, err = galleryOf(r.c, r.project); err != nil {
		return err
	}
	seen := map[store.Kind][][]string{}
	began := r.after
	for range mostRounds {
		r.more = false
		r.clock, r.seq, err = r.c.Store.Feed(r.c.Context(), r.project, r.after, max(r.limit-r.shown+1, leastRead), func(ch *store.Entry) {
			if r.shown >= r.limit {
				r.more = true
				return
			}
			r.after = ch.Seq
			r.add(ch, seen)
		})
		if err != nil {
			return err
		}
		if began > r.seq {
			return fault.Field("after", "The last change of the project has the sequence number %d. Begin again with 0.", r.seq)
		}
		if r.more = r.more || r.after < r.seq; !r.more || r.shown >= r.limit {
			return nil
		}
	}
	return nil
}

// stillAllowed refuses a caller who was removed by a change that was just read: whoever is no longer in the project is shown nothing that came after.
func (r *reader) stillAllowed() error {
	if err := r.c.Store.Known(r.c.Context(), r.project, r.clock); err != nil {
		return err
	}
	return r.c.Readmit()
}

// add shows a change, unless it is none of a record's own, or of one that the caller does not see.
func (r *reader) add(ch *store.Entry, seen map[store.Kind][][]string) {
	number := ch.Record.Kind()
	kind := r.all.find(number)
	word := operations[ch.Op]
	if kind == nil || word == "" {
		return
	}
	groups, known := seen[number]
	if !known {
		groups = kind.sees(r.c.Scope)
		seen[number] = groups
	}
	if !visible(ch.Terms, groups) {
		return
	}
	_, plural := kind.stored()
	buf := r.rows
	if r.shown > 0 {
		buf = append(buf, ',')
	}
	r.shown++
	buf = strconv.AppendInt(append(buf, `{"sequence":`...), ch.Seq, 10)
	buf = append(append(buf, `,"kind":"`...), plural...)
	buf = appendText(append(buf, `","uid":`...), ch.UID)
	buf = append(append(buf, `,"operation":"`...), word...)
	buf = appendOf(append(buf, `","actor":`...), r.people.people, ch.Actor)
	buf = appendStamp(append(buf, `,"time":`...), ch.Clock)
	r.rows = append(appendNames(append(buf, `,"fields":`...), ch.Diff), '}')
}

// appendNames appends the names of a stored object's members as an array.
func appendNames(buf, object []byte) []byte {
	buf = append(buf, '[')
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	_, err := dec.ReadToken() // the brace; there is no object where nothing differed
	for n := 0; err == nil && dec.PeekKind() == '"'; n++ {
		if n > 0 {
			buf = append(buf, ',')
		}
		var name jsontext.Token
		if name, err = dec.ReadToken(); err == nil {
			buf = appendText(buf, name.String())
			err = dec.SkipValue()
		}
	}
	return append(buf, ']')
}

func (r *reader) answer() error {
	r.c.SetHeader("X-Clock", StampText(r.clock))
	r.c.SetHeader("Vary", "Prefer")
	if r.waits {
		r.c.SetHeader("Preference-Applied", "wait="+strconv.Itoa(int(r.c.AskedToWait()/time.Second)))
	}
	if r.c.Fresh(mine(r.c, r.seq)) {
		return nil
	}
	return send(r.c, 200, func(buf []byte) []byte {
		buf = append(buf, `{"data":[`...)
		buf = append(buf, r.rows...)
		buf = strconv.AppendInt(append(buf, `],"next_after":`...), r.after, 10)
		buf = append(buf, `,"next_page_url":`...)
		if !r.more || r.limit == 0 {
			return append(buf, "null}"...)
		}
		query := r.c.Query().With("after", strconv.FormatInt(r.after, 10), "limit", strconv.Itoa(r.limit))
		return append(append(buf, quote(r.c.Base+r.c.Path()+"?"+query)...), '}')
	})
}
