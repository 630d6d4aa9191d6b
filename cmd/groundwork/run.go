package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"groundwork/internal/app"
	"groundwork/internal/fault"
	"groundwork/internal/mail/bounce"
	"groundwork/internal/system"
)

// run understands a command line, runs it where it must run, and gives its exit code.
func run(ctx context.Context, args []string, s app.Streams) int {
	l, exit := parse(args, s, true)
	if l == nil {
		return exit
	}
	switch l.chosen.Command() {
	case "version", "backup list <place>", "backup verify <place>", "follow <url>":
		return finish(s, 0, l.do(ctx, s, nil))
	case configCheckName:
		return finish(s, 0, l.check(s))
	case "serve":
		return finish(s, 0, l.serve(ctx, s))
	case "ready":
		return finish(s, 0, l.ready(ctx, s))
	case "restore <place>":
		return finish(s, 0, l.restore(ctx, s))
	}
	exit, err := l.operate(ctx, s)
	exit = finish(s, exit, err)
	if l.chosen.Command() == mailBounceName && exit != 0 {
		return exitAgain
	}
	return exit
}

// inServer runs, in the server that owns the data folder, the commands that other processes hand over to it.
func inServer(a *app.App) app.Command {
	return func(ctx context.Context, args []string, s app.Streams) int {
		l, exit := parse(args, s, false) // the server has read its settings
		if l == nil {
			return exit
		}
		l.sayUnused(s, a.Config)
		return finish(s, 0, l.do(ctx, s, a))
	}
}

// inUsePatience is how long a folder may be in use by something that is no server: another command, or a server that is
// starting or stopping.
const (
	inUsePatience = 10 * time.Second
	askAgain      = 20 * time.Millisecond
)

var errBusy = errors.New(
	"The data folder is in use by another process that does not answer. Is a server stopping? Try again in a moment.")

// operate runs a command on the installation, or has the server run it that owns its data folder.
func (l *line) operate(ctx context.Context, s app.Streams) (exit int, err error) {
	c, err := l.config(s)
	if err != nil {
		return 0, err
	}
	stdin, err := l.stdin(s.In)
	if err != nil {
		return 0, err
	}
	if l.chosen.Command() == "doctor" {
		if err := app.Exists(c); err != nil {
			return 0, l.Doctor.without(ctx, s, c, err)
		}
	}
	if l.network() == &l.Certificate.network {
		if err := app.Exists(c); err != nil {
			return 0, fmt.Errorf("There are no certificates: %w.", err)
		}
	}
	if l.works() {
		if err := app.Exists(c); err != nil {
			return 0, fmt.Errorf("There is no installation here: %s.", strings.TrimSuffix(err.Error(), "."))
		}
	}
	if strings.HasPrefix(l.chosen.Command(), "sheets upload") {
		if l.args, err = l.Sheets.Upload.whole(s); err != nil {
			return 0, err
		}
	}
	if nothing, whole := l.moves(); whole != nil {
		if err := app.Exists(c); err != nil {
			return 0, fmt.Errorf("%s: %w.", nothing, err)
		}
		if l.args, err = whole(s); err != nil {
			return 0, err
		}
	}
	if d := l.delivery(); d != nil {
		if d.Bar = isTerminal(s.Err); d.Bar {
			l.args = append(l.args, "--bar")
		}
		return d.receive(s, func(s app.Streams) (int, error) { return l.reach(ctx, c, s, stdin) })
	}
	return l.reach(ctx, c, s, stdin)
}

// works tells commands that must not begin an installation, of those that ask for nothing else to be there. Mail
// servers run one of them, with settings that nobody looks at.
func (l *line) works() bool {
	return strings.HasPrefix(l.chosen.Command(), "mail ") || strings.HasPrefix(l.chosen.Command(), "account show ")
}

// moves gives, for the commands that copy what an installation has, what is said where there is none, and how another
// process is told of their files.
func (l *line) moves() (nothing string, whole func(app.Streams) ([]string, error)) {
	switch l.chosen.Command() {
	case "backup make":
		return "There is nothing to back up", l.Backup.Make.whole
	case "export":
		return "There is nothing to export", l.Export.whole
	case "import <file>":
		return "There is no installation to import into", l.Import.whole
	case "mirror <url>":
		return "There is no installation to mirror into", l.Mirror.whole
	}
	return "", nil
}

// reach runs the command here if nobody owns the data folder, and else has its owner run it.
func (l *line) reach(ctx context.Context, c app.Config, s app.Streams, stdin []byte) (exit int, err error) {
	for end := time.Now().Add(inUsePatience); ; {
		s.In = bytes.NewReader(stdin)
		a, err := app.Open(ctx, c)
		if err == nil {
			if nothing, _ := l.moves(); nothing != "" {
				err = a.SameStores(ctx)
			}
			if l.works() {
				err = a.SecretFits(ctx)
			}
			if l.chosen.Command() == "backup make" {
				system.GiveWay() // nobody waits for a backup; people wait for those who work meanwhile
			}
			if err == nil {
				err = l.do(ctx, s, a)
			}
			return 0, errors.Join(err, a.Close())
		}
		if !errors.Is(err, app.ErrInUse) {
			if l.chosen.Command() == "doctor" {
				err = l.Doctor.without(ctx, s, c, err)
			}
			return 0, err
		}
		if exit, err = app.HandOver(ctx, c, l.args, s); !errors.Is(err, app.ErrNobody) {
			if l.chosen.Command() == "doctor" {
				err = errors.Join(err, l.Doctor.asked(ctx, s, c))
			}
			return exit, err
		}
		if time.Now().After(end) {
			return 0, errBusy
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

// stdin reads standard input when the command asks for it: a terminal would otherwise be waited for.
func (l *line) stdin(in io.Reader) ([]byte, error) {
	if l.chosen.Command() == mailBounceName {
		return io.ReadAll(io.LimitReader(in, bounce.MostBytes))
	}
	if !l.Account.Create.PasswordStdin && !l.Account.ResetPassword.PasswordStdin {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(in, mostStdin))
}

const mostStdin = 1 << 16

// errShown is a failure of which everything was said already.
var errShown = errors.New("failed")

// finish prints an error as one line and gives the exit code.
func finish(s app.Streams, exit int, err error) int {
	if err == nil {
		return exit
	}
	if !errors.Is(err, errShown) {
		fmt.Fprintf(s.Err, "groundwork: %s\n", strings.Join(strings.Fields(message(err)), " "))
	}
	return exitFailure
}

// message is what a person reads of an error.
func message(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind == fault.Internal {
		return err.Error()
	}
	if len(e.Fields) == 0 {
		return e.Error()
	}
	var sentences []string
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		sentences = append(sentences, e.Fields[name])
	}
	return strings.Join(sentences, " ")
}
