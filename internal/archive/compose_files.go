package archive

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// links writes the collections of all records. When something was linked is not shown: the places are the last ones up
// to the record's change.
func (c *composer) links(ctx context.Context) error {
	kept, err := c.keptLinks(ctx)
	if err != nil {
		return err
	}
	err = c.w.begin(linksEntry)
	for i := range c.kinds {
		k := &c.kinds[i]
		for n, uid := range c.uids[k.Number] {
			for slot, collection := range k.Collections {
				if err != nil || !slices.Contains(k.Links, collection) {
					continue
				}
				err = c.collection(k, uint32(n+1), slot, uid, collection, kept)
			}
		}
	}
	return errors.Join(err, c.w.end(true))
}

func (c *composer) collection(k *resource.Declared, ordinal uint32, slot int, uid, collection string,
	kept map[string][]string,
) error {
	owner := k.Plural + "/" + uid
	var targets []string
	if c.shown[owner] {
		targets = c.from.Linked(k.Plural, uid, collection)
	} else {
		targets = kept[owner+"/"+collection]
	}
	to := c.byPlural[collection]
	var found []string
	for _, target := range targets {
		switch {
		case c.ordinals[to.Number][target] == 0:
			c.from.Tell(k.Plural, uid, collection, "the server does not show "+collection+"/"+shorten(target)+", which is linked")
		case !slices.Contains(found, target):
			found = append(found, target)
		}
	}
	clock := c.marks[store.MakeID(0, k.Number, ordinal)].clock
	for i, target := range found {
		place := clock - int64(len(found)-1-i)
		if err := c.w.value(linkLine{owner, k.Collections[slot], collection + "/" + target, moment(place)}); err != nil {
			return err
		}
	}
	return nil
}

// keptLinks are the links of what is here and is not shown, by "plural/uid/collection".
func (c *composer) keptLinks(ctx context.Context) (map[string][]string, error) {
	kept := map[string][]string{}
	if c.at == nil {
		return kept, nil
	}
	t, err := c.snap.Table("links")
	if err != nil {
		return nil, err
	}
	return kept, c.snap.EachOf(ctx, t, c.at.ID, func(row *store.Cols) error {
		owner := store.ID(row.Int(t.Index("owner")))
		path, err := c.path(owner)
		if err != nil || c.shown[path] {
			return err
		}
		target, ok := c.uid(store.ID(row.Int(t.Index("target"))).Kind(), store.ID(row.Int(t.Index("target"))).Ordinal())
		slot := int(row.Int(t.Index("field")))
		if collections := c.byNumber[owner.Kind()].Collections; ok && slot < len(collections) {
			name := path + "/" + collections[slot]
			kept[name] = append(kept[name], target)
		}
		return nil
	})
}

// files writes the files that are not here yet.
func (c *composer) files(context.Context) error {
	all := slices.Clone(c.from.Files())
	slices.SortFunc(all, func(a, b CopiedFile) int { return strings.Compare(a.Object, b.Object) })
	all = slices.CompactFunc(all, func(a, b CopiedFile) bool { return a.Object == b.Object })
	for _, f := range all {
		line := fileLine{
			Object: f.Object, Type: f.Type, Name: f.Name, Bytes: f.Bytes, SHA256: f.SHA256,
			CreatedAt: moment(f.CreatedAt),
		}
		if _, err := c.find(f.Record, 0); err == nil {
			line.Record = &f.Record
		}
		if f.Path == "" {
			c.missing = append(c.missing, missing{f.Object, hereAlready})
			c.lines = append(c.lines, line)
			continue
		}
		path := pathOf(f.Object, f.Type)
		line.Path = &path
		if err := c.copyIn(path, f.Path); err != nil {
			return err
		}
		c.lines = append(c.lines, line)
	}
	err := c.w.begin(filesEntry)
	for _, l := range c.lines {
		if err == nil {
			err = c.w.value(l)
		}
	}
	return errors.Join(err, c.w.end(true))
}

func (c *composer) copyIn(entry, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := c.w.begin(entry); err != nil {
		return err
	}
	_, err = io.Copy(c.w, in)
	return errors.Join(err, c.w.end(false))
}

func (c *composer) finish(context.Context) error {
	m := manifest{
		Format: formatName, Version: formatVersion, Project: c.project, Moment: moment(c.clock),
		Sequence: int64(len(c.log)), Counts: c.w.counts, LeftOut: leftOut, Missing: append([]missing{}, c.missing...),
		Entries: slices.Clone(c.w.entries),
	}
	text, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err == nil {
		err = c.w.whole(manifestEntry, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	return c.w.zip.Close()
}
