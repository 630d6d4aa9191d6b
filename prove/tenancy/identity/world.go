package identity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"groundwork/prove/lab"
)

// world is some projects of different tenants, and the addresses that they all invite. What happens in it does not
// touch any other world.
type world struct {
	*game
	name    string
	random  *rand.Rand
	sites   []*building
	people  []*identity
	said    int      // how many texts were made
	history []string // the last steps, for whoever must find out what went wrong
}

// building is a project with its owner and a second Admin, who may be sent away.
type building struct {
	uid       string
	owner, co *player
	coGone    bool
}

// identity is an address, what the model says of its account, and what everybody has of it.
type identity struct {
	address string // as it is typed first
	alike   []string
	uid     string // empty while there is no account

	madeBy   string // the uid of who invited it first
	madeIn   string // in which project; empty once they were sent away from there
	proven   bool
	disabled bool
	password bool
	profile  profile
	teams    map[string]*place
	letters  []string // the projects that wrote today
	visits   []*visit
	passes   []*pass
	foreign  map[string]string // the uids of its look-alikes
	got      int               // letters that came
}

// profile is what is shown of a person; empty is null.
type profile struct{ email, first, last, company string }

// place is a place on the team of a project.
type place struct {
	removed, here, founder bool
	shown                  profile // while they are not here
}

// visit is a session, and who has it.
type visit struct {
	by, cookie string
	over       bool
}

// pass is a link, and who has it.
type pass struct {
	by, path string
	handed   string // mail, operator, inviter
	in       string // the project in which an inviter was shown it
	to       string // the uid of who was shown it
	reset    bool
	over     bool
}

func (p *identity) reaches(project string) bool {
	at := p.teams[project]
	return at != nil && !at.removed && (p.proven || p.madeIn == project || at.founder)
}

// sees is what a project shows of the person.
func (p *identity) sees(project string) profile {
	if at := p.teams[project]; !at.here {
		return at.shown
	}
	return p.profile
}

// good tells whether a link works now.
func (p *identity) good(l *pass) bool {
	switch {
	case l.over || p.disabled:
		return false
	case l.reset:
		return true
	case l.handed == "inviter":
		return !p.password && !p.proven
	}
	return !p.password || !p.proven
}

func (g *game) newWorld(n int) (*world, error) {
	w := &world{game: g, name: fmt.Sprintf("w%d", n), random: g.Trial.Random(43, n)}
	for i := range 3 {
		b := &building{owner: g.tenants[i], co: g.tenants[(i+1)%gamers]}
		path, err := b.owner.NewProject(g.Trial, fmt.Sprintf("%s Site %d", w.name, i))
		if err != nil {
			return nil, err
		}
		b.uid = strings.TrimPrefix(path, "/projects/")
		if err := w.recall(b); err != nil {
			return nil, err
		}
		w.sites = append(w.sites, b)
	}
	for i := range 4 {
		local := fmt.Sprintf("kim%s%d", w.name, i)
		w.people = append(w.people, &identity{
			address: local + "@kirkside.example", teams: map[string]*place{}, foreign: map[string]string{},
			alike: []string{
				strings.Replace(local, "k", "\u212a", 1) + "@kirkside.example", // the Kelvin sign
				strings.Replace(local, "i", "\u0130", 1) + "@kirkside.example", // I with a dot
				local + "@\u212airkside.example", local + "@k\u0130rkside.example",
				"\uff4b" + local[1:] + "@kirkside.example",                         // full width
				local + "@\u043airkside.example", local + "@k\u0131rkside.example", // Cyrillic ka, i without a dot
			},
		})
	}
	return w, nil
}

// recall has the second Admin on the team.
func (w *world) recall(b *building) error {
	body := lab.Object{"email": b.co.email, "role_uid": "9d139e64-cac9-4f23-b4d5-9fd3688b498e"}
	if err := b.owner.MustDo(w.Trial, "POST", "/projects/"+b.uid+"/users/invites", body, nil); err != nil {
		return err
	}
	b.coGone = false
	return b.co.MustDo(w.Trial, "GET", "/projects/"+b.uid, nil, nil)
}

// text makes a text that nobody else has.
func (w *world) text(kind string) string {
	w.said++
	return fmt.Sprintf("%s %s %d", kind, w.name, w.said)
}

func (w *world) site() *building { return w.sites[w.random.IntN(len(w.sites))] }

// somebody is one of the people; the last only once one of the others has invited them.
func (w *world) somebody() *identity {
	p := w.people[w.random.IntN(len(w.people))]
	if p.uid == "" && p == w.people[len(w.people)-1] {
		return w.people[0]
	}
	return p
}

// own is a project that the person made; empty where there is none.
func (p *identity) own() (own string) {
	for project, at := range p.teams {
		if at.founder && !at.removed && (own == "" || project < own) {
			own = project
		}
	}
	return own
}

// admin is one of those who may invite in a project.
func (w *world) admin(b *building) *player {
	if w.random.IntN(3) == 0 {
		return b.co
	}
	return b.owner
}

// spelled is the address as somebody else may type it.
func (w *world) spelled(p *identity) string {
	switch w.random.IntN(4) {
	case 0:
		return strings.ToUpper(p.address)
	case 1:
		return strings.ToUpper(p.address[:1]) + p.address[1:]
	}
	return p.address
}

func (w *world) did(format string, args ...any) {
	const most = 30
	w.history = append(w.history, fmt.Sprintf(format, args...))
	w.history = w.history[max(0, len(w.history)-most):]
}

// expect compares an answer with the model.
func (w *world) expect(ok bool, format string, args ...any) {
	if ok {
		w.judge(true, "")
		return
	}
	const shown = 6 // steps before what is wrong; the seed plays the others again
	last := w.history[max(0, len(w.history)-shown):]
	w.judge(false, "%s: %s; before: %s", w.name, fmt.Sprintf(format, args...), strings.Join(last, ", "))
}

// has tells whether a project ever had the person on its team, other than this one.
func (p *identity) elsewhere(project string) bool {
	for other := range p.teams {
		if other != project {
			return true
		}
	}
	return false
}

// endLinks ends those links of which gone says so.
func (p *identity) endLinks(gone func(*pass) bool) {
	for _, l := range p.passes {
		l.over = l.over || gone(l)
	}
}

func (p *identity) open() []*visit {
	return slices.DeleteFunc(slices.Clone(p.visits), func(v *visit) bool { return v.over })
}

// orphan has those wait again whom somebody made who was sent away from a project, or shut out everywhere, and whom
// nobody has proven; and those whom these made.
func (w *world) orphan(maker, project string) {
	for _, p := range w.people {
		if p.uid != "" && p.madeBy == maker && !p.proven && p.madeIn != "" && (project == "" || p.madeIn == project) {
			p.madeIn = ""
			w.orphan(p.uid, project)
		}
	}
}

// gone is what becomes of somebody who is off the team.
func (w *world) gone(p *identity, project string) {
	at := p.teams[project]
	if at.here {
		at.here, at.shown = false, p.profile
	}
	at.removed = true
	p.endLinks(func(l *pass) bool { return l.handed == "inviter" && l.in == project })
}
