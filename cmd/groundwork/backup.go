package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"groundwork/internal/app"
	"groundwork/internal/backup"
	"groundwork/internal/forget"
	"groundwork/internal/redact"
)

// instant is a time as a person types it: whole, or a day, which is its end.
type instant struct{ time.Time }

// UnmarshalText reads a moment.
func (m *instant) UnmarshalText(text []byte) (err error) {
	if m.Time, err = time.Parse(time.RFC3339, string(text)); err == nil {
		return nil
	}
	if m.Time, err = time.Parse(time.DateOnly, string(text)); err == nil {
		m.Time = m.Add(24*time.Hour - time.Nanosecond)
		return nil
	}
	return fmt.Errorf("%q is not a moment such as 2026-11-03T09:00:00Z or 2026-11-03", text)
}

// opening is what opens an encrypted backup.
type opening struct {
	PassphraseFile string `help:"Opens a backup that was encrypted with the passphrase in this file." type:"path" placeholder:"FILE"`
	IdentityFile   string `help:"Opens a backup that was encrypted for a public key: the key file of age that belongs to it." type:"path" placeholder:"FILE"`
	Bar            bool   `hidden:""`
}

func (o *opening) secret() (s backup.Secret, err error) {
	if s.Passphrase, err = firstLine(o.PassphraseFile); err != nil || o.IdentityFile == "" {
		return s, err
	}
	text, err := os.ReadFile(o.IdentityFile)
	if err != nil {
		return s, fmt.Errorf("The identity file cannot be read: %w.", err)
	}
	s.Identity = redact.Secret(text)
	return s, nil
}

// firstLine reads the passphrase of a file: its first line.
func firstLine(path string) (redact.Secret, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("The passphrase file cannot be read: %w.", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	line = strings.TrimSuffix(line, "\r")
	if line == "" {
		return "", errors.New("The passphrase file has nothing in its first line.")
	}
	return redact.Secret(line), nil
}

type backupMake struct {
	Out            string `help:"Where backups lie: a folder, or s3://BUCKET/PREFIX?endpoint=URL." required:"" env:"GROUNDWORK_BACKUP_TO" placeholder:"PLACE"`
	Recipient      string `help:"Encrypt for a public key of age, age1…; who has the key that belongs to it opens it." placeholder:"KEY"`
	PassphraseFile string `help:"Encrypt with the passphrase in the first line of this file." type:"path" placeholder:"FILE"`
	Keep           string `help:"Then remove backups, but for the newest of so many hours, days, weeks, months and years: 7d,4w,12m." placeholder:"RULE"`
	Bar            bool   `hidden:""`
}

// whole gives the command line by which another process finds the same place.
func (b *backupMake) whole(s app.Streams) (args []string, err error) {
	if b.Out, err = wholePlace(b.Out); err != nil {
		return nil, err
	}
	b.Bar = isTerminal(s.Err)
	args = []string{"backup", "make", "--out=" + b.Out}
	for name, value := range map[string]string{
		"--recipient=": b.Recipient, "--passphrase-file=": b.PassphraseFile, "--keep=": b.Keep,
	} {
		if value != "" {
			args = append(args, name+value)
		}
	}
	if b.Bar {
		args = append(args, "--bar")
	}
	return args, nil
}

// wholePlace names a place for another process: a folder by its whole path, and a bucket with the credentials of this
// environment, which a server has forgotten.
func wholePlace(place string) (string, error) {
	if err := backup.CheckPlace(place); err != nil {
		return "", err
	}
	if !strings.HasPrefix(place, "s3:") {
		return filepath.Abs(strings.TrimPrefix(place, "file:"))
	}
	u, err := url.Parse(place)
	key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if err != nil || u.User != nil || key == "" || secret == "" || os.Getenv("AWS_SESSION_TOKEN") != "" {
		return place, nil //nolint:nilerr // what is wrong with it is said by who opens it
	}
	u.User = url.UserPassword(key, secret)
	return u.String(), nil
}

// Run makes a backup and says what it has.
func (b *backupMake) Run(ctx context.Context, c *call) error {
	in := app.Backup{To: b.Out, Secret: backup.Secret{Recipient: b.Recipient}}
	var err error
	if in.Keep, err = backup.ParseKeep(b.Keep); err != nil {
		return err
	}
	if in.Secret.Passphrase, err = firstLine(b.PassphraseFile); err != nil {
		return err
	}
	bar := newBar(b.Bar, c.Err)
	made, removed, err := c.app.Backup(ctx, in, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "Backup of %s: %s and %s, %s. %d of %d parts were new; %s sent.\n", backup.Moment(made.Moment),
		counted(int(made.Rows), "row", "rows"), counted(int(made.Files), "file", "files"), amount(made.Bytes),
		made.NewParts, made.AllParts, amount(made.Sent))
	if removed.Stretches > 0 {
		fmt.Fprintf(c.Out, "%s of what was shipped as it was changed were removed.\n",
			counted(removed.Stretches, "stretch", "stretches"))
	}
	if in.Keep != nil {
		fmt.Fprintf(c.Out, "%s and %s that none needs were removed, %s.\n", counted(removed.Backups, "backup", "backups"),
			counted(removed.Parts, "part", "parts"), amount(removed.Bytes))
	}
	if removed.Later != "" {
		fmt.Fprintf(c.Out, "Parts that no backup needs were left: %s.\n", removed.Later)
	}
	for _, lost := range made.Lost {
		fmt.Fprintf(c.Err, "groundwork: %s, so the backup does not have it.\n", lost)
	}
	if len(made.Lost) > 0 {
		return errShown
	}
	return nil
}

type backupList struct {
	Place string `arg:"" help:"Where backups lie: a folder, or s3://BUCKET/PREFIX?endpoint=URL."`
}

// Run lists the backups at a place.
func (b *backupList) Run(ctx context.Context, c *call) error {
	place, err := backup.Open(ctx, b.Place, false, nil)
	if err != nil {
		return err
	}
	all, damaged, err := place.List(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	since, err := place.ErasedSince(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(table, "MOMENT\tROWS\tFILES\tSIZE\tENCRYPTED\tMISSING\tERASED SINCE")
	for _, h := range all {
		encrypted := h.Encrypted
		if encrypted == "" {
			encrypted = "no"
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%d\t%d\n", backup.Moment(h.Moment), h.Rows, h.Files, amount(h.Bytes),
			encrypted, h.Missing, since(h.Moment))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	stretches, unread, err := place.Stretches(ctx)
	if err != nil {
		return err
	}
	if err := listStretches(c.Out, stretches); err != nil || damaged+unread == 0 {
		return err
	}
	return fmt.Errorf("%s cannot be read.", counted(damaged+unread, "manifest", "manifests"))
}

// listStretches lists what was shipped without a break.
func listStretches(to io.Writer, all []backup.Stretch) error {
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintln(to, "\nAny moment of these can be restored, too:")
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FROM\tTO\tSEGMENTS\tSIZE\tENCRYPTED\tWHOLE")
	for _, s := range all {
		encrypted, whole := cmp.Or(s.Encrypted, "no"), "yes"
		if s.Gap {
			whole = "no: a segment is missing"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", backup.Moment(s.From), backup.Moment(s.To), s.Segments, amount(s.Bytes),
			encrypted, whole)
	}
	return table.Flush()
}

type backupVerify struct {
	backupList
	opening
	At     instant `help:"The newest backup that is not later than this (default: the newest)." placeholder:"MOMENT"`
	Remove bool    `name:"remove-damaged" help:"Remove damaged parts, so that the next backup writes them again."`
}

// Run reads everything of a backup.
func (b *backupVerify) Run(ctx context.Context, c *call) error {
	place, err := backup.Open(ctx, b.Place, false, nil)
	if err != nil {
		return err
	}
	secret, err := b.secret()
	if err != nil {
		return err
	}
	bar := newBar(isTerminal(c.Err), c.Err)
	shipped, segments, bad, found, err := place.VerifyShipped(ctx, b.At.Time, secret, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	for _, w := range bad {
		fmt.Fprintf(c.Out, "BAD %s\n", w)
	}
	if found && len(bad) == 0 {
		fmt.Fprintf(c.Out, "What was shipped up to %s is whole: %s, %s and %s.\n", backup.Moment(shipped.Moment),
			counted(int(segments), "segment", "segments"), counted(int(shipped.Rows), "row", "rows"),
			counted(int(shipped.Files), "file", "files"))
	}
	bar = newBar(isTerminal(c.Err), c.Err)
	h, wrong, err := place.Verify(ctx, b.At.Time, secret, b.Remove, bar.show)
	bar.end()
	if len(bad) > 0 {
		err = errors.Join(err, fmt.Errorf("What was shipped is not whole: %s above.",
			counted(len(bad), "line says what,", "lines say what,")))
	} else if found && errors.As(err, new(backup.NoneError)) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := b.erased(ctx, c.Streams, place, secret, h.Moment); err != nil {
		return err
	}
	for _, w := range wrong {
		fmt.Fprintf(c.Out, "BAD %s\n", w)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("The backup of %s is not whole: %s above.", backup.Moment(h.Moment),
			counted(len(wrong), "line says what,", "lines say what,"))
	}
	fmt.Fprintf(c.Out, "The backup of %s is whole: %s and %s, %s.\n", backup.Moment(h.Moment),
		counted(int(h.Rows), "row", "rows"), counted(int(h.Files), "file", "files"), amount(h.Bytes))
	return nil
}

// erased says what was erased since a backup was made: it still has it, and restoring erases it again.
func (b *backupVerify) erased(ctx context.Context, s app.Streams, place *backup.Place, secret backup.Secret,
	moment time.Time,
) error {
	all, unread, err := place.Erased(ctx, secret)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.At.After(moment) {
			fmt.Fprintf(s.Out, "Since then the %s %s was erased, on %s by %s. Restoring erases it again.\n", e.What, e.UID,
				forget.Day(e.At), e.By)
		}
	}
	if unread > 0 {
		fmt.Fprintf(s.Err, "groundwork: %s of what was erased cannot be read.\n", counted(unread, "line", "lines"))
	}
	return nil
}

type restoreCommand struct {
	backupList
	opening
	Erased string  `help:"A file of what was erased since, as groundwork erased prints it, beside what the place itself knows." type:"path" placeholder:"FILE"`
	At     instant `help:"The newest backup, or the newest change that was shipped, that is not later than this (default: the newest)." placeholder:"MOMENT"`
}

// Run refuses: a restore is never handed to a server.
func (*restoreCommand) Run(*call) error {
	return errors.New("A server runs in this data folder. A backup is restored into a new one.")
}

// restore makes an installation of a backup.
func (l *line) restore(ctx context.Context, s app.Streams) error {
	c, err := l.config(s)
	if err != nil {
		return err
	}
	r := &l.Restore
	secret, err := r.secret()
	if err != nil {
		return err
	}
	erased, err := app.ReadErased(r.Erased)
	if err != nil {
		return err
	}
	bar := newBar(isTerminal(s.Err), s.Err)
	done, err := app.Restore(ctx, c, r.Place, r.At.Time, secret, erased, bar.show)
	bar.end()
	if errors.Is(err, app.ErrInUse) {
		err = errors.New("The data folder is in use by another process. A backup is restored into a new one.")
	}
	if err != nil {
		return err
	}
	what := "the backup of"
	if done.Shipped {
		what = "what was shipped up to"
	}
	fmt.Fprintf(s.Out, "Restored %s %s (release %s, %s): %s and %s, %s, all verified.\n", what,
		backup.Moment(done.Moment), done.Release, done.Engine, counted(int(done.Rows), "row", "rows"),
		counted(int(done.Files), "file", "files"), amount(done.Bytes))
	for _, m := range done.Missing {
		if done.Shipped {
			fmt.Fprintf(s.Err, "groundwork: %s.\n", m)
			continue
		}
		fmt.Fprintf(s.Err, "groundwork: %s; that was so when the backup was made.\n", m)
	}
	if done.Stopped != "" {
		fmt.Fprintf(s.Err, "groundwork: what was changed after %s is not restored: %s.\n", backup.Moment(done.Moment), done.Stopped)
	}
	for _, e := range done.Erased {
		fmt.Fprintf(s.Out, "The %s %s, which was erased on %s, was erased again.\n", e.What, e.UID, forget.Day(e.At))
		if e.Further > 0 {
			fmt.Fprintf(s.Out, "%s of that person, which nobody keeps, must be looked for again: groundwork account erase %s --also TEXT --yes.\n",
				counted(int(e.Further), "further text", "further texts"), e.UID)
		}
	}
	if done.Unread > 0 {
		fmt.Fprintf(s.Err, "groundwork: %s of what was erased since cannot be read; erase it again by hand.\n",
			counted(done.Unread, "line", "lines"))
	}
	if done.Unread > 0 || done.Stopped != "" {
		return errShown
	}
	return nil
}

func newBar(shown bool, to io.Writer) *bar {
	if !shown {
		to = io.Discard
	}
	return &bar{to: to}
}

// amount is a number of bytes for people.
func amount(n int64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
