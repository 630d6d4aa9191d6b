// Package notice owns who is written to when something concerns them: whoever is newly assigned to an issue or an RFI, and those who follow one when it is
// commented. It follows the change log, so that nothing is told that did not happen, and everything once. It refuses to know the nouns: what it tells of is
// known by plurals, and what it needs of a record by the names of fields.
package notice

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/mail"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Desk writes to people.
type Desk struct {
	Store *store.Store
	Jobs  *job.Queue
	// Base gives the public address.
	Base func() string
	// Off writes to nobody.
	Off bool
}

// Tell reads what happened in a project and writes to those whom it concerns. The mails and the end of the job are one transaction, in the project's own
// order of writes: what is committed before is told by this job, and what comes later by the next, which can be made only when this one has ended. Nearly
// all is read before that transaction, for which other writes wait.
func (d *Desk) Tell(ctx context.Context, t resource.Tell, r *job.Run) error {
	p, err := d.Store.Project(ctx, t.Project)
	if fault.Is(err, fault.NotFound) {
		return job.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	news := &digest{after: t.After}
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
	l := &letter{base: d.Base(), project: p.UID}
	if l.title, err = titleOf(tx, p); err != nil {
		return err
	}
	for _, person := range slices.Sorted(maps.Keys(news.people)) {
		to, err := recipient(tx, person)
		if err != nil {
			return err
		}
		if to == nil || !to.Notifications {
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

// recipient gives the account of a member who is still on the team and not shut out; nil otherwise.
func recipient(tx *store.Tx, person uint32) (*auth.Account, error) {
	row, ok, err := tx.At(auth.KindMember, person)
	if err != nil || !ok || row.Deleted {
		return nil, err
	}
	account, err := auth.AccountIn(tx, row.UID)
	if err != nil || account == nil || account.Disabled {
		return nil, err
	}
	return account, nil
}

// titleOf is the name of the project.
func titleOf(tx *store.Tx, p *store.Project) (string, error) {
	row, _, err := tx.Get(resource.Stored("projects"), p.UID)
	if err != nil {
		return "", err
	}
	var named struct {
		Name string `json:"name"`
	}
	return named.Name, json.Unmarshal(row.Doc, &named)
}
