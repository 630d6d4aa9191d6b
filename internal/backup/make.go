package backup

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/processor"
	"groundwork/internal/store"
)

// Source is an installation of which a backup is made.
type Source struct {
	Store *store.Store
	Blobs blob.Store
	// Release is that of the program.
	Release string
	// Spool is a folder for what is new in the database until it is at the place: the snapshot of a database must not
	// wait for a slow line.
	Spool string
	// Erased is what the installation has erased for good; the place learns of it.
	Erased []Erased
}

// Made is what became of a backup.
type Made struct {
	Head
	// Sent is how many bytes were written to the place, in how many parts of all.
	Sent     int64
	NewParts int64
	AllParts int64
	// Lost are the files that the file store does not have whole, with the reason.
	Lost []string
}

// namesNote is the secret from which, with their content, parts have their names: who sees the names learns sizes only.
const namesNote = "backup-names"

// Make makes a backup of the installation as it is now, while others go on writing: everything that was acknowledged
// before is in it. What the place has already is not sent again. Nothing counts before the manifest is written, with
// which it is whole; what a backup leaves that ends before, the next one uses. Progress is told in percent.
func Make(ctx context.Context, to *Place, from Source, secret Secret,
	progress func(percent int),
) (made Made, err error) {
	own, err := to.claim(ctx, making)
	if err != nil {
		return Made{}, err
	}
	defer own.release()
	if err := own.await(ctx, removing); err != nil {
		return Made{}, err
	}
	m := &maker{
		Source: from, place: to, progress: progress, needs: func() {},
		has: map[string]int64{}, parts: map[string]int64{}, fresh: map[string]*fresh{}, pace: &processor.Pace{},
	}
	defer m.close()
	if err := m.prepare(ctx, secret); err != nil {
		return Made{}, err
	}
	held, holds := from.Blobs.(*Holding)
	if holds {
		h := held.hold()
		defer func() { err = errors.Join(err, held.release(ctx, h)) }()
		m.needs = func() { held.need(h, m.contents.Objects) }
	}
	if err := m.read(ctx); err != nil {
		return Made{}, err
	}
	m.needs()
	if err := m.send(ctx); err != nil {
		return Made{}, err
	}
	return m.finish(ctx)
}

// maker is a backup on its way.
type maker struct {
	Source
	place    *Place
	progress func(int)
	needs    func() // told once it is known which files are needed
	seal     *sealer
	names    string
	zip      *zstd.Encoder
	folder   string
	pace     *processor.Pace  // nil where somebody waits for it, as for a restore
	has      map[string]int64 // what the place has, by name
	contents contents
	bytes    int64

	mu    sync.Mutex
	parts map[string]int64 // of this backup, as they are stored
	fresh map[string]*fresh
	made  Made

	done, total atomic.Int64
}

// fresh is a part that the place does not have: a file of the spool, or an object of the file store.
type fresh struct {
	part, path string
	object     *object
	bytes      int64
}

// old are the folders of a spool that a process has left which died.
const old = 7 * 24 * time.Hour

func (m *maker) prepare(ctx context.Context, secret Secret) (err error) {
	if m.seal, err = m.place.sealer(ctx, secret); err != nil {
		return err
	}
	err = m.place.parts.Each(ctx, func(i blob.Info) error {
		m.pace.Rest()
		m.has[i.Name] = i.Size
		return nil
	})
	if err != nil {
		return failed(err)
	}
	if err := m.distrust(ctx); err != nil {
		return err
	}
	if m.names, err = namesOf(ctx, m.Store); err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(m.Spool, "backup-*"))
	for _, folder := range left {
		if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > old {
			_ = os.RemoveAll(folder) // it is looked at again the next time
		}
	}
	if m.zip, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return err
	}
	m.folder, err = os.MkdirTemp(m.Spool, "backup-*")
	return err
}

// namesOf gives the secret of the names of parts, and makes it when there is none.
func namesOf(ctx context.Context, s *store.Store) (names string, err error) {
	if names, err = s.Note(ctx, namesNote); err != nil || names != "" {
		return names, err
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	names = hex.EncodeToString(raw)
	return names, s.SetNote(ctx, namesNote, names)
}

// distrust forgets what the place has in another size than an earlier backup wrote it.
func (m *maker) distrust(ctx context.Context) error {
	all, _, err := m.place.List(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	wrote, err := m.place.partsOf(ctx, all[len(all)-1])
	if errors.Is(err, errManifest) {
		return nil
	}
	for name, size := range wrote {
		if has, there := m.has[name]; there && has != size && err == nil {
			delete(m.has, name)
			err = m.place.parts.Delete(ctx, name)
		}
	}
	return failed(err)
}

func (m *maker) close() {
	if m.zip != nil {
		_ = m.zip.Close()
	}
	if m.folder != "" {
		_ = os.RemoveAll(m.folder)
	}
}

// read reads the whole database as of one moment.
func (m *maker) read(ctx context.Context) (err error) {
	m.begin(m.Release, m.Store.Engine(), time.UnixMicro(m.Store.Now()))
	snapshot, err := m.Store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	return m.readFrom(ctx, snapshot)
}

// begin says what the backup is of.
func (m *maker) begin(release, engine string, moment time.Time) {
	m.contents = contents{
		Release: release, Engine: engine, Moment: moment.UTC().Truncate(time.Millisecond),
		LeftOut: []string{"the index of words, which is made again from the records"}, Missing: []lost{}, Objects: []object{},
	}
}

func (m *maker) readFrom(ctx context.Context, snapshot *store.Snapshot) error {
	m.contents.Schema = snapshot.Schema()
	all := snapshot.Tables()
	for i, t := range all {
		if err := m.table(ctx, snapshot, t); err != nil {
			return err
		}
		m.progress(readShare * (i + 1) / len(all))
	}
	return nil
}

// readShare is the part of the progress, in percent, that reading the database is said to be.
const readShare = 20

func (m *maker) table(ctx context.Context, from *store.Snapshot, t store.Table) error {
	into := table{Name: t.Name, Columns: columnsOf(t), Chunks: []chunk{}}
	cut := cutter{each: func(content []byte, rows int64) error {
		c := chunk{SHA256: hashOf(content), Bytes: int64(len(content)), Rows: rows}
		c.Part = m.part("rows", c.SHA256)
		into.Chunks, into.Rows, m.bytes = append(into.Chunks, c), into.Rows+rows, m.bytes+c.Bytes
		return m.spool(c.Part, content)
	}}
	err := from.Each(ctx, t, func(row *store.Cols) error {
		m.pace.Rest()
		m.object(t, row)
		return cut.add(t, row)
	})
	if err == nil {
		err = cut.end()
	}
	m.contents.Tables = append(m.contents.Tables, into)
	return err
}

// part names a part by its content, and by whom it is encrypted for.
func (m *maker) part(kind, hash string) string {
	return blob.Part(m.names, kind+"/"+m.seal.name+"/"+hash)
}

// spool keeps a chunk that the place does not have.
func (m *maker) spool(part string, content []byte) error {
	if size, there := m.has[part]; there {
		m.parts[part] = size
		return nil
	}
	if m.fresh[part] != nil {
		return nil
	}
	stored, err := m.seal.bytesOf(content, m.zip)
	if err != nil {
		return err
	}
	f := &fresh{part: part, path: filepath.Join(m.folder, part), bytes: int64(len(stored))}
	m.fresh[part] = f
	return os.WriteFile(f.path, stored, 0o600)
}

// object notes the file that a row names. Files are on their way in until their upload is completed; then another table
// has them.
func (m *maker) object(t store.Table, row *store.Cols) {
	if t.Name != "files" && t.Name != "uploads" {
		return
	}
	name := t.Index("object")
	if done := t.Index("completed"); row.Null(name) || done >= 0 && row.Int(done) != 0 {
		return
	}
	o := object{Name: row.Text(name), SHA256: row.Text(t.Index("sha256")), Bytes: row.Int(t.Index("size"))}
	o.Part = m.part("file", o.SHA256)
	m.contents.Objects = append(m.contents.Objects, o)
	m.bytes += o.Bytes
}

// send brings to the place what it does not have.
func (m *maker) send(ctx context.Context) error {
	var missing []*fresh
	for _, f := range m.fresh {
		missing = append(missing, f)
	}
	first := map[string]bool{}
	for i := range m.contents.Objects {
		o := &m.contents.Objects[i]
		if size, there := m.has[o.Part]; there {
			m.parts[o.Part] = size
		} else if !first[o.Part] {
			missing = append(missing, &fresh{part: o.Part, object: o, bytes: o.Bytes})
		}
		first[o.Part] = true
	}
	slices.SortFunc(missing, func(a, b *fresh) int { return cmp.Compare(a.part, b.part) })
	for _, f := range missing {
		m.total.Add(f.bytes)
	}
	return parallel(ctx, m.place.putsAtOnce(), missing, m.sendOne)
}

func (m *maker) sendOne(ctx context.Context, f *fresh) error {
	in, err := m.open(ctx, f)
	if err != nil {
		return m.without(f, err)
	}
	defer in.Close()
	source := &broken{r: in}
	sealed, err := m.sealed(f, source)
	if err != nil {
		return err
	}
	size, err := m.place.parts.Put(ctx, f.part, sealed)
	switch {
	case source.err != nil && f.object != nil && ctx.Err() == nil:
		return m.without(f, source.err)
	case fault.Is(err, fault.Conflict): // another backup has brought it meanwhile
		size, err = m.sizeOf(ctx, f.part)
	}
	if err != nil {
		return failed(err)
	}
	m.mu.Lock()
	m.parts[f.part] = size
	m.made.Sent += size
	m.made.NewParts++
	m.mu.Unlock()
	if m.place.local {
		m.pace.Rest() // one goroutine sends
	}
	if m.total.Load() > 0 {
		m.progress(readShare + int((99-readShare)*m.done.Add(f.bytes)/m.total.Load()))
	}
	return nil
}

func (m *maker) open(ctx context.Context, f *fresh) (io.ReadCloser, error) {
	if f.object == nil {
		return os.Open(f.path)
	}
	return m.Blobs.Open(ctx, f.object.Name)
}

// sealed gives what is stored. Chunks are sealed already; files are held against their hash as they are read.
func (m *maker) sealed(f *fresh, r *broken) (io.Reader, error) {
	if f.object == nil {
		return r, nil
	}
	r.r = verify(r.r, f.object.Bytes, f.object.SHA256)
	return m.seal.seal(r)
}

func (m *maker) sizeOf(ctx context.Context, part string) (int64, error) {
	return sizeIn(ctx, m.place.parts, part)
}

func sizeIn(ctx context.Context, s blob.Store, name string) (int64, error) {
	o, err := s.Open(ctx, name)
	if err != nil {
		return 0, err
	}
	return o.Size(), o.Close()
}

// broken remembers why reading failed: that is not the place's fault.
type broken struct {
	r   io.Reader
	err error
}

func (b *broken) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// without goes on where the file store does not have a file whole: all others are worth a backup, which says so. A
// store that does not answer is no reason to go on.
func (m *maker) without(f *fresh, why error) error {
	if f.object == nil || fault.Is(why, fault.Unavailable) {
		return fmt.Errorf("The files cannot be read: %w.", fault.Cause(why))
	}
	reason := "has other bytes than were stored"
	if fault.Is(why, fault.NotFound) {
		reason = "is not in the file store"
	} else if !errors.Is(why, errBytes) {
		return why
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.contents.Objects {
		if o.Part == f.part {
			m.contents.Missing = append(m.contents.Missing, lost{o.Name, reason})
			m.made.Lost = append(m.made.Lost, fmt.Sprintf("the file %s %s", o.Name, reason))
		}
	}
	return nil
}

func (m *maker) finish(ctx context.Context) (Made, error) {
	gone := map[string]bool{}
	for _, l := range m.contents.Missing {
		gone[l.Name] = true
	}
	m.contents.Objects = slices.DeleteFunc(m.contents.Objects, func(o object) bool { return gone[o.Name] })
	slices.SortFunc(m.contents.Missing, func(a, b lost) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(m.made.Lost)
	h := Head{
		Moment: m.contents.Moment, Files: int64(len(m.contents.Objects)), Bytes: m.bytes,
		Missing: int64(len(m.contents.Missing)),
	}
	for _, t := range m.contents.Tables {
		h.Rows += t.Rows
	}
	if err := m.place.noteErased(ctx, m.Erased, m.seal); err != nil {
		return m.made, err
	}
	size, err := m.place.write(ctx, h, &m.contents, m.parts, m.seal)
	m.made.Head, m.made.AllParts = h, int64(len(m.parts))
	m.made.Sent += size
	m.progress(100)
	return m.made, err
}

// equal tells whether a chunk is what a backup has.
func (c chunk) equal(content []byte, rows int64) bool {
	return c.Bytes == int64(len(content)) && c.Rows == rows && c.SHA256 == hashOf(content)
}
