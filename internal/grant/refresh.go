package grant

import (
	"context"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

const (
	// grace is how long a refresh token that was used works on: the answer may have been lost, or two processes of one
	// application may have been at it.
	grace = 10 * time.Second
	// mostPairs is how many pairs one refresh token gives, within its grace: enough for a few processes that renew at
	// the same moment, too few to multiply.
	mostPairs = 5
	// mostTips is how many refresh tokens of a family can be used at once: two for each of five processes that go on by
	// themselves. Of more, the oldest count as used.
	mostTips = 10
	// mostAccess is how many access tokens a family has; of more, the older half ends before its time. An application
	// that renews every half hour has as many in two days.
	mostAccess = 100
)

// renewal is what is known of a refresh token that an application shows, and of the consent that it came from.
type renewal struct {
	grant
	mark            string
	expires         int64
	replaced        *int64
	kept, ended     bool
	account, served string // the account, and the Counter of what it allowed, its payer's
}

const renewalColumns = `SELECT g.uid, g.application, g.scopes, coalesce(g.mark, ''), g.account, coalesce(p.owner, ''),
g.revoked_at, p.deleted_at, a.disabled, ` +
	`CASE WHEN a.proven_at IS NULL AND a.root IS NOT NULL THEN a.root ELSE a.uid END`

const renewalJoins = ` JOIN accounts a ON a.uid = g.account JOIN applications p ON p.uid = g.application`

// findRenewal looks a refresh token up, and, where it is kept no more, the family whose mark it has; nil for neither.
func findRenewal(ask identity.Query, refresh string) (r *renewal, err error) {
	read := func(c *store.Cols) *renewal {
		r := &renewal{
			grant: grant{uid: c.Text(0), application: c.Text(1), scopes: c.Text(2)}, mark: c.Text(3),
			account: c.Text(4),
		}
		r.served = credential.CounterOf(r.application, c.Text(9), c.Text(5))
		r.ended = !c.Null(6) || !c.Null(7) || c.Int(8) != 0
		return r
	}
	err = ask(renewalColumns+`, t.expires_at, t.replaced_at FROM tokens t JOIN grants g ON g.uid = t.family`+
		renewalJoins+` WHERE t.hash = $1 AND t.refresh = 1`,
		[]any{credential.Hash(refresh)}, func(c *store.Cols) error {
			r = read(c)
			r.kept, r.expires, r.replaced = true, c.Int(10), c.OptionalInt(11)
			return nil
		})
	if err != nil || r != nil {
		return r, err
	}
	err = ask(renewalColumns+` FROM grants g`+renewalJoins+` WHERE g.mark = $1`, []any{credential.MarkOf(refresh)},
		func(c *store.Cols) error {
			r = read(c)
			return nil
		})
	return r, err
}

// stolen tells whether a refresh token of a family that is good was used before, longer ago than the grace.
func (r *renewal) stolen(now int64) bool {
	return !r.kept || r.replaced != nil && now > *r.replaced+grace.Microseconds()
}

// check says why a refresh token is worth nothing: BadGrant or ErrScope; nil for one that is good, and for one that is
// stolen.
func (r *renewal) check(now int64, application string, narrow credential.Scopes) error {
	switch {
	case r == nil || r.ended || r.kept && r.expires <= now || application != "" && r.application != application:
		return BadGrant{"The refresh token is not known here, has expired, or was revoked."}
	case r.stolen(now):
		return nil
	}
	if scopes, _ := credential.ParseScopes(r.scopes); narrow != 0 && !scopes.Has(narrow) {
		return ErrScope
	}
	return nil
}

// Refresh gives a new pair of tokens for a refresh token of an application; "" for whichever application it is of. The
// one that is used up works for ten more seconds, a few times; used after that, somebody has stolen it, and the whole
// family is revoked. narrow is what the new access token shall be good for, 0 for all that was allowed. BadGrant for
// what is worth nothing, ErrScope for scopes beyond what was allowed. charge counts the renewal before anything is
// written, for the credential that the tokens are; its error is given on.
func (a *Grants) Refresh(ctx context.Context, refresh, application string, narrow credential.Scopes,
	charge func(*credential.Credential) error,
) (t *Tokens, err error) {
	if !credential.ValidSecret(credential.KindRefresh, refresh) {
		return nil, (*renewal)(nil).check(0, "", 0)
	}
	// What is worth nothing takes no writer.
	r, err := findRenewal(a.people.QueryIn(ctx), refresh)
	if err == nil {
		err = r.check(a.store.Now(), application, narrow)
	}
	if err != nil {
		return nil, err
	}
	// Whoever stole a token must not keep it from being found out by using the limits up.
	if !r.stolen(a.store.Now()) {
		if err := charge(&credential.Credential{
			ID: r.application + "/" + r.account, Counter: r.served, Limits: a.limits,
			Application: r.application,
		}); err != nil {
			return nil, err
		}
	}
	var bad error
	err = a.store.Write(ctx, func(tx *store.Tx) (err error) {
		t, bad, err = a.renew(tx, refresh, application, narrow)
		return err
	})
	if err == nil {
		err = bad
	}
	return t, err
}

// renew is Refresh inside its transaction. bad is for the application to read, and is no reason to undo what was
// written.
func (a *Grants) renew(tx *store.Tx, refresh, application string, narrow credential.Scopes) (t *Tokens, bad,
	err error,
) {
	r, err := findRenewal(tx.Query, refresh)
	if err != nil {
		return nil, nil, err
	}
	if bad := r.check(tx.Now(), application, narrow); bad != nil {
		return nil, bad, nil
	}
	if r.stolen(tx.Now()) {
		bad = BadGrant{
			"The refresh token was used already, and is in two hands now. Everything that it gave is revoked; the person must allow the application again.",
		}
		return nil, bad, a.revoke(tx, `uid = $2`, r.uid)
	}
	// Renewals of one family go one after the other, and none after it has ended.
	r.ended = true
	err = tx.Take(`SELECT coalesce(mark, '') FROM grants WHERE uid = $1 AND revoked_at IS NULL`, []any{r.uid},
		func(c *store.Cols) error {
			r.mark, r.ended = c.Text(0), false
			return nil
		})
	if err != nil || r.ended {
		return nil, r.check(tx.Now(), application, narrow), err
	}
	given := false
	err = tx.Query(`UPDATE tokens SET replaced_at = coalesce(replaced_at, $1), given = given + 1 WHERE hash = $2
AND given < $3 RETURNING given`,
		[]any{tx.Now(), credential.Hash(refresh), int64(mostPairs)}, func(*store.Cols) error {
			given = true
			return nil
		})
	if err != nil {
		return nil, nil, err
	}
	if !given {
		return nil, BadGrant{
			"The refresh token was used already, and has given as many tokens as it may. Use the newest refresh token that came of it.",
		}, nil
	}
	if err := a.prune(tx, r.uid); err != nil {
		return nil, nil, err
	}
	scopes, _ := credential.ParseScopes(r.scopes)
	t, err = a.newPair(tx, r.uid, r.mark, scopes, narrow)
	return t, nil, err
}

// prune drops what a family needs no more, before it gets one pair more.
func (a *Grants) prune(tx *store.Tx, family string) error {
	// What was used is known by its mark from now on.
	err := tx.Exec(`DELETE FROM tokens WHERE family = $1 AND refresh = 1 AND marked = 1 AND replaced_at < $2`, family,
		tx.Now()-grace.Microseconds())
	if err != nil {
		return err
	}
	err = tx.Exec(`DELETE FROM tokens WHERE family = $1 AND refresh = 1 AND replaced_at IS NULL AND hash NOT IN
(SELECT hash FROM tokens WHERE family = $1 AND refresh = 1 AND replaced_at IS NULL ORDER BY created_at DESC, hash
LIMIT $2)`, family, int64(mostTips-1))
	if err != nil {
		return err
	}
	many := int64(0)
	err = tx.Query(`SELECT count(*) FROM tokens WHERE family = $1 AND refresh = 0`, []any{family},
		func(c *store.Cols) error {
			many = c.Int(0)
			return nil
		})
	if err != nil || many < mostAccess {
		return err
	}
	// Half of them at once: each time all credentials that are in memory are forgotten.
	err = tx.Exec(`DELETE FROM tokens WHERE family = $1 AND refresh = 0 AND hash NOT IN
(SELECT hash FROM tokens WHERE family = $1 AND refresh = 0 ORDER BY created_at DESC, hash
LIMIT $2)`, family, int64(mostAccess/2))
	if err != nil {
		return err
	}
	return a.people.Changed(tx)
}
