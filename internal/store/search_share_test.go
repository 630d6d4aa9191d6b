package store

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/processor"
)

// TestSearchShare fills the share of searches: an account has a bounded number under way, those that searched least go
// first, and accounts whose searches take long leave places to the others.
func TestSearchShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSearching(6, time.Now)
		s.processors = processor.NewShare(1)
		if s.places != 2 || s.heavy != 1 {
			t.Fatalf("of 6 connections searches have %d, long ones %d", s.places, s.heavy)
		}
		began := make(chan string, 100)
		search := func(account string, takes time.Duration) {
			go func() {
				end, err := s.begin(t.Context(), account)
				if err != nil {
					t.Errorf("%s: %v", account, err)
					return
				}
				began <- account
				time.Sleep(takes)
				end()
			}()
			synctest.Wait()
		}
		next := func() string {
			select {
			case account := <-began:
				return account
			default:
				return ""
			}
		}
		for range mostOfAccount {
			search("long", time.Second)
		}
		if a, b, c := next(), next(), next(); a != "long" || b != "long" || c != "" {
			t.Fatalf("began %q, %q, %q; the share has two places", a, b, c)
		}
		_, err := s.begin(t.Context(), "long")
		if !fault.Is(err, fault.Limited) || fault.Of(err).RetryAfter == 0 {
			t.Errorf("one more of the account is told %v", err)
		}
		search("short", time.Millisecond) // comes last, and is one of the next two, whichever of them says so first
		time.Sleep(time.Second)
		synctest.Wait()
		if a, b := next(), next(); a == b || a != "short" && b != "short" {
			t.Errorf("began %q and %q", a, b)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if a := next(); a != "" {
			t.Errorf("%q began a second search while others may need the place", a)
		}
		search("short", time.Millisecond)
		if a := next(); a != "short" {
			t.Errorf("began %q beside a long search", a)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if a := next(); a != "long" || s.running != 0 || s.runningHeavy != 0 || len(s.queue) != 0 {
			t.Errorf("began %q; %d run, %d of them long, %d wait", a, s.running, s.runningHeavy, len(s.queue))
		}
		time.Sleep(time.Minute)
		if a := s.account("long"); a.under != 0 || a.spent >= heavyFrom {
			t.Errorf("after two minutes %d are under way and %s counts", a.under, a.spent)
		}
	})
}

// TestLongSearchesAreHeavyWork: a search of an account whose searches take long waits for a place among all heavy work,
// and no other does.
func TestLongSearchesAreHeavyWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSearching(6, time.Now)
		s.processors = processor.NewShare(1)
		search := func(account string, takes time.Duration) (waited time.Duration) {
			t.Helper()
			began := time.Now()
			end, err := s.begin(t.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			waited = time.Since(began)
			time.Sleep(takes)
			end()
			return waited
		}
		search("long", time.Second)
		leave, err := s.processors.Take(t.Context(), processor.Patience)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, leave)
		if waited := search("short", time.Millisecond); waited != 0 {
			t.Errorf("a short search waited for %s", waited)
		}
		if waited := search("long", time.Second); waited < 900*time.Millisecond {
			t.Errorf("a long one waited for %s beside other heavy work", waited)
		}
		if s.processors.Taken() != 0 || s.running != 0 || s.runningHeavy != 0 {
			t.Errorf("at the end %d places are taken, %d searches run", s.processors.Taken(), s.running)
		}
	})
}

// TestSearchQueue bounds how many searches wait, and for how long.
func TestSearchQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSearching(1, time.Now)
		s.processors = processor.NewShare(1)
		end, err := s.begin(t.Context(), "first")
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan error, mostSearches)
		for i := range mostSearches {
			go func() {
				_, err := s.begin(t.Context(), string(rune('A'+i)))
				told <- err
			}()
		}
		synctest.Wait()
		_, err = s.begin(t.Context(), "one more")
		if f := fault.Of(err); f.Kind != fault.Unavailable || f.RetryAfter == 0 {
			t.Errorf("one more than may wait is told %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := newSearching(1, time.Now).begin(gone, "gone"); err != nil {
			t.Errorf("a free place is refused: %v", err)
		}
		time.Sleep(searchWaits)
		for range mostSearches {
			if err := <-told; !fault.Is(err, fault.Unavailable) || fault.Of(err).RetryAfter == 0 {
				t.Fatalf("who waited for too long is told %v", err)
			}
		}
		end()
		if s.running != 0 || len(s.queue) != 0 {
			t.Errorf("%d run, %d wait", s.running, len(s.queue))
		}
	})
}

// TestWaitingIsNoSearch: what a search waits for a place among all heavy work is not held against its account, which
// would be held back for as long as others have the places, however little it searches.
func TestWaitingIsNoSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSearching(6, time.Now)
		s.processors = processor.NewShare(1)
		search := func(takes time.Duration) {
			t.Helper()
			end, err := s.begin(t.Context(), "typing")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(takes)
			end()
		}
		search(2 * heavyFrom) // once
		leave, err := s.processors.Take(t.Context(), processor.Patience)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		for range 10 {
			search(time.Millisecond)
		}
		if spent := s.accounts["typing"].spent; spent >= heavyFrom {
			t.Errorf("after ten searches of a millisecond, %s are held against the account", spent)
		}
	})
}
