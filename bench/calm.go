package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// On a shared machine others take the processor away, for a tenth of a second or for minutes, and the disk too. What
// was measured then says how they fared. The kernel of a virtual machine counts the processor time that was taken;
// whether the disk is shared, a few writes show that wait for it. A turn from which much was taken is measured again,
// and one that waits for the disk begins when that is at its ease, whoever's turn it is. So does one of an open loop
// for the processor: of its slowest requests a single stall makes many.
const (
	calm      = 0.05             // the share of the wanted time that may be taken
	mostTurns = 3                // of one measurement; the calmest counts
	patience  = 10 * time.Minute // for all repetitions of a run
	atEase    = 20 * time.Minute // is how long all turns of a run together wait for the disk and the processor
	slower    = 4                // times as long as the best that was seen is how long the disk may take
	// the share of all time that may be taken from a turn in which few requests are asked for, with much or little
	// beside them
	still = 0.005
)

// taken is what the measurements had to bear.
type taken struct {
	Turns    int           `json:"turns"`
	Repeated int           `json:"repeated"`
	Rough    int           `json:"rough"`  // counted though more than calm was taken
	Worst    float64       `json:"worst"`  // share that was taken from a turn that counted
	Spent    time.Duration `json:"spent"`  // on repetitions
	Waited   time.Duration `json:"waited"` // for the disk and the processor
	Asked    int           `json:"asked"`  // turns of lists while drawings are read, and while nothing is done
	Still    int           `json:"still"`  // those of them that count
}

func (t *taken) add(more taken) {
	t.Turns += more.Turns
	t.Repeated += more.Repeated
	t.Rough += more.Rough
	t.Worst = max(t.Worst, more.Worst)
	t.Spent += more.Spent
	t.Waited += more.Waited
	t.Asked += more.Asked
	t.Still += more.Still
}

// needs are what a turn must have to itself when it begins.
type needs struct{ disk, processor bool }

// calmly measures, again where the processor was taken away meanwhile, or the disk if that matters, and gives what was
// measured in the calmest turn.
func calmly[T any](ctx context.Context, r *rig, need needs, measure func() (T, error)) (best T, err error) {
	least := 2.0
	t := &r.results.Taken
	for turn := range mostTurns {
		if err := r.await(ctx, need); err != nil {
			return best, err
		}
		began, before := time.Now(), readTimes()
		got, err := measure()
		if err != nil {
			return got, err
		}
		if turn > 0 {
			t.Repeated++
			t.Spent += time.Since(began)
		}
		share, _ := before.since()
		if need.disk {
			disk, err := r.diskTaken()
			if err != nil {
				return got, err
			}
			share = max(share, disk)
		}
		if share < least {
			best, least = got, share
		}
		if least <= calm || t.Spent > patience {
			break
		}
	}
	if t.Turns++; least > calm {
		t.Rough++
	}
	t.Worst = max(t.Worst, least)
	return best, nil
}

// await waits until others leave alone what a turn needs.
func (r *rig) await(ctx context.Context, need needs) error {
	t := &r.results.Taken
	for began, before := time.Now(), t.Waited; t.Waited < atEase; t.Waited = before + time.Since(began) {
		if share, err := r.beset(need); err != nil || share <= calm {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

// beset gives the share that others take of what a turn needs.
func (r *rig) beset(need needs) (share float64, err error) {
	if need.disk {
		if share, err = r.diskTaken(); err != nil {
			return 0, err
		}
	}
	if need.processor {
		share = max(share, processorTaken())
	}
	return share, nil
}

// processorTaken keeps all cores busy for a third of a second, and gives the share of that which others took.
func processorTaken() float64 {
	before := readTimes()
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			for began := time.Now(); time.Since(began) < time.Second/3; {
				continue
			}
		})
	}
	all.Wait()
	share, _ := before.since()
	return share
}

// diskTaken waits for the disk again and again for a fifth of a second, and gives the share of that beyond what it may
// take.
func (r *rig) diskTaken() (float64, error) {
	const times = 64
	f, err := os.OpenFile(filepath.Join(r.folder, "disk"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	page := make([]byte, 4096)
	var took time.Duration
	for i := range int64(times) {
		time.Sleep(3 * time.Millisecond)
		began := time.Now()
		if _, err := f.WriteAt(page, i*2*int64(len(page))); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took += time.Since(began)
	}
	took /= times
	if r.quickest == 0 || took < r.quickest {
		r.quickest = took
	}
	return max(0, 1-float64(slower*r.quickest)/float64(took)), nil
}

// pair is how many seconds the bare libraries took for something, and the service right after them.
type pair struct{ bare, took float64 }

func (r *rig) pair(ctx context.Context, bare, service func() (time.Duration, error)) (pair, error) {
	return calmly(ctx, r, needs{}, func() (pair, error) {
		alone, err := bare()
		if err != nil {
			return pair{}, err
		}
		took, err := service()
		return pair{alone.Seconds(), took.Seconds()}, err
	})
}

// times are the machine's processor times, in ticks: what was used, what nobody wanted, and what others took while it
// was wanted.
type times struct{ used, idle, taken float64 }

// readTimes reads them from the kernel; where it does not tell, nothing is ever taken.
func readTimes() (t times) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t
	}
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		n, _ := strconv.ParseFloat(field, 64) // the first is a name
		switch i {
		case 1, 2, 3, 6, 7: // user, nice, system, interrupts
			t.used += n
		case 4, 5: // idle, waiting for a disk
			t.idle += n
		case 8:
			t.taken += n
		}
	}
	return t
}

// since gives what others took since then, as a share of the time that was wanted and of all time.
func (t times) since() (wanted, all float64) {
	now := readTimes()
	used, idle, taken := now.used-t.used, now.idle-t.idle, now.taken-t.taken
	return taken / max(used+taken, 1), taken / max(used+idle+taken, 1)
}
