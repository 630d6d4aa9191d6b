package store

import "math"

// Elsewhere tells whether the account is, or ever was, on the team of a project other than the one that the write was
// given.
func (tx *Tx) Elsewhere(account string) (found bool, err error) {
	home := tx.home.ID
	err = tx.across(account, ownElsewhere, []any{account, home << projectShift, (home + 1) << projectShift},
		func(*Cols) error {
			found = true
			return nil
		})
	return found, err
}

// Founded counts, up to most, the projects that the account made and is on the team of.
func (tx *Tx) Founded(account string, most int) (n int, err error) {
	err = tx.across(account, ownFounded, []any{account, int64(most)}, func(*Cols) error {
		n++
		return nil
	})
	return n, err
}

// across asks about the account's team records in every project.
func (tx *Tx) across(account, sql string, args []any, each func(*Cols) error) error {
	home := tx.here
	if err := tx.ses.tenant(tenant{account: account}); err != nil {
		return err
	}
	if err := tx.ses.query(sql, args, each); err != nil {
		return err
	}
	tx.here = nil
	if home == nil {
		return nil
	}
	return tx.enter(home.project)
}

// ShowOwn gives edit the team record of the account in every project where it ever was on the team, and stores those of
// which edit says that what is shown of them changed: seq moves there, no clock does.
func (tx *Tx) ShowOwn(account string, edit func(row *Row) bool) error {
	home := tx.here
	var ids []ID
	var projects []*Project
	err := tx.across(account, everOwn, []any{account, int64(0), int64(math.MaxInt32)}, func(c *Cols) error {
		row, p := teamRecord(c)
		ids, projects = append(ids, row.ID), append(projects, p)
		return nil
	})
	if err != nil {
		return err
	}
	for i, p := range projects {
		if tx.book(p.ID) == nil { // else it may have been founded in this very transaction, and is not there for others
			p = tx.store.projects.add(p)
		}
		if err := tx.enter(p); err != nil {
			return err
		}
		row, ok, err := tx.At(ids[i].Kind(), ids[i].Ordinal())
		if err != nil {
			return err
		}
		if ok && edit(&row) {
			if err := tx.Show(&row); err != nil {
				return err
			}
		}
	}
	tx.here = nil
	if home != nil {
		return tx.enter(home.project)
	}
	return nil
}
