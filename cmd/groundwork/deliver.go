package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"groundwork/internal/app"
	"groundwork/internal/identity"
	"groundwork/internal/share"
)

// delivery is what the commands have in common that make a file for somebody.
type delivery struct {
	Email   string `help:"For whom: the file shows what this account may see." required:"" placeholder:"E"`
	Project string `help:"The uid of the project." required:"" placeholder:"UID"`
	Out     string `help:"Where the file is written to; - is standard output." required:"" placeholder:"FILE"`
	Bar     bool   `hidden:""`
}

// delivery gives the options of the commands that make a file; nil for others.
func (l *line) delivery() *delivery {
	switch l.chosen.Command() {
	case "packet":
		return &l.Packet.delivery
	case "report":
		return &l.Report.delivery
	}
	return nil
}

// receive has standard output written to the file. Nothing stands under its name until all of it does.
func (d *delivery) receive(s app.Streams, run func(app.Streams) (int, error)) (exit int, err error) {
	if d.Out == "-" {
		return run(s)
	}
	part, err := os.CreateTemp(filepath.Dir(d.Out), "."+filepath.Base(d.Out)+".*")
	if err != nil {
		return 0, fmt.Errorf("The file cannot be written: %w.", err)
	}
	defer os.Remove(part.Name())
	s.Out = part
	exit, err = run(s)
	if err = errors.Join(err, part.Chmod(0o644), part.Sync(), part.Close()); err != nil || exit != 0 {
		return exit, err
	}
	return exit, os.Rename(part.Name(), d.Out)
}

// deliver has a file made for the account, and writes it.
func (d *delivery) deliver(ctx context.Context, c *call,
	do func(t *share.Tools, who *identity.Account, progress func(percent int)) (share.File, error),
) error {
	who, err := c.app.Auth.AccountByEmail(ctx, d.Email)
	if err != nil {
		return err
	}
	b := &bar{to: io.Discard}
	if d.Bar {
		b.to = c.Err
	}
	b.show(0)
	f, err := do(c.app.Tools(), who, b.show)
	if err != nil {
		b.end()
		return err
	}
	in, err := os.Open(f.Path)
	if err == nil {
		_, err = io.Copy(c.Out, in)
		err = errors.Join(err, in.Close())
	}
	b.show(100)
	b.end()
	return errors.Join(err, f.Close())
}

// bar shows how far something is, in one line of a terminal.
type bar struct {
	to      io.Writer
	percent int
	begun   bool
}

const barLength = 40

func (b *bar) show(percent int) {
	percent = min(max(percent, b.percent), 100)
	if b.begun && percent == b.percent {
		return
	}
	b.percent, b.begun = percent, true
	full := barLength * percent / 100
	fmt.Fprintf(b.to, "\r[%s%s] %3d %%", strings.Repeat("=", full), strings.Repeat(" ", barLength-full), percent)
}

func (b *bar) end() { fmt.Fprintln(b.to) }

// isTerminal tells whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	f, is := w.(*os.File)
	if !is {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
