// Package mirror tries that a client keeps a project with one cursor: readers follow the change log with records, and
// by events, while people write, roles change, marks become hidden and processes are killed; and that many streams cost
// others little.
package mirror

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

// person is somebody with a key, at each process.
type person struct {
	name, uid string
	at        []*lab.Client
}

// world is a project in which people do what comes to their minds.
type world struct {
	t       *lab.Trial
	sites   []*lab.Site
	people  []*person // the first is its Admin, and stays
	project string
	roles   []string
	sheet   string
	done    atomic.Int64

	mu     sync.Mutex
	issues []string
	marks  []string
	said   []string
	views  []string
	failed error
}

func newWorld(t *lab.Trial, tag string, env ...string) (*world, error) {
	w := &world{t: t}
	var err error
	// The full form invites the same three more often than one may.
	if w.sites, err = lab.StartAll(t, tag, append(env, "GROUNDWORK_INVITATIONS=1000000")...); err != nil {
		return nil, err
	}
	for i, name := range []string{"ada", "bob", "eve", "joe"} {
		p, err := newPerson(w.sites, name, i > 0)
		if err != nil {
			return nil, err
		}
		w.people = append(w.people, p)
	}
	c := w.people[0].at[0]
	if w.project, err = c.NewProject(t, "Tower"); err != nil {
		return nil, err
	}
	roles, _, err := c.ListAll(t, w.project+"/roles")
	if err != nil {
		return nil, err
	}
	for _, raw := range roles {
		w.roles = append(w.roles, uidOf(raw))
	}
	for _, p := range w.people[1:] {
		if err := w.invite(p, w.roles[0]); err != nil {
			return nil, err
		}
	}
	set, err := estate.SendSet(t, c, w.project, estate.Drawings("A-101"))
	if err == nil {
		err = estate.AwaitSet(t, c, w.project, set)
	}
	if err == nil {
		err = estate.AwaitTiles(t, c, w.project)
	}
	if err != nil {
		return nil, err
	}
	sheets, _, err := c.ListAll(t, w.project+"/sheets")
	if err != nil || len(sheets) == 0 {
		return nil, fmt.Errorf("the project has %d sheets: %w", len(sheets), err)
	}
	w.sheet = uidOf(sheets[0])
	// A set that only Admins see, so that roles matter.
	return w, c.MustDo(t, http.MethodPost, w.project+"/sheets/uploads",
		lab.Object{"num_files": 1, "version_name": "Not yet", "publish": false}, nil)
}

// newPerson makes an account, unless it is Ada's, and clients with a key of it.
func newPerson(sites []*lab.Site, name string, account bool) (*person, error) {
	p, s := &person{name: name}, sites[0]
	email := name + "@example.com"
	if account {
		if _, err := s.Command(lab.Password+"\n", "account", "create", "--email", email, "--name", name,
			"--password-stdin"); err != nil {
			return nil, err
		}
	}
	key, err := s.NewKey(email)
	if err != nil {
		return nil, err
	}
	for _, site := range sites {
		c := site.NewClient()
		c.Key = key
		p.at = append(p.at, c)
	}
	var me struct {
		UID string `json:"uid"`
	}
	err = p.at[0].MustDo(s.Trial, http.MethodGet, "/me", nil, &me)
	p.uid = me.UID
	return p, err
}

func (w *world) invite(p *person, role string) error {
	return w.people[0].at[0].MustDo(w.t, http.MethodPost, w.project+"/users/invites",
		lab.Object{"email": p.name + "@example.com", "role_uid": role}, nil)
}

func uidOf(raw []byte) string {
	var f lab.Fields
	_ = json.Unmarshal(raw, &f) // what is no record has no uid
	return f.Text("uid")
}

// send sends what somebody does. It may be refused, by a role or by what others did; a process that is down answers
// nothing.
func (w *world) send(c *lab.Client, method, path string, body any) (uid string) {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	a, err := c.Do(w.t, method, w.project+path, text)
	switch {
	case err != nil || a.Status == http.StatusServiceUnavailable:
		time.Sleep(time.Millisecond)
		return ""
	case a.Status >= 500:
		w.mu.Lock()
		w.failed = fmt.Errorf("%s %s: %s", method, path, a)
		w.mu.Unlock()
		return ""
	case !a.OK():
		return ""
	}
	w.done.Add(1)
	return uidOf(a.Body)
}

// some gives one of a list that others add to; "" of an empty one.
func (w *world) some(random *rand.Rand, list *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) == 0 {
		return "none"
	}
	return (*list)[random.IntN(len(*list))]
}

func (w *world) add(list *[]string, uid string) {
	if uid != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		*list = append(*list, uid)
	}
}

// act has somebody do something.
func (w *world) act(p *person, random *rand.Rand) {
	c := p.at[random.IntN(len(p.at))]
	issue, mark, said := w.some(random, &w.issues), w.some(random, &w.marks), w.some(random, &w.said)
	word := fmt.Sprintf("%s %d", p.name, random.IntN(1e6))
	drawn := lab.Object{"sheet_uid": w.sheet, "text": word}
	switch random.IntN(18) {
	case 0, 1:
		w.add(&w.issues, w.send(c, "POST", "/issues", lab.Object{"title": word}))
	case 2, 3:
		w.send(c, "PATCH", "/issues/"+issue, lab.Object{"room": word})
	case 4:
		w.send(c, "DELETE", "/issues/"+issue, nil)
	case 5:
		w.send(c, "POST", "/issues/"+issue+"/restore", nil)
	case 6, 7:
		w.add(&w.said, w.send(c, "POST", "/issues/"+issue+"/comments", lab.Object{"text": word}))
	case 8:
		w.send(c, "DELETE", "/comments/"+said, nil)
	case 9:
		w.send(c, "POST", "/comments/"+said+"/restore", nil)
	case 10:
		w.add(&w.marks, w.send(c, "POST", "/annotations", drawn))
	case 11, 12: // a pin, which takes the place of another
		drawn["issue_uid"] = issue
		w.add(&w.marks, w.send(c, "POST", "/annotations", drawn))
	case 13:
		w.send(c, "PATCH", "/annotations/"+mark, lab.Object{"visibility": "master"})
	case 14:
		w.send(c, "DELETE", "/annotations/"+mark, nil)
	case 15:
		w.send(c, "PATCH", "/annotations/"+mark, lab.Object{"issue_uid": nil})
	case 16:
		w.add(&w.views, w.send(c, "POST", "/views", lab.Object{"name": word, "of": "issues"}))
	case 17:
		w.send(c, "PATCH", "/views/"+w.some(random, &w.views), lab.Object{"name": word, "visibility": "master"})
	}
}

// rule has the Admin change who may what: roles, removals, returns.
func (w *world) rule(random *rand.Rand) {
	p, c := lab.OneOf(random, w.people[1:]), lab.OneOf(random, w.people[0].at)
	role := lab.OneOf(random, w.roles)
	switch random.IntN(3) {
	case 0:
		w.send(c, "DELETE", "/users/"+p.uid, nil)
	case 1:
		w.send(c, "PATCH", "/users/"+p.uid, lab.Object{"role_uid": role})
	case 2:
		w.send(c, "POST", "/users/invites", lab.Object{"email": p.name + "@example.com", "role_uid": role})
	}
}

// run has people act until so many changes are done, with kills in between, and gives the uid of an issue that is made
// last, when all are back on the team.
func (w *world) run(changes, kills int) (last string, err error) {
	over := make(chan struct{})
	var killing sync.WaitGroup
	var killed error
	killing.Go(func() { killed = lab.KillAfter(w.t, w.sites, kills, changes, &w.done, over, nil) })
	lab.Parallel(2*len(w.people), func(i int) {
		random := w.t.Random(i)
		for w.done.Load() < int64(changes) && w.t.Err() == nil && w.failed == nil {
			if i == 0 && random.IntN(3) == 0 {
				w.rule(random)
			} else {
				w.act(w.people[i%len(w.people)], random)
			}
		}
	})
	close(over)
	killing.Wait()
	if err := errors.Join(killed, w.failed); err != nil {
		return "", err
	}
	for _, p := range w.people[1:] {
		if err := w.invite(p, w.roles[w.t.Random(7).IntN(len(w.roles))]); err != nil {
			return "", err
		}
	}
	if last = w.send(w.people[0].at[0], "POST", "/issues", lab.Object{"title": "the end"}); last == "" {
		return "", errors.New("the last issue was not made")
	}
	return last, nil
}
