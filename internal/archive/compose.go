package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
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
// comes first and in its order, and keeps what the server says nothing of: Mirror brings the difference. It gives the
// accounts here by the uids that people have there.
func Compose(ctx context.Context, into Site, project string, from Copied, to io.Writer) (
	people map[string]string, err error,
) {
	if !anyUID.MatchString(project) {
		return nil, errors.New("The project has no uid that can be taken.")
	}
	c := newComposer(into, project, from, newWriter(to))
	if c.snap, err = into.Store.Snapshot(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.snap.Close()) }()
	for _, step := range []func(context.Context) error{
		c.meet, c.order, c.measure, c.head, c.team, c.records, c.links, c.changes, c.files, c.finish,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return c.local, nil
}

// composer is an archive that is made of what another server shows.
type composer struct {
	Site
	*register
	from      Copied
	w         *writer
	snap      *store.Snapshot
	at        *store.Founded // the project that is here; nil where there is none
	local     map[string]string
	addresses map[string]string // that those have here who came along before
	shown     map[string]bool   // what the server shows, as "plural/uid"
	marks     map[store.ID]*mark
	log       []logged
	clock     int64
	lines     []fileLine
	missing   []missing
}

func newComposer(into Site, project string, from Copied, to *writer) *composer {
	return &composer{
		Site: into, register: newRegister(into.Kinds, project), from: from, w: to, local: map[string]string{},
		addresses: map[string]string{}, shown: map[string]bool{}, marks: map[store.ID]*mark{},
	}
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
	was, err := noted(ctx, c.Site, c.project)
	if err != nil {
		return err
	}
	for _, m := range c.from.Team() {
		uid, err := c.account(ctx, was.People[m.UID], m)
		if err != nil {
			return err
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

// account is the uid of somebody's account here; met is what it was when they came along before, "" where they did not.
// Of whoever was erased here the archive says what the server says, and is then held against that.
func (c *composer) account(ctx context.Context, met string, m Member) (string, error) {
	if c.Forgotten != nil {
		uid := cmp.Or(met, m.UID)
		if gone, err := c.Forgotten(ctx, uid, m.Shown); err != nil || gone != nil {
			return uid, err
		}
	}
	if met != "" {
		account, err := c.People.Account(ctx, met)
		if err == nil {
			c.addresses[met] = account.Email
		}
		if !fault.Is(err, fault.NotFound) {
			return met, err
		}
	}
	account, err := c.People.Known(ctx, identity.Arrival{UID: m.UID, Shown: m.Shown})
	if err != nil {
		return "", fmt.Errorf("The project cannot be brought in. %w", err)
	}
	if account != nil {
		return account.UID, nil
	}
	return m.UID, nil
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
