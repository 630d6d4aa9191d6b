package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/processor"
)

// TestTurns: who moves much while others are there does one thing at a time, and such accounts take turns; who moves
// little never waits, and neither does who is alone.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(time.Now)
		s.places, s.processors = 1, processor.NewShare(1)
		began := make(chan string, 100)
		work := func(account string, bytes int, takes time.Duration) {
			go func() {
				mine, err := s.begin(t.Context(), account)
				if err != nil {
					t.Errorf("%s: %v", account, err)
					return
				}
				began <- account
				time.Sleep(takes)
				s.end(mine, bytes, bytes)
			}()
			synctest.Wait()
		}
		all := func() (out []string) {
			for {
				select {
				case account := <-began:
					out = append(out, account)
				default:
					return out
				}
			}
		}
		for range 20 { // of whom nothing is known does one thing at a time
			work("little", 100, time.Microsecond)
			time.Sleep(time.Millisecond)
		}
		look := func(account string) mover {
			s.mu.Lock()
			defer s.mu.Unlock()
			return *s.mover(account, time.Now())
		}
		if a := look("little"); a.bytes > 10_000 || len(all()) != 20 {
			t.Fatalf("one of 100 bytes counts as %d", a.bytes)
		}
		time.Sleep(company + time.Second)
		for range 10 { // alone
			work("much", 8<<20, time.Second)
		}
		if got := all(); len(got) != 10 {
			t.Fatalf("alone on the service %d of 10 began", len(got))
		}
		time.Sleep(time.Second)
		work("little", 100, time.Millisecond)
		for range 3 {
			work("much", 8<<20, time.Second)
		}
		work("little", 100, time.Millisecond)
		work("other", mostVolume, time.Millisecond)
		time.Sleep(2 * time.Millisecond)
		work("other", 1, time.Second)
		work("little", 100, time.Millisecond)
		if got := all(); !slices.Equal(got, []string{"little", "much", "little", "other", "little"}) {
			t.Errorf("began %q", got)
		}
		time.Sleep(2900 * time.Millisecond)
		if got := all(); !slices.Equal(got, []string{"other", "much"}) {
			t.Errorf("then began %q", got)
		}
		time.Sleep(time.Minute)
		if a := look("much"); a.volume != 0 || a.under != 0 || s.running != 0 || len(s.queue) != 0 {
			t.Errorf("after a minute %d bytes count, %d are under way, %d run, %d wait", a.volume, a.under, s.running,
				len(s.queue))
		}
	})
}

// TestTurnsGiveWay: where as many wait as may, whoever moved most gives way to who moved less.
func TestTurnsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(time.Now)
		s.places, s.processors = 1, processor.NewShare(1)
		told := make(chan error, mostTurns)
		for i := range mostTurns/mostTurnsOfOne + 1 {
			account := fmt.Sprint("much", i)
			first, err := s.begin(t.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			s.end(first, volumeOfTurns+i<<20, volumeOfTurns+i<<20)
		}
		running, err := s.begin(t.Context(), "much0")
		if err != nil {
			t.Fatal(err)
		}
		for i := range mostTurns {
			go func() {
				mine, err := s.begin(t.Context(), fmt.Sprint("much", 1+i/mostTurnsOfOne))
				if err == nil {
					s.end(mine, 0, 0)
				}
				told <- err
			}()
			synctest.Wait()
		}
		if len(told) != 0 || len(s.queue) != mostTurns {
			t.Fatalf("%d wait, %d were told", len(s.queue), len(told))
		}
		newcomer := make(chan error)
		for range 2 { // of whom nothing is known does one thing at a time
			go func() {
				_, err := s.begin(t.Context(), "little")
				newcomer <- err
			}()
			synctest.Wait()
		}
		if err := <-newcomer; err != nil {
			t.Error(err)
		}
		if err := <-told; !fault.Is(err, fault.Unavailable) {
			t.Errorf("who moved most is told %v", err)
		}
		s.end(running, 0, 0)
		if err := <-newcomer; err != nil {
			t.Errorf("who moved little is told %v", err)
		}
		time.Sleep(turnWithin)
	})
}

// TestTurnsAreBounded: no more wait than may, and none for longer.
func TestTurnsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(time.Now)
		s.places, s.processors = 1, processor.NewShare(1)
		first, err := s.begin(t.Context(), "much")
		if err != nil {
			t.Fatal(err)
		}
		s.end(first, mostVolume, mostVolume)
		if _, err = s.begin(t.Context(), "little"); err != nil {
			t.Fatal(err)
		}
		if _, err = s.begin(t.Context(), "much"); err != nil {
			t.Fatal(err)
		}
		told := make(chan error, mostTurnsOfOne)
		for range mostTurnsOfOne {
			go func() {
				_, err := s.begin(t.Context(), "much")
				told <- err
			}()
		}
		synctest.Wait()
		if _, err := s.begin(t.Context(), "much"); !fault.Is(err, fault.Limited) || fault.Of(err).RetryAfter == 0 {
			t.Errorf("one more is told %v", err)
		}
		time.Sleep(turnWithin)
		for range mostTurnsOfOne {
			if err := <-told; !fault.Is(err, fault.Unavailable) || fault.Of(err).RetryAfter == 0 {
				t.Fatalf("who waited for too long is told %v", err)
			}
		}
		if len(s.queue) != 0 {
			t.Errorf("%d still wait", len(s.queue))
		}
	})
}

// TestTurnsAreHeavyWork: a turn waits until there is a place among all heavy work, and what is done in it needs no
// second one.
func TestTurnsAreHeavyWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(time.Now)
		s.places, s.processors = 1, processor.NewShare(1)
		first, err := s.begin(t.Context(), "much")
		if err != nil {
			t.Fatal(err)
		}
		s.end(first, mostVolume, mostVolume)
		if first, err = s.begin(t.Context(), "little"); err != nil || first.heavy() || s.processors.Taken() != 0 {
			t.Fatalf("who moved little: %v; heavy: %v", err, first.heavy())
		}
		leave, err := s.processors.Take(t.Context(), processor.Patience)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Second, leave)
		mine, err := s.begin(t.Context(), "much")
		if err != nil || !mine.heavy() || time.Since(began) != time.Second {
			t.Fatalf("beside other heavy work the turn came after %s: %v", time.Since(began), err)
		}
		c := &Call{r: httptest.NewRequest("GET", "/", nil), batch: &Call{turn: mine}}
		again, err := s.processors.Take(c.Context(), processor.Patience)
		if err != nil || time.Since(began) != time.Second {
			t.Fatalf("what a part of it does waited: %v", err)
		}
		again()
		s.end(mine, 0, 0)
		if s.processors.Taken() != 0 || s.running != 0 {
			t.Errorf("at the end %d places are taken, %d run", s.processors.Taken(), s.running)
		}
		gone, cancel := context.WithCancel(t.Context())
		if leave, err = s.processors.Take(t.Context(), processor.Patience); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, cancel)
		if _, err := s.begin(gone, "much"); !fault.Is(err, fault.Unavailable) || s.running != 0 {
			t.Errorf("who left is told %v; %d run", err, s.running)
		}
		leave()
	})
}

// TestListenersAreNoCompany: who moves much has all of the service as long as others only listen to events, and goes by
// turns once one of them asks for something; a listener who moves much waits for who asks.
func TestListenersAreNoCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(time.Now)
		s.places, s.processors = 1, processor.NewShare(1)
		must := func(mine *turn, err error) *turn {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return mine
		}
		s.end(must(s.begin(t.Context(), "much")), mostVolume, mostVolume)
		s.end(must(s.listen(t.Context(), "listener")), 100, 100)
		first, second := must(s.begin(t.Context(), "much")), must(s.begin(t.Context(), "much"))
		if first.placed || second.placed {
			t.Error("beside a listener, who moves much goes by turns")
		}
		s.end(first, 1, 1)
		s.end(second, 1, 1)
		s.end(must(s.listen(t.Context(), "listener")), mostVolume, mostVolume)
		mine := must(s.listen(t.Context(), "listener"))
		if !mine.placed {
			t.Error("a listener who moves much does not go by turns")
		}
		s.end(mine, 1, 1)
		s.end(must(s.begin(t.Context(), "listener")), 1, 1) // asks for something
		mine = must(s.begin(t.Context(), "much"))
		if !mine.placed {
			t.Error("beside somebody who asks, who moves much does not go by turns")
		}
		s.end(mine, 1, 1)
	})
}

// TestBatchesAreOneThing: a part of a batch counts as its batch, so that who sends batches does one thing at a time
// beside others from the first of them on, although its parts are small.
func TestBatchesAreOneThing(t *testing.T) {
	for _, c := range []struct {
		name  string
		thing func(part int) int
		waits bool
	}{
		{"small requests", func(int) int { return 50_000 }, false},
		{"parts of a batch", func(part int) int { return part * 50_000 }, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTurns(time.Now)
			begin := func(account string) *turn {
				t.Helper()
				mine, err := s.begin(t.Context(), account)
				if err != nil {
					t.Fatal(err)
				}
				return mine
			}
			s.end(begin("somebody"), 100, 100)
			for part := range 20 {
				s.end(begin("much"), 50_000, c.thing(part+1))
			}
			first, second := begin("much"), make(chan *turn)
			go func() { second <- begin("much") }()
			synctest.Wait()
			select {
			case mine := <-second:
				if c.waits {
					t.Errorf("%s: two are under way at once", c.name)
				}
				s.end(mine, 0, 0)
				s.end(first, 0, 0)
			default:
				if !c.waits {
					t.Errorf("%s: one waits for the other", c.name)
				}
				s.end(first, 0, 0)
				s.end(<-second, 0, 0)
			}
		})
	}
}
