package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A drive makes requests: next appends the next one to buf. Each connection has a source of chance of its own.
type drive func(buf []byte, chance *rand.Rand) []byte

// sample is what one turn of a probe gave.
type sample struct {
	Rate  float64 `json:"rate"` // answers per second
	CPU   float64 `json:"cpu"`  // microseconds of the server's processor time per answer
	P50   float64 `json:"p50"`  // milliseconds
	P99   float64 `json:"p99"`
	Count int     `json:"count"`
}

// anySuccess stands for every status below 300.
const anySuccess = -1

// lines opens n connections to a server and runs work on each.
func (s *server) lines(n int, work func(i int, w *wire) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			w, err := dial(s.address, s.secure)
			if err == nil {
				err = work(i, w)
				w.close()
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// closed keeps n connections busy, each with one request after the other. What was answered within the time counts; a
// start-up time before it does not.
func (s *server) closed(ctx context.Context, n int, within time.Duration, status int, next drive) (sample, error) {
	begin := time.Now().Add(within / 5)
	t := &turn{
		on: s, status: status, next: next, begin: begin, end: begin.Add(within), took: make([][]time.Duration, n),
	}
	var before, after time.Duration
	var clock sync.WaitGroup
	clock.Go(func() {
		time.Sleep(time.Until(t.begin))
		before = s.cpu()
		time.Sleep(time.Until(t.end))
		after = s.cpu()
	})
	ask := t.loop
	if s.secure {
		ask = t.wires
	}
	err := ask(ctx, n)
	clock.Wait()
	all := slices.Concat(t.took...)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s answered nothing within %s", s.name, within)
	}
	if err != nil {
		return sample{}, err
	}
	out := summary(all, within)
	out.CPU = float64((after - before).Microseconds()) / float64(len(all))
	return out, nil
}

// turn is one turn of a closed loop. One thread asks on all its connections: a second one would be woken and stopped
// beside it all the time, on the processors that the server needs too, and who answers fast would be charged for it.
type turn struct {
	on         *server
	status     int
	next       drive
	begin, end time.Time
	took       [][]time.Duration // by connection
}

// answered notes an answer to the request that was sent at a moment, and gives the moment at which it came.
func (t *turn) answered(i, status int, request []byte, sent time.Time) (time.Time, error) {
	if status != t.status && (t.status != anySuccess || status >= 300) {
		return time.Time{}, unexpected(t.on, request, status)
	}
	done := time.Now()
	if done.After(t.begin) && done.Before(t.end) {
		t.took[i] = append(t.took[i], done.Sub(sent))
	}
	return done, nil
}

// wires asks over TLS.
func (t *turn) wires(ctx context.Context, n int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return t.on.lines(n, func(i int, w *wire) error {
		chance := rand.New(rand.NewPCG(uint64(i), uint64(t.begin.UnixNano())))
		var buf []byte
		for sent := time.Now(); sent.Before(t.end); {
			buf = t.next(buf[:0], chance)
			status, err := w.do(buf, false)
			if err != nil {
				return err
			}
			if sent, err = t.answered(i, status, buf, sent); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		return nil
	})
}

// spare is how many connections an open loop has; a request that finds none free waits, and its wait counts.
const spare = 64

// open sends requests at fixed moments, whatever the answers do, and measures from the moment at which a request was
// due: a server that stands still for a second is charged for all that came due in it.
func (s *server) open(ctx context.Context, rate int, within time.Duration, status int, next drive) (sample, error) {
	n := int(float64(rate) * within.Seconds())
	due := make(chan time.Time, n)
	took := make([][]time.Duration, spare)
	ready := make(chan struct{}, spare)
	var all sync.WaitGroup
	var failed error
	all.Go(func() {
		failed = s.lines(spare, func(i int, w *wire) error {
			chance := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
			ready <- struct{}{}
			var buf []byte
			for at := range due {
				buf = next(buf[:0], chance)
				got, err := w.do(buf, false)
				if err != nil {
					return err
				}
				if got != status {
					return unexpected(s, buf, got)
				}
				took[i] = append(took[i], time.Since(at))
			}
			return nil
		})
	})
	for range spare {
		select {
		case <-ready:
		case <-time.After(time.Second):
		}
	}
	tick(ctx, n, rate, due)
	close(due)
	all.Wait()
	if failed != nil {
		return sample{}, failed
	}
	return summary(slices.Concat(took...), within), ctx.Err()
}

// tick announces n moments, 1/rate apart. It sleeps in the kernel: the runtime's own timers round up to a millisecond.
func tick(ctx context.Context, n, rate int, due chan<- time.Time) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	for i := range n {
		at := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		for wait := time.Until(at); wait > 0; wait = time.Until(at) {
			pause := unix.NsecToTimespec(int64(wait))
			_ = unix.Nanosleep(&pause, nil) // interrupted: the loop sleeps the rest
		}
		if ctx.Err() != nil {
			return
		}
		due <- at
	}
}

func summary(took []time.Duration, within time.Duration) sample {
	slices.Sort(took)
	at := func(q float64) float64 {
		if len(took) == 0 {
			return 0
		}
		return float64(took[min(len(took)-1, int(q*float64(len(took))))].Microseconds()) / 1000
	}
	return sample{Rate: float64(len(took)) / within.Seconds(), P50: at(.5), P99: at(.99), Count: len(took)}
}

func unexpected(s *server, request []byte, got int) error {
	return fmt.Errorf("%s answered %d to %.200q", s.name, got, request)
}
