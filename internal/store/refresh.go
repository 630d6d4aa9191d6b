package store

import (
	"context"
	"time"

	"groundwork/internal/fault"
)

// Project opens the project of a uid: fault.NotFound where there is none.
func (s *Store) Project(ctx context.Context, uid string) (*Project, error) {
	p := s.projects.get(uid)
	if p == nil && !storable(uid) {
		return nil, fault.Missing("Project", uid)
	}
	if p == nil {
		err := s.read(ctx, tenant{}, statement{findProject, []any{uid}, func(c *Cols) error {
			p = newProject(c.Int(0), uid, c.Int(1), c.Int(2), c.Int(3))
			p.fresh.Store(s.Now())
			return nil
		}})
		if err != nil {
			return nil, err
		}
		if p == nil {
			return nil, fault.Missing("Project", uid)
		}
		p = s.projects.add(p)
	}
	p.used.Store(s.Now())
	return p, nil
}

// Refresh compares the memory with the database unless that was done within maxAge; where this process owns the data it
// has nothing to do.
func (s *Store) Refresh(ctx context.Context, p *Project, maxAge time.Duration) error {
	if !s.engine.shared() {
		return nil
	}
	// A look that seems to lie ahead was taken before the clock went back: how old it is nobody knows.
	if age := s.Now() - p.fresh.Load(); age >= 0 && age < maxAge.Microseconds() {
		return nil
	}
	return s.catchUp(ctx, p)
}

// catchUp brings the memory of p to the state of the database.
func (s *Store) catchUp(ctx context.Context, p *Project) error {
	const tooMany = 10000
	_, since := p.Stamp()
	now := s.Now()
	var clock, seq, epoch int64
	var effects []effect
	base := p.ID << projectShift
	err := s.read(ctx, tenant{project: p.ID},
		statement{takeProject, []any{p.ID}, func(c *Cols) error {
			clock, seq, epoch = c.Int(0), c.Int(1), c.Int(2)
			return nil
		}},
		statement{changedRows, []any{base | since, base + 1<<projectShift}, func(c *Cols) error {
			effects = append(effects, effect{ID(c.Int(0)), c.Int(4) - base, c.Int(1), c.Int(2) != 0, c.Text(3), nil})
			return nil
		}})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(effects) > tooMany {
		p.forget(seq)
		effects = nil
	}
	p.take(clock, seq, epoch, effects)
	p.fresh.Store(now)
	return nil
}

// Known returns when the memory of p stands for at least clock and seq, which a reader got from the database. What is
// only shown with a record, such as a name, moves the sequence and not the clock.
func (s *Store) Known(ctx context.Context, p *Project, clock, seq int64) error {
	if have, seen := p.Stamp(); have >= clock && seen >= seq {
		return nil
	}
	return s.await(ctx, p, clock, seq)
}

// await returns when the memory stands for at least clock and seq: a reader met a row whose commit is being applied, or
// another process's.
func (s *Store) await(ctx context.Context, p *Project, clock, seq int64) error {
	if s.engine.shared() {
		return s.catchUp(ctx, p)
	}
	for {
		p.mu.RLock()
		have, seen, moved := p.clock, p.seq, p.moved
		p.mu.RUnlock()
		if have >= clock && seen >= seq {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fault.Busy(ctx.Err())
		}
	}
}
