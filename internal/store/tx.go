package store

import (
	"context"
	"maps"
	"slices"

	"groundwork/internal/fault"
)

// Tx is an open writing transaction as one command sees it. Writes to a project are serial, so what it reads cannot
// change under it.
type Tx struct {
	store *Store
	ses   session
	ctx   context.Context //nolint:containedctx // a transaction lives inside one call
	now   int64
	actor uint32
	home  *Project
	here  *ledger // the project whose rows the statements may touch
	books []*ledger
	where map[int64]*ledger // the books by project, once there are many
	held  []held            // what the present command may have changed, as it was before
	dirty bool
	after []func()
	// What statements may touch beside the project's rows.
	account string
	office  Office
	noted   []any // see First
	wording *wording
}

// ledger is the state of one project inside a transaction.
type ledger struct {
	project *Project
	clock   int64
	seq     int64
	began   int64 // seq when the transaction took the project
	epoch   int64 // of its links
	last    map[Kind]uint32
	effects []effect
	held    bool // as it was before the present command
}

// held is a ledger and what it was.
type held struct {
	book *ledger
	was  ledger
}

// Context is the context of the request that writes.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Now is the wall clock of the transaction, in microseconds.
func (tx *Tx) Now() int64 { return tx.now }

// Clock is the clock that the next change in the project will have.
func (tx *Tx) Clock() int64 { return max(tx.now, tx.here.clock+1) }

// Project is the project that the write was given.
func (tx *Tx) Project() *Project { return tx.home }

// Settled tells whether the memory of the write's project knows the records of a kind exactly as this transaction sees
// them: it stands for the state in which the transaction took the project, and no write of the group has changed one
// since.
func (tx *Tx) Settled(kind Kind) bool {
	b := tx.here
	if b == nil || b.project != tx.home {
		return false
	}
	if _, seq := b.project.Stamp(); seq != b.began {
		return false
	}
	return !slices.ContainsFunc(b.effects, func(e effect) bool { return e.id.Kind() == kind })
}

// Seq is the sequence number of the project's last change, as the transaction sees it.
func (tx *Tx) Seq() int64 { return tx.here.seq }

// EndLinks ends all links to files and drawings of the project that were given out before, once a change that this
// transaction makes is committed.
func (tx *Tx) EndLinks() { tx.here.epoch++ }

// Actor is the ordinal of the member who writes.
func (tx *Tx) Actor() uint32 { return tx.actor }

// Exec runs a statement that gives no rows.
func (tx *Tx) Exec(sql string, args ...any) error {
	tx.dirty = true
	return tx.ses.exec(sql, args...)
}

// Query runs a statement and calls each with every row.
func (tx *Tx) Query(sql string, args []any, each func(*Cols) error) error {
	tx.dirty = tx.dirty || !reads(sql)
	return tx.ses.query(sql, args, each)
}

// Take is Query for a SELECT whose rows nobody else may change until the transaction ends.
func (tx *Tx) Take(sql string, args []any, each func(*Cols) error) error {
	return tx.ses.query(sql+tx.store.engine.lock(), args, each)
}

// First tells, of what need be done only once in a transaction however many writes it has, whether that is to be done
// now. key is a type of the caller's own.
func (tx *Tx) First(key any) bool {
	if slices.Contains(tx.noted, key) {
		return false
	}
	tx.noted = append(tx.noted, key)
	return true
}

// After has fn run once what this write did is committed and in memory, before the writer is told; never when it was
// taken back. The next commit waits for fn: it must be quick and must not write.
func (tx *Tx) After(fn func()) { tx.after = append(tx.after, fn) }

// enter takes a project's row, which makes its writes serial, and reads its clock in that state.
func (tx *Tx) enter(p *Project) error {
	if tx.here != nil && tx.here.project.ID == p.ID {
		return nil
	}
	if err := tx.ses.tenant(tenant{project: p.ID, account: tx.account, office: tx.office}); err != nil {
		return err
	}
	if b := tx.book(p.ID); b != nil {
		tx.hold(b)
		tx.here = b
		return nil
	}
	b := &ledger{project: p, last: map[Kind]uint32{}}
	found := false
	err := tx.ses.query(takeProject+tx.store.engine.lock(), []any{p.ID}, func(c *Cols) error {
		b.clock, b.seq, b.epoch, found = c.Int(0), c.Int(1), c.Int(2), true
		return nil
	})
	if err == nil && !found {
		err = fault.Missing("Project", p.UID)
	}
	if err != nil {
		return err
	}
	b.began = b.seq
	tx.add(b)
	tx.here = b
	return nil
}

// fewBooks is up to how many ledgers are looked through; to look one up in more takes a map. Most transactions have
// one.
const fewBooks = 16

// add adds the ledger of a project that the transaction has taken or founded.
func (tx *Tx) add(b *ledger) {
	tx.books = append(tx.books, b)
	switch {
	case tx.where != nil:
		tx.where[b.project.ID] = b
	case len(tx.books) > fewBooks:
		tx.where = make(map[int64]*ledger, 4*fewBooks)
		for _, b := range tx.books {
			tx.where[b.project.ID] = b
		}
	}
}

// book gives the ledger of a project that the transaction has taken or founded; else nil.
func (tx *Tx) book(project int64) *ledger {
	if tx.where != nil {
		return tx.where[project]
	}
	i := slices.IndexFunc(tx.books, func(b *ledger) bool { return b.project.ID == project })
	if i < 0 {
		return nil
	}
	return tx.books[i]
}

// Found makes a new project in this transaction and enters it as its first member; the project exists for others once
// it is committed.
func (tx *Tx) Found(uid string) (*Project, error) {
	var id int64
	if err := tx.ses.query(lastProject, nil, func(c *Cols) error { id = c.Int(0); return nil }); err != nil {
		return nil, err
	}
	if id++; id > maxProject {
		return nil, fault.New(fault.Full, "This installation holds as many projects as it can.")
	}
	p := newProject(id, uid, 0, 0, 0)
	if err := tx.Exec(insertProject, id, uid, int64(0), int64(0)); err != nil {
		return nil, err
	}
	if err := tx.ses.tenant(tenant{project: id, account: tx.account, office: tx.office}); err != nil {
		return nil, err
	}
	b := &ledger{project: p, last: map[Kind]uint32{}}
	tx.add(b)
	tx.here, tx.home, tx.actor = b, p, 1
	return p, nil
}

// kept is what restore brings back when a command is taken back; ledgers are held when the command enters them.
type kept struct {
	books int
	dirty bool
	home  *Project
	after int
	noted int
}

func (tx *Tx) keep() kept {
	for i := range tx.held {
		tx.held[i].book.held = false
	}
	clear(tx.held)
	tx.held = tx.held[:0]
	if tx.here != nil {
		tx.hold(tx.here)
	}
	return kept{books: len(tx.books), dirty: tx.dirty, home: tx.home, after: len(tx.after), noted: len(tx.noted)}
}

// hold notes what a ledger is before the present command changes it.
func (tx *Tx) hold(b *ledger) {
	if b.held {
		return
	}
	b.held = true
	was := *b
	was.last = maps.Clone(b.last)
	tx.held = append(tx.held, held{b, was})
}

func (tx *Tx) restore(k kept) {
	for _, b := range tx.books[k.books:] {
		delete(tx.where, b.project.ID)
	}
	tx.books = tx.books[:k.books]
	for _, h := range tx.held {
		*h.book = h.was
	}
	tx.dirty, tx.here, tx.after, tx.noted = k.dirty, nil, tx.after[:k.after], tx.noted[:k.noted]
}

// finish writes the projects' clocks back.
func (tx *Tx) finish() error {
	for _, b := range tx.books {
		if b.seq == b.began {
			continue
		}
		if err := tx.ses.exec(setProject, b.project.ID, b.clock, b.seq, b.epoch); err != nil {
			return err
		}
	}
	return nil
}

// apply brings the memory of the projects up to the commit; it runs before anybody is told of it.
func (tx *Tx) apply() {
	for _, b := range tx.books {
		if b.seq == b.began {
			continue
		}
		tx.store.projects.add(b.project)
		if !b.project.apply(b.began, b.clock, b.seq, b.epoch, b.effects) {
			// Another process wrote in between. If this fails, the next reader catches up.
			if err := tx.store.catchUp(context.WithoutCancel(tx.ctx), b.project); err != nil {
				tx.store.log.WarnContext(tx.ctx, "a project's memory is behind", "project", b.project.UID, "error", err)
			}
		}
	}
}

// tell runs what the writes wanted to be run after the commit.
func (tx *Tx) tell() {
	for _, fn := range tx.after {
		fn()
	}
}
