package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/mail"
	"groundwork/internal/store"
)

// Somebody is a person who is to be erased, and what was found of them.
type Somebody struct {
	*identity.Account
	// Rows are how many rows have something of them, by table, and Projects in how many projects.
	Rows     map[string]int
	Projects int

	site  *Site
	facts facts
	texts *Texts
	teams []*store.Project
	ids   []store.ID
	hits  []hit
}

// Find looks for a person by uid or address, and for everything of them: fault.NotFound where there is none,
// fault.Conflict where they were erased and there is nothing further to look for.
func (s *Site) Find(ctx context.Context, who string, further []string) (*Somebody, error) {
	account, err := s.Auth.Account(ctx, who)
	if fault.Is(err, fault.NotFound) {
		account, err = s.Auth.AccountByEmail(ctx, who)
	}
	if err != nil {
		return nil, err
	}
	p := &Somebody{Account: account, site: s, Rows: map[string]int{}}
	if p.ids, p.teams, err = s.Store.EverOwn(ctx, account.UID); err != nil {
		return nil, err
	}
	if p.facts, err = s.underWay(ctx, account.UID); err != nil {
		return nil, err
	}
	if err := p.learn(ctx); err != nil {
		return nil, err
	}
	p.facts.Further = append(p.facts.Further, further...)
	if account.Erased && len(p.facts.Addresses) == 0 && len(p.facts.Further) == 0 {
		return nil, fault.New(fault.Conflict,
			"The person of account %s was erased already. To look for a further text of theirs, say it with --also.", account.UID)
	}
	if p.texts, err = p.facts.texts(identity.ErasedAs(account.UID)); err != nil {
		return nil, err
	}
	found, err := s.search(ctx, p.texts)
	if err != nil {
		return nil, err
	}
	p.hits = found.hits
	projects := map[int64]bool{}
	for _, h := range found.hits {
		p.Rows[h.table.Name]++
		if h.project != 0 {
			projects[h.project] = true
		}
	}
	p.Projects = len(projects)
	return p, nil
}

// learn notes what the account says of the person, and what projects keep of them from earlier.
func (p *Somebody) learn(ctx context.Context) error {
	gone := identity.ErasedAs(p.UID)
	note := func(shown identity.Shown) {
		if shown.Email != gone.Email {
			p.facts.add(shown)
		}
	}
	note(p.Account.Shown())
	for i, project := range p.teams {
		err := p.site.Store.QueryIn(ctx, project, "SELECT private FROM records WHERE id = $1", []any{p.ids[i]},
			func(c *store.Cols) error {
				kept, err := identity.KeptAs(c.Bytes(0))
				if err == nil && kept != nil {
					note(*kept)
				}
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// Held gives the projects under hold that the person is of, or that have something of them.
func (p *Somebody) Held(ctx context.Context) (all []Hold, err error) {
	held, err := p.site.Holds(ctx)
	for _, h := range held {
		in := slices.ContainsFunc(p.teams, func(t *store.Project) bool { return t.UID == h.Project }) ||
			slices.ContainsFunc(p.hits, func(f hit) bool { return f.project == h.number })
		if in {
			all = append(all, h)
		}
	}
	return all, err
}

// Proof says what an erasure did, and what a search found afterwards.
type Proof struct {
	UID string
	At  time.Time
	// Replaced are how many rows were changed, by table; Ended how many of credentials are gone.
	Replaced, Ended map[string]int
	// Left are the projects whose team the person was taken off; Stays those where they were the last Admin, so that
	// the team keeps an erased person.
	Left, Stays []string
	// Mails to them that waited were not sent; Files were removed that had been made to be downloaded once.
	Mails, Files int
	// Rows of Tables, and the names of Objects in the file store, were then looked through; Remains says where
	// something was found, which is nowhere.
	Tables, Rows, Objects int
	Remains               []string
	Further               int
}

// mostPasses is how often everything is looked through: others write meanwhile.
const mostPasses = 10

// Erase replaces the person's name and address everywhere, ends what lets them in, takes them off all teams, and then
// looks through everything once more. What they did stays, by the uid of their account. by is who has it done. A person
// of a project under hold is refused with fault.Conflict, unless forced: an erasure that was done before is done again.
// What is cut short goes on when it is asked for again, and by itself.
func (p *Somebody) Erase(ctx context.Context, by string, at time.Time, force bool) (proof Proof, err error) {
	s := p.site
	if held, err := p.Held(ctx); err != nil || len(held) > 0 && !force {
		return proof, errors.Join(err, heldSentence(held))
	}
	proof = Proof{
		UID: p.UID, At: at, Replaced: map[string]int{}, Ended: map[string]int{}, Further: len(p.facts.Further),
	}
	if err := p.begin(ctx, &proof); err != nil {
		return proof, err
	}
	for range mostPasses {
		if proof.Mails, err = s.dropMail(ctx, p.texts, p.hits, proof.Mails); err != nil {
			return proof, err
		}
		if err := s.replace(ctx, p.UID, p.texts, p.hits, force, proof.Replaced); err != nil {
			return proof, err
		}
		again, err := s.search(ctx, p.texts)
		if err != nil {
			return proof, err
		}
		p.hits = again.hits
		if len(again.remains(p.UID)) == 0 {
			break
		}
	}
	if err := p.settle(ctx, by, &proof, force); err != nil {
		return proof, err
	}
	if err := p.prove(ctx, &proof, force); err != nil {
		return proof, err
	}
	return proof, s.told(ctx)
}

// begin notes what is looked for, so that nothing is lost with this process, and shuts the account out.
func (p *Somebody) begin(ctx context.Context, proof *Proof) error {
	text, err := json.Marshal(p.facts)
	if err != nil {
		return err
	}
	return p.site.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetNote(underWayNote+p.UID, string(text)); err != nil {
			return err
		}
		if p.Erased {
			return nil
		}
		ended, err := p.site.Auth.ShutOut(tx, p.UID)
		for table, n := range ended {
			proof.Ended[table] = n
		}
		return err
	})
}

// settle has the account itself say nothing of the person any more, and their projects keep nothing.
func (p *Somebody) settle(ctx context.Context, by string, proof *Proof, force bool) error {
	s := p.site
	err := s.Store.Write(ctx, func(tx *store.Tx) error {
		if !p.Erased {
			if err := s.Auth.Erase(tx, p.UID); err != nil {
				return err
			}
		}
		err := tx.Exec(insertErasure, p.UID, Person, nil, proof.At.UnixMicro(), by, int64(proof.Further))
		if err != nil {
			return err
		}
		return Note(tx, by, DidErasePerson, p.UID, fmt.Sprintf("%d further texts", proof.Further))
	})
	if err != nil {
		return err
	}
	if !p.Erased {
		proof.Replaced["accounts"]++
	}
	for i, project := range p.teams {
		left, err := s.Leave(ctx, project, p.UID)
		if err != nil {
			return err
		}
		if left {
			proof.Left = append(proof.Left, project.UID)
		} else {
			proof.Stays = append(proof.Stays, project.UID)
		}
		if err := p.unkeep(ctx, project, p.ids[i], proof, force); err != nil {
			return err
		}
		n, err := s.EndFiles(ctx, project)
		if err != nil {
			return err
		}
		proof.Files += n
	}
	return nil
}

// unkeep has a team record keep nothing of what a project showed of the person.
func (p *Somebody) unkeep(ctx context.Context, project *store.Project, id store.ID, proof *Proof, force bool) error {
	as := string(identity.ErasedAs(p.UID).Keep())
	return p.site.Store.Edit(ctx, project, 0, func(tx *store.Tx) error {
		if !force {
			if err := refuseHeld(tx, project); err != nil {
				return err
			}
		}
		row, ok, err := tx.At(auth.KindMember, id.Ordinal())
		if err != nil || !ok || len(row.Private) == 0 || string(row.Private) == as {
			return err
		}
		row.Private = []byte(as)
		if err := tx.Show(&row); err != nil {
			return err
		}
		tx.After(func() { proof.Replaced["records"]++ })
		return nil
	})
}

// prove looks through everything once more, and replaces what came meanwhile.
func (p *Somebody) prove(ctx context.Context, proof *Proof, force bool) error {
	s := p.site
	for range mostPasses {
		last, err := s.search(ctx, p.texts)
		if err != nil {
			return err
		}
		proof.Tables, proof.Rows, proof.Remains = last.tables, last.rows, last.remains("")
		if len(proof.Remains) == 0 {
			break
		}
		if err := s.replace(ctx, "", p.texts, last.hits, force, proof.Replaced); err != nil {
			return err
		}
	}
	proof.Objects = 0
	err := s.Blobs.Each(ctx, func(i blob.Info) error {
		proof.Objects++
		if _, n := p.texts.Replace(i.Name); n > 0 {
			proof.Remains = append(proof.Remains, "the name of the file "+i.Name)
		}
		return nil
	})
	if err != nil || len(proof.Remains) > 0 {
		return err
	}
	return s.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM instance WHERE name = $1", underWayNote+p.UID)
	})
}

// dropMail takes mails to the person that wait out of the queue.
func (s *Site) dropMail(ctx context.Context, t *Texts, hits []hit, before int) (dropped int, err error) {
	err = s.Store.In(store.JobsOffice).Write(ctx, func(tx *store.Tx) error {
		dropped = before
		for _, h := range hits {
			if h.table.Name != "jobs" {
				continue
			}
			to := false
			err := tx.Query("SELECT args FROM jobs WHERE id = $1 AND kind = $2 AND state = 0", []any{h.key[0], mail.Kind},
				func(c *store.Cols) error {
					var m mail.Message
					if json.Unmarshal(c.Bytes(0), &m) == nil {
						_, n := t.Replace(m.To.Email)
						to = n > 0
					}
					return nil
				})
			if err == nil && to {
				dropped++
				err = tx.Exec("DELETE FROM jobs WHERE id = $1 AND state = 0", h.key[0])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return dropped, err
}

func (s *Site) underWay(ctx context.Context, uid string) (f facts, err error) {
	text, err := s.Store.Note(ctx, underWayNote+uid)
	if err != nil || text == "" {
		return f, err
	}
	return f, json.Unmarshal([]byte(text), &f)
}

// Resume ends the erasures of people that were begun and cut short.
func (s *Site) Resume(ctx context.Context, by string) error {
	var uids []string
	err := s.Store.Query(ctx, "SELECT name FROM instance WHERE name LIKE $1 ORDER BY name", []any{underWayNote + "%"},
		func(c *store.Cols) error {
			uids = append(uids, strings.TrimPrefix(c.Text(0), underWayNote))
			return nil
		})
	for _, uid := range uids {
		if err != nil {
			return err
		}
		var who *Somebody
		if who, err = s.Find(ctx, uid, nil); err == nil {
			_, err = who.Erase(ctx, by, time.UnixMicro(s.Store.Now()), false)
		}
	}
	return err
}

// Forgotten says of somebody who was erased here what is shown of them, and how texts from elsewhere that show them are
// rid of them. replace is nil for others.
func (s *Site) Forgotten(ctx context.Context, uid string, shown identity.Shown) (as identity.Shown,
	replace func(text string) string, err error,
) {
	e, err := s.Erasure(ctx, uid)
	if err != nil || e == nil || e.What != Person {
		return as, nil, err
	}
	as = identity.ErasedAs(uid)
	if shown.Email == as.Email {
		return as, nil, nil
	}
	var f facts
	f.add(shown)
	texts, err := f.texts(as)
	if err != nil {
		return as, nil, err
	}
	return as, func(text string) string {
		now, _ := texts.Replace(text)
		return now
	}, nil
}
