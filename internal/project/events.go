package project

import (
	"strconv"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

const (
	// lookEvery is how often the projects of a person are looked at; gatherEvery is how often it is asked which these
	// are: a project to which somebody was invited appears within that time.
	lookEvery   = time.Second / 2
	gatherEvery = 5 * time.Second
)

// events is the route of how far all projects of a person are.
func events() api.Route {
	return api.Route{
		Method: "GET", Pattern: "/me/events", Access: api.Caller, Tag: "me", Status: 200, Extension: true,
		Gives: api.EventStream, Do: followProjects,
		Summary: "Follow all projects of the caller as server-sent events: how far each is, at first and whenever it changes.",
	}
}

// following is one project of a person, and how far they know it.
type following struct {
	project *store.Project
	member  store.ID
	told    int64
	done    func()
}

// follower is how far somebody knows their projects.
type follower struct {
	c    *api.Call
	out  *api.Events
	all  map[store.ID]*following
	next time.Time // when to ask which they are
}

func followProjects(c *api.Call) (err error) {
	f := &follower{c: c, all: map[store.ID]*following{}}
	defer func() {
		for _, p := range f.all {
			p.done()
		}
	}()
	if f.out, err = c.OpenEvents(); err != nil || f.out == nil {
		return err
	}
	return f.out.Over(f.follow())
}

func (f *follower) follow() error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := f.c.Readmit(); err != nil {
			return err
		}
		if time.Now().After(f.next) {
			if err := f.out.Turn(); err != nil {
				return err
			}
			if err := f.gather(); err != nil {
				return err
			}
		}
		if err := f.look(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-f.c.Context().Done():
			return nil
		case <-f.out.Stopping():
			return f.out.Stop()
		}
	}
}

// gather asks which projects are the caller's, and tells those that are no longer.
func (f *follower) gather() error {
	f.next = time.Now().Add(gatherEvery)
	who := f.c.Credential.Account
	ids, projects, err := f.c.Store.OwnProjects(f.c.Context(), who.UID)
	if err != nil {
		return err
	}
	present := map[store.ID]bool{}
	for i, id := range ids {
		if id.Kind() != auth.KindMember || !who.Reaches(id.Project(), id.Ordinal()) {
			continue
		}
		present[id] = true
		if f.all[id] == nil {
			f.all[id] = &following{project: projects[i], member: id, told: -1, done: f.c.Store.Watch(projects[i])}
		}
	}
	for id, p := range f.all {
		if !present[id] {
			f.leave(p)
		}
	}
	return nil
}

// leave tells that a project is no longer the caller's.
func (f *follower) leave(p *following) {
	p.done()
	delete(f.all, p.member)
	f.out.Add("", "change", []byte(`{"project":`+string(document.AppendText(nil, p.project.UID))+`,"sequence":null}`))
}

// look tells which projects have changed. Whoever was removed meanwhile is not told how far the project is.
func (f *follower) look() error {
	for _, p := range f.all {
		_, seq := p.project.Stamp()
		if seq == p.told {
			continue
		}
		_, err := f.c.Auth.Enter(f.c.Context(), f.c.Credential.Account, p.project.UID)
		if fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound) {
			f.leave(p)
			continue
		}
		if err != nil {
			return err
		}
		p.told = seq
		data := append([]byte(`{"project":`), document.AppendText(nil, p.project.UID)...)
		f.out.Add("", "change", append(strconv.AppendInt(append(data, `,"sequence":`...), seq, 10), '}'))
	}
	if err := f.out.Send(); err != nil {
		return err
	}
	return f.out.Alive()
}
