// Package identity plays games of identity against the fifth promise, and holds every answer against a model of who may
// see what.
package identity

import (
	"fmt"
	"strings"

	"groundwork/prove/lab"
)

// E43 plays random games of invitations, links and look-alike addresses against a model.
var E43 = &lab.Experiment{
	ID: "E43",
	Title: "identity games: tenants who invite the same addresses, other spellings of them and look-alikes, follow whatever link they get, remove, come back, read and change what they can; people who " +
		"read their mail; an operator who proves, resets, disables; with a mail server and without, one after the other",
	MustHold: "every answer is what a model says of who may see a link, enter a project, and read which profile; no look-alike shares an account",
	Control: "a link shown to whoever invites; memberships that do not wait; addresses compared by the lower case of Unicode; profiles shown before the person comes; " +
		"links shown to inviters who are not proven; those let in whom somebody made who was sent away",
	Engines: lab.BothEngines,
	Run: func(t *lab.Trial) error {
		g, err := newGame(t, lab.Released)
		if err != nil {
			return err
		}
		if err := g.play(t.ShortOrFull(600, 25_000), false); err != nil {
			return err
		}
		t.Note("seed", "%d", t.Seed)
		t.Note("steps", "%s", lab.Thousands(g.steps))
		t.Note("answers compared", "%s", lab.Thousands(g.compared))
		t.Note("links that were followed", "%s", lab.Thousands(g.followed))
		t.Note("letters", "%s", lab.Thousands(g.box.Count()))
		t.Note("answers that the model does not give", "%d", len(g.wrong))
		t.Require(g.followed > 0 && g.box.Count() > 0, "nobody followed a link, or no letter came")
		for _, w := range g.wrong {
			t.Require(false, "%s", w)
		}
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		var caught []string
		for _, fault := range []string{
			"link-to-anybody", "pending-effective", "lower-case", "profile-early",
			"unproven-inviter", "removed-returns",
		} {
			found := ""
			for attempt := range uint64(4) { // what takes several turns of luck may not come up in one game
				err := t.Inner(fmt.Sprintf("%s-%d", fault, attempt), func(t *lab.Trial) error {
					t.Seed += attempt
					g, err := newGame(t, lab.Planted, "GROUNDWORK_PLANT="+fault)
					if err != nil {
						return err
					}
					if err := g.play(t.ShortOrFull(1_500, 4_000), true); err != nil {
						return err
					}
					if len(g.wrong) > 0 {
						found = fmt.Sprintf("%s after %d steps of game %d: %s", fault, g.steps, attempt+1, g.wrong[0])
					}
					return nil
				})
				if err != nil {
					return "", err
				}
				if found != "" {
					break
				}
			}
			if found == "" {
				return "", fmt.Errorf("%s was not noticed in four games", fault)
			}
			caught = append(caught, found)
		}
		return strings.Join(caught, "; "), nil
	},
}

func newGame(t *lab.Trial, tag string, env ...string) (*game, error) {
	s, err := lab.NameSite(t, tag, env...)
	if err != nil {
		return nil, err
	}
	g := &game{Site: s}
	if g.box, err = lab.NewMailbox(t); err != nil {
		return nil, err
	}
	if _, err := s.Command(lab.Password+"\n", "account", "create", "--admin", "--email", lab.AdaEmail, "--name",
		"Ada Lovelace", "--password-stdin"); err != nil {
		return nil, err
	}
	for i := range gamers {
		p := &player{name: fmt.Sprintf("player %d", i), email: fmt.Sprintf("player%d@example.com", i)}
		if p.uid, err = s.Command(lab.Password+"\n", "account", "create", "--email", p.email, "--name",
			fmt.Sprintf("Tenant %d", i), "--password-stdin"); err != nil {
			return nil, err
		}
		key, err := s.NewKey(p.email)
		if err != nil {
			return nil, err
		}
		p.Client = s.NewClient()
		p.Key = key
		g.tenants = append(g.tenants, p)
	}
	g.client = s.NewClient()
	g.client.HTTP.CheckRedirect = stays
	return g, nil
}

// Each round has fresh worlds; in its middle the mail server comes, or goes.
const (
	worlds   = 4
	inAPhase = 25
)

// play makes about so many steps. With enough it ends at the first answer that is wrong: from then on the service and
// the model are apart, and whoever waits for what the model says, such as a letter, waits in vain.
func (g *game) play(steps int, enough bool) error {
	over := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return enough && len(g.wrong) > 0
	}
	for round := 0; g.steps < steps && !over(); round++ {
		all := make([]*world, worlds)
		for phase := range 2 {
			if err := g.open(g.Trial.Random(round).IntN(2) == phase); err != nil {
				return err
			}
			errs := make([]error, worlds)
			lab.Parallel(worlds, func(i int) {
				if all[i] == nil {
					if all[i], errs[i] = g.newWorld(round*worlds + i); errs[i] != nil {
						return
					}
				}
				for n := 0; n < inAPhase && errs[i] == nil && !over(); n++ {
					errs[i] = all[i].step()
				}
			})
			for _, err := range errs {
				if err != nil && !over() {
					return err
				}
			}
		}
	}
	return nil
}

// open starts the service with a mail server or without; its sessions go on.
func (g *game) open(mail bool) error {
	g.ServerOptions = []string{"--default-limit", "all/1=1000000", "--invitations", "1000000"}
	if mail {
		g.ServerOptions = append(g.ServerOptions, "--mail-url", "smtp://"+g.box.Address, "--mail-from",
			"Groundwork <groundwork@example.com>")
	}
	g.mail = mail
	if g.Server != nil {
		if _, err := g.Stop(); err != nil {
			return err
		}
	}
	if _, err := g.Start(); err != nil {
		return err
	}
	if g.operator != "" {
		return nil
	}
	a, err := g.form("/sign-in", "", lab.FormValues{"email": lab.AdaEmail, "password": lab.Password})
	if err == nil && a.Status != 303 {
		err = fmt.Errorf("the operator signs in: %s", a)
	}
	if err == nil {
		g.operator = cookieOf(a)
	}
	return err
}
