package api

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/processor"
)

// Rate limits count requests, not what they move: forty pages of large records a second, or batches of fifty parts,
// take all processors from everybody else. So bytes are counted too. An account that moved much lately, or does many
// large things at once, goes on by turns while another one is there as well: it does one thing at a time, a part of a
// batch for instance, and all such accounts together have half of the processors. Alone on the service it has all of
// it.

const (
	// volumeOfTurns is from how many bytes on an account goes by turns; each second forgives volumeForgiven of them. A
	// program that fetches forty usual pages a second moves 3 MB.
	volumeOfTurns, volumeForgiven = 16 << 20, 4 << 20
	// bytesAtOnce is how many bytes the things that an account does at once may have together, before the next one
	// waits for its turn: each counts as the account's lately had on average, a part of a batch besides as what the
	// batch has moved so far. Of an account of which nothing is known it is one thing.
	bytesAtOnce = 256 << 10
	// lately is over how many things that average reaches.
	lately = 4
	// mostVolume is the most that is held against somebody: it is forgiven within 15 seconds.
	mostVolume = 60 << 20
	// volumeOfOne is what every request and part counts besides its bytes.
	volumeOfOne = 16 << 10
	// readingCosts is how many times the work of an answer's byte a byte is that is read and checked.
	readingCosts = 4
	// mostTurns is how many may wait for their turn, mostTurnsOfOne of one account; turnWithin is for how long.
	mostTurns, mostTurnsOfOne = 256, 32
	turnWithin                = 10 * time.Second
	// company is for how long an account counts as being there after a request.
	company = 2 * time.Second
)

// turns is what is known of how much accounts move.
type turns struct {
	places     int // of accounts that go by turns
	now        func() time.Time
	processors *processor.Share

	mu       sync.Mutex
	running  int
	queue    []*turn // in order of arrival
	accounts map[string]*mover
	last     [2]presence // the last two accounts that asked for something
}

type presence struct {
	account string
	at      time.Time
}

// mover is an account that moved something lately.
type mover struct {
	volume  int64
	bytes   int64     // of one thing, on average
	at      time.Time // when that was so
	under   int       // its calls that run or wait, of all that count
	batches int64     // what the batches have moved of which a part is among those
	running bool      // it has its turn
}

// turn is a call, or a part of a batch, of an account.
type turn struct {
	account *mover
	batch   int64         // what its batch has moved before it
	placed  bool          // it takes a place among those that go by turns
	leave   func()        // gives back its place among all heavy work
	come    chan struct{} // closed when the turn comes
	refused bool          // or when another one got its place
}

// heavy tells whether the turn has a place among all heavy work.
func (t *turn) heavy() bool { return t != nil && t.leave != nil }

func newTurns(now func() time.Time) *turns {
	return &turns{
		places: max(1, runtime.GOMAXPROCS(0)/2), now: now, processors: processor.Heavy, accounts: map[string]*mover{},
	}
}

// begin waits for the turn of an account that asks for something, where it goes by turns; end must be called after it.
// Of a part of a batch it is told what the batch has moved so far.
// fault.Limited where the account has too many that wait, fault.Unavailable where there are too many or this one waited
// for too long.
func (t *turns) begin(ctx context.Context, account string, batch int) (*turn, error) {
	return t.await(ctx, account, int64(batch), true)
}

// listen is begin for who only listens, to a stream of events that is up to date: whoever asks for something meanwhile
// is as good as alone, since there is nothing that a listener waits for.
func (t *turns) listen(ctx context.Context, account string) (*turn, error) {
	return t.await(ctx, account, 0, false)
}

func (t *turns) await(ctx context.Context, account string, batch int64, asks bool) (*turn, error) {
	t.mu.Lock()
	now := t.now()
	a := t.mover(account, now)
	if asks {
		t.meet(account, now)
	}
	alone := t.alone(account, now)
	mine := &turn{account: a, batch: batch}
	atOnce := int64(a.under+1)*a.bytes + a.batches + batch
	if plantedNoTurns || alone || a.volume < volumeOfTurns && atOnce <= bytesAtOnce {
		mine.enter()
		t.mu.Unlock()
		return mine, nil
	}
	waiting := 0
	for _, w := range t.queue {
		if w.account == a {
			waiting++
		}
	}
	if waiting >= mostTurnsOfOne || len(t.queue) >= mostTurns && !t.giveWay(a) {
		t.mu.Unlock()
		return nil, turnRefused(waiting >= mostTurnsOfOne)
	}
	mine.enter()
	mine.placed, mine.come = true, make(chan struct{})
	t.queue = append(t.queue, mine)
	t.next()
	t.mu.Unlock()
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	var err error
	select {
	case <-mine.come:
		if mine.refused {
			return nil, turnRefused(false)
		}
		return t.run(ctx, mine)
	case <-ctx.Done():
		err = fault.Busy(ctx.Err())
	case <-late.C:
		err = turnRefused(false)
	}
	t.mu.Lock()
	if i := slices.Index(t.queue, mine); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		mine.exit()
		mine.refused = true
	}
	t.mu.Unlock()
	if mine.refused {
		return nil, err
	}
	return t.run(ctx, mine) // its turn came at the last moment
}

// run begins a turn that has come, with a place among all heavy work.
func (t *turns) run(ctx context.Context, mine *turn) (*turn, error) {
	leave, err := t.processors.Take(ctx, processor.Patience)
	if err != nil {
		t.mu.Lock()
		t.leave(mine)
		t.mu.Unlock()
		return nil, fault.Busy(err)
	}
	mine.leave = leave
	return mine, nil
}

// giveWay refuses the last of those who wait that belongs to whoever moved most, where that is more than another
// account did, which gets the place; the caller holds the lock.
func (t *turns) giveWay(to *mover) bool {
	most := -1
	for i, w := range t.queue {
		if most < 0 || w.account.volume >= t.queue[most].account.volume {
			most = i
		}
	}
	if most < 0 || t.queue[most].account.volume <= to.volume {
		return false
	}
	w := t.queue[most]
	t.queue = slices.Delete(t.queue, most, most+1)
	w.exit()
	w.refused = true
	close(w.come)
	return true
}

func turnRefused(own bool) error {
	e := fault.Busy(nil)
	e.RetryAfter = busyRetry
	if own {
		e.Kind = fault.Limited
		e.Message = "This account has moved much data lately, and too many of its requests wait for their turn. Please wait until they are answered."
	}
	return e
}

// enter and exit count a turn among what its account does at once; the caller holds the lock.
func (t *turn) enter() {
	t.account.under++
	t.account.batches += t.batch
}

func (t *turn) exit() {
	t.account.under--
	t.account.batches -= t.batch
}

// end ends a turn in which so many bytes were moved.
func (t *turns) end(mine *turn, bytes int) {
	if mine.leave != nil {
		mine.leave()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := mine.account
	a.forgive(t.now())
	a.volume = min(a.volume+int64(bytes)+volumeOfOne, mostVolume)
	a.bytes += (int64(bytes) - a.bytes) / lately
	t.leave(mine)
}

// leave gives the place of a turn to the next; the caller holds the lock.
func (t *turns) leave(mine *turn) {
	mine.exit()
	if mine.placed {
		mine.account.running = false
		t.running--
		t.next()
	}
}

// next gives free places to those who have none and moved least; the caller holds the lock.
func (t *turns) next() {
	for t.running < t.places {
		best := -1
		for i, w := range t.queue {
			if !w.account.running && (best < 0 || w.account.volume < t.queue[best].account.volume) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w := t.queue[best]
		t.queue = slices.Delete(t.queue, best, best+1)
		t.running++
		w.account.running = true
		close(w.come)
	}
}

// meet notes that an account is there; the caller holds the lock.
func (t *turns) meet(account string, now time.Time) {
	if t.last[0].account != account {
		t.last[1] = t.last[0]
	}
	t.last[0] = presence{account, now}
}

// alone tells whether no other account is there; the caller holds the lock.
func (t *turns) alone(account string, now time.Time) bool {
	return !slices.ContainsFunc(t.last[:], func(p presence) bool {
		return p.account != "" && p.account != account && now.Sub(p.at) <= company
	})
}

// mover gives what is known of an account, and forgets those of whom there is nothing to know; the caller holds the
// lock.
func (t *turns) mover(uid string, now time.Time) *mover {
	const mostKnown = 1024
	a := t.accounts[uid]
	if a == nil {
		if len(t.accounts) >= mostKnown {
			for uid, a := range t.accounts {
				if a.forgive(now); a.under == 0 && a.volume == 0 {
					delete(t.accounts, uid)
				}
			}
		}
		a = &mover{at: now, bytes: bytesAtOnce}
		t.accounts[uid] = a
	}
	a.forgive(now)
	return a
}

func (a *mover) forgive(now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.volume = max(0, a.volume-int64(passed.Seconds()*volumeForgiven))
	}
	a.at = now
}
