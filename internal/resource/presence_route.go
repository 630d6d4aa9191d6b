package resource

import (
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Attendance is who is at a record.
type Attendance struct {
	Kind   string     `json:"kind"`
	UID    string     `json:"uid"`
	People []Attendee `json:"people"`
}

// Attendee is somebody who is there.
type Attendee struct {
	UID       string        `json:"uid"`
	URL       string        `json:"url"`
	Email     string        `json:"email"`
	Name      string        `json:"name"`
	State     string        `json:"state" one:"viewing|editing"`
	ExpiresAt document.Time `json:"expires_at"`
}

// attend is what somebody says of themselves.
type attend struct {
	Kind   string `json:"kind" write:"required,solid,max=255"`
	Record string `json:"record_uid" write:"required,solid,max=255"`
	State  string `json:"state" write:"required,one=viewing|editing|left"`
}

// attending is the route by which somebody says at which record they are.
func (c *Catalog) attending(where *presence) api.Route {
	r := api.Route{
		Method: "PUT", Pattern: "/projects/{project}/presence", Access: api.Member, Right: auth.Everyone, Tag: "changes",
		Status: 200, Extension: true, Errors: []int{400}, Poll: true,
		Summary: "Say that the caller looks at a record, or edits it, for the next 45 seconds; answers who else does",
		Do:      func(call *api.Call) error { return where.attend(call, c) },
	}
	r.In = document.BodySchema[attend]()
	r.Out, r.Components = document.SchemaOf[Attendance]("Who is at a record.")
	return r
}

func (p *presence) attend(c *api.Call, all *Catalog) error {
	in, _, err := Body[attend](c)
	if err != nil {
		return err
	}
	kind := all.entry(in.Kind)
	if kind == nil {
		return fault.Field("kind", "It must be one of %s.", all.kindsOf())
	}
	// A record that the caller does not see is not there for them.
	if _, err := all.Get(c.Context(), c.Store, c.Scope, kind.plural, in.Record); err != nil {
		return err
	}
	project, now := c.Scope.Project(), c.Store.Now()
	on := subject{kind.number, in.Record}
	v := visit{editing: in.State == "editing", ends: now + presentFor.Microseconds(), set: now}
	if in.State == "left" {
		v.ends = now
	}
	gave, err := p.put(project, visitor{on, c.Scope.Person()}, v, now)
	if err != nil {
		return err
	}
	if c.Store.Shared() {
		said := []store.Visit{{
			Person: c.Scope.Person(), Kind: on.kind, Record: on.uid, Editing: v.editing, Ends: v.ends,
		}}
		if gave != nil {
			said = append(said, store.Visit{Person: gave.person, Kind: gave.kind, Record: gave.uid})
		}
		if err := c.Store.Attend(c.Context(), project, said...); err != nil {
			return err
		}
		if err := p.learn(c.Context(), c.Store, []*store.Project{project}); err != nil {
			return err
		}
	}
	shown, err := attendance(c, all, on, p.at(project, on, now))
	if err != nil {
		return err
	}
	return c.SendJSON(200, shown)
}

// attendance shows who is at a record; whoever was removed from the team is not.
func attendance(c *api.Call, all *Catalog, on subject, people []present) (Attendance, error) {
	shown := Attendance{Kind: all.numbered(on.kind).plural, UID: on.uid, People: []Attendee{}}
	project := c.Scope.Project()
	team, err := c.Auth.Team(c.Context(), project)
	if err != nil {
		return shown, err
	}
	for _, p := range people {
		who := team.Person(p.person)
		if who == nil || who.Removed {
			continue
		}
		one := Attendee{
			UID: who.UID, URL: c.Base + "/projects/" + url.PathEscape(project.UID) + "/users/" + url.PathEscape(who.UID),
			Email: who.Email, Name: who.Name(), State: "viewing", ExpiresAt: document.Time(p.ends),
		}
		if p.editing {
			one.State = "editing"
		}
		shown.People = append(shown.People, one)
	}
	return shown, nil
}

// witness is what one stream has told of who is where.
type witness struct {
	where   *presence
	version int64
	told    map[subject]string
	moved   <-chan struct{}
	looked  time.Time // when it told something last
}

// tell adds who came, left, or does something else than before, at records that the caller sees.
func (w *witness) tell(s *stream) error {
	all, version, moved := w.where.since(s.project, w.version, s.c.Store.Now())
	w.moved = moved
	if version == w.version {
		return nil
	}
	w.version, w.looked = version, time.Now()
	for on := range w.told {
		if all[on] == nil {
			all[on] = []present{}
		}
	}
	for on, people := range all {
		shown, err := attendance(s.c, s.all, on, people)
		if err != nil {
			return err
		}
		key := ""
		for _, p := range shown.People {
			key += p.UID + p.State + "\n"
		}
		if w.told[on] == key {
			continue // before anything is asked of the database
		}
		seen, err := s.sees(on)
		if err != nil {
			return err
		}
		if !seen {
			continue
		}
		data, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		if s.out.Add("", "presence", data); key == "" {
			delete(w.told, on)
		} else {
			w.told[on] = key
		}
	}
	return nil
}

// sees tells whether the caller sees a record, and asked for its kind.
func (v *view) sees(on subject) (bool, error) {
	kind := v.all.numbered(on.kind)
	if kind == nil || !v.asked(kind) {
		return false, nil
	}
	groups := v.groups(kind)
	if groups == nil {
		return true, nil
	}
	terms, ok, err := v.c.Store.Terms(v.c.Context(), v.project, on.kind, on.uid)
	return ok && visible(terms, groups), err
}
