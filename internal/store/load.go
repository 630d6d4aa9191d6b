package store

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"groundwork/internal/fault"
)

// load makes sure that the memory knows how many records the kind has and, when full, their clocks and terms. Whoever
// comes while a kind is read waits for it: reading one twice would take twice the memory.
func (s *Store) load(ctx context.Context, p *Project, kind Kind, full bool) error {
	for {
		p.mu.RLock()
		x := p.kinds[kind]
		p.mu.RUnlock()
		if x != nil && (x.full || !full) {
			return nil
		}
		p.mu.Lock()
		other := p.loads[kind]
		mine := other == nil && p.kinds[kind] == x
		if mine {
			p.loads[kind] = make(chan struct{})
		}
		p.mu.Unlock()
		if mine {
			return s.remember(ctx, p, kind, full)
		}
		if other == nil {
			continue
		}
		select {
		case <-other:
		case <-ctx.Done():
			return fault.Busy(ctx.Err())
		}
	}
}

// remember reads a kind into the memory; the caller has entered it in loads.
func (s *Store) remember(ctx context.Context, p *Project, kind Kind, full bool) (err error) {
	x, whole := &index{full: full, terms: map[string]*roaring.Bitmap{}}, false
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if have := p.kinds[kind]; whole && (have == nil || !have.full) {
			for i := range p.recent {
				if p.recent[i].id.Kind() == kind {
					x.set(&p.recent[i])
				}
			}
			p.kinds[kind] = x
		}
		close(p.loads[kind])
		if delete(p.loads, kind); len(p.loads) == 0 {
			p.recent = nil
		}
	}()
	from, to := span(p.ID, kind)
	if full {
		err = s.read(ctx, tenant{project: p.ID}, statement{indexRows, []any{from, to}, func(c *Cols) error {
			x.set(&effect{id: ID(c.Int(0)), clock: c.Int(1), deleted: c.Int(2) != 0, terms: c.Text(3)})
			return nil
		}})
	} else {
		err = s.read(ctx, tenant{project: p.ID}, statement{lastRecord, []any{from, to}, func(c *Cols) error {
			x.n = ID(c.Int(0)).Ordinal()
			return nil
		}})
	}
	if full && err == nil {
		s.projects.trim(p)
	}
	whole = err == nil
	return err
}
