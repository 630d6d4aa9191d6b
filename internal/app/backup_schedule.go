package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"groundwork/internal/backup"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/web"
)

// Backups says that the server makes backups itself.
type Backups struct {
	Backup
	// Every is how often. Default: a day.
	Every time.Duration
	// Continuous also has all changes sent to the place as they are committed.
	Continuous bool
}

// DefaultBackupEvery is how often a server makes a backup that is told where to.
const DefaultBackupEvery = 24 * time.Hour

const (
	backupKind = "backup"
	backupNote = "backups" // what became of the last ones
	// lateAfter is how many intervals may pass without a backup before doctor says so.
	lateAfter = 2
)

// backupState is what the installation knows of the backups that its servers make. One counts once it was restored
// and compared.
type backupState struct {
	Every     int64     `json:"every"` // seconds
	Begun     time.Time `json:"begun"`
	Made      time.Time `json:"made"`    // the moment of the last one that was made
	Checked   time.Time `json:"checked"` // the moment of the last one that was restored and compared
	Unchecked string    `json:"unchecked"`
	Failed    string    `json:"failed"` // why the last attempt failed; empty when it did not
	Lost      int       `json:"lost"`   // files that the file store does not have whole
	UnderWay  bool      `json:"under_way"`
}

func (c Config) checkBackups() error {
	switch {
	case c.Backups.Continuous && c.Backups.To == "":
		return errors.New("--backup-continuous needs a place to send changes to: --backup-to PLACE.")
	case c.Backups.Continuous && c.file() == "":
		return errors.New("--backup-continuous is for a database file. PostgreSQL ships its log itself: set up its continuous archiving (archive_command or pg_receivewal), and leave --backup-continuous out.")
	case c.Backups.To == "":
		return nil
	}
	if c.Backups.Every < time.Minute {
		return errors.New("Backups are made every minute at most: --backup-every 24h.")
	}
	return c.Backups.Secret.Check()
}

// declareBackups has backups made from time to time, once in all, however many processes share the database.
func (a *App) declareBackups() {
	if a.Config.Backups.To == "" {
		return
	}
	job.Handle(a.Jobs, backupKind, job.Options{Attempts: 5, Backoff: time.Minute, Timeout: 24 * time.Hour},
		func(ctx context.Context, _ struct{}, r *job.Run) error {
			state, err := a.backupState(ctx)
			if err != nil {
				return err
			}
			state.Every, state.Begun = int64(a.Config.Backups.Every/time.Second), time.UnixMicro(a.Store.Now()).UTC()
			state.UnderWay = true
			if err := a.keepBackupState(ctx, state); err != nil {
				return err
			}
			err = a.backUp(ctx, &state, r.Progress)
			state.UnderWay = false
			if state.Failed = ""; err != nil {
				state.Failed = err.Error()
			}
			return errors.Join(err, a.keepBackupState(ctx, state))
		})
	a.Jobs.Every(backupKind, a.Config.Backups.Every)
	a.declareCompare()
}

// backUp makes a backup, restores it, and compares.
func (a *App) backUp(ctx context.Context, state *backupState, progress func(int)) error {
	b := a.Config.Backups
	made, removed, err := a.Backup(ctx, b.Backup, func(percent int) { progress(percent / 2) })
	if err != nil {
		return err
	}
	state.Made, state.Lost, state.Unchecked = made.Moment, len(made.Lost), ""
	a.Log.InfoContext(ctx, "a backup was made", "moment", backup.Moment(made.Moment), "rows", made.Rows, "files",
		made.Files, "sent", made.Sent, "removed", removed.Backups)
	for _, lost := range made.Lost {
		a.Log.WarnContext(ctx, "a file is in no backup", "why", lost)
	}
	if b.Secret.Recipient != "" {
		state.Unchecked = "it is encrypted for a key that the server does not have"
		return nil
	}
	if err := a.tryBackup(ctx, made.Moment, func(percent int) { progress(50 + percent/2) }); err != nil {
		return fmt.Errorf("The backup of %s cannot be restored: %w", backup.Moment(made.Moment), err)
	}
	state.Checked = made.Moment
	a.Log.InfoContext(ctx, "the backup was restored and compared", "moment", backup.Moment(made.Moment))
	return nil
}

// tryBackup restores a backup into a folder that is then removed. Every row is compared and every file read.
func (a *App) tryBackup(ctx context.Context, at time.Time, progress func(int)) error {
	folder, err := os.MkdirTemp(a.Config.Data, "backup-check-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	from, err := backup.Open(ctx, a.Config.Backups.To, false, a.Log)
	if err != nil {
		return err
	}
	_, err = backup.Restore(ctx, from, at, a.Config.Backups.Secret, backup.Target{
		Database: store.Config{URL: fileScheme + filepath.Join(folder, databaseFile)},
		Now:      time.UnixMicro(a.Store.Now()),
	}, progress)
	return err
}

func (a *App) backupState(ctx context.Context) (state backupState, err error) {
	text, err := a.Store.Note(ctx, backupNote)
	if err != nil || text == "" {
		return state, err
	}
	return state, json.Unmarshal([]byte(text), &state)
}

func (a *App) keepBackupState(ctx context.Context, state backupState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return a.Store.SetNote(context.WithoutCancel(ctx), backupNote, string(text))
}

// seenBackups is what an operator is shown of backups.
func (a *App) seenBackups(ctx context.Context) (seen web.BackupsSeen, err error) {
	state, err := a.backupState(ctx)
	if err != nil {
		return seen, err
	}
	seen = web.BackupsSeen{
		Here: a.Config.Backups.To != "", Place: shownPlace(a.Config.Backups.To), Every: a.Config.Backups.Every, Made: state.Made, Checked: state.Checked,
		Unchecked: state.Unchecked, UnderWay: state.UnderWay, Begun: state.Begun,
	}
	if state.Every != 0 {
		if wrong := state.wrong(time.UnixMicro(a.Store.Now())); wrong != nil {
			seen.Wrong = sentence(wrong)
		}
	}
	return seen, a.seeShipped(ctx, &seen)
}

// shownPlace is where backups lie, without what an address may hold beside that.
func shownPlace(to string) string {
	place, err := url.Parse(to)
	if err != nil || place.Scheme == "" {
		return to
	}
	return place.Scheme + "://" + place.Host + place.Path
}

// beginBackup has a backup made now, unless one that was asked for is still to be made.
func (a *App) beginBackup(ctx context.Context) error {
	if a.Config.Backups.To == "" {
		return fault.New(fault.Invalid, "This server does not know where backups are to lie: start it with --backup-to PLACE.")
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := a.Jobs.Enqueue(tx, backupKind, struct{}{}, job.Key("asked"))
		return err
	})
}

// checkBackup says how old the last backup is that was restored and compared.
func (a *App) checkBackup(ctx context.Context) Check {
	state, err := a.backupState(ctx)
	name := "backups (no server makes any: serve --backup-to PLACE)"
	if state.Every != 0 {
		name = "backups"
		if !state.Made.IsZero() {
			name += " (the last of " + backup.Moment(state.Made) + ")"
		}
		err = errors.Join(err, state.wrong(time.UnixMicro(a.Store.Now())))
	}
	return Check{name, func(context.Context) error { return err }}
}

// checkPlace looks whether backups can be written, once there is one: looking makes no place.
func (a *App) checkPlace(ctx context.Context) []Check {
	state, err := a.backupState(ctx)
	if a.Config.Backups.To == "" || err != nil || state.Made.IsZero() {
		return nil
	}
	return []Check{{"place of the backups", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, placeAnswersWithin)
		defer cancel()
		place, err := backup.Open(ctx, a.Config.Backups.To, false, a.Log)
		if err != nil {
			return err
		}
		return place.Check(ctx)
	}}}
}

// placeAnswersWithin is how long a place may take to write, read and remove a small object.
const placeAnswersWithin = 30 * time.Second

func (s backupState) wrong(now time.Time) error {
	every := time.Duration(s.Every) * time.Second
	late := now.Add(-lateAfter * every)
	switch {
	case s.UnderWay && s.Made.IsZero():
		return nil // it is the first
	case s.Failed != "":
		return fmt.Errorf("the last attempt, of %s, failed: %s", moment(s.Begun), s.Failed)
	case s.Made.Before(late):
		return fmt.Errorf("the last one is of %s, and one is to be made every %s", backup.Moment(s.Made), every)
	case s.Unchecked == "" && s.Checked.Before(late):
		return fmt.Errorf("the last one that was restored and compared is of %s", backup.Moment(s.Checked))
	case s.Lost > 0:
		return fmt.Errorf("%d files are missing in the last one, as they are in the file store; groundwork doctor --files says which", s.Lost)
	}
	return nil
}

// backupMetrics show when the last backups were made, for whoever watches.
func (a *App) backupMetrics(to prometheus.Registerer) error {
	gauge := func(name, help string, value func(backupState) float64) error {
		return to.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), watchWithin)
			defer cancel()
			state, err := a.backupState(ctx)
			if err != nil {
				return 0
			}
			return value(state)
		}))
	}
	return errors.Join(a.shippedMetrics(to),
		gauge("groundwork_backup_made_seconds", "The moment of the last backup, in seconds since 1970; 0 when there is none.",
			func(s backupState) float64 { return seconds(s.Made) }),
		gauge("groundwork_backup_checked_seconds", "The moment of the last backup that was restored and compared.",
			func(s backupState) float64 { return seconds(s.Checked) }),
		gauge("groundwork_backup_failed", "1 when the last attempt to make a backup failed.", func(s backupState) float64 {
			if s.Failed == "" {
				return 0
			}
			return 1
		}))
}

// seconds is a time as metrics have it.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
