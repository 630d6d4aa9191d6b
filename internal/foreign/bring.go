package foreign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// bringing is a file whose rows become records.
type bringing struct {
	Site
	Target
	Options
	*found
	report *Report
	items  []*item
	maker  *reader

	here     map[string]mark   // the records that are here, by uid
	taken    map[uint32]bool   // numbers that records show
	next     uint32            // the ordinal of the next record
	free     uint32            // no number below it is free
	lists    map[string]string // uids of issue lists by folded names
	deleted  map[string]bool   // uids of issue lists that are deleted
	statuses map[string]string // uids of the statuses of RFIs by folded labels
	first    string            // the uid of the one that a new RFI has
	own      map[string]bool   // uids of what the file has
}

// seeded are the statuses that RFIs of a new project have.
var seeded = []string{"draft", "open", "sent", "answered", "void", "closed"}

// look finds out what is here already.
func (b *bringing) look(ctx context.Context) error {
	b.here, b.taken, b.next = map[string]mark{}, map[uint32]bool{}, 1
	b.lists, b.deleted, b.statuses = map[string]string{}, map[string]bool{}, map[string]string{}
	if !b.Exists {
		for _, label := range seeded {
			b.statuses[label] = label
		}
		b.first = seeded[0]
		return nil
	}
	p := b.Scope.Project()
	err := b.Store.Each(ctx, p, b.Kinds.Number(b.plural), func(row store.Row) error {
		var v struct {
			Number document.Number `json:"number"`
		}
		if err := json.Unmarshal(row.Doc, &v); err != nil {
			return err
		}
		n := uint32(v.Number)
		if n == 0 {
			n = row.ID.Ordinal()
		}
		b.here[row.UID], b.taken[n], b.next = markOf(&row, n), true, row.ID.Ordinal()+1
		return nil
	})
	if err != nil {
		return err
	}
	err = b.Store.Each(ctx, p, b.Kinds.Number("issue_lists"), func(row store.Row) error {
		var v struct {
			Name string `json:"name"`
		}
		err := json.Unmarshal(row.Doc, &v)
		if row.Deleted {
			b.deleted[row.UID] = true
		} else if _, twice := b.lists[listName(v.Name)]; !twice {
			b.lists[listName(v.Name)] = row.UID
		}
		return err
	})
	if err != nil {
		return err
	}
	return b.Store.Each(ctx, p, b.Kinds.Number("rfi_statuses"), func(row store.Row) error {
		var v struct {
			Label string `json:"label"`
		}
		err := json.Unmarshal(row.Doc, &v)
		b.statuses[fold(v.Label)] = row.UID
		if row.ID.Ordinal() == 1 {
			b.first = row.UID
		}
		return err
	})
}

// listName is the name of an issue list as it is compared.
func listName(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// reader makes ready to read the rows.
func (b *bringing) reader() *reader {
	b.maker = &reader{
		found: b.found, Options: b.Options, project: b.Project, zone: time.UTC, zoned: b.Zone != nil,
		alias: map[string]string{}, statuses: b.statuses, first: b.first,
		strangers: map[string]int{}, unknown: map[string]int{}, unread: map[string]int{},
		byName: map[string]int{}, namesakes: map[string]int{},
	}
	b.maker.know(b.Team)
	if b.Zone != nil {
		b.maker.zone = b.Zone
	}
	for name, email := range b.People {
		b.maker.alias[fold(name)] = email
	}
	return b.maker
}

// number says which record keeps the number that it had there: where it is free here. The others get the first that
// nobody has or keeps. A record that is here keeps what it has.
func (b *bringing) number() {
	b.own = map[string]bool{}
	for _, it := range b.items {
		b.own[it.uid] = true
		if m, here := b.here[it.uid]; here {
			it.keeps = m.number == it.number
		} else if it.number != 0 && !b.taken[it.number] {
			it.keeps, it.takes, b.taken[it.number] = true, it.number, true
		}
	}
	next, highest := b.next, uint32(0)
	b.free = b.next
	for _, it := range b.items {
		m, here := b.here[it.uid]
		if !here {
			next++
			if !it.keeps {
				it.takes = b.unused()
			}
			m.number = it.takes
		}
		highest = max(highest, m.number)
	}
	b.maker.ahead = highest >= next
}

// unused takes the first number that nobody has or keeps.
func (b *bringing) unused() uint32 {
	for b.taken[b.free] {
		b.free++
	}
	b.taken[b.free] = true
	return b.free
}

// atOnce is how many rows are stored in one transaction: those of others wait for it.
const atOnce = 100

// errDry takes back what a dry run has written.
var errDry = fault.New(fault.Conflict, "This is a dry run.")

// run stores the rows, some at a time. What was stored before a run was cut short is found by the next.
func (b *bringing) run(ctx context.Context) error {
	made := map[string]bool{}
	for from := 0; from < len(b.items); from += atOnce {
		some := b.items[from:min(from+atOnce, len(b.items))]
		var did tally
		if b.Exists {
			err := b.Store.Edit(ctx, b.Scope.Project(), 0, func(tx *store.Tx) error {
				did = tally{} // it may run more than once
				if err := b.store(tx, some, &did); err != nil || !b.Dry {
					return err
				}
				return errDry
			})
			if err != nil && !errors.Is(err, errDry) {
				return cutShort(err, from, len(b.items))
			}
		} else {
			b.would(some, &did)
		}
		did.add(b.report, made)
		if !b.Dry && b.Exists {
			for _, name := range did.lists {
				b.lists[listName(name)] = b.newList(name)
			}
		}
		if b.Progress != nil {
			b.Progress(from+len(some), len(b.items))
		}
		if err := ctx.Err(); err != nil && from+atOnce < len(b.items) {
			return cutShort(err, from+len(some), len(b.items))
		}
	}
	return nil
}

func cutShort(err error, done, all int) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("The import was ended after %d of %d rows. Run it again: it goes on there.", done, all)
	}
	return fmt.Errorf("The import ended after %d of %d rows: %w Run it again: it goes on there.", done, all, err)
}

// mostNotes is how many sentences about rows a report has.
const mostNotes = 200

// tally is what became of some rows.
type tally struct {
	made, changed, same, gone, refused int
	lists, notes                       []string
}

func (t *tally) add(r *Report, made map[string]bool) {
	r.Made += t.made
	r.Changed += t.changed
	r.Same += t.same
	r.Gone += t.gone
	r.Refused += t.refused
	for _, note := range t.notes {
		if len(r.Notes) < mostNotes {
			r.Notes = append(r.Notes, note)
		} else {
			r.More++
		}
	}
	for _, name := range t.lists { // a dry run makes them for every group of rows
		if !made[listName(name)] {
			made[listName(name)] = true
			r.Lists = append(r.Lists, name)
		}
	}
}

// store brings some rows, inside a transaction.
func (b *bringing) store(tx *store.Tx, some []*item, did *tally) error {
	write := &resource.Tx{
		Tx: tx, Scope: b.Scope, Auth: b.Auth, Jobs: b.Jobs, Author: document.Person(b.Scope.Person()),
	}
	for _, it := range some {
		number, err := b.numberOf(tx, it)
		if err != nil {
			return err
		}
		// Where the file names the list that it named before, the issue stays where it is here: the list may have
		// another name now, or be deleted.
		list, named := "", quoted(listName(it.list))
		if m, here := b.here[it.uid]; !here || m.list != resource.Hashed(named) {
			if list, err = b.list(write, it.list, did); err != nil {
				return err
			}
		}
		body, err := b.maker.body(it, list)
		if err != nil {
			did.refuse(it, err.Error())
			continue
		}
		one := resource.Brought{UID: it.uid, Number: number, Body: body, Also: it.also()}
		if b.plural == "issues" {
			one.Said = map[string]jsontext.Value{listField: named}
		}
		out, err := b.Kinds.Bring(write, b.plural, one)
		switch {
		case fault.Is(err, fault.Invalid):
			did.refuse(it, sentence(err))
			continue
		case err != nil:
			return err
		}
		did.count(it, out)
	}
	return nil
}

// numberOf gives the number that a new record is given, 0 for the next. Where somebody has made a record meanwhile that
// has it, it is another one that is free: the next may be one that a later row keeps.
func (b *bringing) numberOf(tx *store.Tx, it *item) (uint32, error) {
	kind := b.Kinds.Number(b.plural)
	next, err := tx.Next(kind)
	if err != nil {
		return 0, err
	}
	for it.takes >= b.next && it.takes < next {
		row, there, err := tx.At(kind, it.takes)
		if err != nil {
			return 0, err
		}
		if !there || b.own[row.UID] {
			break
		}
		it.takes, it.keeps = b.unused(), false
	}
	if it.takes == next {
		return 0, nil
	}
	return it.takes, nil
}

// sentence is what a person reads of a refusal.
func sentence(err error) string {
	e := fault.Of(err)
	if len(e.Fields) == 0 {
		return e.Error()
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		all = append(all, name+": "+e.Fields[name])
	}
	return strings.Join(all, " ")
}

func (t *tally) refuse(it *item, why string) {
	t.refused++
	t.notes = append(t.notes, fmt.Sprintf("Row %d did not come: %s", it.line, strings.TrimSuffix(why, ".")+"."))
}

func (t *tally) count(it *item, out resource.Outcome) {
	switch out.Did {
	case resource.Made:
		t.made++
	case resource.Changed:
		t.changed++
	case resource.Gone:
		t.gone++
	default:
		t.same++
	}
	if len(out.Kept) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("Row %d says something else now, and somebody has changed the same here, which stays: %s.",
			it.line, strings.Join(out.Kept, ", ")))
	}
}

// list gives the uid of an issue list, which is made where there is none of the name.
func (b *bringing) list(tx *resource.Tx, name string, did *tally) (uid string, err error) {
	if name == "" || b.plural != "issues" {
		return "", nil
	}
	if uid := b.lists[listName(name)]; uid != "" {
		return uid, nil
	}
	uid = b.newList(name)
	if slices.ContainsFunc(did.lists, func(made string) bool { return listName(made) == listName(name) }) {
		return uid, nil // it has the name that the first row gave it
	}
	text, err := json.Marshal(name)
	if err != nil {
		return "", err
	}
	out, err := b.Kinds.Bring(tx, "issue_lists", resource.Brought{
		UID: uid, Body: map[string]jsontext.Value{"name": text},
	})
	if err == nil && out.Did == resource.Made {
		did.lists = append(did.lists, name)
	}
	return uid, err
}

// newList is the uid of an issue list that a file names: none that was deleted here.
func (b *bringing) newList(name string) string {
	uid := UID("list", b.Project, listName(name))
	for n := 2; b.deleted[uid]; n++ {
		uid = UID("list", b.Project, listName(name), fmt.Sprint(n))
	}
	return uid
}

// would says what became of rows in a project that a dry run does not make.
func (b *bringing) would(some []*item, did *tally) {
	for _, it := range some {
		body, err := b.maker.body(it, "")
		if err != nil {
			did.refuse(it, err.Error())
			continue
		}
		if err := b.Kinds.Refuses(b.plural, body); err != nil {
			did.refuse(it, sentence(err))
			continue
		}
		did.made++
		if it.list != "" && b.plural == "issues" {
			did.lists = append(did.lists, it.list)
		}
	}
}
