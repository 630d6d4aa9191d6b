package identity

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// step does one thing and, now and then, looks at everything.
func (w *world) step() error {
	acts := []struct {
		often int
		do    func() error
	}{
		{30, w.invite},
		{14, w.follow},
		{10, w.enter},
		{8, w.look},
		{6, w.list},
		{6, w.change},
		{5, w.remove},
		{4, w.leave},
		{4, w.lookAlike},
		{3, w.prove},
		{2, w.resetLink},
		{3, w.disable},
		{3, w.dismiss},
		{2, w.found},
		{8, w.spread},
		{3, w.stale},
	}
	all := 0
	for _, a := range acts {
		all += a.often
	}
	n := w.random.IntN(all)
	for _, a := range acts {
		if n -= a.often; n >= 0 {
			continue
		}
		if err := a.do(); err != nil {
			return fmt.Errorf("%s after %s: %w", w.name, strings.Join(w.history, ", "), err)
		}
		break
	}
	w.mu.Lock()
	w.steps++
	w.mu.Unlock()
	if w.random.IntN(5) == 0 {
		return w.lookAtAll()
	}
	return nil
}

// invite has a player invite an address.
func (w *world) invite() error {
	b, p := w.site(), w.somebody()
	by := w.admin(b)
	return w.invites(b, p,
		&inviter{by.name, by.uid, true, by == b.co && b.coGone, func(path string, text []byte) (*lab.Answer, error) {
			return by.Do(w.Trial, http.MethodPost, path, text)
		}})
}

// inviter is who invites: a player, or whoever has an account that was invited itself.
type inviter struct {
	name, uid    string
	proven, away bool
	post         func(path string, text []byte) (*lab.Answer, error)
}

// spread has whoever has an account invite somebody to a project of its own, which it makes first if it has none.
func (w *world) spread() error {
	p := w.somebody()
	for range 2 * len(w.people) {
		if len(p.open()) == 0 || p.disabled {
			p = w.somebody()
		}
	}
	open := p.open()
	if len(open) == 0 || p.disabled {
		return nil
	}
	v := open[w.random.IntN(len(open))]
	if p.own() == "" {
		if err := w.founds(p, v); err != nil {
			return err
		}
	}
	own, other := p.own(), w.people[len(w.people)-1] // whom no player invites first
	if other.uid != "" {
		other = w.somebody()
	}
	if own == "" || other == p {
		return nil
	}
	p.teams[own].here = true // they come to it by asking
	send := func(path string, text []byte) (*lab.Answer, error) {
		return w.browse(http.MethodPost, path, v.cookie, "application/json", text)
	}
	return w.invites(&building{uid: own}, other, &inviter{v.by + " as " + p.address, p.uid, p.proven, false, send})
}

func (w *world) invites(b *building, p *identity, by *inviter) error {
	typed := w.spelled(p)
	body := lab.Object{"email": typed}
	first, last := "", ""
	if w.random.IntN(2) == 0 {
		first, last = w.text("First"), w.text("Last")
		body["first_name"], body["last_name"] = first, last
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	a, err := by.post("/projects/"+b.uid+"/users/invites", text)
	if err != nil {
		return err
	}
	w.did("%s invites %s to %s", by.name, typed, b.uid[len(b.uid)-4:])
	if by.away {
		w.expect(a.Status == 403, "who was sent away invites: %s", a)
		return nil
	}
	at, want := p.teams[b.uid], 200
	if at == nil || at.removed {
		want = 201
	}
	w.expect(a.Status == want, "the invitation is answered %s, not %d", a, want)
	if !a.OK() {
		return nil
	}
	var got lab.Fields
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return err
	}
	for alike, uid := range p.foreign {
		w.expect(uid != got.Text("uid"), "%s and %s are one account", alike, typed)
	}
	if p.uid == "" {
		p.uid, p.madeBy, p.madeIn, p.profile = got.Text("uid"), by.uid, b.uid, profile{email: typed}
	}
	w.expect(got.Text("uid") == p.uid, "two accounts for %s", typed)
	if !p.password && p.madeIn == b.uid && p.profile.first+p.profile.last == "" {
		p.profile.first, p.profile.last = first, last
	}
	switch {
	case at == nil:
		at = &place{shown: profile{email: typed, first: first, last: last}}
		p.teams[b.uid] = at
	case !at.here && at.shown.first+at.shown.last == "":
		at.shown.first, at.shown.last = first, last
	}
	at.removed = false
	w.shows(a, p, b.uid)
	link := got.Text("invitation_url")
	sees := !at.here && !w.mail && !p.password && !p.proven && by.proven && p.madeBy == by.uid && p.madeIn == b.uid &&
		!p.elsewhere(b.uid)
	w.expect((link != "") == sees, "%s is answered the link %q", by.name, link)
	if link != "" {
		p.passes = append(p.passes, &pass{
			by: by.name, path: strings.TrimPrefix(link, w.BaseURL), handed: "inviter", in: b.uid, to: by.uid,
		})
	}
	return w.written(p, b, at)
}

// written waits for the letter that an invitation sends, and takes its link.
func (w *world) written(p *identity, b *building, at *place) error {
	const mostLetters = 3
	due := !at.here && len(p.letters) < mostLetters
	for _, from := range p.letters {
		due = due && from != b.uid
	}
	if !due {
		return nil
	}
	p.letters = append(p.letters, b.uid)
	if !w.mail || p.disabled {
		return nil
	}
	link, err := w.box.NextLetter(w.Trial, p.profile.email, p.got)
	if err != nil {
		return err
	}
	p.got++
	w.expect((link != "") == (!p.password || !p.proven), "a letter to %s has the link %q", p.address, link)
	if link != "" {
		p.passes = append(p.passes, &pass{by: "the person", path: link, handed: "mail"})
	}
	return nil
}

// follow has whoever has a link use it.
func (w *world) follow() error {
	p := w.somebody()
	if len(p.passes) == 0 {
		return nil
	}
	l := p.passes[w.random.IntN(len(p.passes))]
	if w.random.IntN(2) == 0 {
		l = p.passes[len(p.passes)-1] // more often one that works
	}
	first, last := fmt.Sprintf("Given%d", w.said), w.text("Name")[5:]
	last = strings.ReplaceAll(last, " ", "-")
	a, err := w.form(l.path, "", lab.FormValues{"password": "nine grey herons on a crane", "name": first + " " + last})
	if err != nil {
		return err
	}
	w.did("%s follows a link by %s to %s", l.by, l.handed, p.address)
	good := p.good(l)
	w.expect((a.Status == 303) == good && (good || a.Status == 404), "the link by %s is answered %s", l.handed, a)
	if a.Status != 303 || !good {
		return nil
	}
	w.mu.Lock()
	w.followed++
	w.mu.Unlock()
	if l.handed != "inviter" && !p.proven {
		p.handOver()
	}
	p.endLinks(func(*pass) bool { return true })
	for _, v := range p.visits {
		v.over = true
	}
	if !l.reset {
		p.profile.first, p.profile.last = first, last
	}
	p.password = true
	p.visits = append(p.visits, &visit{by: l.by, cookie: cookieOf(a)})
	return nil
}

// handOver is what becomes of an account that its person takes over.
func (p *identity) handOver() {
	p.proven = true
	if !p.password {
		return
	}
	for _, at := range p.teams {
		if at.here {
			at.here, at.shown = false, p.profile
		}
	}
	p.profile.company = ""
}

// remove has a player take somebody off the team.
func (w *world) remove() error {
	b, p := w.site(), w.somebody()
	at := p.teams[b.uid]
	if at == nil || at.removed {
		return nil
	}
	w.did("%s removes %s", b.owner.name, p.address)
	if err := b.owner.MustDo(w.Trial, http.MethodDelete, "/projects/"+b.uid+"/users/"+p.uid, nil, nil); err != nil {
		return err
	}
	w.gone(p, b.uid)
	return nil
}

// dismiss sends the second Admin of a project away, or takes them back.
func (w *world) dismiss() error {
	b := w.site()
	w.did("the second Admin of %s goes or comes", b.uid[len(b.uid)-4:])
	if b.coGone {
		return w.recall(b)
	}
	b.coGone = true
	for _, p := range w.people {
		p.endLinks(func(l *pass) bool { return l.handed == "inviter" && l.in == b.uid && l.to == b.co.uid })
	}
	w.orphan(b.co.uid, b.uid)
	return b.owner.MustDo(w.Trial, http.MethodDelete, "/projects/"+b.uid+"/users/"+b.co.uid, nil, nil)
}

// prove has the operator say that an address is proven.
func (w *world) prove() error {
	p := w.somebody()
	if p.uid == "" {
		return nil
	}
	a, err := w.form("/operator", w.operator, lab.FormValues{"uid": p.uid, "action": "prove"})
	if err != nil {
		return err
	}
	w.did("the operator proves %s", p.address)
	want := 303
	for project, at := range p.teams {
		if p.password && !p.proven && !at.removed && !p.reaches(project) {
			want = 409
		}
	}
	w.expect(a.Status == want, "proving is answered %d, not %d", a.Status, want)
	if a.Status == 303 && want == 303 && !p.proven {
		p.proven = true
		p.endLinks(func(l *pass) bool { return l.handed == "inviter" })
	}
	return nil
}

// resetLink has the operator make a link, which she gives to the person.
func (w *world) resetLink() error {
	p := w.somebody()
	if p.uid == "" || p.disabled {
		return nil
	}
	w.did("the operator makes a link for %s", p.address)
	link, err := w.Command("", "account", "reset-password", p.address)
	if err != nil {
		return err
	}
	p.passes = append(p.passes, &pass{
		by: "the person", path: strings.TrimPrefix(link, w.BaseURL), handed: "operator", reset: true,
	})
	return nil
}

// disable shuts an account out, or lets it in again.
func (w *world) disable() error {
	p := w.somebody()
	if p.uid == "" {
		return nil
	}
	action := map[bool]string{true: "enable", false: "disable"}[p.disabled]
	a, err := w.form("/operator", w.operator, lab.FormValues{"uid": p.uid, "action": action})
	if err == nil && a.Status != 303 {
		err = fmt.Errorf("%s: %s", action, a)
	}
	w.did("the operator does %s %s", action, p.address)
	if p.disabled = !p.disabled; p.disabled {
		w.orphan(p.uid, "")
	}
	return err
}

// lookAlike has a player invite an address that looks like another one.
func (w *world) lookAlike() error {
	b, p := w.site(), w.somebody()
	alike := p.alike[w.random.IntN(len(p.alike))]
	text, err := json.Marshal(lab.Object{"email": alike})
	if err != nil {
		return err
	}
	a, err := b.owner.Do(w.Trial, http.MethodPost, "/projects/"+b.uid+"/users/invites", text)
	if err != nil {
		return err
	}
	w.did("%s invites the look-alike %q", b.owner.name, alike)
	w.expect(a.OK() || a.Status == 400, "a look-alike is answered %s", a)
	if !a.OK() {
		return nil
	}
	var got lab.Fields
	if err := json.Unmarshal(a.Body, &got); err != nil {
		return err
	}
	p.foreign[alike] = got.Text("uid")
	w.expect(p.uid == "" || got.Text("uid") != p.uid, "%q has the account of %s", alike, p.address)
	return nil
}
