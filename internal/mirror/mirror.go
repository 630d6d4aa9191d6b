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
	"strings"

	"groundwork/internal/archive"
	"groundwork/internal/client"
	"groundwork/internal/follow"
)

// Options say what is mirrored, and within which bounds.
type Options struct {
	// Projects are uids; all that the key sees where there are none.
	Projects []string
	// Folder is where what is gathered lies until it is brought in, and after that what the next run goes on from.
	Folder string
	// MostFile is how many bytes a file may have.
	MostFile int64
	// Dry gathers and says what would be brought in.
	Dry bool
	// Notice is told what people should know on the way.
	Notice func(text string)
	// Progress is told how far the import of a project is, in percent.
	Progress func(percent int)
}

// The bounds of what another server can make this one keep; tests lower them.
var (
	mostProjects = 2_000
	mostRecords  = 2_000_000
	mostPages    = 100_000 // of one list in one run
)

// mostRounds is how often a server is read again until it stands still.
const mostRounds = 20

// Report is what became of a project.
type Report struct {
	Project, Name string
	// Kinds tell how many records there are on both sides.
	Kinds []KindReport
	// Files are those of all records: theirs, and those that are here.
	Files, FilesHere int64
	// Notes are sentences on what is not as it is there.
	Notes []string
	// Import is what was brought in.
	Import archive.Report
	Err    error
}

// KindReport holds both sides of a kind against each other.
type KindReport struct {
	Kind                    string
	Theirs, Ours, Differing int64
	Why                     []string
}

// Differing is how many records are not here as they are there.
func (r *Report) Differing() (n int64) {
	for _, k := range r.Kinds {
		n += k.Differing
	}
	return n
}

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

// whose says of a refusal what to do.
func whose(err error) error {
	if client.IsRefused(err, 401, 403) {
		return fmt.Errorf("The server does not take the key: %w", err)
	}
	return err
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

// isNothing tells whether a raw value is absent or null.
func isNothing(raw []byte) bool { return len(raw) == 0 || strings.TrimSpace(string(raw)) == "null" }
