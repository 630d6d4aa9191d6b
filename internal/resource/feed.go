package resource

import (
	"context"
	"strconv"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

const (
	mostChanges    = 1000
	defaultChanges = 100
	// mostRounds bounds how much of the log, or of the records of a walk, one request passes over that is not shown.
	mostRounds = 20
	// leastRead is how many lines are read at once, to pass over those that are not shown.
	leastRead = 100
	// mostRead is how many bytes of old and new values, and of records, one answer reads, shown or not: a thousand
	// changes of large records would hold a reader for seconds. What is left out comes with the next page.
	mostRead = 4 << 20
	// atEnd is beyond every sequence number: what is read after it is only how far the project is.
	atEnd = 1 << 62
)

// Changes are the routes of a project's change log: what happened to which record, in commit order. A reader that goes
// on from next_after misses nothing and gets nothing twice.
func (c *Catalog) Changes() []api.Route {
	changes := api.Route{
		Method: "GET", Pattern: "/projects/{project}/changes", Access: api.Member, Right: auth.Everyone, Tag: "changes",
		Status: 200, Extension: true, Errors: []int{400},
		Summary: "Follow the changes of a project, in the order in which they were committed. With the header Prefer: wait=30 the answer waits until there is one.",
		Query: append([]api.Param{
			afterParam,
			{Name: "limit", Summary: "The most changes, or with latest=true records, to give.", Schema: api.Schema{
				"type": "integer", "minimum": 0, "maximum": mostChanges, "default": defaultChanges,
				"description": "With latest=true it is 1,000 unless given.",
			}},
			{
				Name: "latest", Summary: "Walk all records in their present state instead of the log; with include=records.",
				Schema: api.Schema{"type": "boolean"},
			},
			{
				Name: "cursor", Summary: "Where a walk with latest=true goes on; part of next_page_url.",
				Schema: api.Schema{"type": "string"},
			},
		}, c.viewParams()...),
		Out: document.SchemaRef("ChangePage"), Components: c.changeSchemas(),
		Do: func(call *api.Call) error { return feed(call, c) },
	}
	where := &presence{}
	return []api.Route{changes, c.events(where), c.attending(where)}
}

// feed answers with the next part of the log, after waiting for it when the caller prefers that.
func feed(c *api.Call, all *Catalog) error {
	if c.Query().Has("latest") {
		if latest, err := wantsLatest(c); err != nil || latest {
			if err == nil {
				err = walk(c, all)
			}
			return err
		}
	}
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
	*view
	limit      int
	after      int64 // the last sequence that was looked at
	clock, seq int64 // of the project, before the log was read
	shown      int
	bytes      int // that were read
	most       int // of those
	more       bool
	waits      bool // the caller's preference to wait is honoured
	rows       []byte
}

func newReader(c *api.Call, all *Catalog) (*reader, error) {
	r := &reader{limit: defaultChanges, most: mostRead}
	q, problems := c.Query(), map[string]string{}
	r.view = readView(c, all, problems)
	readLimit(q, &r.limit, mostChanges, problems)
	if q.Has("after") {
		r.after = readAfter(q.Get("after"), "after", problems)
	}
	if q.Has("cursor") {
		problems["cursor"] = "It belongs to a walk with latest=true. The log goes on with after."
	}
	return r, fault.Fields(problems)
}

// takenBack refuses a sequence number of a change that the restore of a backup took back.
func takenBack(c *api.Call, p *store.Project, seq int64, field string) error {
	gone, err := c.Store.TakenBack(c.Context(), p, seq)
	if err == nil && gone {
		err = fault.Field(field, "It is from before a backup was restored. Begin again with 0.")
	}
	return err
}

// read goes on until there is enough, or no more.
func (r *reader) read() error {
	began := r.after
	if err := takenBack(r.c, r.project, began, "after"); err != nil {
		return err
	}
	for range mostRounds {
		lines, err := r.lines()
		if err != nil {
			return err
		}
		if began > r.seq {
			return fault.Field("after",
				"The last change of the project has the sequence number %d. Begin again with 0.", r.seq)
		}
		for _, l := range lines {
			if err := r.add(l); err != nil {
				return err
			}
			// A change of the caller's role may show more than was read.
			if len(r.rows) >= 2*mostRead {
				r.after, r.more = l.Seq, true
				return nil
			}
		}
		if r.more = r.more || r.after < r.seq; !r.more || r.shown >= r.limit || r.bytes >= r.most {
			return nil
		}
	}
	return nil
}

// lines reads the next lines that the caller is shown, and admits the caller anew: whoever was removed by a change that
// was just read is shown nothing that came after.
func (r *reader) lines() (lines []*line, err error) {
	feed := r.c.Store.Feed
	if r.records {
		feed = r.c.Store.FeedRecords
	}
	from, bytes := r.after, r.bytes
	for {
		r.more = false
		r.clock, r.seq, err = feed(r.c.Context(), r.project, r.after, max(r.limit-r.shown+1, leastRead),
			func(ch *store.Entry) bool {
				if r.shown+len(lines) >= r.limit || r.bytes >= r.most {
					r.more = true
					return false
				}
				r.after = ch.Seq
				r.bytes += len(ch.Diff) + len(ch.Now.Doc) // what is passed over was read too
				if kind, word := r.shows(ch); word != "" || r.isOwn(ch) {
					lines = append(lines, keep(kind, ch))
				}
				return true
			})
		r.c.Read(r.bytes - bytes)
		if err == nil {
			err = r.c.Store.Known(r.c.Context(), r.project, r.clock, r.seq)
		}
		if err != nil {
			return nil, err
		}
		same, err := r.readmit()
		if same || err != nil {
			return lines, err
		}
		r.after, r.bytes, lines = from, bytes, nil // in another role they see other lines
	}
}

// add shows a line.
func (r *reader) add(l *line) error {
	each := func(part []byte) {
		if r.shown > 0 {
			r.rows = append(r.rows, ',')
		}
		r.rows = append(r.rows, part...)
		r.shown++
	}
	return r.view.each(l, each)
}

func (r *reader) answer() error {
	r.c.SetHeader("X-Clock", document.StampText(r.clock))
	r.c.SetHeader("Vary", "Prefer")
	if r.waits {
		r.c.SetHeader("Preference-Applied", "wait="+strconv.Itoa(int(r.c.AskedToWait()/time.Second)))
	}
	tag := personalTag(r.c, r.seq)
	if r.records { // whose links are others in each period
		tag += "-" + strconv.FormatInt(r.c.Period(), 36) + "-" + strconv.FormatInt(r.c.TilePeriod(), 36)
	}
	if r.c.Fresh(tag) {
		return nil
	}
	return send(r.c, 200, func(buf []byte) []byte {
		buf = append(buf, `{"data":[`...)
		buf = append(buf, r.rows...)
		next := ""
		if r.more && r.limit > 0 {
			next = r.c.Query().With("after", strconv.FormatInt(r.after, 10), "limit", strconv.Itoa(r.limit))
		}
		return appendPageEnd(buf, r.c, r.after, next)
	})
}

// appendPageEnd ends a part of the log: where to go on, and the query of what follows at once; "" where nothing does.
func appendPageEnd(buf []byte, c *api.Call, after int64, next string) []byte {
	buf = strconv.AppendInt(append(buf, `],"next_after":`...), after, 10)
	buf = append(buf, `,"next_page_url":`...)
	if next == "" {
		return append(buf, "null}"...)
	}
	return append(append(buf, quote(c.Base+c.Path()+"?"+next)...), '}')
}
