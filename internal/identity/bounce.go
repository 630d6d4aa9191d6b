package identity

import (
	"context"
	"slices"
	"strings"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Bounce is what is known of letters to a person that came back. The zero value is that none did.
type Bounce struct {
	// Times is how many came back for good, of those that say something of the address; At is when the last one did,
	// and What the server said. Reported says that a server had taken one and sent it back later.
	Times    int64
	At       int64
	What     string
	Reported bool
}

// MostBounces is how many letters come back before a person is no longer told of what happens in projects. Letters
// about their password, their security and invitations are always tried.
const MostBounces = 3

// Came tells whether a letter came back.
func (b Bounce) Came() bool { return b.At != 0 }

// Silent is SilentAt of this moment, for pages.
func (b Bounce) Silent() bool { return b.SilentAt(time.Now().UnixMicro()) }

// SilentAt tells whether the person is not told of what happens in projects, at a moment in microseconds since 1970.
// That ends by itself: what was refused at once is tried again after a week, since a server that takes it then says
// that all is well; what came back later is tried after a month.
func (b Bounce) SilentAt(now int64) bool {
	pause := bounceAgain
	if b.Reported {
		pause = bounceMemory
	}
	return b.Times >= MostBounces && now-b.At <= pause
}

// Returned is a letter that came back.
type Returned struct {
	// Account is whose letter it was, Letter its ID.
	Account, Letter string
	// What the server said.
	What string
	// Counts says that it tells something of the address, and nothing of the service alone.
	Counts bool
	// Reported says that a server had taken the letter and sent it back later; otherwise it was refused at once.
	Reported bool
}

// bounceMemory is for how long one that came back counts together with the next.
const bounceMemory = int64(30 * 24 * time.Hour / time.Microsecond)

// bounceAgain is after how long another letter is tried where servers refused them at once.
const bounceAgain = int64(7 * 24 * time.Hour / time.Microsecond)

// mostLetters is how many IDs are kept of letters that came back, so that each counts once.
const mostLetters = 10

// NoteBounce notes that a letter came back, each once: noted is false for one that was noted before, and where there is
// no such account.
func (a *Directory) NoteBounce(ctx context.Context, r Returned) (noted bool, err error) {
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		noted = false
		account, err := AccountIn(tx, r.Account)
		if err != nil || account == nil || account.Erased {
			return err
		}
		var times, at, reported int64
		var letters []string
		err = tx.Query(`SELECT times, at, reported, letters FROM bounces WHERE account = $1`, []any{r.Account},
			func(c *store.Cols) error {
				times, at, reported, letters = c.Int(0), c.Int(1), c.Int(2), strings.Fields(c.Text(3))
				return nil
			})
		if err != nil || slices.Contains(letters, r.Letter) {
			return err
		}
		if at < tx.Now()-bounceMemory {
			times, reported = 0, 0
		}
		if r.Counts {
			times++
		}
		if r.Reported {
			reported = 1
		}
		letters = append([]string{r.Letter}, letters[:min(len(letters), mostLetters-1)]...)
		noted = true
		return tx.Exec(`INSERT INTO bounces (account, times, at, what, reported, letters) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account) DO UPDATE SET times = excluded.times, at = excluded.at, what = excluded.what,
reported = excluded.reported, letters = excluded.letters`,
			r.Account, times, tx.Now(), Clip(strings.ToValidUTF8(r.What, "\uFFFD"), mostWhat), reported,
			strings.Join(letters, " "))
	})
	return noted, err
}

// mostWhat is how much is kept of what a server said.
const mostWhat = 400

// NoteAccepted notes that a server took a letter to a person. That is worth something where letters were refused at
// once. Where they came back later it is worth nothing: those had been taken, too.
func (a *Directory) NoteAccepted(ctx context.Context, account string) error {
	refused := false
	err := a.store.Query(ctx, `SELECT reported FROM bounces WHERE account = $1`, []any{account},
		func(c *store.Cols) error {
			refused = c.Int(0) == 0
			return nil
		})
	if err != nil || !refused {
		return err
	}
	return a.store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`DELETE FROM bounces WHERE account = $1 AND reported = 0`, account)
	})
}

// ClearBounce takes the operator's word that letters to an account arrive. fault.NotFound for an unknown uid,
// fault.Conflict where none came back.
func (a *Directory) ClearBounce(ctx context.Context, uid string) error {
	account, err := a.Account(ctx, uid)
	if err != nil {
		return err
	}
	bounced, err := a.Bounced(ctx, uid)
	if err == nil && !bounced.Came() {
		err = fault.New(fault.Conflict, "No letter to %s has come back.", account.Email)
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, func(tx *store.Tx) error { return ForgetBounce(tx, uid) })
}

// ClearBounces takes the operator's word that letters to everybody arrive, after a mail server was mended, and gives to
// how many they had come back.
func (a *Directory) ClearBounces(ctx context.Context) (n int64, err error) {
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Query(`SELECT count(*) FROM bounces`, nil, func(c *store.Cols) error {
			n = c.Int(0)
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM bounces`)
	})
	return n, err
}

// ForgetBounce forgets that letters to an account came back: one of them has arrived, or nobody is left to get any.
func ForgetBounce(tx *store.Tx, account string) error {
	return tx.Exec(`DELETE FROM bounces WHERE account = $1`, account)
}

// BounceIn is what a transaction sees of letters to an account that came back.
func BounceIn(tx *store.Tx, account string) (Bounce, error) { return bounceOf(tx.Query, account) }

// Bounced is what is known of letters to an account that came back.
func (a *Directory) Bounced(ctx context.Context, account string) (Bounce, error) {
	return bounceOf(a.QueryIn(ctx), account)
}

func bounceOf(ask Query, account string) (b Bounce, err error) {
	err = ask(`SELECT times, at, what, reported FROM bounces WHERE account = $1`, []any{account}, func(c *store.Cols) error {
		b = Bounce{c.Int(0), c.Int(1), c.Text(2), c.Int(3) == 1}
		return nil
	})
	return b, err
}

// BouncedAccount is an account whose letters come back.
type BouncedAccount struct {
	UID, Email string
	Bounce
}

// AllBounced lists accounts whose letters came back, the last one first, at most most.
func (a *Directory) AllBounced(ctx context.Context, most int) (all []BouncedAccount, err error) {
	err = a.store.Query(ctx, `SELECT a.uid, a.email, b.times, b.at, b.what, b.reported FROM bounces b
JOIN accounts a ON a.uid = b.account ORDER BY b.at DESC, a.uid LIMIT $1`, []any{int64(most)}, func(c *store.Cols) error {
		all = append(all, BouncedAccount{c.Text(0), c.Text(1), Bounce{c.Int(2), c.Int(3), c.Text(4), c.Int(5) == 1}})
		return nil
	})
	return all, err
}

// BouncesOf gives what is known of letters that came back, by uid, of accounts in the order of Accounts.
func (a *Directory) BouncesOf(ctx context.Context, accounts []Account) (map[string]Bounce, error) {
	found := map[string]Bounce{}
	if len(accounts) == 0 {
		return found, nil
	}
	first, last := accounts[0].UID, accounts[len(accounts)-1].UID
	err := a.store.Query(ctx, `SELECT b.account, b.times, b.at, b.what, b.reported FROM bounces b JOIN accounts a ON a.uid = b.account
WHERE a.email_key >= (SELECT f.email_key FROM accounts f WHERE f.uid = $1)
AND a.email_key <= (SELECT l.email_key FROM accounts l WHERE l.uid = $2) LIMIT $3`, []any{first, last, int64(mostBounced)},
		func(c *store.Cols) error {
			found[c.Text(0)] = Bounce{c.Int(1), c.Int(2), c.Text(3), c.Int(4) == 1}
			return nil
		})
	return found, err
}

// mostBounced is how many accounts are looked at whose letters came back, for a part of the list of all.
const mostBounced = 10_000
