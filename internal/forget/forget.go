// Package forget owns what an installation forgets on purpose: people and projects that are erased, deleted records and
// old history that are kept no longer, holds that stop all of it, and the record of who had what done. It refuses to
// know what records mean and where backups lie: what there is, the catalogue and the tables say. Site is its entry
// point.
package forget

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Site is the installation that forgets.
type Site struct {
	Store *store.Store
	Blobs blob.Store
	Kinds *resource.Catalog
	Auth  *auth.Auth
	// Leave takes an account off the team of a project; left is false where that would leave the project without Admin.
	Leave func(ctx context.Context, p *store.Project, account string) (left bool, err error)
	// EndFiles removes the files that were made for people of a project to download once, and gives how many.
	EndFiles func(ctx context.Context, p *store.Project) (int, error)
	// Later leaves work for when the time of a project has come; nil where somebody looks often enough.
	Later func(tx *store.Tx, after time.Duration) error
	// Told is called when something was erased, so that the place of the backups knows; nil where nobody listens.
	Told func(ctx context.Context) error
}

// The words by which the audit says what was done.
const (
	DidErasePerson  = "person erased"
	DidAskErase     = "erasure of project asked for"
	DidKeep         = "erasure of project taken back"
	DidEraseProject = "project erased"
	DidHold         = "project held"
	DidRelease      = "hold released"
	DidRetain       = "retention applied"
	DidImport       = "erased project imported again"
)

// Entry is a line of the audit.
type Entry struct {
	At                       time.Time
	By, Did, Subject, Detail string
}

const insertAudit = "INSERT INTO audit (id, at, by_whom, did, subject, detail) VALUES ($1, $2, $3, $4, $5, $6)"

// Note writes a line of the audit in the transaction of what was done.
func Note(tx *store.Tx, by, did, subject, detail string) error {
	return tx.Exec(insertAudit, store.NewUID(), tx.Now(), by, did, subject, detail)
}

// Audit gives the lines of the audit, the newest first, at most most.
func (s *Site) Audit(ctx context.Context, most int) (all []Entry, err error) {
	err = s.Store.Query(ctx, "SELECT at, by_whom, did, subject, detail FROM audit ORDER BY at DESC, id DESC LIMIT $1",
		[]any{most}, func(c *store.Cols) error {
			all = append(all, Entry{time.UnixMicro(c.Int(0)).UTC(), c.Text(1), c.Text(2), c.Text(3), c.Text(4)})
			return nil
		})
	return all, err
}

// Erased is somebody or something that was erased. It has nothing of theirs but the uid.
type Erased struct {
	// What is Person or Project.
	What string    `json:"what"`
	UID  string    `json:"uid"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	// Further is how many texts beside name and address were replaced; nobody keeps which.
	Further int64 `json:"further"`
}

// What is erased.
const (
	Person  = "person"
	Project = "project"
	// Returned is a project that was erased and that an operator brought back from an archive.
	Returned = "returned"
)

const (
	allErasures   = "SELECT what, uid, at, by_whom, further FROM erasures ORDER BY at, uid"
	oneErasure    = "SELECT what, uid, at, by_whom, further FROM erasures WHERE uid = $1"
	insertErasure = `INSERT INTO erasures (uid, what, number, at, by_whom, further) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (uid) DO UPDATE SET what = excluded.what, number = excluded.number, at = excluded.at,
by_whom = excluded.by_whom, further = erasures.further + excluded.further`
)

func erasure(c *store.Cols) Erased {
	return Erased{c.Text(0), c.Text(1), time.UnixMicro(c.Int(2)).UTC(), c.Text(3), c.Int(4)}
}

// Erasures gives everything that was ever erased here, the oldest first.
func (s *Site) Erasures(ctx context.Context) (all []Erased, err error) {
	err = s.Store.Query(ctx, allErasures, nil, func(c *store.Cols) error {
		all = append(all, erasure(c))
		return nil
	})
	return all, err
}

// Erasure tells when an account's person, or a project, was erased; nil where it was not.
func (s *Site) Erasure(ctx context.Context, uid string) (found *Erased, err error) {
	if !store.Storable(uid) {
		return nil, nil
	}
	err = s.Store.Query(ctx, oneErasure, []any{uid}, func(c *store.Cols) error {
		e := erasure(c)
		found = &e
		return nil
	})
	return found, err
}

// Day is a moment as people read it.
func Day(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// ages are the units in which people say how long something is kept.
var ages = map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day, 'y': 365 * day}

const day = 24 * time.Hour

// longestAge is longer than any law asks for.
const longestAge = 100 * 365 * day

// ParseAge reads how long something is kept: 36h, 30d, 26w, 2y. Empty is 0.
func ParseAge(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	unit := ages[text[len(text)-1]]
	n, err := strconv.ParseInt(text[:len(text)-1], 10, 32)
	if err != nil || n < 0 || unit == 0 || n > int64(longestAge/unit) {
		return 0, fmt.Errorf("%q is no length of time such as 36h, 30d, 26w or 2y, and at most 100y.", text)
	}
	return time.Duration(n) * unit, nil
}

// errStop ends a walk early.
var errStop = errors.New("forget: enough")

// quietly is err, unless it only ended a walk.
func quietly(err error) error {
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// told tells who listens that something was erased. What was erased stays so, whatever comes of it.
func (s *Site) told(ctx context.Context) error {
	if s.Told == nil {
		return nil
	}
	if err := s.Told(ctx); err != nil {
		return fmt.Errorf("It is erased, but the place of the backups was not told: %w The next backup tells it.", fault.Cause(err))
	}
	return nil
}

// underWayNote begins the names of the notes of what is looked for of people whose erasure has begun and not ended.
const underWayNote = "erasing/"

func isUnderWay(note string) bool { return strings.HasPrefix(note, underWayNote) }
