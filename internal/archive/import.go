package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Report is what an import has brought, or would bring.
type Report struct {
	Project, Moment string
	// Name is what the project is called; "" where the archive does not say.
	Name string
	// Already says that the project is here as the archive has it: nothing was changed.
	Already bool
	// Renewed says that the project was here from an earlier mirror, and New and Changed how many records were.
	Renewed      bool
	New, Changed int64
	// Counts are how many there are of each, in a fixed order.
	Counts []Count
	Files  int64
	Bytes  int64
	// People are how those who are on the team are known here.
	People []Person
	// Missing are files that the archive does not have, and why.
	Missing []string
}

// Count is how many records of a kind, or of anything, an archive has.
type Count struct {
	// What many of them are called, and One of them.
	What, One string
	N         int64
}

// Person is somebody of the team. New says that an account is made for the address.
type Person struct {
	Email string
	New   bool
	// Erased says that they were erased here, and stay so.
	Erased bool
	// Here is the account that the address has here, where it has another uid than in the archive.
	Here string
}

// Import brings the project of an archive into an installation, or says with dry what that would do. Uids, numbers,
// times and authors stay as they were; people are those of their addresses, and whose address has no account gets one
// that lets nobody in until they have shown that the address is theirs. Nothing is sent to anybody. The archive is
// verified before anything is changed, and the project is there with one commit: an import that was cut short can be
// run again, and one that was done before changes nothing.
func Import(ctx context.Context, into Site, path string, dry bool, progress func(percent int)) (Report, error) {
	return run(ctx, into, path, From{}, dry, progress)
}

func run(ctx context.Context, into Site, path string, from From, dry bool, progress func(percent int)) (
	rep Report, err error,
) {
	o, err := open(path)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	if err := o.verify(func(share float64) { progress(int(40 * share)) }); err != nil {
		return rep, err
	}
	if err := into.lookBack(ctx, o); err != nil {
		return rep, err
	}
	a, err := examine(o, into)
	if err != nil {
		return rep, err
	}
	i := &importer{
		Site: into, arrival: a, progress: progress, rows: map[string]store.Table{}, from: from,
		have: map[store.Kind]map[string]bool{}, ours: map[string]bool{},
	}
	progress(50)
	rep = i.report()
	if from.Origin != "" {
		if rep.Renewed, err = Mirrored(ctx, into, i.Project, from.Origin); err == nil && rep.Renewed {
			err = i.own(ctx)
		}
	} else {
		rep.Already, err = i.already(ctx)
	}
	if err != nil || rep.Already {
		return rep, err
	}
	if rep.People, err = i.compare(ctx); err != nil {
		return rep, err
	}
	if err := i.tables(ctx); err != nil || dry {
		return rep, err
	}
	if rep.Renewed {
		return rep, i.renew(ctx, &rep)
	}
	if err := i.put(ctx); err != nil {
		return rep, err
	}
	if err := i.Store.Bring(ctx, i.bring); err != nil {
		return rep, errors.Join(unstored(err), i.takeBack(ctx))
	}
	progress(95)
	return rep, i.index(ctx)
}

// unstored says why a project did not come.
func unstored(err error) error {
	if e := fault.Of(err); e.Kind == fault.Conflict || e.Kind == fault.Invalid {
		return because(err)
	}
	return fmt.Errorf("The project cannot be stored, and nothing of it was: %w.", fault.Cause(err))
}

// told is what people read of an error.
func told(err error) error {
	if fault.Of(err).Kind == fault.Internal {
		return fault.Cause(err)
	}
	return err
}

// importer is an import on its way.
type importer struct {
	Site
	*arrival
	progress func(int)
	rows     map[string]store.Table
	fresh    []string // the objects that this import has put into the file store
	// Of a mirror: where it is from, and what the project has that is here already.
	from From
	have map[store.Kind]map[string]bool
	ours map[string]bool
}

func (i *importer) report() Report {
	r := Report{Project: i.Project, Name: i.name, Moment: i.Moment, Bytes: i.bytes}
	for n := range i.kinds {
		if has := len(i.uids[i.kinds[n].Number]); has > 0 {
			r.Counts = append(r.Counts, Count{i.kinds[n].Plural, i.kinds[n].Name, int64(has)})
		}
	}
	r.Counts = append(r.Counts, Count{"links", "link", i.arrival.links}, Count{"changes", "change", i.log})
	for _, f := range i.files {
		if f.Path != nil {
			r.Files++
		}
	}
	for _, m := range i.Missing {
		r.Missing = append(r.Missing, fmt.Sprintf("the file %s %s", m.Object, m.Why))
	}
	return r
}

// note is under which name an installation notes that a project came from an archive: the hash of its manifest.
func note(project string) string { return "archive/" + project }

// already tells whether the archive was imported before, or the project is here as the archive has it. Any other
// project of the uid is left alone.
func (i *importer) already(ctx context.Context) (bool, error) {
	exists, err := i.Store.Exists(ctx, i.Project)
	if err != nil || !exists {
		return false, err
	}
	came, err := i.Store.Note(ctx, note(i.Project))
	if err != nil {
		return false, err
	}
	if came == i.id {
		return true, i.index(ctx) // it may have been cut short there
	}
	same, err := i.same(ctx)
	if err == nil && !same {
		err = refused("the project %s is here already, and is not as the archive has it", i.Project)
	}
	return same, err
}

// same tells whether an export of the project would be this archive.
func (i *importer) same(ctx context.Context) (bool, error) {
	h := sha256.New()
	if _, err := Export(ctx, i.Site, i.Project, h, func(int) {}); err != nil {
		return false, err
	}
	if _, err := i.file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	own := sha256.New()
	_, err := io.Copy(own, i.file)
	return hex.EncodeToString(h.Sum(nil)) == hex.EncodeToString(own.Sum(nil)), err
}

// compare holds the archive against what is here: whoever comes, and that nothing of it is another project's.
func (i *importer) compare(ctx context.Context) (people []Person, err error) {
	taken := map[string]bool{}
	for _, who := range i.people {
		account, err := i.People.Known(ctx, who)
		if err != nil {
			return nil, because(err)
		}
		p := Person{Email: who.Email, New: account == nil, Erased: i.gone[who.UID] != nil}
		uid := who.UID
		if account != nil && account.UID != who.UID {
			uid, p.Here = account.UID, account.UID
			i.local[who.UID] = account.UID
		}
		if taken[uid] {
			return nil, refused("two of its people have one account here, %s", uid)
		}
		taken[uid] = true
		people = append(people, p)
	}
	for n := range i.kinds {
		if err := i.foreign(ctx, &i.kinds[n]); err != nil {
			return nil, err
		}
	}
	return people, i.objectsHere(ctx)
}

// because is a reason that somebody else tells in a sentence.
func because(err error) error {
	if e := fault.Of(err); e.Kind == fault.Conflict || e.Kind == fault.Invalid {
		return fmt.Errorf("The archive cannot be imported. %w Nothing was changed.", err)
	}
	return err
}

// foreign holds that no record of a kind is in another project here. People are, and what every project is born with.
func (i *importer) foreign(ctx context.Context, k *resource.Declared) error {
	if k.Number == auth.KindMember || k.Seeded || k.Self {
		return nil
	}
	for _, uid := range i.uids[k.Number] {
		if auth.RoleOf(uid) != auth.Nobody || i.have[k.Number][uid] {
			continue
		}
		found, err := i.Store.HasUID(ctx, uid)
		if err == nil && found {
			err = refused("%s/%s is in another project here", k.Plural, uid)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// objectsHere holds that no object which the archive names is another project's. An object of a file that is here whole
// was put here by an import that was cut short.
func (i *importer) objectsHere(ctx context.Context) error {
	for name := range i.names {
		if i.objects[name] || i.ours[name] {
			continue
		}
		here, err := i.lies(ctx, name)
		if err == nil && here {
			err = refused("it names the file %s, which it does not have and which is here", name)
		}
		if err != nil {
			return err
		}
	}
	here := map[string]bool{}
	for _, f := range i.files {
		if i.ours[f.Object] {
			continue
		}
		there, err := i.lies(ctx, f.Object)
		if err != nil {
			return err
		}
		if there {
			here[f.Object] = true
		}
	}
	if len(here) == 0 {
		return nil
	}
	snap, err := i.Store.Snapshot(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{"files", "uploads", "shareables"} {
		t, problem := snap.Table(name)
		if err = errors.Join(err, problem); err != nil {
			break
		}
		object := t.Index("object")
		err = snap.Each(ctx, t, func(c *store.Cols) error {
			if name := c.Text(object); here[name] {
				return refused("the file %s is another project's here", name)
			}
			return nil
		})
	}
	return errors.Join(err, snap.Close())
}

func (i *importer) lies(ctx context.Context, object string) (bool, error) {
	o, err := i.Blobs.Open(ctx, object)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("The file store does not answer: %w.", fault.Cause(err))
	}
	return true, o.Close()
}

// put stores the files. One that an import which was cut short has left is taken when it is whole.
func (i *importer) put(ctx context.Context) error {
	var done int64
	for _, f := range i.files {
		if f.Path == nil {
			continue
		}
		if err := i.putFile(ctx, f); err != nil {
			return errors.Join(err, i.takeBack(ctx))
		}
		done += f.Bytes
		i.progress(50 + int(40*done/max(i.bytes, 1)))
	}
	return nil
}

func (i *importer) putFile(ctx context.Context, f fileLine) error {
	in, err := i.reading(*f.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = i.Blobs.Put(ctx, f.Object, in)
	switch {
	case err == nil:
		i.fresh = append(i.fresh, f.Object)
		return nil
	case !fault.Is(err, fault.Conflict):
		return fmt.Errorf("The file %s cannot be stored: %w.", f.Object, told(err))
	}
	o, err := i.Blobs.Open(ctx, f.Object)
	if err != nil {
		return fmt.Errorf("The file %s cannot be read: %w.", f.Object, told(err))
	}
	sum := sha256.New()
	size, err := io.Copy(sum, o)
	if err = errors.Join(err, o.Close()); err != nil {
		return fmt.Errorf("The file %s cannot be read: %w.", f.Object, told(err))
	}
	if size != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return refused("the file %s is here with other bytes", f.Object)
	}
	return nil
}

// takeBack removes the files that this import has put, where the project did not come.
func (i *importer) takeBack(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if exists, err := i.Store.Exists(ctx, i.Project); err != nil || exists {
		return err // nobody knows what became of it
	}
	var errs []error
	for _, object := range i.fresh {
		errs = append(errs, i.Blobs.Delete(ctx, object))
	}
	return errors.Join(errs...)
}

// atOnce is how many rows are sent together.
const atOnce = 500

// bring stores all rows, in one transaction.
func (i *importer) bring(tx *store.Tx) error {
	for _, who := range i.people {
		account, err := i.People.Arrived(tx, who)
		if err != nil {
			return err
		}
		if uid, other := i.local[who.UID]; other && uid != account.UID || !other && account.UID != who.UID {
			return fault.New(fault.Conflict, "The account of %s has just changed. Import the archive again.", who.Email)
		}
	}
	p, err := tx.Arrive(i.Project, i.clock, i.seq, i.jumps)
	if err != nil {
		return err
	}
	n := 0
	next := func(err error) error {
		if n++; err == nil && n%atOnce == 0 {
			err = tx.Settle()
		}
		return err
	}
	for k := range i.kinds {
		err := i.eachRecord(&i.kinds[k], p.ID, func(_ int, row store.Row) error {
			row.Tally = i.tallies[store.MakeID(0, row.ID.Kind(), row.ID.Ordinal())]
			return next(tx.PutRecord(&row))
		})
		if err != nil {
			return err
		}
	}
	err = i.eachChange(p.ID, func(_ int, c store.Logged) error { return next(tx.PutChange(c)) })
	if err == nil {
		err = i.eachLink(p.ID, func(_ int, owner store.ID, slot uint8, place int64, target store.ID) error {
			return next(tx.PutLink(owner, slot, place, target))
		})
	}
	if err == nil {
		err = i.bringFiles(tx, p.ID, i.files, next)
	}
	for _, side := range i.Sides {
		if err == nil {
			err = i.eachRow(side, p.ID, func(t store.Table, values []any) error { return next(tx.PutRow(t, values)) })
		}
	}
	if err == nil && i.from.Origin == "" {
		err = tx.SetNote(note(i.Project), i.id)
	}
	if err == nil {
		err = i.noteOrigin(tx)
	}
	if err == nil && i.Arrive != nil {
		err = i.Arrive(tx)
	}
	return err
}

func (i *importer) bringFiles(tx *store.Tx, project int64, all []fileLine, next func(error) error) error {
	t := i.rows["files"]
	for _, f := range all {
		created, _ := parseMoment(f.CreatedAt)
		var record int64
		if f.Record != nil {
			id, err := i.find(*f.Record, project)
			if err != nil {
				return err
			}
			record = int64(id)
		}
		values := map[string]any{
			"object": f.Object, "project": project, "record": record, "type": f.Type, "name": f.Name, "size": f.Bytes,
			"sha256": f.SHA256, "created_at": created,
		}
		row := make([]any, len(t.Columns))
		for n, c := range t.Columns {
			row[n] = values[c.Name]
		}
		if err := next(tx.PutRow(t, row)); err != nil {
			return err
		}
	}
	return nil
}

// index has the records found by their words.
func (i *importer) index(ctx context.Context) error {
	p, err := i.Store.Project(ctx, i.Project)
	if err == nil {
		err = i.Kinds.IndexProject(ctx, i.Store, p)
	}
	if err != nil {
		return fmt.Errorf("The project is here, but cannot be searched yet: %w. Import it again.", told(err))
	}
	i.progress(100)
	return nil
}
