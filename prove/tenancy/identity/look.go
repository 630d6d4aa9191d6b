package identity

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// session is one of somebody's, which may be over; nil where there is none.
func (w *world) session() (*identity, *visit) {
	p := w.somebody()
	if open := p.open(); len(open) > 0 {
		return p, open[w.random.IntN(len(open))]
	}
	return p, nil
}

// enter has whoever has an account read in a project.
func (w *world) enter() error {
	p, v := w.session()
	if v == nil {
		return nil
	}
	return w.enters(p, v, w.site().uid)
}

func (w *world) enters(p *identity, v *visit, project string) error {
	path := []string{"", "/users", "/issues", "/changes?after_seq=0", "/users/" + p.uid}[w.random.IntN(5)]
	a, err := w.browse(http.MethodGet, "/projects/"+project+path, v.cookie, "", nil)
	if err != nil {
		return err
	}
	w.did("%s reads %s as %s", v.by, path, p.address)
	want := 403
	switch {
	case p.disabled:
		want = 401
	case p.reaches(project):
		want = 200
		p.teams[project].here = true
	}
	w.expect(a.Status == want, "%s as %s is answered %s, not %d", v.by, p.address, a, want)
	return nil
}

// list has whoever has an account list its projects.
func (w *world) list() error {
	p, v := w.session()
	if v == nil || p.disabled {
		return nil
	}
	return w.lists(p, v)
}

func (w *world) lists(p *identity, v *visit) error {
	a, err := w.browse(http.MethodGet, "/projects?limit=50", v.cookie, "", nil)
	if err != nil {
		return err
	}
	var got struct {
		Data []struct {
			UID string `json:"uid"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return err
	}
	var have, want []string
	for _, project := range got.Data {
		have = append(have, project.UID)
	}
	for project := range p.teams {
		if p.reaches(project) {
			want = append(want, project)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	w.expect(slices.Equal(have, want), "%s as %s lists %v, not %v", v.by, p.address, have, want)
	return nil
}

// change has whoever has an account say something of themselves.
func (w *world) change() error {
	p, v := w.session()
	if v == nil || p.disabled {
		return nil
	}
	company := w.text("Company")
	text, err := json.Marshal(lab.Object{"company": company})
	if err != nil {
		return err
	}
	a, err := w.browse(http.MethodPatch, "/me", v.cookie, "application/json", text)
	if err != nil {
		return err
	}
	w.did("%s says something as %s", v.by, p.address)
	w.expect(a.Status == 200, "the profile of %s: %s", p.address, a)
	p.profile.company = company
	return nil
}

// leave has whoever has an account leave a project.
func (w *world) leave() error {
	p, v := w.session()
	if v == nil || p.disabled {
		return nil
	}
	project := w.site().uid
	a, err := w.browse(http.MethodDelete, "/projects/"+project+"/users/"+p.uid, v.cookie, "", nil)
	if err != nil {
		return err
	}
	w.did("%s leaves as %s", v.by, p.address)
	want := 403
	if p.reaches(project) {
		want = 204
		w.gone(p, project)
	}
	w.expect(a.Status == want, "leaving is answered %s, not %d", a, want)
	return nil
}

// found has whoever has an account make a project of their own.
func (w *world) found() error {
	p, v := w.session()
	if v == nil || p.disabled || len(p.teams) > len(w.sites) {
		return nil
	}
	return w.founds(p, v)
}

func (w *world) founds(p *identity, v *visit) error {
	a, err := w.browse(http.MethodPost, "/projects", v.cookie, "application/json", []byte(`{"name":"Own"}`))
	if err != nil {
		return err
	}
	w.did("%s makes a project as %s", v.by, p.address)
	w.expect(a.Status == 201, "a project of one's own: %s", a)
	var got lab.Fields
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return err
	}
	p.teams[got.Text("uid")] = &place{here: true, founder: true}
	return nil
}

// stale tries a session that is over.
func (w *world) stale() error {
	p := w.somebody()
	for _, v := range p.visits {
		if !v.over && !p.disabled {
			continue
		}
		a, err := w.browse(http.MethodGet, "/me", v.cookie, "", nil)
		if err != nil {
			return err
		}
		w.expect(a.Status == 401, "a session of %s that is over is answered %s", v.by, a)
	}
	return nil
}

// look has a player look at somebody on the team.
func (w *world) look() error { return w.looks(w.site(), w.somebody()) }

func (w *world) looks(b *building, p *identity) error {
	if p.uid == "" {
		return nil
	}
	a, err := b.owner.Do(w.Trial, http.MethodGet, "/projects/"+b.uid+"/users/"+p.uid, nil)
	if err != nil {
		return err
	}
	if p.teams[b.uid] == nil {
		w.expect(a.Status == 404, "%s is on a team that never had them: %s", p.address, a)
		return nil
	}
	w.shows(a, p, b.uid)
	return nil
}

// shows compares what a project shows of somebody.
func (w *world) shows(a *lab.Answer, p *identity, project string) {
	var got lab.Fields
	if err := json.Unmarshal(a.Body, &got); err != nil {
		w.expect(false, "%s", a)
		return
	}
	want := p.sees(project)
	seen := profile{got.Text("email"), got.Text("first_name"), got.Text("last_name"), got.Text("company")}
	removed := string(got["removed"]) == "true"
	w.expect(seen == want && removed == p.teams[project].removed, "a project shows %+v, not %+v", seen, want)
	proven := p.proven && p.teams[project].here
	w.expect((string(got["proven"]) == "true") == proven, "a project shows as proven %s, not %t", got["proven"], proven)
}

// lookAtAll compares everything that everybody can read.
func (w *world) lookAtAll() error {
	for _, p := range w.people {
		for _, b := range w.sites {
			if err := w.looks(b, p); err != nil {
				return err
			}
		}
		for _, v := range p.open() {
			if p.disabled {
				continue
			}
			if err := w.lists(p, v); err != nil {
				return err
			}
			for _, b := range w.sites {
				// Where they may enter, they would have come to it: that is for them to choose.
				if p.reaches(b.uid) {
					continue
				}
				if err := w.enters(p, v, b.uid); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
