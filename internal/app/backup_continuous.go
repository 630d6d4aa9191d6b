package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"groundwork/internal/backup"
	"groundwork/internal/job"
	"groundwork/internal/web"
)

const (
	compareKind  = "compare-shipped"
	comparedNote = "shipped" // what became of the last comparison
	// waitsLong is for how long changes may wait to be shipped before doctor says so.
	waitsLong = time.Minute
)

// comparedState is what became of the last time that what was shipped was restored and compared.
type comparedState struct {
	Begun    time.Time `json:"begun"`
	Compared time.Time `json:"compared"` // the moment of the last one that was the same as the database
	Failed   string    `json:"failed"`
	Missing  int       `json:"missing"` // files that had not come to the place
}

// beginShipping sends changes to the place of the backups from here on; what it gives ends that.
func (a *App) beginShipping() (end func()) {
	b := a.Config.Backups
	if !b.Continuous {
		return func() {}
	}
	ship := backup.Ship(backup.Shipping{
		Source: backup.Source{Store: a.Store, Blobs: a.Blob, Release: a.Config.Version, Spool: a.Config.Data},
		Secret: b.Secret, Renew: b.Every, Log: a.Log,
		Place: func(ctx context.Context) (*backup.Place, error) { return backup.Open(ctx, b.To, true, a.Log) },
	})
	a.ship.Store(ship)
	return ship.Stop
}

// declareCompare has what is shipped restored and compared from time to time. A server that has only the public key
// cannot read what it ships.
func (a *App) declareCompare() {
	if !a.Config.Backups.Continuous || a.Config.Backups.Secret.Recipient != "" {
		return
	}
	job.Handle(a.Jobs, compareKind, job.Options{Attempts: 5, Backoff: time.Minute, Timeout: 24 * time.Hour},
		func(ctx context.Context, _ struct{}, r *job.Run) error {
			ship := a.ship.Load()
			if ship == nil {
				return errors.New("nothing is shipped here")
			}
			state, err := a.comparedState(ctx)
			if err != nil {
				return err
			}
			state.Begun = time.UnixMicro(a.Store.Now()).UTC()
			done, err := ship.Compare(ctx, r.Progress)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				state.Compared, state.Failed, state.Missing = done.Moment, "", done.Missing
				a.Log.InfoContext(ctx, "what was shipped was restored and compared", "moment", backup.Moment(done.Moment),
					"rows", done.Rows, "segments", done.Segments)
			} else {
				state.Failed = err.Error()
				err = fmt.Errorf("What was shipped is not the database: %w", err)
			}
			return errors.Join(err, a.keepComparedState(ctx, state))
		})
	a.Jobs.Every(compareKind, a.Config.Backups.Every)
}

func (a *App) comparedState(ctx context.Context) (state comparedState, err error) {
	text, err := a.Store.Note(ctx, comparedNote)
	if err != nil || text == "" {
		return state, err
	}
	return state, json.Unmarshal([]byte(text), &state)
}

func (a *App) keepComparedState(ctx context.Context, state comparedState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return a.Store.SetNote(context.WithoutCancel(ctx), comparedNote, string(text))
}

// seeShipped adds what an operator is shown of what is shipped.
func (a *App) seeShipped(ctx context.Context, seen *web.BackupsSeen) error {
	ship := a.ship.Load()
	if ship == nil {
		return nil
	}
	compared, err := a.comparedState(ctx)
	if err != nil {
		return err
	}
	state := ship.State()
	seen.Continuous, seen.Since, seen.Sent, seen.Compared = true, state.Since, state.Sent, compared.Compared
	seen.WaitingFiles, seen.FilesLooked = state.Files, state.Looked
	if wrong := a.wrongShipped(state, compared); wrong != nil {
		seen.ShipWrong = wrong.Error()
	}
	return nil
}

// wrongShipped says what an operator should look at.
func (a *App) wrongShipped(state backup.ShipState, compared comparedState) error {
	now := time.UnixMicro(a.Store.Now())
	b := a.Config.Backups
	switch {
	case compared.Failed != "":
		return fmt.Errorf("the comparison of %s failed: %s", backup.Moment(compared.Begun), compared.Failed)
	case state.Failed != "":
		return errors.New(state.Failed)
	case !state.Waits.IsZero() && time.Since(state.Waits) > waitsLong:
		return fmt.Errorf("changes wait since %s to be shipped", backup.Moment(state.Waits))
	case state.Since.IsZero() && time.Since(state.Begun) < waitsLong, state.Since.IsZero() && state.Base:
		return nil // the first base is being made
	case state.Since.IsZero():
		return fmt.Errorf("nothing is shipped since the start on %s: another backup is being made or removed at the place, or was and died; its claim ends within an hour",
			backup.Moment(state.Begun))
	case b.Secret.Recipient == "" && !compared.Compared.IsZero() && compared.Compared.Before(now.Add(-lateAfter*b.Every)):
		return fmt.Errorf("what was shipped was last restored and compared on %s", backup.Moment(compared.Compared))
	case compared.Missing > 0:
		return fmt.Errorf("%d files had not come to the place when it was compared", compared.Missing)
	}
	return nil
}

// checkShipped says up to when everything is at the place of the backups.
func (a *App) checkShipped(ctx context.Context) []Check {
	ship := a.ship.Load()
	if ship == nil {
		return nil
	}
	compared, err := a.comparedState(ctx)
	state, name := ship.State(), "continuous backup"
	seen := web.BackupsSeen{WaitingFiles: state.Files, FilesLooked: state.Looked}
	if !state.Sent.IsZero() {
		name += " (everything up to " + backup.Moment(state.Sent) + "; files that wait: " + seen.Waiting() + ")"
	}
	err = errors.Join(err, a.wrongShipped(state, compared))
	return []Check{{name, func(context.Context) error { return err }}}
}

// shippedMetrics show up to when everything is at the place, for whoever watches.
func (a *App) shippedMetrics(to prometheus.Registerer) error {
	if !a.Config.Backups.Continuous {
		return nil
	}
	gauge := func(name, help string, value func(backup.ShipState) float64) error {
		return to.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if ship := a.ship.Load(); ship != nil {
				return value(ship.State())
			}
			return 0
		}))
	}
	return errors.Join(
		gauge("groundwork_backup_shipped_seconds", "The time up to which every change is at the place of the backups, in seconds since 1970; 0 before the first base.",
			func(s backup.ShipState) float64 { return seconds(s.Sent) }),
		gauge("groundwork_backup_waiting_seconds", "For how long the oldest change has waited to be shipped.", func(s backup.ShipState) float64 {
			if s.Waits.IsZero() {
				return 0
			}
			return time.Since(s.Waits).Seconds()
		}),
		gauge("groundwork_backup_waiting_files", "Files that wait to be sent to the place of the backups; NaN until they were looked for, with the first base after a start.",
			func(s backup.ShipState) float64 {
				if s.Looked.IsZero() {
					return math.NaN()
				}
				return float64(s.Files)
			}),
		gauge("groundwork_backup_compared_seconds", "The moment of the last time that what was shipped was restored and compared.",
			func(backup.ShipState) float64 {
				ctx, cancel := context.WithTimeout(context.Background(), watchWithin)
				defer cancel()
				state, err := a.comparedState(ctx)
				if err != nil {
					return 0
				}
				return seconds(state.Compared)
			}))
}
