package backup

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// stretch is one that is being shipped.
type stretch struct {
	f     *follower
	p     *prepared
	id    string
	from  time.Time
	ready int64
	pages int64
	gone  chan struct{} // closed when its last segment was sent, or never will be

	manifest string    // the name of its manifest
	looked   time.Time // when the sender last looked whether that is at the place

	failed error // of the base

	mu      sync.Mutex
	queue   []*piece
	sending *piece // the one under way
	wake    chan struct{}
	number  int64 // of the last segment that was sent
	hash    string
	moment  time.Time
	based   bool
	ended   bool
	trouble string
	broken  error
	files   []object
	found   time.Time // when those of the base were added to files
	// bringing is how many were taken from files and are not known to be at the place.
	bringing int
	lists    atomic.Int64 // of files, that are at the place

	moreFiles   chan struct{}
	fileTrouble string
}

// piece is what becomes one segment.
type piece struct {
	store.Changes
	closed bool // nothing is added to it
	last   bool
	since  time.Time
	sent   chan struct{} // closed when it was
	number int64         // then
}

func newStretch(f *follower, p *prepared) *stretch {
	return &stretch{
		f: f, p: p, id: blob.NewName(), manifest: blob.NewName(), looked: time.Now(),
		gone: make(chan struct{}), wake: make(chan struct{}, 1),
		moreFiles: make(chan struct{}, 1),
	}
}

// add queues changes. While nothing can be sent, they become one segment.
func (st *stretch) add(c store.Changes, bound bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(c.Pages) > 0 && !st.ended {
		n := len(st.queue)
		if n == 0 || st.queue[n-1].closed {
			st.queue = append(st.queue, &piece{since: time.Now(), sent: make(chan struct{})})
			n++
		}
		st.queue[n-1].Merge(c)
	}
	if bound && len(st.queue) > 0 {
		st.queue[len(st.queue)-1].closed = true
	}
	st.stir()
}

func (st *stretch) stir() {
	select {
	case st.wake <- struct{}{}:
	default:
	}
}

// bound has nothing added to what is queued, and tells whether there is anything.
func (st *stretch) bound() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, p := range st.queue {
		p.closed = true
	}
	return len(st.queue) > 0
}

// end has the stretch end with what is queued, which is everything up to a moment.
func (st *stretch) end(moment time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return
	}
	n := len(st.queue)
	if n == 0 || st.queue[n-1].closed {
		st.queue = append(st.queue, &piece{since: time.Now(), sent: make(chan struct{})})
		n++
	}
	st.queue[n-1].Moment = moment
	st.queue[n-1].closed, st.queue[n-1].last, st.ended = true, true, true
	st.stir()
}

// tip is the last segment that is not sent yet, or the number of the last that was.
func (st *stretch) tip() (*piece, int64) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if n := len(st.queue); n > 0 {
		return st.queue[n-1], 0
	}
	return st.sending, st.number
}

func (st *stretch) isBased() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.based
}

func (st *stretch) err() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.broken != nil {
		return errBroken(st, st.broken)
	}
	return nil
}

// queued is how many bytes of pages wait.
func (st *stretch) queued() (n int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, p := range st.queue {
		n += len(p.Pages) * store.PageSize
	}
	return n
}

// waits tells since when something waits. The lock is held, as for reaches.
func (st *stretch) waits() (time.Time, bool) {
	switch {
	case st.sending != nil:
		return st.sending.since, true
	case len(st.queue) > 0:
		return st.queue[0].since, true
	}
	return time.Time{}, false
}

// reaches is up to when the place has everything, where everything was taken up to a moment.
func (st *stretch) reaches(taken time.Time) time.Time {
	if _, waits := st.waits(); waits {
		return st.moment
	}
	return taken
}

// next waits for a piece; nil when ctx ends.
func (st *stretch) next(ctx context.Context) *piece {
	for {
		st.mu.Lock()
		if len(st.queue) > 0 {
			p := st.queue[0]
			st.queue, st.sending, p.closed = st.queue[1:], p, true
			st.mu.Unlock()
			return p
		}
		st.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-st.wake:
		}
	}
}

// send sends the segments, one after the other.
func (st *stretch) send(ctx context.Context) {
	defer close(st.gone)
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		st.breaks(err)
		return
	}
	defer z.Close()
	for {
		p := st.next(ctx)
		if p == nil {
			return
		}
		// Moments go on, whatever the clock does.
		h := segmentHead{
			Stretch: st.id, Number: st.number + 1, Moment: p.Moment.UTC().Truncate(time.Microsecond),
			Previous: st.hash, Last: p.last, Lists: st.lists.Load(),
		}
		if !h.Moment.After(st.moment) {
			h.Moment = st.moment.Add(time.Microsecond)
		}
		stored, err := sealSegment(h, p.Changes, st.p.seal, z)
		if err != nil {
			st.breaks(err)
			return
		}
		if !st.insist(ctx, &st.trouble, func(ctx context.Context) error {
			// A slow line takes long for much: 64 KB a second are enough.
			ctx, cancel := context.WithTimeout(ctx, putWithin+time.Duration(len(stored)>>16)*time.Second)
			defer cancel()
			return st.p.place.putSegment(ctx, h, stored)
		}) {
			return
		}
		st.mu.Lock()
		st.number, st.hash, st.moment, st.sending = h.Number, hexOf(stored), h.Moment, nil
		st.mu.Unlock()
		p.number = h.Number
		close(p.sent)
		if err := st.stillThere(ctx); err != nil {
			st.breaks(err)
			return
		}
		if p.last {
			return
		}
	}
}

const lookAgain = time.Minute

var errRemoved = errors.New("its manifest was removed at the place, which another installation may use too")

// stillThere looks now and then whether the place still has the manifest: without it, segments are worth nothing.
func (st *stretch) stillThere(ctx context.Context) error {
	if !st.isBased() || time.Since(st.looked) < st.f.lookEvery {
		return nil
	}
	st.looked = time.Now()
	if _, err := sizeIn(ctx, st.p.place.stretches, st.manifest); fault.Is(err, fault.NotFound) {
		return errRemoved
	}
	return nil
}

// breaks notes that the stretch cannot go on.
func (st *stretch) breaks(err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.broken = err
}

const (
	putWithin   = time.Minute
	longestWait = 5 * time.Second
)

// insist does something at the place until it succeeds; false when ctx ends, or when it never will.
func (st *stretch) insist(ctx context.Context, trouble *string, do func(context.Context) error) bool {
	for wait := shipEvery; ; wait = min(2*wait, longestWait) {
		err := do(ctx)
		if errors.Is(err, errForeign) {
			st.breaks(err)
			return false
		}
		st.tell(trouble, err)
		if err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(wait):
		}
	}
}

// tell notes whether the place takes what is sent; the log has one line when it does not, and one when it does again.
func (st *stretch) tell(trouble *string, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case err != nil && *trouble == "":
		st.f.Log.Warn("changes wait to be shipped", "error", err)
		*trouble = err.Error()
	case err == nil && *trouble != "":
		st.f.Log.Info("changes are shipped again")
		*trouble = ""
	}
}

var errForeign = errors.New("the place has another segment of the same number")

// putSegment stores a segment. Whether an attempt that failed did so after all is seen by its bytes.
func (p *Place) putSegment(ctx context.Context, h segmentHead, stored []byte) error {
	name := segmentName(h.Stretch, h.Number)
	_, err := p.segments.Put(ctx, name, bytes.NewReader(stored))
	if !fault.Is(err, fault.Conflict) {
		return failed(err)
	}
	there, err := readAll(ctx, p.segments, name, mostManifest)
	if err == nil && !bytes.Equal(there, stored) {
		err = errForeign
	}
	return failed(err)
}
