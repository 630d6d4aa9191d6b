package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"groundwork/internal/demo"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/letter"
	"groundwork/internal/mail"
	"groundwork/internal/mail/published"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// declareWork is everything that is done in the background.
func (a *App) declareWork() {
	// A mail is tried for about four days, as mail servers do among themselves.
	job.Handle(a.Jobs, mail.Kind, job.Options{
		Parallel: 2, Attempts: 100, Backoff: 30 * time.Second, Timeout: 3 * time.Minute,
	}, a.sendMail)
	a.declareUpgrade()
	job.Handle(a.Jobs, letter.Kind, job.Options{
		Parallel: 2, Attempts: 100, Backoff: 30 * time.Second, Timeout: 3 * time.Minute,
	}, a.writeLetter)
	// It stops between two parts when the process does, and goes on there.
	job.Handle(a.Jobs, identity.AnnouncementKind, job.Options{Parallel: 2, Attempts: 100},
		func(ctx context.Context, n identity.Announcement, r *job.Run) error {
			return a.Auth.Announce(ctx, n.Account, r.Complete)
		})
	a.hourly("forget-credentials", func(ctx context.Context) error { return a.Auth.Sweep(ctx) })
	a.hourly("warn-of-versions", func(ctx context.Context) error {
		return a.Auth.Warn(ctx, a.leaveLetter)
	})
	a.declareIndex()
	a.declareBackups()
	a.declareForgetting()
	a.declareDemo()
	for _, f := range families() {
		if f.Work != nil {
			f.Work(a.site())
		}
	}
	for _, f := range families() {
		for _, w := range f.Follows {
			job.Handle(a.Jobs, w.Name, w.Options, w.Run(a.site()))
		}
	}
	a.hourly("count-files", a.countFiles)
	a.hourly("forget-requests", func(ctx context.Context) error { return resource.SweepRequests(ctx, a.Store) })
	a.hourly("forget-uploads", func(ctx context.Context) error { return a.Files.Sweep(ctx, a.Store) })
	a.hourly("forget-jobs", func(ctx context.Context) error { return a.Jobs.Sweep(ctx, a.Config.KeepJobs) })
}

// announceLater has the many projects of an account told of its change. The key keeps it to one job for each account.
func (a *App) announceLater(tx *store.Tx, n identity.Announcement, pause time.Duration) error {
	_, err := a.Jobs.Enqueue(tx, identity.AnnouncementKind, n, job.Key(n.Account), job.After(pause))
	return err
}

// hourly declares work that is done once an hour. Its attempts end before the next hour does.
func (a *App) hourly(kind string, do func(context.Context) error) {
	job.Handle(a.Jobs, kind, job.Options{Attempts: 5, Backoff: time.Minute},
		func(ctx context.Context, _ struct{}, _ *job.Run) error { return do(ctx) })
	a.Jobs.Every(kind, time.Hour)
}

// sendMail sends a mail under the id of its job: if it must be sent twice, whoever receives it can tell.
func (a *App) sendMail(ctx context.Context, m mail.Message, r *job.Run) error {
	m.ID = a.letterID(r.ID(), m)
	err := a.Mail.Send(ctx, m)
	a.posted.note(err, a.Mail.Sends())
	// A note that is lost is worth less than a second letter.
	if noting := a.noteSent(ctx, r.ID(), m, err); noting != nil {
		a.Log.WarnContext(ctx, "it could not be noted whether a letter arrived", "error", noting)
	}
	if errors.As(err, new(mail.Refused)) {
		return job.Permanent{Err: err}
	}
	return err
}

// leaveLetter has a letter written once the transaction commits.
func (a *App) leaveLetter(tx *store.Tx, l letter.Letter) error {
	_, err := a.Jobs.Enqueue(tx, letter.Kind, l)
	return err
}

// writeLetter writes to a person. Its links are made now: while a letter waits, no secret lies in the database.
func (a *App) writeLetter(ctx context.Context, l letter.Letter, r *job.Run) error {
	m, to, err := a.Auth.Write(ctx, a.base(), l)
	if err != nil || !to || demo.IsPerson(m.To.Email) {
		return err
	}
	return a.sendMail(ctx, m, r)
}

// sender is how the configuration says that mail is sent.
func (c Config) sender() (*mail.Sender, error) {
	return mail.New(mail.Config{
		URL: string(c.MailURL), From: c.MailFrom, DKIMKey: c.MailDKIMKey, DKIMSelector: c.MailDKIMSelector,
		Log: c.Log, Now: c.Now, Host: c.host(),
	})
}

// host is the name under which the outside reaches the service; "" where nothing says it.
func (c Config) host() string {
	if u, err := url.Parse(c.PublicURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	if len(c.Certificates.Domains) > 0 {
		return c.Certificates.Domains[0]
	}
	return ""
}

func (c Config) checkWork() error {
	if c.TokenLife < time.Minute {
		return errors.New("Access tokens must live for a minute at least: --token-life 48h.")
	}
	if c.KeepJobs < time.Hour {
		return errors.New("Background work must be remembered for an hour at least: --keep-jobs 1h.")
	}
	_, err := c.sender()
	err = spelled(c.MailURL, err)
	_, wrong := published.Resolver(c.MailDNS)
	return errors.Join(err, wrong)
}

const mailAnswersWithin = 10 * time.Second

func (c Config) checkMail(ctx context.Context) error {
	s, err := c.sender()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, mailAnswersWithin)
	defer cancel()
	if err := s.Check(ctx); err != nil {
		return fmt.Errorf("it does not take mail from this service: %w; check --mail-url (what is to be sent waits, and is tried again)", err)
	}
	return nil
}
