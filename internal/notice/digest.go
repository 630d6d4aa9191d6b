package notice

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// record is what is told of a record, and whom it concerns.
type record struct {
	UID        string            `json:"uid"`
	Deleted    bool              `json:"deleted"`
	CreatedBy  document.Person   `json:"created_by"`
	Title      *string           `json:"title" of:"issues|rfis"`
	AssignedTo []document.Person `json:"assigned_to" of:"issues|rfis"`
	Text       string            `json:"text" of:"comments"`
	Subject    document.Ref      `json:"record" of:"comments"`

	plural string
	id     store.ID
}

// event is one thing that one person is told.
type event struct {
	on   *record
	by   uint32  // who did it
	said *string // the comment; nil for an assignment
}

// topic is what a person is told but once: the comment of a line of the log on a record, or, without a line, that the
// record is theirs.
type topic struct {
	record store.ID
	line   int64
}

// news is what one person is told.
type news struct {
	events []event // the first of them, in the order in which they happened
	topics map[topic]bool
}

// digest is what is told of the log of a project up to a line.
type digest struct {
	kinds  *resource.Catalog
	tells  []family.Notice
	after  int64
	people map[uint32]*news
}

func (d *digest) clone() *digest {
	c := &digest{kinds: d.kinds, tells: d.tells, after: d.after, people: map[uint32]*news{}}
	for person, n := range d.people {
		c.people[person] = &news{slices.Clone(n.events), maps.Clone(n.topics)}
	}
	return c
}

// source is where the log and the records are read.
type source struct {
	feed func(after int64, each func(*store.Entry) bool) error
	at   func(id store.ID) (doc []byte, ok bool, err error)
	find func(kind store.Kind, uid string) (id store.ID, doc []byte, ok bool, err error)
}

// atOnce is how many lines of the log are read at once, mostDiffs how many bytes of old and new values: they are in
// memory together.
const atOnce, mostDiffs = 500, 4 << 20

// beside reads what is committed, while others write.
func beside(ctx context.Context, s *store.Store, p *store.Project) source {
	first := func(page *store.Page, err error) (id store.ID, doc []byte, ok bool, _ error) {
		if err != nil {
			return 0, nil, false, err
		}
		defer page.Release()
		if len(page.Rows) == 0 {
			return 0, nil, false, nil
		}
		return page.Rows[0].ID, slices.Clone(page.Rows[0].Doc), true, nil
	}
	return source{
		feed: func(after int64, each func(*store.Entry) bool) error {
			_, _, err := s.Feed(ctx, p, after, atOnce, each)
			return err
		},
		at: func(id store.ID) ([]byte, bool, error) {
			_, doc, ok, err := first(s.Pick(ctx, []store.ID{id}))
			return doc, ok, err
		},
		find: func(kind store.Kind, uid string) (store.ID, []byte, bool, error) {
			page, _, err := s.Get(ctx, p, kind, uid)
			return first(page, err)
		},
	}
}

// within reads as a transaction sees it.
func within(tx *store.Tx) source {
	return source{
		feed: func(after int64, each func(*store.Entry) bool) error { return tx.Feed(after, atOnce, each) },
		at: func(id store.ID) ([]byte, bool, error) {
			row, ok, err := tx.At(id.Kind(), id.Ordinal())
			return row.Doc, ok, err
		},
		find: func(kind store.Kind, uid string) (store.ID, []byte, bool, error) {
			row, ok, err := tx.Get(kind, uid)
			return row.ID, row.Doc, ok, err
		},
	}
}

// gather reads on to the end of the log.
func (d *digest) gather(s source) error {
	for {
		var lines []store.Entry
		diffs := 0
		err := s.feed(d.after, func(e *store.Entry) bool {
			line := *e
			line.Diff = slices.Clone(e.Diff)
			lines = append(lines, line)
			diffs += len(e.Diff)
			return diffs < mostDiffs
		})
		if err != nil {
			return err
		}
		for i := range lines {
			if err := d.consider(s, &lines[i]); err != nil {
				return err
			}
			d.after = lines[i].Seq
		}
		if len(lines) < atOnce && diffs < mostDiffs {
			return nil
		}
	}
}

// consider adds whom one change concerns.
func (d *digest) consider(s source, e *store.Entry) error {
	for _, n := range d.tells {
		if e.Record.Kind() != d.kinds.Number(n.Kind) {
			continue
		}
		if n.Of == family.Assigned {
			return d.assigned(s, e, n.Kind)
		}
		if e.Op == store.Created && !e.Deleted {
			return d.commented(s, e, n.Kind)
		}
	}
	return nil
}

func (d *digest) commented(s source, e *store.Entry, kind string) error {
	comment, err := read(s, e.Record, kind)
	if err != nil {
		return err
	}
	plural, uid := comment.Subject.Split()
	if !slices.Contains(family.Followed(d.tells), plural) {
		return nil
	}
	id, doc, ok, err := s.find(d.kinds.Number(plural), uid)
	if err != nil || !ok {
		return err
	}
	on, err := decode(id, doc, plural)
	if err != nil || on.Deleted {
		return err
	}
	for _, person := range append([]document.Person{on.CreatedBy}, on.AssignedTo...) {
		if n := d.tell(uint32(person), e, topic{id, e.Seq}); n != nil {
			n.events = append(n.events, event{on: on, by: e.Actor, said: &comment.Text})
		}
	}
	return nil
}

func (d *digest) assigned(s source, e *store.Entry, plural string) error {
	before, newly, err := assignedBefore(e)
	if err != nil || !newly || e.Deleted {
		return err
	}
	var on *record // read for those only who are shown it
	for term := range strings.SplitSeq(e.Terms, "\t") {
		value, found := strings.CutPrefix(term, "assigned_to=")
		person, err := strconv.ParseUint(value, 10, 32)
		if !found || err != nil || slices.Contains(before, document.Person(person)) {
			continue
		}
		n := d.tell(uint32(person), e, topic{record: e.Record})
		if n == nil {
			continue
		}
		if on == nil {
			if on, err = read(s, e.Record, plural); err != nil {
				return err
			}
		}
		n.events = append(n.events, event{on: on, by: e.Actor})
	}
	return nil
}

// tell notes that a person is told something, and gives their news where it is to be shown: nobody is told of their own
// doing, nor of what nobody here did, nor anything twice.
func (d *digest) tell(person uint32, e *store.Entry, about topic) *news {
	if person == 0 || e.Actor == 0 || person == e.Actor {
		return nil
	}
	n := d.people[person]
	if n == nil {
		n = &news{topics: map[topic]bool{}}
		if d.people == nil {
			d.people = map[uint32]*news{}
		}
		d.people[person] = n
	}
	if n.topics[about] {
		return nil
	}
	n.topics[about] = true
	if len(n.events) == mostEvents {
		return nil
	}
	return n
}

// assignedBefore gives who was assigned before a change, and whether it assigned anybody.
func assignedBefore(e *store.Entry) (before []document.Person, newly bool, err error) {
	if e.Op == store.Created {
		return nil, true, nil
	}
	if e.Op != store.Updated {
		return nil, false, nil
	}
	var diff map[string][2]jsontext.Value
	if err := json.Unmarshal(e.Diff, &diff); err != nil {
		return nil, false, err
	}
	change, ok := diff["assigned_to"]
	if !ok {
		return nil, false, nil
	}
	return before, true, json.Unmarshal(change[0], &before)
}

// read reads a record as it is now.
func read(s source, id store.ID, plural string) (*record, error) {
	doc, ok, err := s.at(id)
	if err == nil && !ok {
		err = fault.Missing(plural, "")
	}
	if err != nil {
		return nil, err
	}
	return decode(id, doc, plural)
}

func decode(id store.ID, doc []byte, plural string) (*record, error) {
	v, err := records.Read(store.Row{Doc: doc})
	if err != nil {
		return nil, err
	}
	v.plural, v.id = plural, id
	return v, nil
}
