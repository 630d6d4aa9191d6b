package job_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// heavy is how jobs are declared that people size.
var heavy = job.Options{Heavy: true, Parallel: 2}

// TestHeavyWorkByTurns has one account ask for fifty, then others for one each: these come next, and then it is by
// turns.
func TestHeavyWorkByTurns(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "report", job.Options{Heavy: true})
		for i := range 50 {
			s.enqueue(q, "report", task{fmt.Sprintf("a%d", i)}, job.Owner("a"))
		}
		var got []string
		one := func() {
			t.Helper()
			s.tick(q)
			b := h.next()
			got = append(got, b.name)
			b.end <- nil
			s.wait(q)
		}
		s.tick(q) // the first runs when the others ask
		b := h.next()
		s.enqueue(q, "report", task{"b0"}, job.Owner("b"))
		for i := range 3 {
			s.enqueue(q, "report", task{fmt.Sprintf("c%d", i)}, job.Owner("c"))
		}
		b.end <- nil
		s.wait(q)
		for range 7 {
			one()
		}
		if want := strings.Fields("b0 c0 a1 c1 a2 c2 a3"); !slices.Equal(got, want) {
			t.Errorf("they were begun in the order %v, want %v", got, want)
		}
		// Who comes later is no worse off for what came before, and no better than who waits.
		s.enqueue(q, "report", task{"b1"}, job.Owner("b"))
		got = nil
		one()
		one()
		if !slices.Contains(got, "b1") {
			t.Errorf("then %v were begun, without b1", got)
		}
	})
}

// TestNewcomersFirst has three accounts ask for many, and another for one: it comes next. Who comes back at once comes
// once in each round.
func TestNewcomersFirst(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "report", job.Options{Heavy: true})
		for i := range 3 {
			for _, owner := range strings.Fields("a b c") {
				s.enqueue(q, "report", task{fmt.Sprint(owner, i)}, job.Owner(owner))
				s.add(time.Millisecond)
			}
		}
		s.tick(q)
		runs := h.next() // a0; b0 and c0 are newcomers as well, and came before
		s.enqueue(q, "report", task{"z0"}, job.Owner("z"))
		var got []string
		for range 12 {
			got = append(got, runs.name)
			runs.end <- nil
			s.wait(q)
			if strings.HasPrefix(runs.name, "z") { // it comes back at once
				s.enqueue(q, "report", task{"z again"}, job.Owner("z"))
			}
			s.tick(q)
			runs = h.next()
		}
		want := []string{"a0", "b0", "c0", "z0", "z again", "a1", "b1", "c1", "a2", "b2", "c2", "z again"}
		if !slices.Equal(got, want) {
			t.Errorf("they were begun in the order %q, want %q", got, want)
		}
		runs.end <- nil
		s.wait(q)
	})
}

// TestNewcomersStarveNobody has several accounts ask for one thing whenever their last one is done, a while later:
// each is nearly always new. Who asked for many still gets a share.
func TestNewcomersStarveNobody(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "report", job.Options{Heavy: true})
		for i := range 20 {
			s.enqueue(q, "report", task{fmt.Sprint("flood", i)}, job.Owner("flood"))
		}
		others := strings.Fields("a b c d")
		for _, owner := range others {
			s.enqueue(q, "report", task{owner}, job.Owner(owner))
		}
		s.tick(q)
		counts := map[string]int{}
		for range 40 {
			runs := h.next()
			counts[strings.TrimRight(runs.name, "0123456789")]++
			s.add(7 * time.Second)
			runs.end <- nil
			s.wait(q)
			if slices.Contains(others, runs.name) {
				s.enqueue(q, "report", task{runs.name}, job.Owner(runs.name))
			}
			s.tick(q)
		}
		for _, owner := range append(others, "flood") {
			if counts[owner] < 6 || counts[owner] > 10 { // a fifth is eight
				t.Errorf("of 40 that were begun, %v", counts)
			}
		}
		h.next().end <- nil
		s.wait(q)
	})
}

// TestHeavyWorkIsFoundAmongMany holds that a job is begun quickly among very many that wait, by an index and not by
// passing over all.
func TestHeavyWorkIsFoundAmongMany(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "report", job.Options{Heavy: true})
		const most, part = 100_000, 5_000 // a statement may not take long
		for from := 0; from < most; from += part {
			err := s.first.In(store.JobsOffice).Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, owner, turn) "+
					"WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) + 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1 + $2) "+
					"SELECT 'x' || CAST(i AS TEXT), 'report', '{}', 0, 0, 0, 0, 0, 'a', i FROM n", from, part)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		s.enqueue(q, "report", task{"b"}, job.Owner("b"))
		for range 5 {
			s.end(q, h, nil)
		}
		if took := time.Since(began); took > 30*time.Second { // it takes milliseconds
			t.Errorf("five among %d took %v", most, took)
		}
	})
}

// dies begins what is due in a process that then dies: it never looks around again. It gives the names of what ran.
func (s *site) dies(h *hand, declare func(q *job.Queue), runs int) (names []string) {
	s.t.Helper()
	q := s.process()
	declare(q)
	s.tick(q)
	for range runs {
		names = append(names, h.next().name)
	}
	s.add(job.Lease + time.Second)
	return names
}

// TestTriedOnceMoreAlone has a job kill its process twice, with others beside it the first time. The others are done;
// it has failed, and people are told.
func TestTriedOnceMoreAlone(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		var told []string
		declare := func(q *job.Queue) {
			h.hold(q, "packet", heavy)
			h.hold(q, "photo", heavy)
			h.hold(q, "mail", job.Options{Parallel: 9})
			job.Died(q, "packet", func(_ context.Context, args task, _ *job.Run) error {
				told = append(told, args.Name)
				return nil
			})
		}
		front := s.process()
		declare(front)
		guilty := s.enqueue(front, "packet", task{"guilty"}, job.Owner("a"))
		s.add(time.Millisecond)
		innocent := s.enqueue(front, "photo", task{"innocent"}, job.Owner("b"))
		if names := s.dies(h, declare, 2); len(names) != 2 {
			t.Fatalf("%v ran", names)
		}
		fresh := s.enqueue(front, "photo", task{"fresh"}, job.Owner("c"))
		// The next process begins one of the two, and nothing heavy beside it; what is not heavy does not wait.
		mail := s.enqueue(front, "mail", task{"mail"})
		if names := s.dies(h, declare, 2); !slices.Contains(names, "mail") || !slices.Contains(names, "guilty") {
			t.Fatalf("%v ran", names)
		}
		h.none("beside the one that is tried alone")
		// Then the other one is tried alone; the first has failed without being begun a third time; then comes what
		// waited.
		q := s.process()
		declare(q)
		s.tick(q)
		begun := []*began{h.next(), h.next()}
		s.tick(q)
		h.none("beside the one that is tried alone")
		for _, b := range begun {
			if b.name != "mail" && b.name != "innocent" { // a mail is no heavy one: its death is an attempt
				t.Fatalf("%s was begun", b.name)
			}
			b.end <- nil
		}
		s.wait(q)
		s.is(q, innocent, job.Done, 2)
		s.work(q)
		if j := s.get(q, guilty); j.State != job.Failed || j.Error != job.ErrDied.Error() ||
			!slices.Equal(told, []string{"guilty"}) {
			t.Errorf("the guilty one is %+v, and told were %v", j, told)
		}
		s.end(q, h, nil)
		s.is(q, fresh, job.Done, 1)
		s.is(q, mail, job.Done, 2)
	})
}

// TestAStopIsNoDeath gives a job back again and again: it is begun as if for the first time.
func TestAStopIsNoDeath(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		front := s.process()
		h.hold(front, "packet", heavy)
		ids := []string{
			s.enqueue(front, "packet", task{"x"}, job.Owner("a")),
			s.enqueue(front, "packet", task{"y"}, job.Owner("b")),
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for range 4 {
			q := s.process()
			h.hold(q, "packet", heavy)
			s.tick(q)
			h.next()
			h.next() // both at a time
			if err := q.Stop(over); err != nil {
				t.Fatal(err)
			}
		}
		s.tick(front)
		for range 2 {
			h.next().end <- nil
		}
		s.wait(front)
		for _, id := range ids {
			s.is(front, id, job.Done, 1)
		}
	})
}

// TestASlowProcessIsNotDead takes back that a job's process died when it looks around again.
func TestASlowProcessIsNotDead(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		slow, quick := s.process(), s.process()
		h.hold(slow, "packet", heavy)
		h.hold(quick, "packet", heavy)
		id := s.enqueue(slow, "packet", task{"x"}, job.Owner("a"))
		s.tick(slow)
		first := h.next()
		for range 3 { // were each a death, it would fail
			s.add(job.Lease + time.Second)
			s.tick(quick)
			second := h.next()
			s.tick(slow)
			first.end <- nil
			s.wait(slow)
			first = second
			slow, quick = quick, slow
		}
		first.end <- nil
		s.wait(slow)
		s.is(slow, id, job.Done, 4)
	})
}

// TestWhatIsDoneIsOutlived has a process die again and again, while the job gets on each time.
func TestWhatIsDoneIsOutlived(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		var id string
		for range 4 {
			q := s.process()
			h.hold(q, "set", heavy)
			if id == "" {
				id = s.enqueue(q, "set", task{"x"}, job.Owner("a"))
			}
			s.tick(q)
			b := h.next()
			if err := s.first.Write(t.Context(), b.run.Outlived); err != nil {
				t.Fatal(err)
			}
			s.enqueue(q, "set", task{"y"}, job.Owner("b"))
			s.tick(q) // from then on others run beside it
			b = h.next()
			if b.name != "y" {
				t.Fatalf("%s was begun", b.name)
			}
			b.end <- nil
			until(t, func() bool { return s.get(q, b.run.ID()).State == job.Done })
			s.add(job.Lease + time.Second)
		}
		q := s.process()
		h.hold(q, "set", heavy)
		s.end(q, h, nil)
		s.is(q, id, job.Done, 5)
	})
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	await.True(t, patience, "it did not come", is)
}
