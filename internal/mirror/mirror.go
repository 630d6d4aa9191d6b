// Package mirror owns the way in from another server that speaks this API: it gathers all that a key sees of a project
// into a folder, which survives any kill, makes an archive of it, and has that brought in; a report holds both sides
// against each other. It refuses to know any kind of record by name beyond its path, and how archives are imported. Run
// is its entry point.
package mirror

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"groundwork/internal/archive"
	"groundwork/internal/client"
	"groundwork/internal/follow"
)

// Run mirrors projects, one after the other, and tells what became of each. An error is what no project can be mirrored
// for; a project's own trouble is in its report, and the others go on.
func Run(ctx context.Context, into archive.Site, c *client.Client, o Options, each func(Report)) error {
	if err := c.Limits(ctx); err != nil {
		return whose(err)
	}
	projects := o.Projects
	if len(projects) == 0 {
		var err error
		if projects, err = Visible(ctx, c); err != nil {
			return whose(err)
		}
	}
	for _, uid := range projects {
		if !follow.IsUID(uid) {
			return fmt.Errorf("%q is no uid of a project.", uid)
		}
	}
	var failed error
	for _, uid := range projects {
		r := one(ctx, into, c, uid, o)
		if each(r); r.Err != nil {
			failed = errors.Join(failed, fmt.Errorf(
				"The project %s was not mirrored: %w What was read is kept; run the command again to go on.", uid, r.Err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return failed
}

// Visible are the projects that the key sees.
func Visible(ctx context.Context, c *client.Client) (uids []string, err error) {
	err = pages(ctx, c, "/projects?limit=50", func(p *page) error {
		for _, raw := range p.Data {
			uid, _, problem := head(raw)
			if problem != nil {
				return problem
			}
			uids = append(uids, uid)
		}
		if len(uids) > mostProjects {
			return fmt.Errorf("The key sees more than %d projects. Name those to be mirrored with --project.", mostProjects)
		}
		return nil
	})
	return uids, whose(err)
}

// notInNames is what a host may have and the name of a folder should not.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// one mirrors a project.
func one(ctx context.Context, into archive.Site, c *client.Client, uid string, o Options) Report {
	r := Report{Project: uid}
	r.Err = func() error {
		if _, err := archive.Mirrored(ctx, into, uid, c.Origin()); err != nil {
			return err // before anything is asked
		}
		origin, err := url.Parse(c.Origin())
		if err != nil {
			return err
		}
		folder := filepath.Join(o.Folder, notInNames.ReplaceAllString(origin.Host+origin.Path, "_"), uid)
		s, err := openStaging(folder, into.Kinds.Kinds())
		if err != nil {
			return err
		}
		defer s.close()
		g := &gatherer{staging: s, client: c, project: uid, options: o, source: &follow.Source{Client: c, Project: uid}}
		if err := g.gather(ctx); err != nil {
			return err
		}
		return bring(ctx, into, g, &r)
	}()
	return r
}

// bring makes an archive of what was gathered, has it imported, and compares.
func bring(ctx context.Context, into archive.Site, g *gatherer, r *Report) error {
	exists, err := archive.Mirrored(ctx, into, g.project, g.client.Origin())
	if err != nil {
		return err
	}
	v := newView(g, exists)
	path := filepath.Join(g.folder, "project.zip")
	people, err := compose(ctx, into, g.project, v, path)
	if err != nil {
		return err
	}
	from := archive.From{Origin: g.client.Origin(), People: people}
	defer os.Remove(path)
	progress := g.options.Progress
	if r.Import, err = archive.Mirror(ctx, into, path, from, g.options.Dry, progress); err != nil {
		return err
	}
	if !g.options.Dry {
		if err := g.brought(v); err != nil {
			return err
		}
	}
	return v.compare(ctx, into, r)
}

func compose(ctx context.Context, into archive.Site, project string, v *view, path string) (map[string]string, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	to := bufio.NewWriterSize(file, 1<<20)
	people, err := archive.Compose(ctx, into, project, v, to)
	return people, errors.Join(err, to.Flush(), file.Close())
}

// brought notes that files are in the file store, and removes them here.
func (g *gatherer) brought(v *view) error {
	var all []*aside
	done := map[string]bool{}
	for _, a := range g.side {
		if a.File == nil || a.File.Brought || !v.used[a.File.Object] {
			continue
		}
		f := *a.File
		f.Brought = true
		all = append(all, &aside{Key: a.Key, At: a.At, File: &f})
		done[f.Object] = true
	}
	if err := g.add(all...); err != nil {
		return err
	}
	for object := range done {
		if err := os.Remove(g.path(object)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
