package identity

import (
	"context"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// AnnouncementKind is the kind of the jobs that tell the many projects of an account that what is shown of it changed;
// their arguments are an Announcement.
const AnnouncementKind = "announce"

// Announcements take little of the writer, however often somebody changes their profile and however many projects they
// have: others write meanwhile.
const (
	// announceShare is the part of the time in which an announcement may write: after each transaction it rests for 19
	// times as long as that took, with the wait for others. Two are made at a time, so all take at most a tenth; in
	// 2,000 projects one takes some ten seconds.
	announceShare = 20
	// announceRest is the shortest rest: what one flush to a disk takes others may have too. announceLongest is the
	// longest, so that it ends within its job's time.
	announceRest, announceLongest = 20 * time.Millisecond, time.Second
	// announceAgain is how long after an announcement the next one of the same account is begun, where something
	// changed while it was made. All changes until then are told by that one.
	announceAgain = 5 * time.Second
)

// Announcement names the account. How far it was told is in the table announcements, so that a job that is begun again
// goes on where it was, and one that is under way when something changes once more leaves another for later, which
// tells it all again.
type Announcement struct {
	Account string `json:"account"`
}

// AnnounceIn tells every project of an account that what is shown of it changed: at once where they are few, and soon
// after the commit otherwise.
func (a *Directory) AnnounceIn(tx *store.Tx, account string) error {
	all, err := tx.Announce(account)
	if err != nil || all {
		return err
	}
	if a.Later == nil {
		for last, more := store.ID(0), true; more && err == nil; {
			last, more, err = tx.AnnounceAfter(account, last)
		}
		return err
	}
	// One that has told nobody yet tells this change too.
	err = tx.Exec(`INSERT INTO announcements (account, upto, again) VALUES ($1, 0, 0)
ON CONFLICT (account) DO UPDATE SET again = CASE WHEN announcements.upto > 0 THEN 1 ELSE 0 END`, account)
	if err != nil {
		return err
	}
	return a.Later(tx, Announcement{account}, 0)
}

// Announce makes an announcement, a few projects in each transaction, and rests between them. done ends the job in the
// transaction of the last ones.
func (a *Directory) Announce(ctx context.Context, account string, done func(*store.Tx) error) error {
	for {
		over, began := false, time.Now()
		err := a.store.Write(ctx, func(tx *store.Tx) (err error) {
			over, err = a.announceNext(tx, account, done)
			return err
		})
		if err != nil || over {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(max(announceRest, (announceShare-1)*time.Since(began)), announceLongest)):
		}
	}
}

// announceNext makes the next part of an announcement; over tells that nothing is left of it.
func (a *Directory) announceNext(tx *store.Tx, account string, done func(*store.Tx) error) (over bool, err error) {
	var upto store.ID
	var again bool
	left := false
	err = tx.Take(`SELECT upto, again FROM announcements WHERE account = $1`, []any{account},
		func(c *store.Cols) error {
			upto, again, left = store.ID(c.Int(0)), c.Int(1) != 0, true
			return nil
		})
	if err != nil {
		return false, err
	}
	more := false
	if left {
		if upto, more, err = tx.AnnounceAfter(account, upto); err != nil {
			return false, err
		}
	}
	if more {
		return false, tx.Exec(`UPDATE announcements SET upto = $2 WHERE account = $1`, account, upto)
	}
	if err := done(tx); err != nil {
		return false, err
	}
	if !again {
		return true, tx.Exec(`DELETE FROM announcements WHERE account = $1`, account)
	}
	if err := tx.Exec(`UPDATE announcements SET upto = 0, again = 0 WHERE account = $1`, account); err != nil {
		return false, err
	}
	return true, a.Later(tx, Announcement{account}, announceAgain)
}

// DefaultMostProjects is on how many teams an account may be where nothing else is said: what is done for all projects
// of a person stays quick, and it is more than anybody builds at a time.
const DefaultMostProjects = 2000

// foundedUnproven is how many projects an account may have made whose address is not proven: enough to try the service.
const foundedUnproven = 5

// MayFound tells, inside the caller's transaction, whether an account may make one more project: fault.Conflict where
// it is on as many teams as one may be, or has made as many as one may whose address is not proven.
func (a *Directory) MayFound(tx *store.Tx, account *Account) error {
	if !account.Proven {
		n, err := tx.Founded(account.UID, foundedUnproven)
		if err == nil && n >= foundedUnproven {
			err = fault.New(fault.Conflict,
				"You have made %d projects, which are the most while your address is not proven. It is proven by a link that is sent to it, or by the operator of this installation.", n)
		}
		if err != nil {
			return err
		}
	}
	full, err := a.full(tx, account.UID)
	if err == nil && full {
		return fault.New(fault.Conflict,
			"You are on the teams of %d projects, which are the most. Leave a project that has ended, or ask the operator of this installation to raise --max-projects.", a.MostProjects)
	}
	return err
}

// MayJoin tells, inside the caller's transaction, whether an account may be put on one more team: fault.Conflict where
// it is on as many as one may be.
func (a *Directory) MayJoin(tx *store.Tx, account string) error {
	full, err := a.full(tx, account)
	if err == nil && full {
		return fault.New(fault.Conflict,
			"This person cannot join further projects at the moment. Please ask them to leave one that has ended.")
	}
	return err
}

func (a *Directory) full(tx *store.Tx, account string) (bool, error) {
	if a.MostProjects == 0 {
		return false, nil
	}
	n, err := tx.OwnCount(account)
	return n >= a.MostProjects, err
}
