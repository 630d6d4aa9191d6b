// Package app owns configuration and wiring: it checks the settings, opens the database, mounts the nouns on the edge,
// serves, and stops. It refuses to hold any behaviour of the API: what a request does is decided below, what a person
// types is read above.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/certificate"
	"groundwork/internal/drawing"
	"groundwork/internal/health"
	"groundwork/internal/job"
	"groundwork/internal/mail"
	"groundwork/internal/store"
	"groundwork/internal/trace"
	"groundwork/internal/upload"
)

// App is an opened installation.
type App struct {
	Config Config
	Store  *store.Store
	Auth   *auth.Auth
	Jobs   *job.Queue
	Mail   *mail.Sender
	Blob   blob.Store
	Files  *upload.Desk
	// Drawing reads images and PDFs.
	Drawing *drawing.Workshop
	Health  *health.Health
	Log     *slog.Logger
	locks   []*lock
	served  atomic.Pointer[string] // the public address, once there is one
	edge    atomic.Pointer[api.Edge]
	guest   atomic.Pointer[guestLink] // where a start of the demo has printed one
	ship    atomic.Pointer[backup.Shipper]
	posted  posted
	unsure  atomic.Bool            // whether the file store is the installation's own
	mark    atomic.Pointer[string] // that of the file store, once it was found there
	// expires tells when the certificate ends, where the service has one.
	expires atomic.Pointer[func() time.Time]
	tracer  *trace.Tracer
	keeper  atomic.Pointer[certificate.Keeper] // of a server whose certificates come by themselves
}

// Open takes the data folder, opens the database and brings its schema to this release. ErrInUse when another process
// has the folder.
func Open(ctx context.Context, c Config) (*App, error) {
	c, err := c.settled()
	if err != nil {
		return nil, err
	}
	if _, err := catalog(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, fmt.Errorf("The data folder cannot be made: %w.", err)
	}
	a := &App{Config: c, Log: c.Log, Health: health.New(c.Log)}
	if a.locks, err = takeFolders(c); err != nil {
		return nil, err
	}
	if a.tracer, err = trace.Open(ctx, c.Version, c.Log); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Store, err = store.Open(ctx, a.opening()); err != nil {
		return nil, errors.Join(fmt.Errorf("The database cannot be opened: %w.", err), a.Close())
	}
	if a.Mail, err = c.sender(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	files, err := blob.Open(ctx, string(c.BlobURL), c.Log)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.Blob = backup.Hold(blob.Traced(files, a.tracer))
	a.Files = &upload.Desk{Blobs: a.Blob, Most: int64(c.MaxFile), Quota: int64(c.ProjectQuota)}
	if err = a.settleIndex(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Drawing, err = drawing.Open(drawing.Config{
		Folder: filepath.Join(c.Data, drawingFolder), Within: c.ReadWithin,
		Relaxed: c.RelaxedDrawing, Cache: c.DrawingCache, Log: c.Log, Recognition: c.Recognition,
		Tracer: a.tracer,
	}); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.Jobs = job.New(a.Store, c.Log)
	a.Jobs.Noted, a.Jobs.Tracer = a.Health.Noted, a.tracer
	options := []auth.Option{
		auth.WithLog(c.Log), auth.WithTokens(c.TokenLife, c.StrictRefresh), auth.WithMostProjects(c.MaxProjects),
		auth.WithAnnouncements(a.announceLater), auth.WithLetters(a.leaveLetter), auth.WithInvitations(c.Invitations),
		auth.WithHouse(a.Mail.Name()),
	}
	if c.Pause != nil {
		options = append(options, auth.WithPause(c.Pause))
	}
	if c.CheapPasswords {
		options = append(options, auth.WithCheapPasswords())
	}
	if c.Secret != "" {
		options = append(options, auth.WithSecret(c.Secret))
	}
	if len(c.Limits) > 0 {
		options = append(options, auth.WithLimits(c.Limits))
	}
	if len(c.SessionLimits) > 0 {
		options = append(options, auth.WithSessionLimits(c.SessionLimits))
	}
	if a.Auth, err = auth.New(ctx, a.Store, options...); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.declareWork()
	if err := a.eraseAgain(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// flushWithin is how long a collector of spans may take for the last of them.
const flushWithin = 2 * time.Second

// Close closes what is open, the folder last.
func (a *App) Close() error {
	var errs []error
	if a.Drawing != nil {
		errs = append(errs, a.Drawing.Close())
	}
	if a.Auth != nil {
		errs = append(errs, a.Auth.Close())
	}
	if a.Store != nil {
		errs = append(errs, a.Store.Close())
	}
	flushing, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	if err := a.tracer.Close(flushing); err != nil {
		a.Log.Warn("the last spans could not be sent", "error", err)
	}
	for _, l := range a.locks {
		errs = append(errs, l.release())
	}
	return errors.Join(errs...)
}
