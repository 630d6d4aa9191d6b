package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"

	"groundwork/internal/app"
	"groundwork/internal/client"
	"groundwork/internal/follow"
	"groundwork/internal/mirror"
	"groundwork/internal/redact"
)

// remote is what commands ask that read another server.
type remote struct {
	URL          string        `arg:"" help:"The address of the server's API, such as https://api.example.com."`
	Key          redact.Secret `help:"An API key of that server; it is sent to that server only." env:"GROUNDWORK_REMOTE_KEY" placeholder:"KEY"`
	Project      []string      `help:"The uid of a project; give it again for more. Default: all that the key sees." placeholder:"UID"`
	AllowPrivate []string      `help:"A network of private addresses from which files may be fetched, such as 10.1.0.0/16; give it again for more." placeholder:"NETWORK"`
	MaxFile      app.Size      `help:"The largest file that is fetched, such as 500MB (default: ${max_file})." default:"${max_file}" placeholder:"SIZE"`
}

// client makes ready to ask the server.
func (r *remote) client(notice func(string)) (*client.Client, error) {
	if r.Key == "" {
		return nil, errors.New("Give a key of the server with --key, or in GROUNDWORK_REMOTE_KEY.")
	}
	if r.MaxFile <= 0 {
		return nil, errors.New("--max-file must be a size such as 500MB.")
	}
	o := client.Options{Key: string(r.Key), Notice: notice}
	for _, text := range r.AllowPrivate {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--allow-private is %q; it must be a network such as 10.1.0.0/16.", text)
		}
		o.Private = append(o.Private, p)
	}
	for _, uid := range r.Project {
		if !follow.IsUID(uid) {
			return nil, fmt.Errorf("--project is %q, which is no uid.", uid)
		}
	}
	return client.New(r.URL, o)
}

// args is the command line of the same request.
func (r *remote) args() []string {
	args := []string{"--key=" + string(r.Key), "--max-file=" + r.MaxFile.String()}
	for _, uid := range r.Project {
		args = append(args, "--project="+uid)
	}
	for _, network := range r.AllowPrivate {
		args = append(args, "--allow-private="+network)
	}
	return args
}

type mirrorCommand struct {
	remote
	Folder string `help:"Where what is read lies until it is brought in, and what the next run goes on from. Default: mirror in the data folder." type:"path" placeholder:"DIR"`
	DryRun bool   `help:"Read everything, say what would be brought in, and change nothing."`
	Bar    bool   `hidden:""`
}

// whole gives the command line by which another process does the same.
func (m *mirrorCommand) whole(s app.Streams) (args []string, err error) {
	if _, err := m.client(nil); err != nil {
		return nil, err
	}
	args = append([]string{"mirror"}, m.args()...)
	if m.Folder != "" {
		if m.Folder, err = filepath.Abs(m.Folder); err != nil {
			return nil, err
		}
		args = append(args, "--folder="+m.Folder)
	}
	if m.DryRun {
		args = append(args, "--dry-run")
	}
	if m.Bar = isTerminal(s.Err); m.Bar {
		args = append(args, "--bar")
	}
	return append(args, "--", m.URL), nil
}

// Run mirrors the projects and prints how both sides compare.
func (m *mirrorCommand) Run(ctx context.Context, c *call) error {
	notice := func(text string) { fmt.Fprintf(c.Err, "groundwork: %s\n", text) }
	from, err := m.client(notice)
	if err != nil {
		return err
	}
	bar := newBar(m.Bar, c.Err)
	differing := false
	err = c.app.Mirror(ctx, from, mirror.Options{
		Projects: m.Project, Folder: m.Folder, MostFile: int64(m.MaxFile), Dry: m.DryRun, Notice: notice,
		Progress: bar.show,
	}, func(r mirror.Report) {
		bar.end()
		m.print(c, r)
		differing = differing || r.Err != nil || r.Differing() > 0 && !m.DryRun
	})
	if err == nil && !m.DryRun {
		err = c.sayClosed(ctx)
	}
	if err == nil && differing {
		return errShown
	}
	return err
}

func (m *mirrorCommand) print(c *call, r mirror.Report) {
	if r.Err != nil {
		return // it is the command's error too
	}
	switch {
	case m.DryRun && r.Import.Renewed:
		fmt.Fprintf(c.Out, "The project %q, %s, would be brought up to date.\n", r.Name, r.Project)
	case m.DryRun:
		fmt.Fprintf(c.Out, "The project %q, %s, would be brought in.\n", r.Name, r.Project)
	case r.Import.Renewed:
		fmt.Fprintf(c.Out, "The project %q, %s, is up to date: %s, %s.\n", r.Name, r.Project,
			counted(int(r.Import.New), "new record", "new records"), counted(int(r.Import.Changed), "changed one", "changed ones"))
	default:
		fmt.Fprintf(c.Out, "The project %q, %s, was brought in: %s.\n", r.Name, r.Project, counted(int(r.Import.Files), "file", "files"))
	}
	const row = "%8d %8d %10d  %s\n"
	fmt.Fprintf(c.Out, "%8s %8s %10s\n", "theirs", "ours", "differing")
	for _, k := range r.Kinds {
		fmt.Fprintf(c.Out, row, k.Theirs, k.Ours, k.Differing, strings.ReplaceAll(k.Kind, "_", " "))
	}
	fmt.Fprintf(c.Out, row, r.Files, r.FilesHere, r.Files-r.FilesHere, "files")
	for _, k := range r.Kinds {
		for _, why := range k.Why {
			fmt.Fprintf(c.Out, "- %s\n", why)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(c.Out, "- %s\n", note)
	}
	for _, p := range r.Import.People {
		if p.New && !m.DryRun {
			fmt.Fprintf(c.Out, "%s got an account that lets nobody in before the address is proven.\n", p.Email)
		}
	}
}

type followCommand struct {
	remote
	Out          string `help:"The folder that the changes and files are written to: a folder in it for each project." required:"" type:"path" placeholder:"DIR"`
	Once         bool   `help:"End when everything that is there was written, instead of following for ever."`
	WithoutFiles bool   `help:"Write the changes only."`
}

// Run follows the projects until it is ended.
func (f *followCommand) Run(ctx context.Context, c *call) error {
	var mu sync.Mutex
	notice := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(c.Err, "groundwork: %s\n", text)
	}
	from, err := f.client(notice)
	if err != nil {
		return err
	}
	projects := f.Project
	if len(projects) == 0 {
		if projects, err = mirror.Visible(ctx, from); err != nil {
			return err
		}
	}
	what := counted(len(projects), "project", "projects")
	if !f.Once {
		notice(fmt.Sprintf("Following %s into %s. It can be ended at any time, and goes on where it was.", what, f.Out))
	}
	o := follow.Options{Once: f.Once, WithoutFiles: f.WithoutFiles, MostFile: int64(f.MaxFile), Notice: notice}
	failures := make([]error, len(projects))
	var all sync.WaitGroup
	for i, uid := range projects {
		all.Go(func() {
			failures[i] = follow.Run(ctx, from, uid, filepath.Join(f.Out, uid), o)
		})
	}
	all.Wait()
	if err := errors.Join(failures...); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if f.Once && ctx.Err() == nil {
		fmt.Fprintf(c.Out, "The changes of %s are in %s.\n", what, f.Out)
	}
	return nil
}
