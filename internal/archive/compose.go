package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Copied is a project as another server shows it, of which Compose makes an archive.
type Copied interface {
	// Team are the people, in the order in which they came.
	Team() []Member
	// UIDs are those of a kind's records, in order of creation.
	UIDs(plural string) []string
	// Shown is what the server shows of a record.
	Shown(plural, uid string) (map[string]jsontext.Value, error)
	// Linked are the uids in a collection of a record, in order of linking.
	Linked(plural, uid, collection string) []string
	// Past are the changes of a record that the server tells, oldest first.
	Past(plural, uid string) []Step
	// Object is the name of the file to which a field of a record links; false where it could not be fetched.
	Object(plural, uid, field, link string) (string, bool)
	// Files are the files that records show.
	Files() []CopiedFile
	// Fresh says that the counts which records show are those of now, and not of when each record was changed.
	Fresh() bool
	// Tell is told what cannot be kept of a record, and why.
	Tell(plural, uid, field, why string)
}

// Member is somebody on the team of a copied project.
type Member struct {
	UID string
	identity.Shown
}

// Step is one change of a record: at a moment, by somebody, old and new value of each field as the server tells them.
type Step struct {
	At     int64
	By     string
	Fields map[string][2]jsontext.Value
}

// CopiedFile is a file of a copied project. Path is where it lies; "" says that the installation has it already.
type CopiedFile struct {
	Object, Record, Type, Name string
	Bytes, CreatedAt           int64
	SHA256, Path               string
}

// hereAlready is why an archive of a copied project lacks a file.
const hereAlready = "is here already"

// Compose writes the archive of a project that another server shows. Where an earlier one was brought in, what is here
// comes first and in its order, and keeps what the server says nothing of: Import with Mirrors brings the difference.
func Compose(ctx context.Context, into Site, project string, from Copied, to io.Writer) (err error) {
	if !anyUID.MatchString(project) {
		return errors.New("The project has no uid that can be taken.")
	}
	c := &composer{
		Site: into, register: newRegister(into.Kinds, project), from: from, w: newWriter(to),
		local: map[string]string{}, shown: map[string]bool{}, marks: map[store.ID]*mark{},
	}
	if c.snap, err = into.Store.Snapshot(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.snap.Close()) }()
	for _, step := range []func(context.Context) error{
		c.meet, c.order, c.measure, c.head, c.team, c.records, c.links, c.changes, c.files, c.finish,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// composer is an archive that is made of what another server shows.
type composer struct {
	Site
	*register
	from    Copied
	w       *writer
	snap    *store.Snapshot
	at      *store.Founded // the project that is here; nil where there is none
	local   map[string]string
	people  []personLine
	shown   map[string]bool // what the server shows, as "plural/uid"
	marks   map[store.ID]*mark
	log     []logged
	clock   int64
	lines   []fileLine
	missing []missing
}

// mark is what is known of a record before it is written.
type mark struct {
	id                   store.ID
	created, clock       int64
	createdBy, updatedBy string
	deleted, here        bool
}

// logged is a line of the change log: what a record's mark says, or one step of its past.
type logged struct {
	id    store.ID
	clock int64
	op    store.Op
	by    string
	step  *Step
}

// meet finds the accounts that people have here, and the project.
func (c *composer) meet(ctx context.Context) error {
	for _, m := range c.from.Team() {
		who := identity.Arrival{UID: m.UID, Shown: m.Shown}
		account, err := c.People.Known(ctx, who)
		if err != nil {
			return fmt.Errorf("The project cannot be brought in. %w", err)
		}
		uid := m.UID
		if account != nil {
			uid = account.UID
		}
		c.local[m.UID] = uid
	}
	exists, err := c.Store.Exists(ctx, c.project)
	if err != nil || !exists {
		return err
	}
	at, err := c.snap.Project(ctx, c.project)
	c.at = &at
	return err
}

// named is the uid that a record has here.
func (c *composer) named(k *resource.Declared, uid string) string {
	if here := c.local[uid]; k.Number == auth.KindMember && here != "" {
		return here
	}
	return uid
}

// theirs is named backwards.
func (c *composer) theirs(k *resource.Declared, uid string) string {
	if k.Number != auth.KindMember {
		return uid
	}
	for there, here := range c.local {
		if here == uid {
			return there
		}
	}
	return uid
}

// order gives every record its place: what is here first, and then what is new.
func (c *composer) order(ctx context.Context) error {
	if c.at != nil {
		err := c.snap.EachUID(ctx, c.at.ID, func(id store.ID, uid string) error {
			if c.byNumber[id.Kind()] == nil || !c.add(id.Kind(), uid) {
				return damaged("records", uid, errors.New("its kind is not known, or it is there twice"))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for i := range c.kinds {
		k := &c.kinds[i]
		for _, uid := range c.from.UIDs(k.Plural) {
			uid = c.named(k, uid)
			if !anyUID.MatchString(uid) || k.Self && uid != c.project {
				return fmt.Errorf("The server shows a record of %s with the uid %s, which cannot be taken.", k.Plural, shorten(uid))
			}
			c.add(k.Number, uid) // those that are here have a place
			c.shown[k.Plural+"/"+uid] = true
		}
	}
	return nil
}

// each gives the records of a kind in their order: what the server shows, and the row that is here; one of them may be
// nil.
func (c *composer) each(ctx context.Context, k *resource.Declared,
	each func(id store.ID, shown map[string]jsontext.Value, row *store.Row) error,
) error {
	take := func(ordinal uint32, uid string, row *store.Row) error {
		var shown map[string]jsontext.Value
		if c.shown[k.Plural+"/"+uid] {
			var err error
			if shown, err = c.from.Shown(k.Plural, c.theirs(k, uid)); err != nil {
				return err
			}
			shown["uid"] = document.AppendText(nil, uid)
		}
		return each(store.MakeID(0, k.Number, ordinal), shown, row)
	}
	n := uint32(0)
	if c.at != nil {
		err := c.snap.EachRecord(ctx, c.at.ID, k.Number, func(row store.Row) error {
			n++
			return take(n, row.UID, &row)
		})
		if err != nil {
			return err
		}
	}
	for int(n) < len(c.uids[k.Number]) {
		n++
		if err := take(n, c.uids[k.Number][n-1], nil); err != nil {
			return err
		}
	}
	return nil
}

// measure learns when records were made and changed, and gives each a moment of its own: that is what a project's clock
// promises.
func (c *composer) measure(ctx context.Context) error {
	var all []*mark
	for i := range c.kinds {
		k := &c.kinds[i]
		err := c.each(ctx, k, func(id store.ID, shown map[string]jsontext.Value, row *store.Row) error {
			m := &mark{id: id, here: row != nil}
			if row != nil {
				m.clock = row.Clock
			}
			if shown == nil {
				if err := json.Unmarshal(row.Doc, &shown); err != nil {
					return damaged(k.Plural, row.UID, err)
				}
				delete(shown, "updated_at") // a placeholder
			}
			m.read(shown)
			c.marks[id] = m
			all = append(all, m)
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b *mark) int {
		if a.clock == b.clock && a.here != b.here {
			if a.here {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.id, b.id))
	})
	for _, m := range all {
		m.clock = max(m.clock, c.clock+1)
		c.clock = m.clock
		c.remember(m)
	}
	slices.SortStableFunc(c.log, func(a, b logged) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.id, b.id))
	})
	return nil
}

// read reads what a record says of its times and authors.
func (m *mark) read(shown map[string]jsontext.Value) {
	moment := func(name string) int64 {
		var text string
		if json.Unmarshal(shown[name], &text) != nil {
			return 0
		}
		micros, ok := document.ParseMoment(text)
		if !ok {
			return 0
		}
		return micros
	}
	who := func(name string) string {
		var p struct {
			UID string `json:"uid"`
		}
		if json.Unmarshal(shown[name], &p) != nil {
			return ""
		}
		return p.UID
	}
	m.created, m.createdBy, m.updatedBy = moment("created_at"), who("created_by"), who("updated_by")
	m.clock = max(m.clock, moment("updated_at"), m.created)
	m.deleted = string(shown["deleted"]) == "true"
}

// remember makes the log of a record: what the server tells of it, its making and its last change.
func (c *composer) remember(m *mark) {
	k := c.byNumber[m.id.Kind()]
	uid, _ := c.uid(m.id.Kind(), m.id.Ordinal())
	made := min(m.created, m.clock)
	if made <= 0 {
		made = m.clock
	}
	c.log = append(c.log, logged{m.id, made, store.Created, m.createdBy, nil})
	last := made
	for _, step := range c.from.Past(k.Plural, c.theirs(k, uid)) {
		if step.At <= last || step.At > m.clock {
			continue
		}
		c.log = append(c.log, logged{m.id, step.At, store.Updated, step.By, &step})
		last = step.At
	}
	if last == m.clock {
		return
	}
	op := store.Updated
	if m.deleted {
		op = store.Deleted
	}
	c.log = append(c.log, logged{m.id, m.clock, op, cmp.Or(m.updatedBy, m.createdBy), nil})
}

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
		shown[c.local[m.UID]] = m.Shown
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

// Refer finds a record by its uid, in the kind of the field or in the one that its address names.
func (n *namer) Refer(plural, uid, url string) (document.Ref, bool) {
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

func (c *composer) changes(context.Context) error {
	err := c.w.begin(changesEntry)
	for i, l := range c.log {
		if err != nil {
			break
		}
		path, problem := c.path(l.id)
		if problem != nil {
			return problem
		}
		one := struct {
			Sequence int64          `json:"sequence"`
			Record   string         `json:"record"`
			At       string         `json:"at"`
			Did      string         `json:"did"`
			By       *string        `json:"by"`
			Fields   jsontext.Value `json:"fields"`
			Was      *string        `json:"terms_before"`
		}{int64(i + 1), path, moment(l.clock), ops[l.op], nil, c.fields(l), nil}
		if by := c.local[l.by]; by != "" && c.ordinals[auth.KindMember][by] != 0 {
			one.By = &by
		}
		err = c.w.value(one)
	}
	return errors.Join(err, c.w.end(true))
}

// fields are the old and new values of a step, as archives have them.
func (c *composer) fields(l logged) jsontext.Value {
	if l.step == nil {
		return jsontext.Value("null")
	}
	k := c.byNumber[l.id.Kind()]
	all := map[string][2]jsontext.Value{}
	for name, pair := range l.step.Fields {
		var out [2]jsontext.Value
		for i, value := range pair {
			out[i] = c.past(k, name, value)
		}
		all[name] = out
	}
	text, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return text
}

// past is a value of a history, where people, states and records are told by their uids.
func (c *composer) past(k *resource.Declared, field string, value jsontext.Value) jsontext.Value {
	var uid string
	var uids []string
	named := func(name, text string) jsontext.Value {
		return append(document.AppendText(append(append([]byte(`{"~`), name...), `":`...), text), '}')
	}
	person := func(uid string) jsontext.Value {
		if here := c.local[uid]; c.ordinals[auth.KindMember][here] != 0 {
			return named(namePerson, here)
		}
		return nil
	}
	switch {
	case slices.Contains(k.Links, field) && json.Unmarshal(value, &uid) == nil && uid != "":
		if c.ordinals[c.byPlural[field].Number][uid] == 0 {
			return jsontext.Value("null")
		}
		return named(nameReference, field+"/"+uid)
	case k.IsState(field) && json.Unmarshal(value, &uid) == nil:
		if c.ordinals[c.byPlural[k.States].Number][uid] == 0 {
			return jsontext.Value("null")
		}
		return named(nameState, uid)
	case k.IsPeople(field) && json.Unmarshal(value, &uids) == nil:
		all := jsontext.Value{'['}
		for _, uid := range uids {
			if one := person(uid); one != nil {
				if len(all) > 1 {
					all = append(all, ',')
				}
				all = append(all, one...)
			}
		}
		return append(all, ']')
	}
	if strings.Contains(string(value), `{"~`) {
		return jsontext.Value("null") // a text cannot look so: somebody wants it to be more
	}
	return value
}

// files writes the files that are not here yet.
func (c *composer) files(context.Context) error {
	all := slices.Clone(c.from.Files())
	slices.SortFunc(all, func(a, b CopiedFile) int { return strings.Compare(a.Object, b.Object) })
	all = slices.CompactFunc(all, func(a, b CopiedFile) bool { return a.Object == b.Object })
	for _, f := range all {
		line := fileLine{
			Object: f.Object, Type: f.Type, Name: f.Name, Bytes: f.Bytes, SHA256: f.SHA256, CreatedAt: moment(f.CreatedAt),
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
