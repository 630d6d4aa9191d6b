package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"groundwork/internal/fault"
)

// Write runs fn in the next group commit, for tables that belong to no project. fn may run more than once; what it
// returns takes back what it wrote and nothing else.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.submit(&command{ctx: ctx, fn: fn})
}

// Edit runs fn in the next group commit of project p, as the member actor. fn may run more than once.
func (s *Store) Edit(ctx context.Context, p *Project, actor uint32, fn func(*Tx) error) error {
	return s.submit(&command{ctx: ctx, project: p, actor: actor, fn: fn})
}

// submit runs a write, and once more where it lacked the words of a long text.
func (s *Store) submit(c *command) error {
	ctx, span := s.tracer.Inside(c.ctx, "write")
	c.ctx, c.queued = ctx, time.Now()
	err := s.queue(c)
	for errors.Is(err, errLacking) {
		c.wording.find()
		err = s.queue(c)
	}
	if span != nil {
		span.Text("db.system.name", s.Engine())
		span.Number("groundwork.group", int64(c.group))
		span.Number("groundwork.waited_us", c.began.Sub(c.queued).Microseconds())
		span.End(err)
	}
	return err
}

// queue puts a write into its lane and waits for its end.
func (s *Store) queue(c *command) error {
	c.done = make(chan struct{})
	var project int64
	if c.project != nil {
		project = c.project.ID
	}
	if c.long {
		project = longLane
	}
	key := s.engine.lane(project)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	l := s.lanes[key]
	if l == nil {
		l = &lane{}
		s.lanes[key] = l
	}
	l.queue = append(l.queue, c)
	first := !l.running
	if first {
		l.running = true
		s.running.Add(1)
	}
	s.mu.Unlock()
	if first && s.turn(key, l) {
		go s.drain(key, l)
	}
	<-c.done
	return c.err
}

func (s *Store) drain(key int64, l *lane) {
	for s.turn(key, l) {
	}
}

// turn commits the next group and tells whether others wait.
func (s *Store) turn(key int64, l *lane) bool {
	s.mu.Lock()
	n := min(len(l.queue), s.engine.group())
	if plantedGroupOfOne {
		n = 1
	}
	group := l.queue[:n:n]
	l.queue = l.queue[n:]
	s.mu.Unlock()
	s.counts.taken(group)
	s.commit(group)
	s.counts.committed(group)
	acknowledge(group)
	s.engine.idle()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(l.queue) > 0 {
		return true
	}
	delete(s.lanes, key)
	s.running.Done()
	return false
}

// commit runs a group in one transaction. When a write fails in a way that would take the others with it, each runs
// alone.
func (s *Store) commit(group []*command) {
	err := s.attempt(group)
	for tries := 0; tries < 5 && s.engine.again(err); tries++ {
		time.Sleep(rand.N(time.Millisecond << (2 * tries))) // whom it met goes first
		err = s.attempt(group)
	}
	if err == nil {
		return
	}
	if len(group) > 1 && (errors.Is(err, errAlone) || s.engine.again(err)) {
		for i := range group {
			s.commit(group[i : i+1])
		}
		return
	}
	if s.engine.again(err) {
		s.log.ErrorContext(group[0].ctx, "a write met others each time it was tried", "error", err)
		err = fault.Busy(err)
	}
	for _, c := range group {
		if c.err == nil || len(group) == 1 {
			c.err = s.engine.fault(err)
		}
	}
}

// errAlone asks for the writes of a group to be run one by one.
var errAlone = errors.New("store: the group must be run one by one")

func (s *Store) attempt(group []*command) error {
	ses, err := s.engine.begin(group[0].ctx, group[0].long)
	if err != nil {
		return err
	}
	defer ses.abort()
	tx := &Tx{store: s, ses: ses, now: s.Now()}
	for i, c := range group {
		c.err = nil
		if c.ctx.Err() != nil {
			c.err = fault.Busy(c.ctx.Err())
			continue
		}
		tx.ctx, tx.actor, tx.home, tx.account, tx.office = c.ctx, c.actor, c.project, "", ""
		switch {
		case c.project != nil:
			if err := tx.enter(c.project); err != nil {
				return err
			}
		case i > 0: // the write before may have been in some project
			tx.here = nil
			if err := ses.tenant(tenant{}); err != nil {
				return err
			}
		}
		if err := ses.mark(); err != nil {
			return err
		}
		kept := tx.keep()
		tx.wording, c.wording.lacks = &c.wording, nil
		c.err = tx.run(c.fn)
		if len(c.wording.lacks) > 0 {
			c.err = errLacking // whatever was made of it
		}
		if c.err == nil {
			continue
		}
		tx.restore(kept)
		if len(group) > 1 && !ses.undo() {
			return errAlone
		}
		if errors.Is(c.err, errLacking) {
			if len(group) == 1 {
				return nil
			}
			continue
		}
		if len(group) == 1 {
			err := c.err
			if fault.Of(err).Kind == fault.Internal && s.engine.again(err) {
				return err
			}
			c.err = s.engine.fault(err)
			return nil
		}
		c.err = s.engine.fault(c.err)
	}
	if !tx.dirty {
		tx.tell()
		return nil
	}
	if err := tx.finish(); err != nil {
		return err
	}
	if plantedAckEarly {
		acknowledge(group)
		plantedPause()
	}
	if err := ses.commit(); err != nil {
		return err
	}
	tx.apply()
	tx.tell()
	return nil
}

// run calls fn; a panic becomes an error, so that one bad write cannot stop the others.
func (tx *Tx) run(fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// Counts tells what was done so far.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	waiting := 0
	for _, l := range s.lanes {
		waiting += len(l.queue)
	}
	s.mu.Unlock()
	return Counts{
		Groups: s.counts.groups.Load(), Writes: s.counts.writes.Load(), Waited: time.Duration(s.counts.waited.Load()),
		Took: time.Duration(s.counts.took.Load()), Waiting: waiting,
	}
}
