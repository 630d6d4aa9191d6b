package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"filippo.io/age"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Target is where a backup is restored to.
type Target struct {
	Database store.Config
	// Blobs is where the files go. Without it they are read and held against their hashes, and left.
	Blobs blob.Store
	// Now is the time at which the installation goes on.
	Now time.Time
	// Notes are what the installation is to find under their names when it is opened.
	Notes map[string]string
	// Spool is a folder for what is put together of a stretch; without one, only backups are restored.
	Spool string
}

// Restored is what was restored.
type Restored struct {
	Head
	Release, Engine string
	// Missing are files that were missing already when the backup was made.
	Missing []string
	// Erased is what was erased since, and was erased again; Unread is how much of that nobody can read.
	Erased []Erased
	Unread int
	// Shipped says that it is no backup but what was shipped without a break, and Stopped why later segments that are
	// there were left out.
	Shipped bool
	Stopped string
}

// errPart says what is wrong with a part of a backup.
func errPart(part string, why error) error {
	return fmt.Errorf("The backup is not whole: its part %s cannot be used (%w). Nothing was made of it; choose another backup with --at.", part, why)
}

// reading is a backup that is read.
type reading struct {
	*contents
	head        Head
	place       *Place
	parts       map[string]int64
	identities  []age.Identity
	progress    func(int)
	done, total atomic.Int64
	rows        string // a folder that has the chunks instead of the place
	stopped     string // of a stretch
}

func (p *Place) reading(ctx context.Context, at time.Time, s Secret, progress func(int)) (*reading, error) {
	h, err := p.choose(ctx, at)
	if err != nil {
		return nil, err
	}
	r := &reading{head: h, place: p, progress: progress}
	if r.contents, r.parts, r.identities, err = p.contents(ctx, h, s); err != nil {
		return nil, err
	}
	r.count()
	return r, nil
}

// count adds up what is to be read.
func (r *reading) count() {
	for _, o := range r.Objects {
		r.total.Add(o.Bytes)
	}
	for _, t := range r.Tables {
		for _, c := range t.Chunks {
			r.total.Add(c.Bytes)
		}
	}
}

func (r *reading) advance(n int64) {
	if done := r.done.Add(n); r.total.Load() > 0 {
		r.progress(int(99 * min(done, r.total.Load()) / r.total.Load()))
	}
}

// wrong looks, without reading them, which parts are missing at the place or have another length.
func (r *reading) wrong(ctx context.Context) (all []string, err error) {
	has, err := sizes(ctx, r.place.parts)
	if err != nil {
		return nil, err
	}
	for _, part := range sortedKeys(r.parts) {
		size, there := has[part]
		if !there {
			all = append(all, fmt.Sprintf("the part %s is missing", part))
		} else if size != r.parts[part] {
			all = append(all, fmt.Sprintf("the part %s has %d bytes instead of %d", part, size, r.parts[part]))
		}
	}
	return all, nil
}

// chunk reads a chunk and holds it against its hash.
func (r *reading) chunk(ctx context.Context, c chunk) ([]byte, error) {
	if c.Bytes > mostManifest { // no engine has such a row
		return nil, errDamaged
	}
	var stored []byte
	var err error
	identities := r.identities
	if r.rows != "" {
		identities = nil
		stored, err = os.ReadFile(filepath.Join(r.rows, c.Part))
	} else {
		stored, err = readAll(ctx, r.place.parts, c.Part, mostManifest)
	}
	if err != nil {
		return nil, err
	}
	content, err := textOf(stored, identities, c.Bytes)
	if err == nil && !c.equal(content, c.Rows) {
		err = errBytes
	}
	r.advance(c.Bytes)
	return content, err
}

// file reads a file; its reader fails where it is not what it should be.
func (r *reading) file(ctx context.Context, o object) (io.Reader, io.Closer, error) {
	stored, err := r.place.parts.Open(ctx, o.Part)
	if err != nil {
		return nil, nil, err
	}
	content, err := open(stored, r.identities)
	if err != nil {
		return nil, nil, errors.Join(err, stored.Close())
	}
	return verify(content, o.Bytes, o.SHA256), stored, nil
}

// Verify reads everything of a backup and says what is wrong with it, a line each. With remove it removes the parts
// that are damaged: the next backup brings them again, where the installation still has what they were made of.
func (p *Place) Verify(ctx context.Context, at time.Time, s Secret, remove bool,
	progress func(int),
) (h Head, wrong []string, err error) {
	r, err := p.reading(ctx, at, s, progress)
	if err != nil {
		return h, nil, err
	}
	if wrong, err = r.wrong(ctx); err != nil {
		return r.head, nil, err
	}
	all := r.fileParts(ctx)
	for _, t := range r.Tables {
		for _, c := range t.Chunks {
			all = append(all, part{c.Part, func() error { _, err := r.chunk(ctx, c); return err }})
		}
	}
	bad := func(string) error { return nil }
	if remove {
		bad = func(name string) error { return failed(p.parts.Delete(ctx, name)) }
	}
	damaged, err := unusable(ctx, all, bad)
	progress(100)
	return r.head, append(wrong, damaged...), err
}

// part is something at the place that can be read to its end.
type part struct {
	name string
	read func() error
}

// fileParts are the parts of files.
func (r *reading) fileParts(ctx context.Context) (all []part) {
	for _, o := range r.Objects {
		all = append(all, part{o.Part, func() error {
			in, closer, err := r.file(ctx, o)
			if err == nil {
				_, err = io.Copy(io.Discard, in)
				err = errors.Join(err, closer.Close())
			}
			r.advance(o.Bytes)
			return err
		}})
	}
	return all
}

// unusable reads parts, and says of which ones nothing can be made, a line each; bad is called with each of them. That
// one is missing was said before.
func unusable(ctx context.Context, all []part, bad func(name string) error) (wrong []string, err error) {
	said := make(chan string, len(all))
	err = parallel(ctx, atOnce, all, func(ctx context.Context, one part) error {
		switch err := one.read(); {
		case err == nil || fault.Is(err, fault.NotFound):
		case fault.Is(err, fault.Unavailable):
			return failed(err)
		default:
			said <- fmt.Sprintf("the part %s cannot be used: %v", one.name, err)
			return bad(one.name)
		}
		return ctx.Err()
	})
	close(said)
	for line := range said {
		wrong = append(wrong, line)
	}
	return wrong, err
}

// Restore makes an installation of a backup, the newest or the newest that is not later than a moment, in a database
// and a file store that are empty. Everything is verified: each part by its hash as it is read, and afterwards the rows
// that the database then has and the files that the store then has. Nothing counts before all of it does; one that was
// cut short can be run again.
func Restore(ctx context.Context, from *Place, at time.Time, s Secret, to Target,
	progress func(int),
) (done Restored, err error) {
	r, end, err := from.toRestore(ctx, at, s, to.Spool, progress)
	if err != nil {
		return done, err
	}
	defer end()
	done = Restored{
		Head: r.head, Release: r.Release, Engine: r.Engine, Shipped: r.rows != "", Stopped: r.stopped,
	}
	for _, l := range r.Missing {
		done.Missing = append(done.Missing, fmt.Sprintf("the file %s %s", l.Name, l.Why))
	}
	wrong, err := r.wrong(ctx)
	if err != nil {
		return done, err
	}
	if len(wrong) > 0 {
		return done, fmt.Errorf("The backup of %s is not whole: %s, and %d more. Nothing was changed; choose another backup with --at.",
			Moment(r.head.Moment), wrong[0], len(wrong)-1)
	}
	database, err := store.Restore(ctx, to.Database, r.Schema, func(again bool) error {
		if to.Blobs == nil || again {
			return nil
		}
		return to.Blobs.Each(ctx, func(blob.Info) error { return errFiles })
	})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	if err := r.fits(database.Tables()); err != nil {
		return done, err
	}
	if err := r.files(ctx, to.Blobs); err != nil {
		return done, err
	}
	for i, t := range database.Tables() {
		if err := r.fill(ctx, database, t, r.Tables[i]); err != nil {
			return done, err
		}
	}
	if err := database.Finish(ctx, to.Now, to.Notes); err != nil {
		return done, fmt.Errorf("The restored database cannot be completed: %w.", err)
	}
	progress(100)
	return done, nil
}

// toRestore gives the backup to restore, or what was shipped, whichever is newer.
func (p *Place) toRestore(ctx context.Context, at time.Time, s Secret, spool string,
	progress func(int),
) (r *reading, end func(), err error) {
	end = func() {}
	var shipped *chosen
	if spool != "" {
		if shipped, err = p.chooseStretch(ctx, at); err != nil {
			return nil, end, err
		}
	}
	h, err := p.choose(ctx, at)
	none := errors.As(err, new(NoneError))
	if err != nil && !none || shipped == nil ||
		err == nil && !h.Moment.Before(shipped.moment) {
		if err == nil {
			r, err = p.reading(ctx, at, s, progress)
		}
		return r, end, err
	}
	folder, err := os.MkdirTemp(spool, spoolFolder)
	if err != nil {
		return nil, end, err
	}
	end = func() { _ = os.RemoveAll(folder) } // the next restore removes what stays
	if r, err = p.replaying(ctx, shipped, s, folder, progress); err != nil || none || !h.Moment.After(r.head.Moment) {
		if err != nil {
			end()
		}
		return r, end, err
	}
	// What was shipped does not reach as far as it was said to: the backup is newer.
	end()
	stopped := r.stopped
	if r, err = p.reading(ctx, at, s, progress); err == nil {
		r.stopped = stopped
	}
	return r, func() {}, err
}

// SpoolPrefix is what the names of folders begin with that a restore leaves when it is killed.
const SpoolPrefix = "restore-"

const spoolFolder = SpoolPrefix + "*"

// fits holds that the backup has the tables of its schema, and no others.
func (r *reading) fits(tables []store.Table) error {
	for i, t := range tables {
		if len(r.Tables) != len(tables) || r.Tables[i].Name != t.Name || r.Tables[i].Columns != columnsOf(t) {
			return fmt.Errorf("The backup does not fit its schema %d: it is of another program, or damaged.", r.Schema)
		}
	}
	return nil
}

var errFiles = errors.New("The file store is not empty. A backup is restored into an empty one only; nothing was changed.")

// files restores the files. Those that an earlier attempt brought are taken when they are whole.
func (r *reading) files(ctx context.Context, into blob.Store) error {
	return parallel(ctx, atOnce, r.Objects, func(ctx context.Context, o object) error {
		defer r.advance(o.Bytes)
		in, closer, err := r.file(ctx, o)
		if err != nil {
			return errPart(o.Part, err)
		}
		defer closer.Close()
		source := &broken{r: in}
		if into == nil {
			if _, err := io.Copy(io.Discard, source); err != nil {
				return errPart(o.Part, err)
			}
			return nil
		}
		_, err = into.Put(ctx, o.Name, source)
		switch {
		case source.err != nil && ctx.Err() == nil:
			return errPart(o.Part, source.err)
		case err != nil && !fault.Is(err, fault.Conflict):
			return fmt.Errorf("The file %s cannot be stored: %w.", o.Name, fault.Cause(err))
		}
		return holds(ctx, into, o)
	})
}

// holds reads back what was stored.
func holds(ctx context.Context, s blob.Store, o object) error {
	in, err := s.Open(ctx, o.Name)
	if err == nil {
		_, err = io.Copy(io.Discard, verify(in, o.Bytes, o.SHA256))
		err = errors.Join(err, in.Close())
	}
	if err != nil {
		return fmt.Errorf("The file %s is not stored whole: %w.", o.Name, fault.Cause(err))
	}
	return nil
}

// fill inserts the rows of a table, and holds what the database then has against the backup.
func (r *reading) fill(ctx context.Context, into *store.Restoring, t store.Table, from table) error {
	var content []byte
	next, values, rows := 0, make([]any, len(t.Columns)), int64(0)
	var broke error
	err := into.Fill(ctx, t, func() (row []any, err error) {
		for len(content) == 0 {
			if next == len(from.Chunks) {
				return nil, nil
			}
			if content, err = r.chunk(ctx, from.Chunks[next]); err != nil {
				broke = errPart(from.Chunks[next].Part, err)
				return nil, broke
			}
			next++
		}
		if content, err = readRow(content, t, values); err != nil {
			broke = errPart(from.Chunks[next-1].Part, err)
			return nil, broke
		}
		rows++
		return values, nil
	})
	if broke != nil {
		return broke
	}
	if err != nil {
		return fmt.Errorf("The table %s cannot be restored: %w.", t.Name, err)
	}
	next = 0
	var told int64
	cut := cutter{each: func(content []byte, n int64) error {
		if next == len(from.Chunks) || !from.Chunks[next].equal(content, n) {
			return errBytes
		}
		next++
		told += n
		return nil
	}}
	err = into.Each(ctx, t, func(row *store.Cols) error { return cut.add(t, row) })
	if err == nil {
		err = cut.end()
	}
	if err == nil && (next != len(from.Chunks) || told != from.Rows || rows != from.Rows) {
		err = fmt.Errorf("it has %d rows instead of %d", told, from.Rows)
	}
	if err != nil {
		return fmt.Errorf("The table %s is not as the backup has it: %w.", t.Name, err)
	}
	return nil
}
