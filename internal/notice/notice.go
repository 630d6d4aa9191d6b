// Package notice owns who is written to when something concerns them: whoever is newly assigned to an issue or an RFI,
// and those who follow one when it is commented. It follows the change log, so that nothing is told that did not
// happen, and everything once. It refuses to know the nouns: what it tells of is known by plurals, and what it needs of
// a record by the names of fields.
package notice

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/mail"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

var (
	records      = &resource.View[record]{Name: "notice.records", Of: []string{"issues", "rfis", "comments"}}
	projectNames = &resource.View[struct {
		Name string `json:"name"`
	}]{Name: "notice.projectNames", Of: []string{"projects"}}
)

// Family declares what notices read of records; they have none of their own.
func Family() family.Family {
	return family.Family{
		Name: "notice", Views: []resource.AnyView{records, projectNames}, Follows: []family.Follower{follower},
	}
}

// follower writes to people. What happens in a short while comes in one mail.
var follower = family.Follower{
	Name: "tell", Gather: 15 * time.Second, Wakes: concerns, Options: job.Options{Parallel: 2, Attempts: 20},
	Run: func(site *family.Site) func(context.Context, resource.Following, *job.Run) error {
		return func(ctx context.Context, at resource.Following, r *job.Run) error {
			d := &Desk{
				Store: site.Store, Jobs: site.Jobs, Kinds: site.Kinds, Tells: site.Tells, Base: site.Base,
				Name: site.Name(), Off: site.Silent(),
			}
			return d.Tell(ctx, at, r)
		}
	},
}

// concerns tells whether a change concerns somebody else than who makes it. What nobody here did, such as what came
// with files of another service, is news to nobody.
func concerns(told []family.Notice, c *resource.Change) bool {
	if c.Actor == 0 {
		return false
	}
	for _, n := range told {
		switch {
		case n.Kind != c.Kind:
		case n.Of == family.Assigned:
			return c.Newly("assigned_to")
		default: // a project and a sheet have nobody who follows them
			return c.Created() && slices.Contains(family.Followed(told), c.Refers("record"))
		}
	}
	return false
}

// Desk writes to people.
type Desk struct {
	Store *store.Store
	Jobs  *job.Queue
	Kinds *resource.Catalog
	// Tells are the changes of which people are told.
	Tells []family.Notice
	// Base gives the public address.
	Base func() string
	// Name is what the installation is called.
	Name string
	// Off writes to nobody.
	Off bool
}

// Tell reads what happened in a project and writes to those whom it concerns. The mails and the end of the job are one
// transaction, in the project's own order of writes: what is committed before is told by this job, and what comes later
// by the next, which can be made only when this one has ended. Nearly all is read before that transaction, for which
// other writes wait.
func (d *Desk) Tell(ctx context.Context, t resource.Following, r *job.Run) error {
	p, err := d.Store.Project(ctx, t.Project)
	if fault.Is(err, fault.NotFound) {
		return job.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	news := &digest{kinds: d.Kinds, tells: d.Tells, after: t.After}
	if !d.Off {
		if err := news.gather(beside(ctx, d.Store, p)); err != nil {
			return err
		}
	}
	return d.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		if !d.Off {
			all := news.clone() // this may run more than once
			if err := all.gather(within(tx)); err != nil {
				return err
			}
			if err := d.write(tx, p, all); err != nil {
				return err
			}
		}
		return r.Complete(tx)
	})
}

// write enqueues a mail for everybody whom the news concern.
func (d *Desk) write(tx *store.Tx, p *store.Project, news *digest) (err error) {
	if len(news.people) == 0 {
		return nil
	}
	l := &letter{kinds: d.Kinds, house: d.Name, base: d.Base(), project: p.UID}
	if l.title, err = d.titleOf(tx, p); err != nil {
		return err
	}
	for _, person := range slices.Sorted(maps.Keys(news.people)) {
		to, err := recipient(tx, person)
		if err != nil {
			return err
		}
		if to == nil {
			continue
		}
		m, err := l.compose(tx, to, news.people[person])
		if err != nil {
			return err
		}
		if _, err := d.Jobs.Enqueue(tx, mail.Kind, m); err != nil {
			return err
		}
	}
	return nil
}

// recipient gives a member who is to be told: who has come to the project, is still on its team and not shut out, wants
// mail, and whose mail does not come back; nil otherwise. Whoever was only invited gets the invitation and no more:
// otherwise a project could write to strangers as often as it likes.
func recipient(tx *store.Tx, person uint32) (*identity.Account, error) {
	row, ok, err := tx.At(auth.KindMember, person)
	if err != nil || !ok || row.Deleted {
		return nil, err
	}
	member, effective, err := auth.PersonIn(tx, row)
	if err != nil || member == nil || !effective || !member.Here || !member.Notifications {
		return nil, err
	}
	bounced, err := identity.BounceIn(tx, member.UID)
	if err != nil || bounced.SilentAt(tx.Now()) {
		return nil, err
	}
	return &member.Account, nil
}

// titleOf is the name of the project.
func (d *Desk) titleOf(tx *store.Tx, p *store.Project) (string, error) {
	row, _, err := tx.Get(d.Kinds.Number("projects"), p.UID)
	if err != nil {
		return "", err
	}
	named, err := projectNames.Read(row)
	if err != nil {
		return "", err
	}
	return named.Name, nil
}

// ProjectName gives what a project is called, for operators; empty where nothing is left of it.
func ProjectName(ctx context.Context, s *store.Store, kinds *resource.Catalog, p *store.Project) (string, error) {
	page, ok, err := s.Get(ctx, p, kinds.Number("projects"), p.UID)
	if err != nil {
		return "", err
	}
	defer page.Release()
	if !ok {
		return "", nil
	}
	line := page.Rows[0]
	named, err := projectNames.Read(store.Row{ID: line.ID, UID: p.UID, Version: line.Version, Doc: line.Doc})
	if err != nil {
		return "", err
	}
	return strings.Clone(named.Name), nil
}
