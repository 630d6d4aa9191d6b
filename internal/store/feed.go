package store

import (
	"context"
	"sync"
	"time"
)

const feedRows = "SELECT c.id, c.record, r.uid, c.clock, c.op, c.actor, r.terms, c.diff, r.deleted FROM changes c JOIN records r ON r.id = c.record WHERE c.id > $1 AND c.id <= $2 ORDER BY c.id LIMIT $3"

// Entry is one line of the change log, with the terms that its record has now, and whether it is deleted. Diff is valid only while it is shown.
type Entry struct {
	Seq    int64
	Record ID
	UID    string
	Clock  int64
	Op     Op
	Actor  uint32 // 0: the service itself
	Terms  string
	Diff   []byte

	Deleted bool
}

// Feed shows the change log of a project after a sequence number, up to most lines in commit order, and gives the clock and sequence that
// the project had before it was read: no line is later. Sequences are given under the project's lock, so nothing ever comes in between.
func (s *Store) Feed(ctx context.Context, p *Project, after int64, most int, each func(*Entry)) (clock, seq int64, err error) {
	base := p.ID << projectShift
	err = s.read(ctx, tenant{project: p.ID}, statement{takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil }})
	if err != nil || after >= seq {
		return clock, seq, err
	}
	err = s.read(ctx, tenant{project: p.ID}, statement{feedRows, []any{base | after, base | seq, most}, entries(base, each)})
	return clock, seq, err
}

// entries shows each row of the log.
func entries(base int64, each func(*Entry)) func(*Cols) error {
	var buf []byte
	return func(c *Cols) error {
		buf = c.Append(7, buf[:0])
		each(&Entry{
			Seq: c.Int(0) - base, Record: ID(c.Int(1)), UID: c.Text(2), Clock: c.Int(3), Op: Op(c.Int(4)), Actor: uint32(c.Int(5)), Terms: c.Text(6), Diff: buf, Deleted: c.Int(8) != 0,
		})
		return nil
	}
}

// Feed shows the change log of the project after a sequence number, up to most lines, as the transaction sees it.
func (tx *Tx) Feed(after int64, most int, each func(*Entry)) error {
	base := tx.here.project.ID << projectShift
	return tx.Query(feedRows, []any{base | after, base | tx.here.seq, most}, entries(base, each))
}

// Await returns true when a project has gone beyond a sequence number, false when ctx ends. Waiting costs no more than a goroutine; where other
// processes write, one look at the database every half second serves all who wait.
func (s *Store) Await(ctx context.Context, p *Project, seq int64) bool {
	if s.engine.shared() {
		defer s.watched.add(s, p)()
	}
	for {
		p.mu.RLock()
		have, moved := p.seq, p.moved
		p.mu.RUnlock()
		if have > seq {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

// watchEvery is how long another process's change may stay unseen by those who wait for it.
const watchEvery = 500 * time.Millisecond

// watched are the projects that somebody waits for, and how many do. A goroutine looks at them as long as there are any.
type watched struct {
	mu       sync.Mutex
	projects map[*Project]int
	looking  bool
}

func (w *watched) add(s *Store, p *Project) (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.projects == nil {
		w.projects = map[*Project]int{}
	}
	if w.projects[p]++; !w.looking {
		w.looking = true
		go w.watch(s)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.projects[p]--; w.projects[p] == 0 {
			delete(w.projects, p)
		}
	}
}

// watch reads the sequences of the projects in one go and has those that moved catch up, which wakes who waits for them.
func (w *watched) watch(s *Store) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for range tick.C {
		w.mu.Lock()
		var stmts []statement
		var behind []*Project
		for p := range w.projects {
			stmts = append(stmts, statement{takeProject, []any{p.ID}, func(c *Cols) error {
				if _, seq := p.Stamp(); c.Int(1) > seq {
					behind = append(behind, p)
				}
				return nil
			}})
		}
		if len(stmts) == 0 {
			w.looking = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 10*watchEvery)
		err := s.read(ctx, tenant{}, stmts...)
		for _, p := range behind {
			if err == nil {
				err = s.catchUp(ctx, p)
			}
		}
		cancel()
		if err != nil {
			s.log.Warn("cannot see whether projects have changed that somebody waits for", "error", err)
		}
	}
}
