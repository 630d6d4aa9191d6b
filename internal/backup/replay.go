package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// replayed is a database that was put together from a stretch.
type replayed struct {
	*stretchContents
	path       string
	identities []age.Identity
	// Moment is what the database is as of, at the end of so many segments.
	Moment time.Time
	number int64
	// stopped says why segments that are there were left out; empty where none was.
	stopped string
}

// errNoStretch says why nothing can be made of a stretch.
func errNoStretch(s *Stretch, why error) error {
	return fmt.Errorf("What was shipped from %s on cannot be restored: %w. Nothing was made of it; choose an earlier moment with --at.",
		Moment(s.From), why)
}

// replay puts the database of a stretch together in a file, as of the end of a segment. Every part is held against its
// hash, and every segment against the one before. Where one is missing or damaged it ends before it, and says so.
func (p *Place) replay(ctx context.Context, c *chosen, secret Secret, path string,
	progress func(int),
) (r *replayed, err error) {
	s := &c.Stretch
	parts, sealed, err := p.stretchParts(ctx, s)
	if err != nil {
		return nil, errNoStretch(s, err)
	}
	r = &replayed{stretchContents: &stretchContents{}, path: path, Moment: s.From}
	if r.identities, err = p.identities(ctx, secret, s.Encrypted); err != nil {
		return nil, err
	}
	text, err := textOf(sealed, r.identities, mostManifest)
	if err != nil {
		return nil, errNoStretch(s, err)
	}
	if err := json.Unmarshal(text, r.stretchContents); err != nil || r.ID != s.ID || !r.From.Equal(s.From) ||
		r.PageSize != store.PageSize || len(parts) > len(r.Pages) {
		return nil, errNoStretch(s, errStretch)
	}
	into, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	size, err := r.base(ctx, p, into, progress)
	if err != nil {
		return nil, errNoStretch(s, err)
	}
	if size, err = r.segments(ctx, p, c, into, size); err != nil {
		return nil, err
	}
	if r.number < r.Ready {
		return nil, errNoStretch(s, fmt.Errorf("its base needs %d segments; %s", r.Ready, r.stopped))
	}
	return r, into.Truncate(size * store.PageSize)
}

// base writes the pages that a stretch begins with.
func (r *replayed) base(ctx context.Context, p *Place, into io.WriterAt, progress func(int)) (pages int64, err error) {
	var offset int64
	for i, c := range r.Pages {
		if c.Bytes > mostManifest || c.Bytes%store.PageSize != 0 {
			return 0, errDamaged
		}
		stored, err := readAll(ctx, p.parts, c.Part, mostManifest)
		if err != nil {
			return 0, fmt.Errorf("its part %s cannot be read (%w)", c.Part, fault.Cause(err))
		}
		content, err := textOf(stored, r.identities, c.Bytes)
		if err == nil && !c.equal(content, c.Rows) {
			err = errBytes
		}
		if err != nil {
			return 0, fmt.Errorf("its part %s cannot be used (%w)", c.Part, err)
		}
		if _, err := into.WriteAt(content, offset); err != nil {
			return 0, err
		}
		offset += c.Bytes
		progress(40 * (i + 1) / len(r.Pages))
	}
	return offset / store.PageSize, nil
}

// segments writes what was changed since, up to the end of a segment, and nothing of after the moment that was asked
// for: what was chosen follows from heads that anybody can write.
func (r *replayed) segments(ctx context.Context, p *Place, c *chosen, into io.WriterAt, size int64,
) (pages int64, err error) {
	s, previous := &c.Stretch, ""
	var some []fetched
	for number := int64(1); number <= c.upTo; number++ {
		if len(some) == 0 {
			some = p.readSegments(ctx, s, number, c.upTo)
		}
		text, err := some[0].text, some[0].err
		some = some[1:]
		if fault.Is(err, fault.Unavailable) || ctx.Err() != nil {
			return 0, errors.Join(failed(err), ctx.Err())
		}
		if fault.Is(err, fault.NotFound) {
			r.stopped = fmt.Sprintf("the segment %d is missing", number)
			return size, nil
		}
		var write error
		var changed []struct {
			number uint32
			page   []byte
		}
		var h segmentHead
		if err == nil {
			// Nothing of it is written before all of it is known to be whole.
			h, err = openSegment(text, r.identities, func(number uint32, page []byte) error {
				if number == 0 {
					return errDamaged
				}
				changed = append(changed, struct {
					number uint32
					page   []byte
				}{number, page})
				return nil
			})
		}
		if err == nil && (h.Stretch != s.ID || h.Number != number || h.Previous != previous ||
			h.Encrypted != s.Encrypted) {
			err = errors.New("it does not follow the one before")
		}
		if err != nil {
			r.stopped = fmt.Sprintf("the segment %d cannot be used: %v", number, err)
			return size, nil //nolint:nilerr // what comes before is worth restoring, and it is said
		}
		if !c.at.IsZero() && h.Moment.After(c.at) {
			return size, nil
		}
		for _, one := range changed {
			// A page beyond the end was cut off by a later commit of the same segment.
			if write == nil && int64(one.number) <= h.Size {
				_, write = into.WriteAt(one.page, int64(one.number-1)*store.PageSize)
			}
		}
		if write != nil {
			return 0, write
		}
		previous, r.number = hexOf(text), number
		if h.Moment.After(r.Moment) {
			r.Moment = h.Moment
		}
		if h.Size > 0 {
			size = h.Size
		}
	}
	if c.upTo == s.Segments && s.Gap {
		r.stopped = fmt.Sprintf("the segment %d is missing", c.upTo+1)
	}
	return size, nil
}

// fetched is an object of the place as it is there, or why it cannot be read.
type fetched struct {
	text []byte
	err  error
}

// Segments are read together, as many as are few bytes and at most so many: a far place answers each after a while.
const (
	readTogether      = 8 * atOnce
	readTogetherBytes = 64 << 20
)

// readSegments reads the next segments of a stretch, one at least.
func (p *Place) readSegments(ctx context.Context, s *Stretch, first, last int64) []fetched {
	var numbers []int
	for n, bytes := first, int64(0); n <= last && len(numbers) < readTogether; n++ {
		bytes += s.sizes[segmentName(s.ID, n)]
		if len(numbers) > 0 && bytes > readTogetherBytes {
			break
		}
		numbers = append(numbers, len(numbers))
	}
	all := make([]fetched, len(numbers))
	// Each says for itself what went wrong with it.
	_ = parallel(ctx, atOnce, numbers, func(ctx context.Context, i int) error {
		all[i].text, all[i].err = readAll(ctx, p.segments, segmentName(s.ID, first+int64(i)), mostManifest)
		return nil
	})
	return all
}

// chosen is the part of a stretch that is to be restored.
type chosen struct {
	Stretch
	upTo   int64
	moment time.Time
	at     time.Time // nothing later is wanted; zero for all there is
}

// chooseStretch gives the stretch that reaches the farthest without going beyond a moment; nil where none is as old.
func (p *Place) chooseStretch(ctx context.Context, at time.Time) (best *chosen, err error) {
	if !at.IsZero() { // moments are printed, and typed, in milliseconds
		at = at.Truncate(time.Millisecond).Add(time.Millisecond - time.Microsecond)
	}
	all, damaged, err := p.Stretches(ctx)
	if err != nil {
		return nil, err
	}
	if damaged > 0 && at.IsZero() {
		return nil, fmt.Errorf("%d manifests of what was shipped to this place cannot be read, and one of them may be of the newest. Choose a moment with --at; groundwork backup list shows them.", damaged)
	}
	for i := range all {
		s := &all[i]
		if !at.IsZero() && s.From.After(at) {
			continue
		}
		upTo, err := p.until(ctx, s, at)
		if err != nil {
			return nil, err
		}
		moment := s.From
		if upTo > 0 {
			if moment, err = p.momentOf(ctx, s, upTo); err != nil {
				return nil, err
			}
		}
		if moment.Before(s.From) {
			moment = s.From
		}
		if best == nil || !moment.Before(best.moment) {
			best = &chosen{*s, upTo, moment, at}
		}
	}
	return best, nil
}

// replaying reads a stretch as if it were a backup: its database is put together in a folder, and its rows are cut into
// the chunks that a backup of that moment would have. So everything that holds of a backup's restore holds of its.
func (p *Place) replaying(ctx context.Context, c *chosen, secret Secret, folder string,
	progress func(int),
) (r *reading, err error) {
	done, err := p.replay(ctx, c, secret, filepath.Join(folder, "database"), progress)
	if err != nil {
		return nil, err
	}
	snapshot, err := store.SnapshotFile(ctx, done.path)
	if err != nil {
		return nil, errNoStretch(&c.Stretch, err)
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	m := &maker{
		progress: func(percent int) { progress(40 + percent/2) }, seal: &sealer{name: done.Key},
		folder: folder, has: map[string]int64{}, parts: map[string]int64{}, fresh: map[string]*fresh{},
	}
	m.zip, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	defer m.zip.Close()
	err = snapshot.Query(ctx, "SELECT value FROM instance WHERE name = $1", []any{namesNote}, func(c *store.Cols) error {
		m.names = c.Text(0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.begin(done.Release, done.Engine, done.Moment)
	if err := m.readFrom(ctx, snapshot); err != nil {
		return nil, err
	}
	r = &reading{
		contents: &m.contents, place: p, identities: done.identities, progress: progress, rows: folder,
		parts: map[string]int64{},
		head:  Head{Moment: done.Moment, Encrypted: c.Encrypted, Bytes: m.bytes}, stopped: done.stopped,
	}
	if err := r.without(ctx); err != nil {
		return nil, err
	}
	r.count()
	return r, nil
}

// without notes the files that have not come to the place.
func (r *reading) without(ctx context.Context) error {
	has, err := sizes(ctx, r.place.parts)
	if err != nil {
		return err
	}
	there := r.Objects[:0]
	for _, o := range r.Objects {
		if _, is := has[o.Part]; is {
			there = append(there, o)
			continue
		}
		r.Missing = append(r.Missing, lost{o.Name, "had not come to the place of the backups"})
	}
	r.Objects = there
	for _, t := range r.Tables {
		r.head.Rows += t.Rows
	}
	r.head.Files, r.head.Missing = int64(len(r.Objects)), int64(len(r.Missing))
	return nil
}
