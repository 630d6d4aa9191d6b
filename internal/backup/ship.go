package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"groundwork/internal/store"
)

const (
	// shipEvery is how often what was committed is sent. Together with the time that a place takes for an object it is
	// what a lost disk costs.
	shipEvery = 250 * time.Millisecond
	// tryAgain is how long the next attempt waits to begin a base after one has failed.
	tryAgain = 5 * time.Second
	// endWithin is how long a stop waits for the last segment.
	endWithin = 5 * time.Second
	// mostQueued is how many bytes of pages wait in memory for a place that does not answer; the log holds the rest.
	mostQueued = 32 << 20
	// recentPut is how long an object may be stored before the row that names it is.
	recentPut = 10 * time.Minute
)

// Shipping says what is shipped, and where.
type Shipping struct {
	Source
	// Place opens the place.
	Place  func(context.Context) (*Place, error)
	Secret Secret
	// Renew is how often a new stretch is begun.
	Renew time.Duration
	Log   *slog.Logger

	lookEvery time.Duration // lookAgain, but for tests
}

// Shipper sends all changes of an installation to a place as they are committed, and begins a new stretch from time to
// time. Nobody waits for it: as long as the place does not answer, the changes wait, and beyond a bound the stretch
// ends, and a new one begins when it answers again.
type Shipper struct {
	Shipping
	cuts  chan *cut
	halt  context.CancelFunc
	ended chan struct{}

	mu     sync.Mutex
	begun  time.Time  // when it was
	active []*stretch // the oldest first
	recent []recent
	taken  time.Time // up to when everything that was committed was given to the stretches
	state  ShipState // but for what the stretches know
}

type recent struct {
	object
	at time.Time
}

// ShipState is what is known of a Shipper.
type ShipState struct {
	// Begun is when shipping was; Since is from when on any moment can be restored, zero before the first base is
	// complete.
	Begun, Since time.Time
	// Sent is a time such that everything that was acknowledged before is at the place.
	Sent time.Time
	// Base says that a base is being made.
	Base bool
	// Waits is since when something waits to be sent; zero where nothing does.
	Waits time.Time
	// Looked is when all files of the newest base were found: Files is how many wait to be sent, the ones under way and
	// those that came since included. While Looked is zero nobody knows how many do.
	Looked time.Time
	Files  int
	// Failed says why nothing is sent at present; empty where all is well.
	Failed string
}

// Ship begins to ship; Stop ends it. Its blobs must be a Holding, or else files are sent with each new base only.
func Ship(c Shipping) *Shipper {
	c.lookEvery = cmp.Or(c.lookEvery, lookAgain)
	ctx, halt := context.WithCancel(context.Background())
	s := &Shipper{Shipping: c, cuts: make(chan *cut), halt: halt, ended: make(chan struct{}), begun: time.Now()}
	if held, is := c.Blobs.(*Holding); is {
		held.tell(s.put)
	}
	go s.run(ctx)
	return s
}

// Stop sends what is left, as far as the place answers soon, and ends.
func (s *Shipper) Stop() {
	if held, is := s.Blobs.(*Holding); is {
		held.tell(nil)
	}
	s.halt()
	<-s.ended
}

// State tells how it is.
func (s *Shipper) State() ShipState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Begun = s.begun
	for _, st := range s.active {
		st.mu.Lock()
		if since, is := st.waits(); is && (state.Waits.IsZero() || since.Before(state.Waits)) {
			state.Waits = since
		}
		for _, trouble := range []string{st.trouble, st.fileTrouble} {
			if state.Failed == "" {
				state.Failed = trouble
			}
		}
		if st.based {
			state.Since, state.Sent = st.from, st.reaches(s.taken)
		}
		if !st.found.IsZero() { // two stretches that follow each other wait for the same files
			state.Looked, state.Files = st.found, max(state.Files, len(st.files)+st.bringing)
		}
		st.mu.Unlock()
	}
	return state
}

func (s *Shipper) run(ctx context.Context) {
	defer close(s.ended)
	for ctx.Err() == nil {
		err := s.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		s.failed(err)
		select {
		case <-ctx.Done():
		case <-time.After(tryAgain):
		}
	}
}

// failed notes why nothing is shipped; the log has one line for each reason.
func (s *Shipper) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := ""
	if err != nil {
		said = err.Error()
	}
	if said != "" && said != s.state.Failed {
		s.Log.Error("changes are not shipped; this is tried again", "error", said)
	}
	s.state.Failed = said
}

// put notes a file that was stored.
func (s *Shipper) put(o object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.recent = slices.DeleteFunc(s.recent, func(r recent) bool { return now.Sub(r.at) > recentPut })
	s.recent = append(s.recent, recent{o, now})
	for _, st := range s.active {
		st.addFiles(o)
	}
}

// follower is a Shipper with the tail that it follows.
type follower struct {
	*Shipper
	tail      *store.Tail
	prepared  chan *prepared
	based     chan *stretch
	preparing bool      // a stretch is being begun
	due       time.Time // when the next one begins
	senders   sync.WaitGroup
	sending   context.Context //nolint:containedctx // of all stretches; ends after the last segment
}

// follow ships for as long as the log can be followed.
func (s *Shipper) follow(ctx context.Context) (err error) {
	tail, err := s.Store.Tail(ctx)
	if err != nil {
		return err
	}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &follower{Shipper: s, tail: tail, prepared: make(chan *prepared), based: make(chan *stretch), sending: sending}
	defer func() {
		stop()
		var dropping sync.WaitGroup
		dropping.Go(f.drop)
		f.senders.Wait()
		close(f.prepared)
		dropping.Wait() // no claim stays behind
		s.mu.Lock()
		s.active, s.state.Base = nil, false
		s.mu.Unlock()
		err = errors.Join(err, tail.Close())
	}()
	tick := time.NewTicker(shipEvery)
	defer tick.Stop()
	for {
		if !f.preparing && time.Now().After(f.due) {
			f.prepare()
		}
		select {
		case <-ctx.Done():
			f.finish()
			return nil
		case <-tick.C:
			_, err = f.next(false)
		case c := <-s.cuts:
			err = f.cut(c)
		case p := <-f.prepared:
			err = f.begin(p)
		case st := <-f.based:
			f.rebase(st)
		}
		if err != nil {
			return err
		}
	}
}

// drop takes what nobody waits for any more, so that whoever sends it can end.
func (f *follower) drop() {
	for {
		select {
		case p, open := <-f.prepared:
			if !open {
				return
			}
			p.release()
		case st := <-f.based:
			st.p.release()
		}
	}
}

// next takes what was committed and gives it to the stretches. With all it goes on until nothing is left to take.
func (f *follower) next(all bool) (moment time.Time, err error) {
	var c store.Changes
	for {
		queued := 0
		for _, st := range f.active {
			queued = max(queued, st.queued())
			if err := st.err(); err != nil {
				return moment, err
			}
		}
		if queued > mostQueued && !all {
			return moment, nil
		}
		if c, err = f.tail.Next(); err != nil {
			return moment, err
		}
		f.give(c, false)
		if !c.Behind {
			return c.Moment, nil
		}
		if !all {
			return moment, nil
		}
	}
}

// give queues changes for all stretches.
func (f *follower) give(c store.Changes, bound bool) {
	for _, st := range f.active {
		st.add(c, bound)
	}
	if !c.Behind && !c.Moment.IsZero() {
		f.mu.Lock()
		f.taken = c.Moment
		f.mu.Unlock()
	}
}

// begin begins a stretch. Whatever is committed from here on is in it: its base is read later than the changes begin,
// which does no harm, since a page is changed by being replaced.
func (f *follower) begin(p *prepared) (err error) {
	retry := func(err error) {
		p.release()
		f.failed(err)
		f.preparing, f.due = false, time.Now().Add(tryAgain)
	}
	if p.err != nil {
		retry(p.err)
		return nil
	}
	if _, err := f.next(true); err != nil {
		p.release()
		return err
	}
	st := newStretch(f, p)
	f.mu.Lock()
	f.active = append(f.active, st)
	for _, r := range f.recent {
		st.addFiles(r.object)
	}
	f.mu.Unlock()
	snap, err := f.Store.Snapshot(f.sending)
	if err != nil {
		f.leave(st)
		retry(err)
		return nil
	}
	// Everything that the base has, and was committed since the stretch began, comes in its first segment.
	moment, err := f.next(true)
	if err != nil {
		p.release()
		return errors.Join(err, snap.Close())
	}
	st.from = moment.UTC().Truncate(time.Microsecond)
	if st.bound() {
		st.ready = 1
	}
	f.mu.Lock()
	f.state.Base = true
	f.mu.Unlock()
	f.senders.Go(func() { st.send(f.sending) })
	f.senders.Go(func() { st.base(f.sending, snap) })
	return nil
}

// leave takes a stretch out of those that get changes.
func (f *follower) leave(st *stretch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = slices.DeleteFunc(slices.Clone(f.active), func(o *stretch) bool { return o == st })
}

// rebase notes that the base of a stretch is complete, or could not be made. With it, the stretch before ends.
func (f *follower) rebase(st *stretch) {
	f.preparing = false
	f.mu.Lock()
	f.state.Base = false
	f.mu.Unlock()
	if st.failed != nil {
		f.leave(st)
		st.end(f.taken)
		f.failed(st.failed)
		f.due = time.Now().Add(tryAgain)
		return
	}
	for _, o := range slices.Clone(f.active) {
		if o != st {
			f.leave(o)
			o.end(f.taken)
		}
	}
	st.mu.Lock()
	st.based = true
	st.mu.Unlock()
	f.senders.Go(func() { st.sendFiles(f.sending) })
	f.failed(nil)
	f.due = time.Now().Add(f.Renew)
	f.Log.Info("changes are shipped as they are committed", "stretch", st.id, "from", Moment(st.from), "pages", st.pages,
		"sent", st.p.maker.made.Sent)
}

// finish sends what is left.
func (f *follower) finish() {
	if _, err := f.next(true); err != nil {
		f.Log.Warn("the last changes were not shipped", "error", err)
		return
	}
	end := time.After(endWithin)
	for _, st := range f.active {
		st.end(f.taken)
	}
	for _, st := range f.active {
		select {
		case <-st.gone:
		case <-end:
			f.Log.Warn("the last changes were not shipped: the place did not take them in time")
			return
		}
	}
}

// cut asks for a stretch that ends exactly where a snapshot is.
type cut struct {
	ctx   context.Context //nolint:containedctx // of who asks
	reply chan cutAt
}

// cutAt is a snapshot, and the segment with which a stretch has the same.
type cutAt struct {
	snap    *store.Snapshot
	stretch *stretch
	segment *piece
	number  int64 // where there is no segment to wait for
	err     error
}

var errNoBase = errors.New("no base is complete yet")

func (f *follower) cut(c *cut) error {
	st := f.current()
	if st == nil {
		c.reply <- cutAt{err: errNoBase}
		return nil
	}
	snap, changes, err := f.tail.Cut(c.ctx)
	f.give(changes, true)
	if err != nil {
		c.reply <- cutAt{err: err}
		if errors.Is(err, store.ErrTailLost) {
			return err
		}
		return nil
	}
	at := cutAt{snap: snap, stretch: st}
	at.segment, at.number = st.tip()
	c.reply <- at
	return nil
}

// current is the newest stretch whose base is complete.
func (f *follower) current() *stretch {
	for _, st := range slices.Backward(f.active) {
		if st.isBased() {
			return st
		}
	}
	return nil
}

// errBroken is what is said of a stretch whose chain cannot go on.
func errBroken(st *stretch, why error) error {
	return fmt.Errorf("what was shipped from %s on has come to an end: %w", Moment(st.from), why)
}
