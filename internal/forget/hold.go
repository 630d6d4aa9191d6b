package forget

import (
	"context"
	"fmt"
	"strings"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Hold is a project of which nothing is forgotten, whatever rule or wish there is.
type Hold struct {
	Project string
	At      time.Time
	By, Why string

	number int64
}

// Holds gives the projects that are held, the oldest hold first.
func (s *Site) Holds(ctx context.Context) (all []Hold, err error) {
	err = s.Store.Query(ctx, "SELECT uid, at, by_whom, why, number FROM holds ORDER BY at, uid", nil, func(c *store.Cols) error {
		all = append(all, Hold{c.Text(0), time.UnixMicro(c.Int(1)).UTC(), c.Text(2), c.Text(3), c.Int(4)})
		return nil
	})
	return all, err
}

// Hold keeps everything of a project from being forgotten. One whose erasure has begun cannot be held any more.
func (s *Site) Hold(ctx context.Context, uid, why, by string) error {
	if why = strings.TrimSpace(why); why == "" || len(why) > mostWhy || !store.Storable(why) {
		return fault.New(fault.Invalid, "A hold has a reason, of at most %d bytes: --why TEXT.", mostWhy)
	}
	p, err := s.Store.Project(ctx, uid)
	if err != nil {
		return err
	}
	return s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		if err := refuseHeld(tx, p); err != nil {
			return err
		}
		_, _, begun, err := pending(tx, p)
		if err == nil && begun {
			err = fault.New(fault.Conflict, "The project %s is being erased already. It is too late to hold it.", uid)
		}
		if err == nil {
			err = tx.Exec("INSERT INTO holds (uid, number, at, by_whom, why) VALUES ($1, $2, $3, $4, $5)", p.UID, p.ID, tx.Now(),
				by, why)
		}
		if err == nil {
			err = Note(tx, by, DidHold, p.UID, why)
		}
		return err
	})
}

// Release ends a hold. An erasure that was asked for before is done when its time has come.
func (s *Site) Release(ctx context.Context, uid, by string) error {
	p, err := s.Store.Project(ctx, uid)
	if err != nil {
		return err
	}
	return s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		why, held, err := isHeld(tx, p)
		if err == nil && !held {
			err = fault.New(fault.Conflict, "The project %s is not held.", uid)
		}
		if err == nil {
			err = tx.Exec("DELETE FROM holds WHERE number = $1", p.ID)
		}
		if err == nil {
			err = Note(tx, by, DidRelease, p.UID, why)
		}
		return err
	})
}

// heldSentence says which holds stand in the way; nil where none does.
func heldSentence(all []Hold) error {
	if len(all) == 0 {
		return nil
	}
	var which []string
	for _, h := range all {
		which = append(which, fmt.Sprintf("%s (since %s: %s)", h.Project, Day(h.At), h.Why))
	}
	return fault.New(fault.Conflict, "Nothing was erased: this person belongs to projects that are held: %s. Release the hold first.",
		strings.Join(which, ", "))
}

// isHeld tells, inside a transaction of the project, whether it is held.
func isHeld(tx *store.Tx, p *store.Project) (why string, held bool, err error) {
	err = tx.Query("SELECT why FROM holds WHERE number = $1", []any{p.ID}, func(c *store.Cols) error {
		why, held = c.Text(0), true
		return nil
	})
	return why, held, err
}

func refuseHeld(tx *store.Tx, p *store.Project) error {
	why, held, err := isHeld(tx, p)
	if err == nil && held {
		err = fault.New(fault.Conflict, "The project %s is held: %s. Release the hold first.", p.UID, why)
	}
	return err
}
