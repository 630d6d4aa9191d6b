package durability

import (
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
)

// block is the unit that a disk writes whole.
const block = 4096

// disk is a disk as a power cut sees it: what was flushed is safe, what was written since is there afterwards or not,
// block by block.
type disk struct {
	image  *os.File // what is safe
	size   int64
	random *rand.Rand

	mu    sync.Mutex
	cond  sync.Cond
	cache map[int64][][]byte // by block, everything that it was given since the last flush
	until int                // requests until the cut; 0 when none is meant to come
	power int
	after map[int64][]byte // what of the cache will be found after the cut

	diskCounts
}

// diskCounts are what happened to a disk.
type diskCounts struct {
	writes  int // blocks
	flushes int
	exposed int // blocks that were not flushed when the power was cut
	dropped int // of these, the ones that are not as they were written last
	harmful int // cuts that dropped something
}

// The power is on, or off so that nobody gets an answer, or gone for good as far as those are concerned who still
// write: they are answered, and nothing of it counts.
const (
	powerOn = iota
	powerOff
	powerGone
)

func newDisk(image *os.File, random *rand.Rand) (*disk, error) {
	info, err := image.Stat()
	if err != nil {
		return nil, err
	}
	d := &disk{image: image, size: info.Size(), random: random, cache: map[int64][][]byte{}}
	d.cond.L = &d.mu
	return d, nil
}

// enter waits while the power is off, and returns with the lock held.
func (d *disk) enter() {
	d.mu.Lock()
	if d.until > 0 && d.power == powerOn {
		if d.until--; d.until == 0 {
			d.cut()
		}
	}
	for d.power == powerOff {
		d.cond.Wait()
	}
}

func (d *disk) read(into []byte, at int64) (n int, err error) {
	d.enter()
	defer d.mu.Unlock()
	if n, err = d.image.ReadAt(into, at); err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	into = into[:n]
	for len(into) > 0 {
		off := at % block
		part := min(len(into), int(block-off))
		if all := d.cache[at/block]; len(all) > 0 {
			copy(into[:part], all[len(all)-1][off:])
		}
		into, at = into[part:], at+int64(part)
	}
	return n, nil
}

func (d *disk) write(data []byte, at int64) error {
	d.enter()
	defer d.mu.Unlock()
	for len(data) > 0 {
		off := at % block
		part := min(len(data), int(block-off))
		fresh := make([]byte, block)
		if all := d.cache[at/block]; len(all) > 0 {
			copy(fresh, all[len(all)-1])
		} else if part < block {
			if _, err := d.image.ReadAt(fresh, at-off); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		copy(fresh[off:], data[:part])
		d.cache[at/block] = append(d.cache[at/block], fresh)
		d.writes++
		data, at = data[part:], at+int64(part)
	}
	return nil
}

// flush makes everything safe that was written.
func (d *disk) flush() error {
	d.enter()
	defer d.mu.Unlock()
	if d.power == powerGone {
		return nil
	}
	d.flushes++
	last := make(map[int64][]byte, len(d.cache))
	for at, all := range d.cache {
		last[at] = all[len(all)-1]
	}
	return d.keep(last)
}

// keep makes some blocks safe and forgets all that is not.
func (d *disk) keep(blocks map[int64][]byte) error {
	for at, data := range blocks {
		if _, err := d.image.WriteAt(data, at*block); err != nil {
			return err
		}
	}
	clear(d.cache)
	return nil
}

// cut takes the power, and decides what was still written: sometimes nothing, sometimes all, mostly a part.
func (d *disk) cut() {
	share := min(1, max(0, d.random.Float64()*1.4-0.2))
	d.power, d.until, d.after = powerOff, 0, map[int64][]byte{}
	before := d.dropped
	for _, at := range slices.Sorted(maps.Keys(d.cache)) {
		all := d.cache[at]
		d.exposed++
		survivor := -1
		for i := range all {
			if d.random.Float64() < share {
				survivor = i
			}
		}
		if survivor >= 0 {
			d.after[at] = all[survivor]
		}
		if survivor != len(all)-1 {
			d.dropped++
		}
	}
	if d.dropped > before {
		d.harmful++
	}
}

// cutAfter has the power cut at the n-th request from now.
func (d *disk) cutAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = n
}

// cutNow cuts the power unless that has happened.
func (d *disk) cutNow() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.power == powerOn {
		d.cut()
	}
}

// isCut tells whether the power is off.
func (d *disk) isCut() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.power != powerOn
}

// abandon answers whoever waited when the power went. It is called when everybody is dead who could draw conclusions
// from an answer.
func (d *disk) abandon() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.power = powerGone
	d.cond.Broadcast()
}

// restore gives the power back: the disk is as the cut left it.
func (d *disk) restore() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.power = powerOn
	return d.keep(d.after)
}
