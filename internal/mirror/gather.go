package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"groundwork/internal/client"
	"groundwork/internal/follow"
	"groundwork/internal/resource"
)

// gatherer reads a project of another server into a folder.
type gatherer struct {
	*staging
	client  *client.Client
	source  *follow.Source
	project string
	options Options
}

// gather reads until the server stands still: records, and then what is asked for beside them, which may show that
// records have changed meanwhile.
func (g *gatherer) gather(ctx context.Context) error {
	for range mostRounds {
		g.dirty = false
		if err := g.walk(ctx); err != nil {
			return err
		}
		for _, step := range []func(context.Context) error{g.collections, g.histories, g.files} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		if err := g.walk(ctx); err != nil || !g.dirty {
			return err
		}
	}
	g.options.Notice("The project changes faster than it can be read; what came last comes with the next run.")
	return nil
}

// walk reads records by the change log, or by lists where the server has none.
func (g *gatherer) walk(ctx context.Context) error {
	if g.at.Plain {
		return g.walkLists(ctx)
	}
	for more := true; more; {
		var entries []follow.Entry
		next := g.at
		var err error
		entries, next.Log, more, err = g.source.Next(ctx, g.at.Log)
		if errors.Is(err, follow.ErrNoLog) {
			next.Plain = true
			if err := g.keep(nil, next); err != nil {
				return err
			}
			return g.walkLists(ctx)
		}
		if err != nil {
			return whose(err)
		}
		if len(entries) == 0 && next.Log == g.at.Log {
			return nil
		}
		if err := g.keep(entries, next); err != nil {
			return err
		}
	}
	return nil
}

// wanted is something to be asked for beside a record.
type wanted struct {
	key, at, path string
	total         int64
}

// collection is what records show of a collection.
type collection struct {
	Total int64  `json:"total_count"`
	URL   string `json:"url"`
}

// collections reads what is linked to records, where that may have changed.
func (g *gatherer) collections(ctx context.Context) error {
	var all []wanted
	err := g.each(func(k *resource.Declared, uid string, r map[string]json.RawMessage) error {
		for _, name := range k.Links {
			var c collection
			if isNothing(r[name]) || json.Unmarshal(r[name], &c) != nil || c.Total <= 0 {
				continue
			}
			w := wanted{
				key:  "links/" + k.Plural + "/" + uid + "/" + name,
				at:   fmt.Sprintf("%s#%d", text(r["updated_at"]), c.Total),
				path: g.source.Path() + "/" + k.Path + "/" + uid + "/" + name + "?limit=50", total: c.Total,
			}
			if was := g.side[w.key]; was == nil || was.At != w.at {
				all = append(all, w)
			}
		}
		return nil
	}, func(k *resource.Declared) bool { return len(k.Links) > 0 })
	if err != nil {
		return err
	}
	return g.batches(ctx, all, func(w wanted, raw []json.RawMessage) (*aside, error) {
		a := &aside{Key: w.key, At: w.at, Targets: []string{}}
		for _, r := range raw {
			uid, _, err := head(r)
			if err != nil {
				return nil, err
			}
			a.Targets = append(a.Targets, uid)
		}
		return a, nil
	})
}

// histories reads the changes of records of kinds that tell them: those that are in states.
func (g *gatherer) histories(ctx context.Context) error {
	var all []wanted
	err := g.each(func(k *resource.Declared, uid string, r map[string]json.RawMessage) error {
		w := wanted{
			key: "past/" + k.Plural + "/" + uid, at: text(r["updated_at"]),
			path: g.source.Path() + "/" + k.Path + "/" + uid + "/history?limit=50",
		}
		if was := g.side[w.key]; (was == nil || was.At != w.at) && w.at != text(r["created_at"]) {
			all = append(all, w)
		}
		return nil
	}, func(k *resource.Declared) bool { return k.States != "" })
	if err != nil {
		return err
	}
	return g.batches(ctx, all, func(w wanted, raw []json.RawMessage) (*aside, error) {
		a := &aside{Key: w.key, At: w.at}
		for _, r := range raw {
			var p past
			if json.Unmarshal(r, &p) != nil {
				return nil, errors.New("The server tells a history that is none.")
			}
			a.Past = append(a.Past, p)
		}
		return a, nil
	})
}

// each shows the records of some kinds.
func (g *gatherer) each(each func(k *resource.Declared, uid string, r map[string]json.RawMessage) error,
	of func(*resource.Declared) bool,
) error {
	for i := range g.kinds {
		k := &g.kinds[i]
		if !of(k) {
			continue
		}
		for _, uid := range g.uids(k) {
			r, ok, err := g.read(k.Plural, uid)
			if err == nil && ok {
				err = each(k, uid, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// batches asks for lists, fifty with one request, and keeps what is made of each.
func (g *gatherer) batches(ctx context.Context, all []wanted,
	made func(w wanted, raw []json.RawMessage) (*aside, error),
) error {
	for group := range slices.Chunk(all, client.MostParts) {
		paths := make([]string, len(group))
		for i, w := range group {
			paths[i] = w.path
		}
		parts, err := g.client.Batch(ctx, paths)
		if err != nil {
			return whose(err)
		}
		var asides []*aside
		for i, w := range group {
			raw, err := g.whole(ctx, w, parts[i])
			if err != nil {
				return err
			}
			a, err := made(w, raw)
			if err != nil {
				return err
			}
			asides = append(asides, a)
		}
		if err := g.add(asides...); err != nil {
			return err
		}
	}
	return nil
}

// whole is a list of which a batch has the first page.
func (g *gatherer) whole(ctx context.Context, w wanted, first client.Part) (raw []json.RawMessage, err error) {
	if first.Status >= 300 {
		return nil, nil // it was taken away, or is not told; the comparison says so
	}
	p := new(page)
	if json.Unmarshal(first.Body, p) != nil {
		return nil, fmt.Errorf("The server's answer to %s is no list.", pathOnly(w.path))
	}
	raw = p.Data
	if p.Next == nil {
		return raw, nil
	}
	return raw, pages(ctx, g.client, *p.Next, func(p *page) error {
		raw = append(raw, p.Data...)
		return nil
	})
}

// download is a file to be fetched.
type download struct {
	kind             *resource.Declared
	uid, field, link string
	sum              string
	result           *aside
	err              error
}

func (d *download) key() string { return "file/" + d.kind.Plural + "/" + d.uid + "/" + d.field }

// atOnce is how many files are fetched side by side.
const atOnce = 4

// files fetches what links of records lead to, where that is not here yet.
func (g *gatherer) files(ctx context.Context) error {
	var all, again []*download
	taken := map[string]bool{}
	err := g.each(func(k *resource.Declared, uid string, r map[string]json.RawMessage) error {
		for _, field := range k.Files {
			d := &download{kind: k, uid: uid, field: field, link: text(r[field])}
			if field == "url" {
				d.sum = text(r["sha256"])
			}
			was := g.side[d.key()]
			if d.link == "" || was != nil && was.File != nil && was.At == identityOf(d.link) {
				continue
			}
			if name := identityOf(d.link); objectForm.MatchString(name) {
				if taken[name] { // another field has the same file
					again = append(again, d)
					continue
				}
				taken[name] = true
			}
			all = append(all, d)
		}
		return nil
	}, func(k *resource.Declared) bool { return len(k.Files) > 0 })
	if err != nil {
		return err
	}
	if err := g.fetch(ctx, all); err != nil {
		return err
	}
	return g.fetch(ctx, again)
}

// fetch fetches files, some side by side, and keeps what came of each.
func (g *gatherer) fetch(ctx context.Context, all []*download) error {
	for group := range slices.Chunk(all, atOnce) {
		var fetching sync.WaitGroup
		for _, d := range group {
			fetching.Go(func() { d.result, d.err = g.download(ctx, d) })
		}
		fetching.Wait()
		var asides []*aside
		var failed error
		for _, d := range group {
			if failed = errors.Join(failed, d.err); d.err == nil {
				asides = append(asides, d.result)
			}
		}
		if err := errors.Join(failed, g.add(asides...)); err != nil {
			return err
		}
	}
	return nil
}

var objectForm = regexp.MustCompile(`^[a-z2-7]{32}$`)

// download fetches one file. A link that has ended is asked for anew, once.
func (g *gatherer) download(ctx context.Context, d *download) (*aside, error) {
	if a := g.elsewhere(d); a != nil {
		return a, nil
	}
	a := &aside{Key: d.key(), At: identityOf(d.link)}
	part := filepath.Join(g.folder, "files", "fetching-"+d.kind.Plural+"-"+d.uid+"-"+d.field)
	f, err := g.client.Fetch(ctx, d.link, part, g.options.MostFile)
	if errors.Is(err, client.ErrGone) {
		if link := g.anew(ctx, d); link != "" {
			f, err = g.client.Fetch(ctx, link, part, g.options.MostFile)
		}
	}
	var refused *client.Refusal
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, client.ErrGone), errors.As(err, &refused):
		a.Why = err.Error()
		return a, nil
	case err != nil:
		return nil, fmt.Errorf("The file of %s/%s cannot be fetched: %w.", d.kind.Plural, d.uid, err)
	case d.sum != "" && d.sum != f.SHA256:
		a.Why = "it has other bytes than its record says"
		return a, os.Remove(part)
	}
	object := identityOf(d.link)
	if !objectForm.MatchString(object) {
		sum := sha256.Sum256([]byte(strings.Join([]string{g.client.Origin(), g.project, d.key(), f.SHA256}, "\n")))
		object = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
	}
	a.File = &fetched{Object: object, Type: f.Type, Name: f.Name, Bytes: f.Bytes, SHA256: f.SHA256}
	return a, os.Rename(part, g.path(object))
}

// elsewhere finds a file that another field has; nil where none has.
func (g *gatherer) elsewhere(d *download) *aside {
	name := identityOf(d.link)
	if !objectForm.MatchString(name) {
		return nil
	}
	for _, field := range d.kind.Files {
		other := g.side["file/"+d.kind.Plural+"/"+d.uid+"/"+field]
		if other != nil && other.File != nil && other.File.Object == name {
			return &aside{Key: d.key(), At: name, File: other.File}
		}
	}
	return nil
}

// anew reads a record again for a new link.
func (g *gatherer) anew(ctx context.Context, d *download) string {
	body, _, err := g.client.Get(ctx, g.source.Path()+"/"+d.kind.Path+"/"+d.uid)
	var r map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &r) != nil {
		return ""
	}
	return text(r[d.field])
}
