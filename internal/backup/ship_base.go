package backup

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/klauspost/compress/zstd"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// pagesOfChunk is how many pages are one part of a base: pages keep their places, so that a later base shares all parts
// in which nothing was changed.
const pagesOfChunk = 16

// prepared is what a new stretch needs before it can begin.
type prepared struct {
	place *Place
	claim *claim
	seal  *sealer
	maker *maker
	err   error
}

func (p *prepared) release() {
	if p.claim != nil {
		p.claim.release()
		p.claim = nil
	}
	if p.maker != nil {
		p.maker.close()
	}
}

// prepare looks at the place for a new stretch. From here until the stretch has a manifest, and a list of its files,
// nobody removes anything there.
func (f *follower) prepare() {
	f.preparing = true
	f.senders.Go(func() {
		p := &prepared{}
		p.err = p.open(f.sending, f.Shipper)
		f.prepared <- p
	})
}

func (p *prepared) open(ctx context.Context, s *Shipper) (err error) {
	if p.place, err = s.Place(ctx); err != nil {
		return err
	}
	if p.claim, err = p.place.claim(ctx, making); err != nil {
		return err
	}
	if err := p.claim.await(ctx, removing); err != nil {
		return err
	}
	p.maker = &maker{
		Source: s.Source, place: p.place, progress: func(int) {}, needs: func() {},
		has: map[string]int64{}, parts: map[string]int64{}, fresh: map[string]*fresh{},
	}
	if err := p.maker.prepare(ctx, s.Secret); err != nil {
		return err
	}
	p.seal = p.maker.seal
	return p.distrust(ctx)
}

// distrust forgets what the place has in another size than the newest stretch wrote it.
func (p *prepared) distrust(ctx context.Context) error {
	all, _, err := p.place.Stretches(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	wrote, _, err := p.place.stretchParts(ctx, &all[len(all)-1])
	if err != nil {
		return nil //nolint:nilerr // it says so to who restores it
	}
	for name, size := range wrote {
		if has, there := p.maker.has[name]; there && has != size {
			delete(p.maker.has, name)
			if err := p.place.parts.Delete(ctx, name); err != nil {
				return failed(err)
			}
		}
	}
	return nil
}

// base makes the base of a stretch, and tells when it is complete or failed.
func (st *stretch) base(ctx context.Context, snap *store.Snapshot) {
	if st.failed = st.makeBase(ctx, snap); st.failed != nil {
		st.p.release()
	}
	st.f.based <- st
}

func (st *stretch) makeBase(ctx context.Context, snap *store.Snapshot) error {
	m := st.p.maker
	defer m.close()
	c := &stretchContents{
		ID: st.id, From: st.from, Release: m.Release, Engine: m.Store.Engine(), Schema: snap.Schema(),
		Ready: st.ready, Key: st.p.seal.name, PageSize: store.PageSize, Pages: []chunk{},
	}
	if err := errors.Join(st.readBase(ctx, snap, c), snap.Close()); err != nil {
		return err
	}
	objects := m.contents.Objects
	m.contents.Objects = nil
	if err := m.send(ctx); err != nil {
		return err
	}
	// What an earlier stretch brought is needed by this one too, also where it ends before it has looked at all files.
	brought := map[string]int64{}
	for i, o := range objects {
		if size, there := m.has[o.Part]; there {
			brought[o.Part] = size
		}
		if len(brought) == filesAtOnce || i == len(objects)-1 {
			if err := st.list(ctx, brought); err != nil {
				return err
			}
			clear(brought)
		}
	}
	h := Stretch{ID: st.id, From: c.From, Bytes: st.pages * store.PageSize}
	if err := st.p.place.writeStretch(ctx, st.manifest, h, c, m.parts, st.p.seal); err != nil {
		return err
	}
	st.mu.Lock()
	st.files, st.found = append(objects, st.files...), time.Now()
	st.mu.Unlock()
	return nil
}

// readBase keeps on the local disk what the place does not have of the pages, so that nothing waits for a slow line,
// and notes the files.
func (st *stretch) readBase(ctx context.Context, snap *store.Snapshot, c *stretchContents) error {
	m := st.p.maker
	var content []byte
	end := func() error {
		if len(content) == 0 {
			return nil
		}
		one := chunk{SHA256: hashOf(content), Bytes: int64(len(content)), Rows: int64(len(content)) / store.PageSize}
		one.Part = m.part("pages", one.SHA256)
		c.Pages = append(c.Pages, one)
		err := m.spool(one.Part, content)
		content = content[:0]
		return err
	}
	err := snap.EachPage(ctx, func(number uint32, page []byte) error {
		if st.pages++; int64(number) != st.pages || len(page) != store.PageSize {
			return errors.New("the pages of the database are not in order")
		}
		if content = append(content, page...); len(content) < pagesOfChunk*store.PageSize {
			return nil
		}
		return end()
	})
	if err == nil {
		err = end()
	}
	for _, t := range snap.Tables() {
		if err != nil {
			return err
		}
		if t.Name == "files" || t.Name == "uploads" {
			err = snap.Each(ctx, t, func(row *store.Cols) error { m.object(t, row); return nil })
		}
	}
	return err
}

// addFiles queues files to be sent.
func (st *stretch) addFiles(some ...object) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.files = append(st.files, some...)
	st.stirFiles()
}

// filesAtOnce is how many files a list names at most.
const filesAtOnce = 1000

// sendFiles brings files to the place, beside the segments: rows do not wait for them. A list of what is there keeps it
// from being removed.
func (st *stretch) sendFiles(ctx context.Context) {
	defer st.p.release()
	for {
		some := st.nextFiles(ctx)
		if some == nil {
			return
		}
		if !st.insist(ctx, &st.fileTrouble, func(ctx context.Context) error { return st.bring(ctx, some) }) {
			return
		}
		st.mu.Lock()
		st.bringing = 0
		st.mu.Unlock()
	}
}

// nextFiles waits for files; nil when ctx or the stretch ends. While it waits, others may remove parts.
func (st *stretch) nextFiles(ctx context.Context) []object {
	for {
		st.mu.Lock()
		if n := min(len(st.files), filesAtOnce); n > 0 {
			some := st.files[:n:n]
			st.files, st.bringing = st.files[n:], n
			st.mu.Unlock()
			return some
		}
		st.mu.Unlock()
		if st.p.claim != nil {
			st.p.claim.release()
			st.p.claim = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-st.gone:
			return nil
		case <-st.moreFiles:
		}
	}
}

// bring sends some files and names them in a list.
func (st *stretch) bring(ctx context.Context, some []object) (err error) {
	p := st.p
	if p.claim == nil {
		if p.claim, err = p.place.claim(ctx, making); err != nil {
			return err
		}
		if err := p.claim.await(ctx, removing); err != nil {
			p.claim.release() // or else the next attempt would not wait
			p.claim = nil
			return err
		}
	}
	m := &maker{
		Source: p.maker.Source, place: p.place, progress: func(int) {}, seal: p.seal, names: p.maker.names,
		has: map[string]int64{}, parts: map[string]int64{}, fresh: map[string]*fresh{},
	}
	for _, o := range some {
		o.Part = m.part("file", o.SHA256)
		if _, known := m.has[o.Part]; known {
			continue
		}
		if size, err := m.sizeOf(ctx, o.Part); err == nil {
			m.has[o.Part] = size
		} else if !fault.Is(err, fault.NotFound) {
			return failed(err)
		}
		m.contents.Objects = append(m.contents.Objects, o)
	}
	if err := m.send(ctx); err != nil {
		return err
	}
	return st.list(ctx, m.parts)
}

// list names parts of files as those that the stretch has.
func (st *stretch) list(ctx context.Context, parts map[string]int64) error {
	if len(parts) == 0 {
		return nil
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	defer z.Close()
	text := summed(z.EncodeAll(listed(parts), nil))
	_, err = st.p.place.segments.Put(ctx, listName(st.id, st.lists.Load()+1), bytes.NewReader(text))
	if err == nil || fault.Is(err, fault.Conflict) {
		st.lists.Add(1)
		return nil
	}
	return failed(err)
}

func (st *stretch) stirFiles() {
	select {
	case st.moreFiles <- struct{}{}:
	default:
	}
}
