package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"groundwork/internal/app"
	"groundwork/internal/backup"
	"groundwork/internal/forget"
)

type serveCommand struct {
	network          `embed:""`
	KeepDeleted      string        `help:"How long deleted records can be restored, such as 365d; then nothing is kept but that they were there (default: for ever)." env:"GROUNDWORK_KEEP_DELETED" placeholder:"AGE"`
	KeepAudit        string        `help:"How long histories say what changed, and the audit who did what, such as 2y (default: for ever)." env:"GROUNDWORK_KEEP_AUDIT" placeholder:"AGE"`
	KeepJobs         time.Duration `help:"How long finished background work is remembered (default: ${keep_jobs})." env:"GROUNDWORK_KEEP_JOBS" default:"${keep_jobs}" placeholder:"DURATION"`
	MaxFile          app.Size      `help:"The largest file that is taken, such as 500MB (default: ${max_file})." env:"GROUNDWORK_MAX_FILE" default:"${max_file}" placeholder:"SIZE"`
	ProjectQuota     app.Size      `help:"What all files of a project may take, such as 200GB (default: no bound)." env:"GROUNDWORK_PROJECT_QUOTA" placeholder:"SIZE"`
	MaxProjects      int           `help:"On how many teams an account may be; 0 for no bound (default: ${max_projects})." env:"GROUNDWORK_MAX_PROJECTS" default:"${max_projects}" placeholder:"NUMBER"`
	LinkPeriod       time.Duration `help:"How long links to files stay the same; they are good for one to two of it (default: ${link_period})." env:"GROUNDWORK_LINK_PERIOD" default:"${link_period}" placeholder:"DURATION"`
	TokenLife        time.Duration `help:"How long the access token of an application lives (default: ${token_life})." env:"GROUNDWORK_TOKEN_LIFE" default:"${token_life}" placeholder:"DURATION"`
	StrictRefresh    bool          `help:"Have applications show their secret to renew a token; programs exist that do not." env:"GROUNDWORK_STRICT_REFRESH"`
	Invitations      int           `help:"How many people an account may invite within an hour; a project has twice that (default: ${invitations})." env:"GROUNDWORK_INVITATIONS" default:"${invitations}" placeholder:"N"`
	MaxStreams       int           `help:"How many event streams may be open at once (default: ${max_streams})." env:"GROUNDWORK_MAX_STREAMS" default:"${max_streams}" placeholder:"N"`
	BackupTo         string        `help:"Have the server make backups of itself to this place: a folder, or s3://BUCKET/PREFIX?endpoint=URL. Each is restored and compared." env:"GROUNDWORK_BACKUP_TO" placeholder:"PLACE"`
	BackupEvery      time.Duration `help:"How often (default: ${backup_every})." env:"GROUNDWORK_BACKUP_EVERY" default:"${backup_every}" placeholder:"DURATION"`
	BackupKeep       string        `help:"Which are kept: the newest of so many hours, days, weeks, months and years, such as 7d,4w,12m (default: all)." env:"GROUNDWORK_BACKUP_KEEP" placeholder:"RULE"`
	BackupContinuous bool          `help:"Also send every change to the place within a second, so that any moment can be restored. For a database file." env:"GROUNDWORK_BACKUP_CONTINUOUS"`
	BackupRecipient  string        `help:"Encrypt them for a public key of age, age1…" env:"GROUNDWORK_BACKUP_RECIPIENT" placeholder:"KEY"`
	BackupPassFile   string        `name:"backup-passphrase-file" help:"Encrypt them with the passphrase in the first line of this file." env:"GROUNDWORK_BACKUP_PASSPHRASE_FILE" type:"path" placeholder:"FILE"`
	NoUpgradeCopy    bool          `help:"Change the tables of a database of an earlier release without a copy of it." env:"GROUNDWORK_NO_UPGRADE_COPY"`
	NoNotifications  bool          `help:"Write to nobody about issues, RFIs and comments." env:"GROUNDWORK_NO_NOTIFICATIONS"`
	Demo             bool          `help:"Make a demo account and project on the first start, and print a key." env:"GROUNDWORK_DEMO"`
}

// Run refuses: a server does not start inside another.
func (*serveCommand) Run(*call) error {
	return errors.New("A server already runs in this data folder.")
}

// serve serves until ctx ends.
func (l *line) serve(ctx context.Context, s app.Streams) error {
	c, err := l.serving(s)
	if err != nil {
		var sentences []string
		for _, one := range each(err) {
			sentences = append(sentences, l.inFileTerms(message(one)))
		}
		return errors.New(strings.Join(sentences, " "))
	}
	for _, sentence := range l.settings.unknown() {
		c.Log.Warn("a variable sets nothing", "what", sentence)
	}
	for _, sentence := range l.settings.exposed() {
		c.Log.Warn("a file is open to others", "file", l.settings.path, "what", sentence)
	}
	a, err := openToServe(ctx, c)
	if err != nil {
		return err
	}
	forgetSecrets()
	return errors.Join(a.Serve(ctx, inServer(a), s.Out), a.Close())
}

// serving is the configuration of a server; an error says why it would not start.
func (l *line) serving(s app.Streams) (app.Config, error) {
	c, err := l.config(s)
	if err != nil {
		return c, err
	}
	c.Demo, c.KeepJobs = l.Serve.Demo, l.Serve.KeepJobs
	c.MaxFile, c.ProjectQuota = l.Serve.MaxFile, l.Serve.ProjectQuota
	c.LinkPeriod, c.MaxProjects = l.Serve.LinkPeriod, l.Serve.MaxProjects
	c.TokenLife, c.StrictRefresh = l.Serve.TokenLife, l.Serve.StrictRefresh
	c.NoNotifications, c.Invitations = l.Serve.NoNotifications, l.Serve.Invitations
	c.Streams, c.NoUpgradeCopy = l.Serve.MaxStreams, l.Serve.NoUpgradeCopy
	var backups, keep error
	c.Backups, backups = l.Serve.backups()
	c.Keep, keep = l.Serve.keep()
	return c, errors.Join(backups, keep, l.Serve.sizes(), app.CheckServing(c))
}

// leastFile is how large files may be at least that are taken: whoever says less has left out the unit.
const leastFile app.Size = 100_000

func (c *serveCommand) sizes() error {
	const least = "%s is %s; it must be at least %s. Write it with its unit, such as 500MB."
	if c.MaxFile < leastFile {
		return fmt.Errorf(least, "--max-file", c.MaxFile, leastFile)
	}
	if c.ProjectQuota != 0 && c.ProjectQuota < leastFile {
		return fmt.Errorf(least, "--project-quota", c.ProjectQuota, leastFile)
	}
	return nil
}

// keep is how long the server is told to keep things.
func (c *serveCommand) keep() (r forget.Rule, err error) {
	if r.Deleted, err = forget.ParseAge(c.KeepDeleted); err != nil {
		return r, fmt.Errorf("--keep-deleted: %w", err)
	}
	if r.Audit, err = forget.ParseAge(c.KeepAudit); err != nil {
		return r, fmt.Errorf("--keep-audit: %w", err)
	}
	return r, nil
}

// backups is what the server is told of backups of itself.
func (c *serveCommand) backups() (b app.Backups, err error) {
	b.Continuous = c.BackupContinuous
	if c.BackupTo == "" {
		return b, c.unused()
	}
	b.To, b.Every, b.Secret.Recipient = c.BackupTo, c.BackupEvery, c.BackupRecipient
	if b.Keep, err = backup.ParseKeep(c.BackupKeep); err != nil {
		return b, fmt.Errorf("--backup-keep: %w", err)
	}
	if b.Secret.Passphrase, err = firstLine(c.BackupPassFile); err != nil {
		return b, err
	}
	b.To, err = wholePlace(b.To)
	return b, err
}

// unused says which settings do nothing as no backups are made.
func (c *serveCommand) unused() (all error) {
	for _, one := range []struct {
		name  string
		given bool
	}{
		{"--backup-every", c.BackupEvery != app.DefaultBackupEvery},
		{"--backup-keep", c.BackupKeep != ""},
		{"--backup-recipient", c.BackupRecipient != ""},
		{"--backup-passphrase-file", c.BackupPassFile != ""},
	} {
		if one.given {
			all = errors.Join(all, fmt.Errorf("%s does nothing without --backup-to. Name the place, or leave it out.",
				one.name))
		}
	}
	return all
}

// forgetSecrets takes out of the environment what only the start needs: nothing that this process starts later, and
// nothing that prints its environment, has it. The block that the kernel shows under /proc keeps it; hide has only the
// superuser read that.
func forgetSecrets() {
	for _, name := range []string{
		"GROUNDWORK_SECRET", "GROUNDWORK_METRICS_TOKEN", "GROUNDWORK_DATABASE_URL", "GROUNDWORK_DATABASE_OWNER_URL",
		"GROUNDWORK_BLOB_URL", "GROUNDWORK_MAIL_URL", "GROUNDWORK_BACKUP_TO",
		"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	} {
		os.Unsetenv(name)
	}
}

// openToServe waits a little for a folder that a command or a stopping server still has.
func openToServe(ctx context.Context, c app.Config) (*app.App, error) {
	for end := time.Now().Add(inUsePatience); ; {
		a, err := app.Open(ctx, c)
		if !errors.Is(err, app.ErrInUse) {
			return a, err
		}
		if app.Answers(ctx, c) {
			return nil, fmt.Errorf(
				"A server already runs in the data folder %s. Stop it, or choose another folder with --data.", c.Data)
		}
		if time.Now().After(end) {
			return nil, errBusy
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(askAgain):
		}
	}
}
