package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/processor"
)

// A search can take as long as it is given, a page of a list takes a fraction of a millisecond. So searches have a
// share of the connections, and lists always find another; within the share, accounts whose searches took long have
// half, and whoever searched least goes first.

const (
	// mostOfAccount is how many searches of one account may run or wait: a page that searches while somebody types has
	// one or two under way.
	mostOfAccount = 4
	// mostSearches is how many searches may wait, of all accounts together.
	mostSearches = 64
	// searchWaits is how long a search waits for its turn.
	searchWaits = 5 * time.Second
	// heavyFrom is from how much time on an account's searches count as long. Each second forgives a part of it: what
	// somebody who types makes in that time.
	heavyFrom   = 250 * time.Millisecond
	forgiven    = 50 * time.Millisecond
	mostCharged = 5 * time.Second // nobody is held back for longer than what this takes to forgive

	// What a search may take of the database. Words that begin others are looked for first, of which there may be
	// millions; where that takes longer than beginsWithin, only the words themselves are, of which each is one list of
	// records. The greatest projects that we measure need a fraction of either.
	beginsWithin = 250 * time.Millisecond
	wholeWithin  = time.Second
)

// searching is the share of searches.
type searching struct {
	places, heavy int // how many may run at once; of accounts whose searches take long
	begins, whole time.Duration
	now           func() time.Time
	processors    *processor.Share

	mu           sync.Mutex
	running      int
	runningHeavy int
	queue        []*search // in order of arrival
	accounts     map[string]*searcher
}

// searcher is an account that searched lately.
type searcher struct {
	under int           // its searches that run or wait
	spent time.Duration // by its searches, less what is forgiven
	at    time.Time     // when that was so
}

// search is one that waits, or runs.
type search struct {
	account *searcher
	heavy   bool
	began   time.Time
	turn    chan struct{} // closed when its turn comes
}

func newSearching(connections int, now func() time.Time) *searching {
	places := (connections + 2) / 3
	return &searching{
		places: places, heavy: max(1, places/2), begins: beginsWithin, whole: wholeWithin, now: now,
		processors: processor.Heavy, accounts: map[string]*searcher{},
	}
}

// begin waits for the turn of an account's search; end must be called after it. fault.Limited where the account has too
// many under way, fault.Unavailable where too many wait, or this one waited for too long.
func (s *searching) begin(ctx context.Context, account string) (end func(), err error) {
	s.mu.Lock()
	a := s.account(account)
	if a.under >= mostOfAccount {
		s.mu.Unlock()
		return nil, &fault.Error{
			Kind: fault.Limited, RetryAfter: time.Second,
			Message: "Too many searches of this account are under way. Please wait until they are answered.",
		}
	}
	if len(s.queue) >= mostSearches {
		s.mu.Unlock()
		return nil, tooManySearch()
	}
	mine := &search{account: a, turn: make(chan struct{})}
	a.under++
	s.queue = append(s.queue, mine)
	s.next()
	s.mu.Unlock()
	select {
	case <-mine.turn:
		return s.run(ctx, mine)
	default:
	}
	late := time.NewTimer(searchWaits)
	defer late.Stop()
	select {
	case <-mine.turn:
		return s.run(ctx, mine)
	case <-ctx.Done():
		err = fault.Busy(ctx.Err())
	case <-late.C:
		err = tooManySearch()
	}
	s.mu.Lock()
	if i := slices.Index(s.queue, mine); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		a.under--
		s.mu.Unlock()
		return nil, err
	}
	s.mu.Unlock()
	return s.run(ctx, mine) // its turn came at the last moment
}

// run begins a search whose turn has come. One that takes long needs a place among all heavy work.
func (s *searching) run(ctx context.Context, mine *search) (end func(), err error) {
	if !mine.heavy {
		return func() { s.end(mine) }, nil
	}
	leave, err := s.processors.Take(ctx, processor.Patience)
	s.mu.Lock()
	mine.began = s.now() // what it waited is not what it took
	s.mu.Unlock()
	if err != nil {
		s.end(mine)
		return nil, fault.Busy(err)
	}
	return func() {
		leave()
		s.end(mine)
	}, nil
}

func tooManySearch() error {
	return &fault.Error{
		Kind: fault.Unavailable, RetryAfter: 2 * time.Second,
		Message: "Too many people search right now. Please try again in a moment.",
	}
}

// next gives free places to those whose accounts have spent least; the caller holds the lock.
func (s *searching) next() {
	for s.running < s.places {
		best := -1
		for i, w := range s.queue {
			if w.account.spent >= heavyFrom && s.runningHeavy >= s.heavy {
				continue
			}
			if best < 0 || w.account.spent < s.queue[best].account.spent {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w := s.queue[best]
		s.queue = slices.Delete(s.queue, best, best+1)
		w.began, w.heavy = s.now(), w.account.spent >= heavyFrom
		s.running++
		if w.heavy {
			s.runningHeavy++
		}
		close(w.turn)
	}
}

func (s *searching) end(w *search) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if w.heavy {
		s.runningHeavy--
	}
	w.account.under--
	now := s.now()
	w.account.forgive(now)
	w.account.spent = min(w.account.spent+now.Sub(w.began), mostCharged)
	s.next()
}

// account gives what is known of an account, and forgets those of whom there is nothing to know; the caller holds the
// lock.
func (s *searching) account(uid string) *searcher {
	const mostKnown = 1024
	now := s.now()
	if len(s.accounts) >= mostKnown {
		for uid, a := range s.accounts {
			if a.forgive(now); a.under == 0 && a.spent == 0 {
				delete(s.accounts, uid)
			}
		}
	}
	a := s.accounts[uid]
	if a == nil {
		a = &searcher{at: now}
		s.accounts[uid] = a
	}
	a.forgive(now)
	return a
}

func (a *searcher) forgive(now time.Time) {
	if passed := now.Sub(a.at); passed > 0 {
		a.spent = max(0, a.spent-time.Duration(passed.Seconds()*float64(forgiven)))
	}
	a.at = now
}
