package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

func (c *composer) head(context.Context) error {
	if err := errors.Join(c.w.whole(readmeEntry, readme), c.w.whole(schemaEntry, schema)); err != nil {
		return err
	}
	text, err := json.Marshal(projectLine{c.project, moment(c.clock), int64(len(c.log))}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return c.w.whole(projectEntry, append(text, '\n'))
}

// team writes the people: as the server shows them, and those who are only here as they are here.
func (c *composer) team(ctx context.Context) error {
	shown := map[string]identity.Shown{}
	for _, m := range c.from.Team() {
		uid := c.local[m.UID]
		m.Email = cmp.Or(c.addresses[uid], m.Email)
		shown[uid] = m.Shown
	}
	if c.at != nil {
		e := &exporter{Site: c.Site, register: c.register, snap: c.snap, at: *c.at, w: newWriter(io.Discard)}
		if err := e.team(ctx); err != nil {
			return err
		}
		for _, p := range e.people {
			if _, there := shown[p.UID]; !there {
				shown[p.UID] = p.Shown
			}
		}
	}
	err := c.w.begin(peopleEntry)
	for _, uid := range c.uids[auth.KindMember] {
		if err == nil {
			err = c.w.value(personLine{uid, shown[uid]})
		}
	}
	return errors.Join(err, c.w.end(true))
}

func (c *composer) records(ctx context.Context) error {
	for i := range c.kinds {
		k := &c.kinds[i]
		if len(c.uids[k.Number]) == 0 {
			continue
		}
		if err := c.w.begin(recordsFolder + k.Plural + lines); err != nil {
			return err
		}
		err := c.each(ctx, k, func(id store.ID, shown map[string]jsontext.Value, here *store.Row) error {
			uid, _ := c.uid(k.Number, id.Ordinal())
			var row store.Row
			var err error
			switch {
			case shown == nil:
				row = *here
			default:
				row, err = k.Take(shown, here, &namer{c, k, id.Ordinal(), uid})
				if here != nil {
					row.Private = here.Private
				}
			}
			if err != nil {
				return fmt.Errorf("%s/%s, as the server shows it, cannot be taken: %w", k.Plural, uid, told(err))
			}
			row.Clock = c.marks[id].clock
			doc, err := c.outward(k, id.Ordinal(), row.Clock, row.Doc)
			if err != nil {
				return damaged(k.Plural, uid, err)
			}
			return c.w.line(recordLine(k, row, doc))
		})
		if err = errors.Join(err, c.w.end(true)); err != nil {
			return err
		}
	}
	return nil
}

// namer names what one record shows.
type namer struct {
	*composer
	kind    *resource.Declared
	ordinal uint32
	record  string
}

// Person finds a member by the uid that they have on the server.
func (n *namer) Person(uid, _ string) (uint32, bool) {
	if here := n.local[uid]; here != "" {
		uid = here
	}
	ordinal := n.ordinals[auth.KindMember][uid]
	return ordinal, ordinal != 0
}

// State finds a state.
func (n *namer) State(plural, uid string) (uint32, bool) {
	k := n.byPlural[plural]
	if k == nil {
		return 0, false
	}
	ordinal := n.ordinals[k.Number][uid]
	return ordinal, ordinal != 0
}

// Refer finds a record by its uid, in the kind of the field or in the one that its address names. What is attached to
// something that the server does not show, is attached to the project, and that is told.
func (n *namer) Refer(plural, uid, url string) (document.Ref, bool) {
	ref, ok := n.refer(plural, uid, url)
	if !ok && plural == "" && n.kind.Attaches {
		n.Tell("attached to", "the server does not show "+shorten(uid)+"; it is attached to the project here")
		return document.RefTo("", n.project, true), true
	}
	return ref, ok
}

func (n *namer) refer(plural, uid, url string) (document.Ref, bool) {
	if uid == n.project && (plural == "" || n.byPlural[plural].Self) {
		return document.RefTo("", uid, true), true
	}
	if plural == "" {
		path, _, _ := strings.Cut(url, "?")
		for i := range n.kinds {
			k := &n.kinds[i]
			if strings.HasSuffix(path, "/"+k.Path+"/"+uid) || strings.HasSuffix(path, "/"+k.Plural+"/"+uid) {
				plural = k.Plural
			}
		}
	}
	k := n.byPlural[plural]
	if k == nil {
		return "", false
	}
	if k.Number == auth.KindMember && n.local[uid] != "" {
		uid = n.local[uid]
	}
	return document.RefTo(plural, uid, false), n.ordinals[k.Number][uid] != 0
}

// Object names the file of a field.
func (n *namer) Object(field, link string) (string, bool) {
	return n.from.Object(n.kind.Plural, n.record, field, link)
}

// Ordinal is the place of the record.
func (n *namer) Ordinal() uint32 { return n.ordinal }

// Tell tells what of the record cannot be kept.
func (n *namer) Tell(field, why string) { n.from.Tell(n.kind.Plural, n.record, field, why) }
