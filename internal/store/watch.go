package store

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Await returns true when a project has gone beyond a sequence number, false when ctx ends. Waiting costs no more than
// a goroutine; where other processes write, one look at the database every half second serves all who wait.
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

// Watch has the memory of a project follow what other processes write, within half a second, until done.
func (s *Store) Watch(p *Project) (done func()) {
	if !s.engine.shared() {
		return func() {}
	}
	return s.watched.add(s, p)
}

// watchEvery is how long another process's change may stay unseen by those who wait for it.
const watchEvery = 500 * time.Millisecond

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

// watch reads the sequences of the projects in one go and has those that moved catch up, which wakes who waits for
// them.
func (w *watched) watch(s *Store) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for range tick.C {
		w.mu.Lock()
		byID := make(map[int64]*Project, len(w.projects))
		for p := range w.projects {
			byID[p.ID] = p
		}
		if len(byID) == 0 {
			w.looking = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		var stmts []statement
		var behind []*Project
		for ids := range slices.Chunk(slices.Collect(maps.Keys(byID)), most) {
			args := make([]any, most)
			for i := range args {
				args[i] = ids[min(i, len(ids)-1)]
			}
			stmts = append(stmts, statement{seqsPicked, args, func(c *Cols) error {
				p := byID[c.Int(0)]
				if _, seq := p.Stamp(); c.Int(1) > seq {
					behind = append(behind, p)
				}
				return nil
			}})
		}
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
