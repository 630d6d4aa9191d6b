package forget

import (
	"context"
	"fmt"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// mostWhy is how long the reason of a hold may be.
const mostWhy = 1000

// Pending is a project that is to be erased.
type Pending struct {
	Project          string
	AskedAt, EraseAt time.Time
	By               string
	Begun            bool
}

// Pending gives the projects that are to be erased, the next first.
func (s *Site) Pending(ctx context.Context) (all []Pending, err error) {
	err = s.Store.Query(ctx, "SELECT uid, asked_at, erase_at, by_whom, begun FROM erasing ORDER BY erase_at, uid", nil,
		func(c *store.Cols) error {
			all = append(all, Pending{
				c.Text(0), time.UnixMicro(c.Int(1)).UTC(), time.UnixMicro(c.Int(2)).UTC(), c.Text(3), c.Int(4) != 0,
			})
			return nil
		})
	return all, err
}

// pending tells, inside a transaction of the project, whether it is to be erased, and when.
func pending(tx *store.Tx, p *store.Project) (at time.Time, is, begun bool, err error) {
	err = tx.Query("SELECT erase_at, begun FROM erasing WHERE number = $1", []any{p.ID}, func(c *store.Cols) error {
		at, is, begun = time.UnixMicro(c.Int(0)), true, c.Int(1) != 0
		return nil
	})
	return at, is, begun, err
}

// EraseLater closes a project at once, so that nobody enters it and its links end, and has it erased after a while.
// Until then Keep takes that back.
func (s *Site) EraseLater(ctx context.Context, uid string, after time.Duration, by string) (at time.Time, err error) {
	p, err := s.Store.Project(ctx, uid)
	if err != nil {
		return at, err
	}
	err = s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		if err := refuseHeld(tx, p); err != nil {
			return err
		}
		was, is, _, err := pending(tx, p)
		if err == nil && is {
			err = fault.New(fault.Conflict, "The project %s is to be erased already, on %s.", uid, Day(was))
		}
		if err != nil {
			return err
		}
		at = time.UnixMicro(tx.Now()).Add(after).UTC()
		err = tx.Exec("INSERT INTO erasing (uid, number, asked_at, erase_at, by_whom) VALUES ($1, $2, $3, $4, $5)", p.UID, p.ID,
			tx.Now(), at.UnixMicro(), by)
		if err != nil {
			return err
		}
		tx.EndLinks()
		if err := show(tx); err != nil {
			return err
		}
		if err := Note(tx, by, DidAskErase, p.UID, "for "+Day(at)); err != nil {
			return err
		}
		if s.Later != nil && after > 0 {
			if err := s.Later(tx, after); err != nil {
				return err
			}
		}
		return s.Auth.Changed(tx)
	})
	return at, err
}

// Keep takes the erasure of a project back that has not begun: it is open again as it was.
func (s *Site) Keep(ctx context.Context, uid, by string) error {
	p, err := s.Store.Project(ctx, uid)
	if err != nil {
		return err
	}
	return s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		_, is, begun, err := pending(tx, p)
		switch {
		case err != nil:
			return err
		case !is:
			return fault.New(fault.Conflict, "The project %s is not to be erased.", uid)
		case begun:
			return fault.New(fault.Conflict, "The project %s is being erased already. It is too late to keep it.", uid)
		}
		if err := tx.Exec("DELETE FROM erasing WHERE number = $1", p.ID); err != nil {
			return err
		}
		if err := Note(tx, by, DidKeep, p.UID, ""); err != nil {
			return err
		}
		return s.Auth.Changed(tx)
	})
}

// EraseDue erases the projects whose time has come and that nobody holds.
func (s *Site) EraseDue(ctx context.Context) error {
	all, err := s.Pending(ctx)
	now := time.UnixMicro(s.Store.Now())
	for _, due := range all {
		if err != nil {
			return err
		}
		if !due.Begun && due.EraseAt.After(now) {
			continue
		}
		err = s.erase(ctx, due.Project, due.By, time.Time{})
	}
	return err
}

// EraseAgain erases a project at once that was erased before and that a backup has brought back.
func (s *Site) EraseAgain(ctx context.Context, e Erased) error {
	p, err := s.Store.Project(ctx, e.UID)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		err := tx.Exec("DELETE FROM holds WHERE number = $1", p.ID)
		if err == nil {
			err = tx.Exec(`INSERT INTO erasing (uid, number, asked_at, erase_at, by_whom) VALUES ($1, $2, $3, $3, $4)
ON CONFLICT (uid) DO UPDATE SET erase_at = excluded.erase_at`, p.UID, p.ID, e.At.UnixMicro(), e.By)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.erase(ctx, e.UID, e.By, e.At)
}

// begin has no erasure taken back any more; held tells that somebody holds the project.
func (s *Site) begin(ctx context.Context, p *store.Project) (held bool, err error) {
	err = s.Store.Edit(ctx, p, 0, func(tx *store.Tx) (err error) {
		if _, held, err = isHeld(tx, p); err != nil || held {
			return err
		}
		if err := tx.Exec("UPDATE erasing SET begun = 1 WHERE number = $1", p.ID); err != nil {
			return err
		}
		return s.Auth.Changed(tx)
	})
	return held, err
}

// erase erases a project: its files, all its rows, and in the end that it was there. It goes on where it was cut short.
// at is when it was erased the first time; zero is now.
func (s *Site) erase(ctx context.Context, uid, by string, at time.Time) error {
	p, err := s.Store.Project(ctx, uid)
	if fault.Is(err, fault.NotFound) {
		return nil // another process was faster
	}
	if err != nil {
		return err
	}
	if held, err := s.begin(ctx, p); err != nil || held {
		return err
	}
	files, err := s.removeFiles(ctx, p)
	if err != nil {
		return err
	}
	if err := s.forgetElsewhere(ctx, p); err != nil {
		return err
	}
	rows := 0
	if err := s.Store.Erase(ctx, p, func(_ string, n int) { rows += n }); err != nil {
		return s.unlessErased(ctx, uid, err)
	}
	err = s.Store.Gone(ctx, p, func(tx *store.Tx) error {
		if at.IsZero() {
			at = time.UnixMicro(tx.Now())
		}
		err := tx.Exec("DELETE FROM erasing WHERE number = $1", p.ID)
		if err == nil {
			err = tx.Exec(insertErasure, p.UID, Project, p.ID, at.UnixMicro(), by, int64(0))
		}
		if err == nil {
			err = Note(tx, by, DidEraseProject, p.UID, fmt.Sprintf("%d rows and %d files", rows, files))
		}
		if err == nil {
			err = s.Auth.Changed(tx)
		}
		return err
	})
	if err != nil {
		return s.unlessErased(ctx, uid, err)
	}
	return s.told(ctx)
}

// unlessErased is err, unless another process has erased the project meanwhile: a server does when its time has come.
func (s *Site) unlessErased(ctx context.Context, uid string, err error) error {
	if e, problem := s.Erasure(ctx, uid); problem != nil || e == nil || e.What != Project {
		return err
	}
	return nil
}

// objectsOf are the statements that give the names of a project's objects, after one, some at a time.
var objectsOf = []string{
	"SELECT object FROM files WHERE project = $1 AND object > $2 ORDER BY object LIMIT 200",
	"SELECT object FROM uploads WHERE project = $1 AND object > $2 ORDER BY object LIMIT 200",
	"SELECT object FROM shareables WHERE project = $1 AND object > $2 ORDER BY object LIMIT 200",
	"SELECT object FROM version_files WHERE project = $1 AND object > $2 ORDER BY object LIMIT 200",
}

// removeFiles removes the objects of a project before the rows that name them: what is cut short is done again. An
// object belongs to one project only, by the key of the table of files.
func (s *Site) removeFiles(ctx context.Context, p *store.Project) (n int, err error) {
	for _, statement := range objectsOf {
		for last, more := "", true; more; {
			var some []string
			err := s.Store.QueryIn(ctx, p, statement, []any{p.ID, last}, func(c *store.Cols) error {
				some = append(some, c.Text(0))
				return nil
			})
			if err != nil {
				return n, err
			}
			for _, object := range some {
				if err := s.Blobs.Delete(ctx, object); err != nil && !fault.Is(err, fault.NotFound) {
					return n, err
				}
				last, n = object, n+1
			}
			more = len(some) > 0
		}
	}
	return n, nil
}

// forgetElsewhere forgets what is said of a project in rows that are not its own: work that waits, notes, and whom it
// invited.
func (s *Site) forgetElsewhere(ctx context.Context, p *store.Project) error {
	return s.Store.In(store.JobsOffice).Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec("DELETE FROM jobs WHERE state <> 1 AND args LIKE $1", "%"+p.UID+"%")
		if err == nil {
			err = tx.Exec("DELETE FROM instance WHERE name LIKE $1", "%/"+p.UID)
		}
		if err == nil {
			err = tx.Exec("UPDATE accounts SET made_in = NULL WHERE made_in = $1", p.ID)
		}
		return err
	})
}

// Again erases what was erased before, and what a backup has brought back. What is not there is remembered as erased,
// too. No hold stops it: it was done when there was none.
func (s *Site) Again(ctx context.Context, e Erased) error {
	known, err := s.Erasure(ctx, e.UID)
	if err != nil || known != nil && known.Further >= e.Further {
		return err
	}
	if e.What == Project {
		err = s.EraseAgain(ctx, e)
	} else {
		var who *Somebody
		who, err = s.Find(ctx, e.UID, nil)
		switch {
		case fault.Is(err, fault.NotFound), fault.Is(err, fault.Conflict):
			err = nil
		case err == nil && who.UID == e.UID:
			_, err = who.Erase(ctx, e.By, e.At, true)
		}
	}
	if err != nil {
		return err
	}
	return s.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO erasures (uid, what, at, by_whom, further) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (uid) DO UPDATE SET further = excluded.further`, e.UID, e.What, e.At.UnixMicro(), e.By, e.Further)
	})
}
