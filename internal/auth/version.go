package auth

import (
	"context"
	"strings"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

const (
	// sunsetMonths is how long a deprecated version is served.
	sunsetMonths = 6
	noteMajor    = int64(time.Hour / time.Microsecond)
	mostWarned   = 500 // in one transaction
)

// UsedMajor notes, at most once an hour for each credential, that an account uses a version.
func (a *Auth) UsedMajor(c *credential.Credential, major int) {
	if c.Majors == nil || major < 1 || major > credential.MostMajors {
		return
	}
	now, last := a.store.Now(), &c.Majors[major-1]
	if noted := last.Load(); now-noted >= noteMajor && last.CompareAndSwap(noted, now) {
		a.note(use{table: "version_uses", uid: c.Account.UID, major: major}, now)
	}
}

// Ending tells whether a version is deprecated, from memory that is at most a second old.
func (a *Auth) Ending(ctx context.Context, major int) (*Version, error) {
	m := a.memory.Load()
	known := m.versions.Load()
	if known == nil {
		all, err := a.Versions(ctx)
		if err != nil {
			return nil, err
		}
		known = &all
		m.versions.Store(known)
	}
	for i := range *known {
		if (*known)[i].Major == major {
			return &(*known)[i], nil
		}
	}
	return nil, nil
}

// Versions lists the deprecated versions.
func (a *Auth) Versions(ctx context.Context) ([]Version, error) {
	all := []Version{}
	err := a.store.Query(ctx, `SELECT major, deprecated_at, sunset_at FROM versions ORDER BY major`, nil,
		func(c *store.Cols) error {
			all = append(all, Version{int(c.Int(0)), c.Int(1), c.Int(2)})
			return nil
		})
	return all, err
}

// Deprecate says that a version ends in six months; one that is deprecated already stays as it is. fault.Invalid for
// what is not a version.
func (a *Auth) Deprecate(ctx context.Context, major int) error {
	if major < 1 || major > credential.MostMajors {
		return fault.Field("major", "There is no such version.")
	}
	return a.Change(ctx, func(tx *store.Tx) error {
		sunset := time.UnixMicro(tx.Now()).UTC().AddDate(0, sunsetMonths, 0)
		return tx.Exec(`INSERT INTO versions (major, deprecated_at, sunset_at) VALUES ($1, $2, $3)
ON CONFLICT (major) DO NOTHING`, major, tx.Now(), sunset.UnixMicro())
	})
}

// Reinstate takes a deprecation back.
func (a *Auth) Reinstate(ctx context.Context, major int) error {
	return a.Change(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`DELETE FROM version_notices WHERE major = $1`, major); err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM versions WHERE major = $1`, major)
	})
}

// VersionUsers counts the accounts that used a version since a moment.
func (a *Auth) VersionUsers(ctx context.Context, major int, since int64) (n int, err error) {
	err = a.store.Query(ctx, `SELECT account FROM version_uses WHERE major = $1 AND last_used_at >= $2`,
		[]any{major, since}, func(*store.Cols) error {
			n++
			return nil
		})
	return n, err
}

// Warn has send write to everybody who must hear now that a version ends: at its deprecation whoever ever used it, and
// in each month after that whoever used it in the month before. Nobody is told twice in a month. send writes inside the
// transaction that notes it.
func (a *Auth) Warn(ctx context.Context, send func(*store.Tx, letter.Letter) error) error {
	// What this process still has in mind is part of who used it.
	if err := a.flushUses(ctx); err != nil {
		return err
	}
	versions, err := a.Versions(ctx)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if a.store.Now() >= v.SunsetAt {
			continue
		}
		for more := true; more; {
			if more, err = a.warn(ctx, v, send); err != nil {
				return err
			}
		}
	}
	return nil
}

// warn writes to some of those who must hear of a version; more tells that there may be others.
func (a *Auth) warn(ctx context.Context, v Version, send func(*store.Tx, letter.Letter) error) (more bool, err error) {
	month, since := monthOf(v.DeprecatedAt, a.store.Now())
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		var uids, emails []string
		err := tx.Query(`SELECT a.uid, a.email FROM version_uses u JOIN accounts a ON a.uid = u.account
WHERE u.major = $1 AND u.last_used_at >= $2 AND a.disabled = 0
AND NOT EXISTS (SELECT 1 FROM version_notices n WHERE n.major = $1 AND n.account = a.uid AND n.month = $3)
ORDER BY a.uid LIMIT $4`,
			[]any{v.Major, since, month, int64(mostWarned)}, func(c *store.Cols) error {
				uids, emails = append(uids, strings.Clone(c.Text(0))), append(emails, strings.Clone(c.Text(1)))
				return nil
			})
		if err != nil {
			return err
		}
		more = len(uids) == mostWarned
		for i, uid := range uids {
			if err := tx.Exec(`INSERT INTO version_notices (major, account, month, sent_at) VALUES ($1, $2, $3, $4)`,
				v.Major, uid, month, tx.Now()); err != nil {
				return err
			}
			if err := send(tx, letter.Letter{
				Kind: letter.AboutVersion, Email: emails[i], Major: v.Major,
				Sunset: v.SunsetAt,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}

// monthOf numbers the months since a deprecation, and says since when a use counts for a warning in the present one:
// ever in the first, since the beginning of the month before in the others.
func monthOf(deprecated, now int64) (month int, since int64) {
	begin := time.UnixMicro(deprecated).UTC()
	for !time.UnixMicro(now).UTC().Before(begin.AddDate(0, month+1, 0)) {
		month++
	}
	if month == 0 {
		return 0, 0
	}
	return month, begin.AddDate(0, month-1, 0).UnixMicro()
}
