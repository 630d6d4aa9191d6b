package api

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
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
				mine, err := s.begin(t.Context(), account, 0)
				if err != nil {
					t.Errorf("%s: %v", account, err)
					return
				}
				began <- account
				time.Sleep(takes)
				s.end(mine, bytes)
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
			first, err := s.begin(t.Context(), account, 0)
			if err != nil {
				t.Fatal(err)
			}
			s.end(first, volumeOfTurns+i<<20)
		}
		running, err := s.begin(t.Context(), "much0", 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mostTurns {
			go func() {
				mine, err := s.begin(t.Context(), fmt.Sprint("much", 1+i/mostTurnsOfOne), 0)
				if err == nil {
					s.end(mine, 0)
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
				_, err := s.begin(t.Context(), "little", 0)
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
		s.end(running, 0)
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
		first, err := s.begin(t.Context(), "much", 0)
		if err != nil {
			t.Fatal(err)
		}
		s.end(first, mostVolume)
		if _, err = s.begin(t.Context(), "little", 0); err != nil {
			t.Fatal(err)
		}
		if _, err = s.begin(t.Context(), "much", 0); err != nil {
			t.Fatal(err)
		}
		told := make(chan error, mostTurnsOfOne)
		for range mostTurnsOfOne {
			go func() {
				_, err := s.begin(t.Context(), "much", 0)
				told <- err
			}()
		}
		synctest.Wait()
		if _, err := s.begin(t.Context(), "much", 0); !fault.Is(err, fault.Limited) || fault.Of(err).RetryAfter == 0 {
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
		first, err := s.begin(t.Context(), "much", 0)
		if err != nil {
			t.Fatal(err)
		}
		s.end(first, mostVolume)
		if first, err = s.begin(t.Context(), "little", 0); err != nil || first.heavy() || s.processors.Taken() != 0 {
			t.Fatalf("who moved little: %v; heavy: %v", err, first.heavy())
		}
		leave, err := s.processors.Take(t.Context(), processor.Patience)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Second, leave)
		mine, err := s.begin(t.Context(), "much", 0)
		if err != nil || !mine.heavy() || time.Since(began) != time.Second {
			t.Fatalf("beside other heavy work the turn came after %s: %v", time.Since(began), err)
		}
		c := &Call{r: httptest.NewRequest("GET", "/", nil), batch: &Call{turn: mine}}
		again, err := s.processors.Take(c.Context(), processor.Patience)
		if err != nil || time.Since(began) != time.Second {
			t.Fatalf("what a part of it does waited: %v", err)
		}
		again()
		s.end(mine, 0)
		if s.processors.Taken() != 0 || s.running != 0 {
			t.Errorf("at the end %d places are taken, %d run", s.processors.Taken(), s.running)
		}
		gone, cancel := context.WithCancel(t.Context())
		if leave, err = s.processors.Take(t.Context(), processor.Patience); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, cancel)
		if _, err := s.begin(gone, "much", 0); !fault.Is(err, fault.Unavailable) || s.running != 0 {
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
		s.end(must(s.begin(t.Context(), "much", 0)), mostVolume)
		s.end(must(s.listen(t.Context(), "listener")), 100)
		first, second := must(s.begin(t.Context(), "much", 0)), must(s.begin(t.Context(), "much", 0))
		if first.placed || second.placed {
			t.Error("beside a listener, who moves much goes by turns")
		}
		s.end(first, 1)
		s.end(second, 1)
		s.end(must(s.listen(t.Context(), "listener")), mostVolume)
		mine := must(s.listen(t.Context(), "listener"))
		if !mine.placed {
			t.Error("a listener who moves much does not go by turns")
		}
		s.end(mine, 1)
		s.end(must(s.begin(t.Context(), "listener", 0)), 1) // asks for something
		mine = must(s.begin(t.Context(), "much", 0))
		if !mine.placed {
			t.Error("beside somebody who asks, who moves much does not go by turns")
		}
		s.end(mine, 1)
	})
}

// TestBatchesAreOneThing: a part of a batch counts as its batch, so that who sends batches does one thing at a time
// beside others, although its parts are small; what else the account does is not held back by it afterwards, and makes
// it count no less.
func TestBatchesAreOneThing(t *testing.T) {
	const part, small = 20_000, 2_000
	for _, c := range []struct {
		name   string
		before func(t *testing.T, s *turns, one func(batch, bytes int))
		first  int
		second int
		waits  bool
	}{
		{"small requests", func(*testing.T, *turns, func(int, int)) {}, 0, 0, false},
		{"parts of batches that begin", func(*testing.T, *turns, func(int, int)) {}, 2 * part, 2 * part, false},
		{"parts of batches that go on", func(*testing.T, *turns, func(int, int)) {}, 14 * part, 14 * part, true},
		{"a request beside a large batch", func(*testing.T, *turns, func(int, int)) {}, 20 * part, 0, true},
		{"small requests between the parts", func(_ *testing.T, _ *turns, one func(int, int)) {
			for i := range 20 {
				one(i*part, part)
				for range 4 {
					one(0, small)
				}
			}
		}, 20 * part, 20 * part, true},
		{"small requests after a batch", func(_ *testing.T, _ *turns, one func(int, int)) {
			for i := range 50 {
				one(i*part, part)
			}
		}, 0, 0, false},
		{"who was refused a place among heavy work", func(t *testing.T, s *turns, one func(int, int)) {
			for range 10 {
				one(0, 300_000)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			taken, err := s.processors.Take(t.Context(), processor.Patience)
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				if _, err := s.begin(gone, "much", bytesAtOnce); err == nil {
					t.Error("it has a place that another one has")
				}
			}
			taken()
		}, 0, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTurns(time.Now)
			s.places, s.processors = 1, processor.NewShare(1)
			begin := func(account string, batch int) *turn {
				mine, err := s.begin(t.Context(), account, batch)
				if err != nil {
					t.Error(err)
				}
				return mine
			}
			s.end(begin("somebody", 0), 100)
			for range 20 {
				s.end(begin("much", 0), small)
			}
			c.before(t, s, func(batch, bytes int) { s.end(begin("much", batch), bytes) })
			first, second := begin("much", c.first), make(chan *turn)
			go func() { second <- begin("much", c.second) }()
			synctest.Wait()
			at := s.mover("much", time.Now())
			select {
			case mine := <-second:
				if c.waits {
					t.Errorf("%s: two are under way at once", c.name)
				}
				s.end(mine, 0)
				s.end(first, 0)
			default:
				if !c.waits {
					t.Errorf("%s: one waits for the other", c.name)
				}
				s.end(first, 0)
				s.end(<-second, 0)
			}
			if at.under != 0 || at.batches != 0 {
				t.Errorf("%s: at the end %d are under way, with %d bytes of batches", c.name, at.under, at.batches)
			}
		})
	}
}

// TestPartsCountAsTheirBatch sends a batch, and looks at what counts while its last part is answered.
func TestPartsCountAsTheirBatch(t *testing.T) {
	var e *Edge
	var counts int64
	e = newEdge(t, testConfig(), []Route{route("GET", "/look", does(func(c *Call) error {
		e.turns.mu.Lock()
		counts = 0
		for _, a := range e.turns.accounts {
			counts += a.batches
		}
		e.turns.mu.Unlock()
		return c.SendJSON(200, "looked")
	}))})
	const parts = 20
	w, got := batch(t, e, "["+strings.Repeat(`{"method":"GET","path":"/look"},`, parts-1)+`{"method":"GET","path":"/look"}]`)
	if w.Code != 200 || len(got) != parts || got[parts-1].StatusCode != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if least := int64(parts-1) * volumeOfOne; counts < least {
		t.Errorf("with its last part a batch of %d counts %d bytes, and should %d", parts, counts, least)
	}
	if call(e, "GET", "/look", "", "Authorization", basic(keyAdmin)); counts != 0 {
		t.Errorf("after the batch it still counts %d bytes", counts)
	}
}
