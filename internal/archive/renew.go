package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Mirror is Import for the archive that Compose makes of a project of another server: where the project is here, and
// came from the same server, what differs is brought in, with one commit. A project that came otherwise, or in which
// people have worked since, is left alone.
func Mirror(ctx context.Context, into Site, path string, from From, dry bool, progress func(percent int)) (
	Report, error,
) {
	return run(ctx, into, path, from, dry, progress)
}

// origins is under which name an installation notes where a project is mirrored from.
func origins(project string) string { return "mirror/" + project }

// From is where a project is mirrored from.
type From struct {
	Origin string `json:"origin"`
	// People are the accounts here by the uids that people have there. Who was met once is the same person the next
	// time, also when an address changed, or when they were erased here.
	People map[string]string `json:"people"`
}

// origin is that note. Seq is how far the project was when it was last brought up to date.
type origin struct {
	From
	Seq int64 `json:"seq"`
}

func (i *importer) noteOrigin(tx *store.Tx) error {
	if i.from.Origin == "" {
		return nil
	}
	text, err := json.Marshal(origin{i.from, tx.Seq()})
	if err != nil {
		return err
	}
	return tx.SetNote(origins(i.Project), string(text))
}

// Mirrored tells where a project here is mirrored from, and how far it was then; "" where it is not. An error says why
// nothing more can be brought into it.
func Mirrored(ctx context.Context, at Site, project, from string) (bool, error) {
	exists, err := at.Store.Exists(ctx, project)
	if err != nil || !exists {
		return false, err
	}
	was, err := noted(ctx, at, project)
	if err != nil {
		return false, err
	}
	if was.Origin != from {
		return false, fmt.Errorf("The project %s is here already, and did not come from %s. It is left alone.", project, from)
	}
	p, err := at.Store.Project(ctx, project)
	if err != nil {
		return false, err
	}
	return true, worked(ctx, at, p, was.Seq)
}

// noted gives the note of where a project is mirrored from; an empty one where there is none that can be read.
func noted(ctx context.Context, at Site, project string) (was origin, err error) {
	text, err := at.Store.Note(ctx, origins(project))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &was) != nil {
		return origin{}, err
	}
	return was, nil
}

// worked says that people have worked in a project since it was mirrored: they made, deleted or linked something, or
// changed a field that clients can write. What the service makes of records, such as tiles and small pictures, is not
// that, and neither is who has come to the team.
func worked(ctx context.Context, at Site, p *store.Project, seq int64) error {
	kinds := map[store.Kind]*resource.Declared{}
	all := at.Kinds.Kinds()
	for i := range all {
		kinds[all[i].Number] = &all[i]
	}
	n, where := 0, ""
	err := at.Store.ChangedSince(ctx, p, seq, func(c store.Logged) bool {
		k := kinds[c.Record.Kind()]
		if k == nil || k.Number == auth.KindMember || !byPeople(k, c) {
			return true
		}
		if n++; n == 1 {
			where = k.Plural
		}
		return n < mostWorked
	})
	if err == nil && n > 0 {
		err = fmt.Errorf("People have worked in the project %s here since it was last mirrored: at least %d changes, the first in its %s. It is left alone, since both sides cannot be kept.",
			p.UID, n, strings.ReplaceAll(where, "_", " "))
	}
	return err
}

// mostWorked is how many changes of people are counted.
const mostWorked = 1000

func byPeople(k *resource.Declared, c store.Logged) bool {
	if c.Op != store.Updated {
		return true
	}
	var fields map[string]jsontext.Value
	if len(c.Diff) == 0 || json.Unmarshal(c.Diff, &fields) != nil {
		return false
	}
	for name := range fields {
		if k.Writable(name) {
			return true
		}
	}
	return false
}

// state is what is known of a record that is here.
type state struct {
	doc     [sha256.Size]byte
	clock   int64
	tally   string
	deleted bool
	private []byte
}

// renewal is what differs.
type renewal struct {
	row   store.Row
	fresh bool
	shown bool // only what is shown with the record
	since int64
}

// renew brings what differs into the project that is here.
func (i *importer) renew(ctx context.Context, rep *Report) error {
	if err := i.put(ctx); err != nil {
		return err
	}
	p, err := i.Store.Project(ctx, i.Project)
	if err != nil {
		return err
	}
	err = i.Store.Renew(ctx, p, func(tx *store.Tx) error {
		rep.New, rep.Changed = 0, 0
		return i.renewRows(tx, p, rep)
	})
	if err != nil {
		return unstored(err)
	}
	i.progress(95)
	return i.index(ctx)
}

func (i *importer) renewRows(tx *store.Tx, p *store.Project, rep *Report) error {
	for _, who := range i.people {
		if account, err := i.People.Arrived(tx, who); err != nil || account.UID != who.UID {
			return errors.Join(err, fault.New(fault.Conflict, "The account of %s has just changed. Mirror the project again.", who.Email))
		}
	}
	all := map[store.ID]*renewal{}
	for k := range i.kinds {
		if err := i.differences(tx, p, k, all); err != nil {
			return err
		}
	}
	if err := i.apply(tx, p, all, rep); err != nil {
		return err
	}
	if err := i.relink(tx, p, all); err != nil {
		return err
	}
	known := func(f fileLine) bool { return i.ours[f.Object] }
	fresh := slices.DeleteFunc(slices.Clone(i.files), known)
	if err := i.bringFiles(tx, p.ID, fresh, func(err error) error { return err }); err != nil {
		return err
	}
	if err := i.noteOrigin(tx); err != nil {
		return err
	}
	if i.Arrive != nil && len(all) > 0 {
		return i.Arrive(tx)
	}
	return nil
}

// differences finds the records of a kind that are new, or not as the archive has them.
func (i *importer) differences(tx *store.Tx, p *store.Project, k int, all map[store.ID]*renewal) error {
	kind := &i.kinds[k]
	var here []state
	err := tx.Each(kind.Number, func(row store.Row) error {
		if n := len(here); n >= len(i.uids[kind.Number]) || i.uids[kind.Number][n] != row.UID {
			return fault.New(fault.Conflict, "The project has just changed here. Mirror it again.")
		}
		here = append(here, state{sha256.Sum256(row.Doc), row.Clock, row.Tally, row.Deleted, row.Private})
		return nil
	})
	if err != nil {
		return err
	}
	return i.eachRecord(kind, p.ID, func(n int, row store.Row) error {
		row.Tally = i.tallies[store.MakeID(0, row.ID.Kind(), row.ID.Ordinal())]
		if n > len(here) {
			all[row.ID] = &renewal{row: row, fresh: true}
			return nil
		}
		was := here[n-1]
		if kind.Number == auth.KindMember && was.private == nil {
			row.Private = nil // they have come, and say themselves who they are
		}
		same := sha256.Sum256(row.Doc) == was.doc && row.Deleted == was.deleted && row.Clock <= was.clock
		if same && row.Tally == was.tally && string(row.Private) == string(was.private) {
			return nil
		}
		old, ok, err := tx.At(kind.Number, uint32(n))
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("%s/%s is not there any more", kind.Plural, row.UID))
		}
		if same {
			row.Clock = was.clock
		}
		old.Clock, old.Deleted, old.Terms, old.Version = row.Clock, row.Deleted, row.Terms, row.Version
		old.Doc, old.Private, old.Tally, old.Hides = row.Doc, row.Private, row.Tally, row.Hides
		all[row.ID] = &renewal{row: old, shown: same, since: was.clock}
		return nil
	})
}

// apply stores what differs, change by change in the order in which it happened there.
func (i *importer) apply(tx *store.Tx, p *store.Project, all map[store.ID]*renewal, rep *Report) error {
	var told []store.Logged
	last := make(map[store.ID]int, len(all))
	err := i.eachChange(p.ID, func(_ int, c store.Logged) error {
		if r := all[c.Record]; r != nil && !r.shown && (r.fresh || c.Clock > r.since) {
			told = append(told, c)
			last[c.Record] = 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, r := range all {
		if _, has := last[id]; !has && !r.shown {
			told = append(told, store.Logged{Record: id, Clock: r.row.Clock, Op: store.Updated})
		}
	}
	slices.SortStableFunc(told, func(a, b store.Logged) int {
		return cmp.Or(cmp.Compare(a.Clock, b.Clock), cmp.Compare(a.Record, b.Record))
	})
	for n, c := range told {
		last[c.Record] = n
	}
	for n, c := range told {
		r := all[c.Record]
		if last[c.Record] != n {
			err = tx.Retell(c)
		} else {
			err = tx.Renew(&r.row, r.fresh, c.Op, c.Actor, c.Diff)
		}
		if err == nil && n%atOnce == atOnce-1 {
			err = tx.Settle()
		}
		if err != nil {
			return err
		}
	}
	for _, r := range all {
		switch {
		case r.fresh:
			rep.New++
		default:
			rep.Changed++
		}
		if r.shown {
			if err := tx.Show(&r.row); err != nil {
				return err
			}
		}
	}
	return nil
}

// relink puts the collections of what differs in place of those that are here.
func (i *importer) relink(tx *store.Tx, p *store.Project, all map[store.ID]*renewal) error {
	for id, r := range all {
		if r.fresh {
			continue
		}
		for slot, name := range i.byNumber[id.Kind()].Collections {
			if !slices.Contains(i.byNumber[id.Kind()].Links, name) {
				continue
			}
			if err := tx.Unfasten(id, uint8(slot)); err != nil {
				return err
			}
		}
	}
	return i.eachLink(p.ID, func(_ int, owner store.ID, slot uint8, place int64, target store.ID) error {
		if all[owner] == nil {
			return nil
		}
		return tx.PutLink(owner, slot, place, target)
	})
}

// own learns what the project has that is here: uids, and files.
func (i *importer) own(ctx context.Context) error {
	snap, err := i.Store.Snapshot(ctx)
	if err != nil {
		return err
	}
	at, err := snap.Project(ctx, i.Project)
	if err == nil {
		err = snap.EachUID(ctx, at.ID, func(id store.ID, uid string) error {
			if i.have[id.Kind()] == nil {
				i.have[id.Kind()] = map[string]bool{}
			}
			i.have[id.Kind()][uid] = true
			return nil
		})
	}
	if err == nil {
		var t store.Table
		if t, err = snap.Table("files"); err == nil {
			err = snap.EachOf(ctx, t, at.ID, func(c *store.Cols) error {
				i.ours[c.Text(t.Index("object"))] = true
				return nil
			})
		}
	}
	if err = errors.Join(err, snap.Close()); err != nil {
		return err
	}
	for _, f := range i.files {
		if f.Path == nil && !f.MadeAgain && !i.ours[f.Object] {
			return refused("the file %s is said to be here, and is not", f.Object)
		}
	}
	return nil
}
