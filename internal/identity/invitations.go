package identity

import (
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// How many invitations there may be, which the database counts, so that servers and restarts share it.
// DefaultInvitations is what one account may give within an hour: a large team in one go, and far less than a mailing.
// The others follow from it.
const (
	DefaultInvitations = 100
	dayOfInviter       = 5  // times that within a day
	hourOfProject      = 2  // times that from all Admins of a project within an hour
	dayOfProject       = 10 // times that from all of them within a day

	// unprovenOfRoot is how many times that are the accounts, by all whom an account made, whose addresses are not
	// proven: what it may invite within a day. Those who never chose a password do not count for ever, as nobody can
	// act with them.
	unprovenOfRoot = dayOfInviter

	// lettersToOne is how many letters of invitation an address gets within a day, from whomever, and lettersFrom how
	// many of them from one project.
	lettersToOne = 3
	lettersFrom  = 1

	// mostWaiting is how many projects may wait for an account: strangers give these, and each costs whenever the
	// account changes. waitingFromOne is how many of them may be by one inviter, so that no one can take them all: a
	// person who joins several sites of one company at once.
	mostWaiting    = 100
	waitingFromOne = 5
	// waitingLife is how long a membership waits for the person to come: longer than an absence, and than the link of
	// an invitation.
	waitingLife = 30 * day
)

const (
	hour = int64(time.Hour / time.Microsecond)
	day  = 24 * hour
)

// The invitation that must have become old before there may be another one: the nth last within the window.
const (
	nthOfInviter = `SELECT created_at FROM invitations WHERE inviter = $1 AND created_at > $2 ORDER BY created_at DESC
LIMIT 1 OFFSET $3`
	nthOfProject = `SELECT created_at FROM invitations WHERE project = $1 AND created_at > $2 ORDER BY created_at DESC
LIMIT 1 OFFSET $3`
	nthToOne = `SELECT created_at FROM invitations WHERE account = $1 AND created_at > $2 AND mailed = 1
ORDER BY created_at DESC LIMIT 1 OFFSET $3`
	nthFrom = `SELECT created_at FROM invitations WHERE account = $1 AND project = $4 AND created_at > $2
AND mailed = 1 ORDER BY created_at DESC LIMIT 1 OFFSET $3`
)

// NoteInvitation counts an invitation in the caller's transaction, notes that the project waits for the person, and
// tells whether a letter is to be written: not when the address had enough of them, which nobody is told. fault.Limited
// when the inviter, or the project, has invited too many.
func (a *Directory) NoteInvitation(tx *store.Tx, account, by *Account) (write bool, err error) {
	project := tx.Project().ID
	full := func(sql string, window, most int64, args ...any) (until int64, err error) {
		args = append([]any{args[0], tx.Now() - window, most - 1}, args[1:]...)
		err = tx.Query(sql, args, func(c *store.Cols) error {
			until = c.Int(0) + window
			return nil
		})
		return until, err
	}
	for _, b := range []struct {
		whose, sql   string
		window, most int64
		of           any
	}{
		{"You have", nthOfInviter, hour, a.Invitations, by.Payer()},
		{"You have", nthOfInviter, day, dayOfInviter * a.Invitations, by.Payer()},
		{"This project has", nthOfProject, hour, hourOfProject * a.Invitations, project},
		{"This project has", nthOfProject, day, dayOfProject * a.Invitations, project},
	} {
		until, err := full(b.sql, b.window, b.most, b.of)
		if err != nil {
			return false, err
		}
		if until > 0 {
			e := fault.New(fault.Limited, "%s invited %d people within %s. That is as many as may be. Try again later.",
				b.whose, b.most, map[int64]string{hour: "an hour", day: "a day"}[b.window])
			e.RetryAfter = time.Duration(until-tx.Now())*time.Microsecond + time.Second
			return false, e
		}
	}
	// Two projects that invite the address at once count one after the other.
	if err := tx.Take(`SELECT uid FROM accounts WHERE uid = $1`, []any{account.UID}, nil); err != nil {
		return false, err
	}
	all, err := full(nthToOne, day, lettersToOne, account.UID)
	if err != nil {
		return false, err
	}
	ours, err := full(nthFrom, day, lettersFrom, account.UID, project)
	if err != nil {
		return false, err
	}
	write = all == 0 && ours == 0
	err = tx.Exec(`INSERT INTO invitations (account, project, inviter, created_at, mailed) VALUES ($1, $2, $3, $4, $5)`,
		account.UID, project, by.Payer(), tx.Now(), write)
	if err != nil {
		return false, err
	}
	return write, tx.Exec(
		`INSERT INTO waiting (account, project, inviter, since) VALUES ($1, $2, $3, $4) ON CONFLICT (account, project)
DO UPDATE SET since = excluded.since`,
		account.UID, project, by.Payer(), tx.Now())
}

// MayInvite refuses, with fault.Conflict, one more project for an account where many wait already, as many by this
// inviter, or where the inviter has made as many accounts as may be without a proof. It says the same whether the
// address had an account or not.
func (a *Directory) MayInvite(tx *store.Tx, account, by *Account, email string) error {
	// Two projects that invite the address at once count one after the other.
	if err := tx.Take(`SELECT uid FROM accounts WHERE uid = $1`, []any{account.UID}, nil); err != nil {
		return err
	}
	var all, own, unproven int64
	since := tx.Now() - waitingLife
	err := tx.Query(`SELECT count(*), coalesce(sum(CASE WHEN inviter = $2 THEN 1 ELSE 0 END), 0) FROM waiting
WHERE account = $1 AND since > $3`,
		[]any{account.UID, by.Payer(), since}, func(c *store.Cols) error {
			all, own = c.Int(0), c.Int(1)
			return nil
		})
	if err != nil {
		return err
	}
	err = tx.Query(`SELECT count(*) FROM accounts WHERE root = $1 AND proven_at IS NULL AND uid <> $2
AND (password IS NOT NULL OR created_at > $3)`,
		[]any{by.Payer(), account.UID, since}, func(c *store.Cols) error {
			unproven = c.Int(0)
			return nil
		})
	switch most := unprovenOfRoot * a.Invitations; {
	case err != nil:
		return err
	case unproven >= most:
		return fault.New(fault.Conflict,
			"There are %d people whom you, or those whom you invited, have invited, and whose addresses are not proven. That is as many as may be. "+
				"An address is proven by the link in the letter to it, or by the operator of this service.", most)
	case own >= waitingFromOne:
		return fault.New(fault.Conflict,
			"You have invited %s to %d projects to which they have not come. Ask them to come to one of these, then invite them again.", email, waitingFromOne)
	case all >= mostWaiting:
		return fault.New(fault.Conflict, "%s cannot be invited to further projects now.", email)
	}
	return nil
}
