// Package notice owns who is written to when something concerns them: whoever is newly assigned to an issue or an RFI, and those who follow one when it is
// commented. It follows the change log, so that nothing is told that did not happen, and everything once. It refuses to know the nouns: what it tells of is
// known by plurals, and what it needs of a record by the names of fields.
package notice

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/mail"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Desk writes to people.
type Desk struct {
	Store *store.Store
	Jobs  *job.Queue
	// Base gives the public address.
	Base func() string
	// Off writes to nobody.
	Off bool
}

// record is what is told of a record, and whom it concerns.
type record struct {
	UID        string            `json:"uid"`
	Deleted    bool              `json:"deleted"`
	CreatedBy  resource.Person   `json:"created_by"`
	Title      *string           `json:"title"`
	AssignedTo []resource.Person `json:"assigned_to"`
	Text       string            `json:"text"`
	Subject    resource.Ref      `json:"record"`

	plural string
	number uint32
}

// event is one thing that one person is told.
type event struct {
	on    *record
	by    uint32  // who did it
	said  *string // the comment; nil for an assignment
	entry int64   // when it happened, by the log
}

// names are how a record of a kind is called.
var names = map[string]string{"issues": "issue", "rfis": "RFI"}

// Tell reads what happened in a project and writes to those whom it concerns. The mails and the end of the job are one transaction, in the project's own
// order of writes: what is committed before is told by this job, and what comes later by the next, which can be made only when this one has ended.
func (d *Desk) Tell(ctx context.Context, t resource.Tell, r *job.Run) error {
	p, err := d.Store.Project(ctx, t.Project)
	if fault.Is(err, fault.NotFound) {
		return job.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	return d.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		if !d.Off {
			if err := d.write(tx, p, t.After); err != nil {
				return err
			}
		}
		return r.Complete(tx)
	})
}

// write enqueues a mail for everybody whom the changes after a sequence number concern.
func (d *Desk) write(tx *store.Tx, p *store.Project, after int64) error {
	told, err := gather(tx, after)
	if err != nil || len(told) == 0 {
		return err
	}
	l := &letter{base: d.Base(), project: p.UID}
	if l.title, err = titleOf(tx, p); err != nil {
		return err
	}
	people := make([]uint32, 0, len(told))
	for person := range told {
		people = append(people, person)
	}
	slices.Sort(people)
	for _, person := range people {
		to, err := recipient(tx, person)
		if err != nil {
			return err
		}
		if to == nil || !to.Notifications {
			continue
		}
		m, err := l.compose(tx, to, told[person])
		if err != nil {
			return err
		}
		if _, err := d.Jobs.Enqueue(tx, mail.Kind, m); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many lines of the log are read at once.
const atOnce = 500

// gather gives what each person is to be told, in the order in which it happened.
func gather(tx *store.Tx, after int64) (map[uint32][]event, error) {
	told := map[uint32][]event{}
	for {
		var lines []store.Entry
		err := tx.Feed(after, atOnce, func(e *store.Entry) {
			line := *e
			line.Diff = slices.Clone(e.Diff)
			lines = append(lines, line)
		})
		if err != nil {
			return nil, err
		}
		for i := range lines {
			after = lines[i].Seq
			if err := consider(tx, &lines[i], told); err != nil {
				return nil, err
			}
		}
		if len(lines) < atOnce {
			return told, nil
		}
	}
}

// consider adds whom one change concerns.
func consider(tx *store.Tx, e *store.Entry, told map[uint32][]event) error {
	add := func(person resource.Person, ev event) {
		if ordinal := uint32(person); ordinal != 0 && ordinal != ev.by && !slices.ContainsFunc(told[ordinal], ev.repeats) {
			told[ordinal] = append(told[ordinal], ev)
		}
	}
	switch e.Record.Kind() {
	case resource.Stored("comments"):
		if e.Op != store.Created {
			return nil
		}
		comment, err := read(tx, e.Record, "comments")
		if err != nil || comment.Deleted {
			return err
		}
		plural, uid := comment.Subject.Split()
		if names[plural] == "" {
			return nil
		}
		row, ok, err := tx.Get(resource.Stored(plural), uid)
		if err != nil || !ok || row.Deleted {
			return err
		}
		on, err := decode(row, plural)
		if err != nil {
			return err
		}
		for _, person := range append([]resource.Person{on.CreatedBy}, on.AssignedTo...) {
			add(person, event{on: on, by: e.Actor, said: &comment.Text, entry: e.Seq})
		}
	case resource.Stored("issues"), resource.Stored("rfis"):
		plural := "issues"
		if e.Record.Kind() == resource.Stored("rfis") {
			plural = "rfis"
		}
		before, newly, err := assigned(e)
		if err != nil || !newly {
			return err
		}
		on, err := read(tx, e.Record, plural)
		if err != nil || on.Deleted {
			return err
		}
		for _, person := range on.AssignedTo {
			if !slices.Contains(before, person) {
				add(person, event{on: on, by: e.Actor, entry: e.Seq})
			}
		}
	}
	return nil
}

// repeats tells whether somebody was told the same already: the same comment, or that the same is theirs.
func (ev event) repeats(other event) bool {
	return other.on.UID == ev.on.UID && (ev.said == nil && other.said == nil || ev.entry == other.entry)
}

// assigned gives who was assigned before a change, and whether it assigned anybody.
func assigned(e *store.Entry) (before []resource.Person, newly bool, err error) {
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
func read(tx *store.Tx, id store.ID, plural string) (*record, error) {
	row, ok, err := tx.At(id.Kind(), id.Ordinal())
	if err == nil && !ok {
		err = fault.Missing(plural, "")
	}
	if err != nil {
		return nil, err
	}
	return decode(row, plural)
}

func decode(row store.Row, plural string) (*record, error) {
	v := &record{plural: plural, number: row.ID.Ordinal()}
	return v, json.Unmarshal(row.Doc, v)
}

// recipient gives the account of a member who is still on the team and not shut out; nil otherwise.
func recipient(tx *store.Tx, person uint32) (*auth.Account, error) {
	row, ok, err := tx.At(auth.KindMember, person)
	if err != nil || !ok || row.Deleted {
		return nil, err
	}
	account, err := auth.AccountIn(tx, row.UID)
	if err != nil || account == nil || account.Disabled {
		return nil, err
	}
	return account, nil
}

// titleOf is the name of the project.
func titleOf(tx *store.Tx, p *store.Project) (string, error) {
	row, _, err := tx.Get(resource.Stored("projects"), p.UID)
	if err != nil {
		return "", err
	}
	var named struct {
		Name string `json:"name"`
	}
	return named.Name, json.Unmarshal(row.Doc, &named)
}
