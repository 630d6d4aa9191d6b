package resource

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Presence is who looks at which record right now, so that two people see each other before one overwrites what the
// other writes. It is remembered for less than a minute and is in no log. Each process remembers it for the projects
// that somebody follows; where several serve one database, they tell each other by a table that is not logged either.

const (
	// presentFor is how long somebody is there after they last said so: they say it twice in that time.
	presentFor = 45 * time.Second
	// mostVisits is at how many records of a project one person is at once, mostPresent how many visits a project has.
	mostVisits  = 8
	mostPresent = 500
	// seekEvery is how long it may stay unseen what another process was told.
	seekEvery = time.Second
)

// presence is who is where, in all projects.
type presence struct {
	mu      sync.Mutex
	halls   map[*store.Project]*hall
	seeking bool
	swept   int64
}

// hall is who is where in a project.
type hall struct {
	visits  map[visitor]visit
	version int64         // of visits
	moved   chan struct{} // closed and replaced when they change
	streams int
}

// subject is the record that somebody is at; visitor is one person there.
type subject struct {
	kind store.Kind
	uid  string
}

type visitor struct {
	subject
	person uint32
}

type visit struct {
	editing   bool
	ends, set int64 // set is when this process was told; 0 where another was
}

// hall gives that of a project; p.mu is held.
func (p *presence) hall(of *store.Project) *hall {
	if p.halls == nil {
		p.halls = map[*store.Project]*hall{}
	}
	if p.halls[of] == nil {
		p.halls[of] = &hall{visits: map[visitor]visit{}, moved: make(chan struct{})}
	}
	return p.halls[of]
}

func (h *hall) change() {
	h.version++
	close(h.moved)
	h.moved = make(chan struct{})
}

// expire forgets who has not been heard of for long.
func (h *hall) expire(now int64) {
	before := len(h.visits)
	for who, v := range h.visits {
		if v.ends <= now {
			delete(h.visits, who)
		}
	}
	if len(h.visits) < before {
		h.change()
	}
}

// put notes a visit; one that has ended is forgotten. Of too many visits of one person the one that ends first gives
// way, and is given: fault.Limited where a project has as many as it may.
func (p *presence) put(of *store.Project, who visitor, v visit, now int64) (gave *visitor, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now-p.swept > presentFor.Microseconds() {
		p.sweep(now)
	}
	h := p.hall(of)
	h.expire(now)
	was, there := h.visits[who]
	if v.ends <= now {
		if delete(h.visits, who); there {
			h.change()
		}
		return nil, nil
	}
	if !there {
		if own := h.of(who.person); len(own) >= mostVisits {
			first := slices.MinFunc(own, func(a, b visitor) int { return int(h.visits[a].ends - h.visits[b].ends) })
			gave = &first
			delete(h.visits, first)
		}
		if len(h.visits) >= mostPresent {
			return nil, fault.New(fault.Limited, "Too many people are in this project at once to tell who is where.")
		}
	}
	if h.visits[who] = v; !there || was.editing != v.editing {
		h.change()
	}
	return gave, nil
}

// of are the visits of one person.
func (h *hall) of(person uint32) (all []visitor) {
	for who := range h.visits {
		if who.person == person {
			all = append(all, who)
		}
	}
	return all
}

// sweep forgets the projects where nobody is.
func (p *presence) sweep(now int64) {
	p.swept = now
	for of, h := range p.halls {
		if h.expire(now); len(h.visits) == 0 && h.streams == 0 {
			delete(p.halls, of)
		}
	}
}

// at is who is at a record, in the order of the team.
func (p *presence) at(of *store.Project, on subject, now int64) (all []present) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hall(of)
	h.expire(now)
	return h.by()[on]
}

// present is one person at a record.
type present struct {
	person uint32
	visit
}

// by are the visits by their records.
func (h *hall) by() map[subject][]present {
	all := map[subject][]present{}
	for who, v := range h.visits {
		all[who.subject] = append(all[who.subject], present{who.person, v})
	}
	for _, people := range all {
		slices.SortFunc(people, func(a, b present) int { return int(a.person) - int(b.person) })
	}
	return all
}

// since gives who is where when that is not of this version, and what is closed when it changes.
func (p *presence) since(of *store.Project, version, now int64) (all map[subject][]present, is int64,
	moved <-chan struct{},
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hall(of)
	if h.expire(now); h.version == version {
		return nil, version, h.moved
	}
	return h.by(), h.version, h.moved
}

// join has the process know who is in a project until leave is called.
func (p *presence) join(s *store.Store, of *store.Project) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hall(of)
	if h.streams++; h.streams == 1 {
		h.version++ // nobody who comes knows it
	}
	if s.Shared() && !p.seeking {
		p.seeking = true
		go p.seek(s)
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		h.streams--
	}
}

// seek reads what other processes were told, as long as anybody follows.
func (p *presence) seek(s *store.Store) {
	tick := time.NewTicker(seekEvery)
	defer tick.Stop()
	for range tick.C {
		p.mu.Lock()
		var of []*store.Project
		for project, h := range p.halls {
			if h.streams > 0 {
				of = append(of, project)
			}
		}
		if len(of) == 0 {
			p.seeking = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 10*seekEvery)
		for some := range slices.Chunk(of, MostRows) {
			_ = p.learn(ctx, s, some) // it is asked again in a second, and what is known ends by itself
		}
		cancel()
	}
}

// learn takes what all processes were told of projects. What this one was told meanwhile stays.
func (p *presence) learn(ctx context.Context, s *store.Store, of []*store.Project) error {
	began := s.Now()
	all, err := s.Visits(ctx, of, began)
	if err != nil {
		return err
	}
	type person struct {
		project int64
		ordinal uint32
	}
	told, count := map[int64]map[visitor]visit{}, map[person]int{}
	for _, v := range all {
		if told[v.Project] == nil {
			told[v.Project] = map[visitor]visit{}
		}
		if who := (person{v.Project, v.Person}); len(told[v.Project]) < mostPresent && count[who] < mostVisits {
			count[who]++
			told[v.Project][visitor{subject{v.Kind, v.Record}, v.Person}] = visit{editing: v.Editing, ends: v.Ends}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, project := range of {
		h, changed := p.hall(project), false
		now := told[project.ID]
		for who, v := range h.visits {
			if _, there := now[who]; !there && v.set < began {
				delete(h.visits, who)
				changed = true
			}
		}
		for who, v := range now {
			was, there := h.visits[who]
			if there && was.set >= began {
				continue
			}
			h.visits[who] = v
			changed = changed || !there || was.editing != v.editing
		}
		if changed {
			h.change()
		}
	}
	return nil
}

// kindsOf are the plurals of the kinds, for sentences.
func (c *Catalog) kindsOf() string { return strings.Join(c.plurals(), ", ") }
