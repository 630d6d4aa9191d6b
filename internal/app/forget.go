package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/backup"
	"groundwork/internal/fault"
	"groundwork/internal/forget"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// Service is who did something that nobody asked for at that moment: a rule, or time that has come.
const Service = "the service"

// Forgetting is the installation as it forgets on purpose.
func (a *App) Forgetting() *forget.Site {
	given := a.site()
	return &forget.Site{
		Store: a.Store, Blobs: a.Blob, Kinds: Catalog(), Auth: a.Auth,
		Leave: func(ctx context.Context, p *store.Project, account string) (left bool, err error) {
			for _, f := range families() {
				if f.Leaves != nil && err == nil {
					left, err = f.Leaves(ctx, given, p, account)
				}
			}
			return left, err
		},
		EndFiles: func(ctx context.Context, p *store.Project) (all int, err error) {
			for _, f := range families() {
				if f.Withdraws != nil && err == nil {
					var n int
					n, err = f.Withdraws(ctx, given, p)
					all += n
				}
			}
			return all, err
		},
		Later: func(tx *store.Tx, after time.Duration) error {
			_, err := a.Jobs.Enqueue(tx, eraseDueKind, struct{}{}, job.After(after))
			return err
		},
		Told: a.tellErased,
	}
}

// eraseDueKind is the work of erasing what is to be erased by now.
const eraseDueKind = "erase-due"

// declareForgetting has projects erased when their time has come, erasures ended that were cut short, and the rules
// applied that say how long things are kept.
func (a *App) declareForgetting() {
	options := job.Options{Attempts: 5, Backoff: time.Minute, Timeout: 12 * time.Hour}
	const kept = "keep-no-longer"
	job.Handle(a.Jobs, eraseDueKind, options, func(ctx context.Context, _ struct{}, _ *job.Run) error {
		s := a.Forgetting()
		err := errors.Join(s.Resume(ctx, Service), s.EraseDue(ctx))
		if a.Config.Backups.To != "" {
			err = errors.Join(err, a.tellErased(ctx))
		}
		return err
	})
	a.Jobs.Every(eraseDueKind, time.Hour)
	if a.Config.Keep == (forget.Rule{}) {
		return
	}
	job.Handle(a.Jobs, kept, options, func(ctx context.Context, _ struct{}, _ *job.Run) error {
		_, err := a.Forgetting().Retain(ctx, a.Config.Keep, Service)
		return err
	})
	a.Jobs.Every(kept, 24*time.Hour)
}

// erasedHere is what the installation has erased, as backups keep it.
func (a *App) erasedHere(ctx context.Context) (all []backup.Erased, err error) {
	erasures, err := a.Forgetting().Erasures(ctx)
	for _, e := range erasures {
		all = append(all, backup.Erased(e))
	}
	return all, err
}

// tellErased has the place of the server's backups know what was erased, at once; where another process than a server
// erased it, a server does so.
func (a *App) tellErased(ctx context.Context) error {
	if a.Config.Backups.To == "" { // a server may know one
		return a.Store.Write(ctx, func(tx *store.Tx) error {
			_, err := a.Jobs.Enqueue(tx, eraseDueKind, struct{}{})
			return err
		})
	}
	all, err := a.erasedHere(ctx)
	if err != nil {
		return err
	}
	to, err := backup.Open(ctx, a.Config.Backups.To, true, a.Log)
	if err != nil {
		return err
	}
	return to.NoteErased(ctx, all, a.Config.Backups.Secret)
}

// dueNote is what was erased after the backup that the database was restored from. It is erased again before anything
// else is done with the database.
const dueNote = "erased-since"

// dueNotes are the notes of a database that is restored.
func dueNotes(all []backup.Erased) (map[string]string, error) {
	if len(all) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(all)
	return map[string]string{dueNote: string(text)}, err
}

// eraseAgain erases what was erased after the backup from which the database was restored.
func (a *App) eraseAgain(ctx context.Context) error {
	text, err := a.Store.Note(ctx, dueNote)
	if err != nil || text == "" {
		return err
	}
	var all []backup.Erased
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return fmt.Errorf("What was erased since the backup cannot be read: %w.", err)
	}
	s := a.Forgetting()
	for _, e := range all {
		if err := s.Again(ctx, forget.Erased(e)); err != nil {
			return fmt.Errorf("The %s %s, erased on %s, cannot be erased again: %w", e.What, e.UID, forget.Day(e.At), err)
		}
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM instance WHERE name = $1", dueNote)
	})
}

// ReadErased reads the lines of what was erased that groundwork erased prints; none where no file is named.
func ReadErased(path string) (all []backup.Erased, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("The list of what was erased cannot be read: %w.", err)
	}
	for n, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var e backup.Erased
		err := json.Unmarshal([]byte(line), &e, json.RejectUnknownMembers(true))
		if err != nil || e.UID == "" || !slices.Contains([]string{forget.Person, forget.Project, forget.Returned}, e.What) {
			return nil, fmt.Errorf("Line %d of the list of what was erased is not as groundwork erased prints it.", n+1)
		}
		all = append(all, e)
	}
	return all, nil
}

// eraseSince gathers what is to be erased again after a restore: what the place knows, and what the operator has.
func eraseSince(ctx context.Context, place *backup.Place, secret backup.Secret,
	given []backup.Erased,
) (all []backup.Erased, unread int, err error) {
	all, unread, err = place.Erased(ctx, secret)
	for _, e := range given {
		if i := slices.IndexFunc(all, func(had backup.Erased) bool { return had.UID == e.UID }); i < 0 {
			all = append(all, e)
		} else if all[i].At.Before(e.At) {
			all[i] = e
		}
	}
	return slices.DeleteFunc(all, func(e backup.Erased) bool { return e.What == forget.Returned }), unread, err
}

// erasedNow opens a restored installation, which erases again what it must, and closes it.
func erasedNow(ctx context.Context, c Config) error {
	a, err := Open(ctx, c)
	if err != nil {
		return fmt.Errorf("The backup is restored, but what was erased since is not erased again yet: %w No server starts before it is.",
			fault.Cause(err))
	}
	return a.Close()
}
