package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// PageSize is the size of the pages that a Tail gives.
const PageSize = pageSize

const (
	mostTaken = 32 << 20
	mostLog   = 256 << 20
)

var (
	// ErrNoTail says that the engine has no log that can be followed.
	ErrNoTail = errors.New("store: the log of this database cannot be followed")
	// ErrTailLost is in every error after which a Tail gives nothing any more: changes are missing, or may be.
	ErrTailLost = errors.New("the log went on without being copied")

	errTailed = errors.New("store: the log is followed by somebody else")
)

// Tail follows the changes of the database page by page, for whoever keeps a copy elsewhere. It gives every commit, in
// order, from the one on with which it began. Writers do not wait for it: as long as nobody asks for the changes, the
// log grows up to a bound, and beyond that the Tail is lost.
//
// The log begins anew only where everything was copied back into the database file and no reader uses it. So a Tail
// holds two rules, under the lock engine.logs: nothing is copied back unless a transaction of its own, the pin, holds
// the log; and whoever lets the log begin anew has read it to its end before.
type Tail struct {
	engine *lite
	store  *Store
	ask    *liteConn
	pins   [2]*liteConn
	pinned int // which of the pins holds the log; -1 when none does
	file   *os.File
	at     logPlace
	taken  Changes
	lost   error

	// mostTaken is how many bytes of pages are kept for who does not ask for them; what comes after stays in the log,
	// which then does not begin anew before it has mostLog bytes.
	mostTaken, mostLog int64
	restarts           int // of the log

	// ends is the frame at which the log may begin anew, since everything before was read: where the Tail began, or
	// gave way. Whatever begins it anew elsewhere, such as another program, has lost something.
	ends int64
}

// Changes are the pages that commits have changed, each as it was after the last of them.
type Changes struct {
	// Moment is a time such that everything that was acknowledged before it is in these changes or earlier ones.
	Moment time.Time
	// Pages are by number, from 1. There are none where nothing was committed.
	Pages map[uint32][]byte
	// Size is how many pages the database has.
	Size uint32
	// Commits is how many there were.
	Commits int
	// Behind says that more was committed than was read at once; the next changes have it.
	Behind bool
}

// logPlace is how far the log was read.
type logPlace struct {
	logHeader
	frame int64     // how many frames
	sum   [2]uint32 // the checksum of the last one, from which that of the next follows
}

// logHeader is what the file of the log begins with. It has other salts each time that it begins anew.
type logHeader struct {
	known   bool
	order   bool // words are big-endian in the checksums
	number  uint32
	salt    [8]byte
	headSum [2]uint32
}

const (
	logMagic   = 0x377f0682 // with the last bit, words are big-endian
	logVersion = 3007000
	headerSize = 32
	frameHead  = 24
	frameSize  = frameHead + pageSize
	readFrames = 128 // at once
)

// Tail begins to follow the changes. There is one at a time; whoever has it closes it before the Store.
func (s *Store) Tail(ctx context.Context) (*Tail, error) {
	e, ok := s.engine.(*lite)
	if !ok {
		return nil, ErrNoTail
	}
	t := &Tail{engine: e, store: s, pinned: -1, mostTaken: mostTaken, mostLog: mostLog}
	var err error
	for _, c := range []**liteConn{&t.ask, &t.pins[0], &t.pins[1]} {
		if *c, err = openLiteConn(e.path, nil, "PRAGMA query_only=ON", "PRAGMA cache_size=-100"); err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}
	// The first read opens the log.
	if err := t.ask.run(schemaOf, nil, nil); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	// Between two commits: the writer waits, so the log does not begin anew meanwhile.
	err = s.Write(ctx, func(*Tx) error {
		e.logs.Lock()
		defer e.logs.Unlock()
		if e.tail != nil && e.tail != t {
			return errTailed
		}
		if err := t.begin(); err != nil {
			return err
		}
		e.tail = t
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Close ends the Tail. The log may begin anew as it likes.
func (t *Tail) Close() error {
	t.engine.logs.Lock()
	defer t.engine.logs.Unlock()
	t.lose(errClosed)
	var errs []error
	for _, c := range []*liteConn{t.ask, t.pins[0], t.pins[1]} {
		if c != nil {
			errs = append(errs, c.conn.Close())
		}
	}
	t.ask, t.pins = nil, [2]*liteConn{}
	if t.file != nil {
		errs = append(errs, t.file.Close())
		t.file = nil
	}
	return errors.Join(errs...)
}

// lose ends what the Tail promises. The lock is held.
func (t *Tail) lose(why error) {
	if t.lost == nil {
		t.lost = fmt.Errorf("%w: %w", ErrTailLost, why)
	}
	t.unpin()
	t.taken = Changes{}
	if t.engine.tail == t {
		t.engine.tail = nil
	}
}

// Next gives what was committed since the last call. Its error wraps ErrTailLost where changes are missing since: then
// nothing comes any more.
func (t *Tail) Next() (Changes, error) {
	t.engine.logs.Lock()
	defer t.engine.logs.Unlock()
	if t.lost != nil {
		return Changes{}, t.lost
	}
	whole, err := t.take()
	if err != nil {
		return Changes{}, err
	}
	c := t.taken
	c.Behind = !whole
	t.taken = Changes{Moment: c.Moment}
	return c, nil
}

// Cut gives the database as of one commit, and the changes up to exactly this commit. Changes may come with an error,
// too: no other call gives them again.
func (t *Tail) Cut(ctx context.Context) (snap *Snapshot, c Changes, err error) {
	err = t.store.Write(ctx, func(*Tx) (err error) {
		if snap != nil { // it is run once more
			err, snap = snap.Close(), nil
		}
		if err == nil {
			snap, err = t.store.Snapshot(context.WithoutCancel(ctx))
		}
		if err != nil {
			return err
		}
		t.engine.logs.Lock()
		defer t.engine.logs.Unlock()
		if t.lost != nil {
			return t.lost
		}
		whole, err := t.take()
		c.Merge(t.taken)
		t.taken = Changes{Moment: t.taken.Moment}
		if err == nil && !whole {
			err = errBehind
		}
		return err
	})
	if err != nil && snap != nil {
		err, snap = errors.Join(err, snap.Close()), nil
	}
	return snap, c, err
}

// Merge adds later changes.
func (c *Changes) Merge(later Changes) {
	c.Moment, c.Behind = later.Moment, later.Behind
	if len(later.Pages) == 0 {
		return
	}
	if c.Pages == nil {
		c.Pages = make(map[uint32][]byte, len(later.Pages))
	}
	for number, page := range later.Pages {
		c.Pages[number] = page
	}
	c.Size, c.Commits = later.Size, c.Commits+later.Commits
}

var errBehind = errors.New("too much was committed that is not copied yet")

// begin finds the end of the log.
func (t *Tail) begin() error {
	h, err := t.header()
	if err != nil {
		return err
	}
	log, _, err := t.ask.checkpoint("NOOP")
	t.at, t.ends, t.taken = logPlace{}, 0, Changes{Moment: t.store.now()}
	if err != nil || log == 0 { // whatever comes begins with the first frame
		return err
	}
	head := make([]byte, frameHead)
	if _, err := t.file.ReadAt(head, headerSize+(log-1)*frameSize); err != nil {
		return err
	}
	if !h.known || [8]byte(head[8:16]) != h.salt {
		return errors.New("store: the log does not end where the database says")
	}
	t.at, t.ends = logPlace{logHeader: h, frame: log, sum: sumAt(head[16:])}, log
	return nil
}

func sumAt(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// header reads what the log begins with; it is not known where there is nothing whole.
//
// The file is opened and closed freely: what this process has locked for the database are other files.
func (t *Tail) header() (h logHeader, err error) {
	if t.file == nil {
		if t.file, err = os.Open(t.engine.path + "-wal"); errors.Is(err, os.ErrNotExist) {
			t.file = nil
			return h, nil
		}
		if err != nil {
			t.file = nil
			return h, err
		}
	}
	b := make([]byte, headerSize)
	if _, err := t.file.ReadAt(b, 0); errors.Is(err, io.EOF) {
		return h, nil
	} else if err != nil {
		return h, err
	}
	magic := binary.BigEndian.Uint32(b)
	h = logHeader{
		order: magic&1 == 1, number: binary.BigEndian.Uint32(b[12:]), salt: [8]byte(b[16:24]), headSum: sumAt(b[24:]),
	}
	h.known = magic&^1 == logMagic && binary.BigEndian.Uint32(b[4:]) == logVersion &&
		binary.BigEndian.Uint32(b[8:]) == pageSize && checksum(h.order, [2]uint32{}, b[:24]) == h.headSum
	return h, nil
}

// checksum goes on with the checksum of the log over some words.
func checksum(big bool, sum [2]uint32, b []byte) [2]uint32 {
	a, c := sum[0], sum[1]
	if big {
		for ; len(b) >= 8; b = b[8:] {
			a += binary.BigEndian.Uint32(b) + c
			c += binary.BigEndian.Uint32(b[4:]) + a
		}
		return [2]uint32{a, c}
	}
	for ; len(b) >= 8; b = b[8:] {
		a += binary.LittleEndian.Uint32(b) + c
		c += binary.LittleEndian.Uint32(b[4:]) + a
	}
	return [2]uint32{a, c}
}

// take reads what was committed, up to its end unless that is very much: whole tells. Only the database itself knows
// which frames count: those of a commit that failed stand in the file, too, until others are written over them. The
// lock is held.
func (t *Tail) take() (whole bool, err error) {
	moment := t.store.now()
	var h logHeader
	var log int64
	for tries := 0; ; tries++ {
		before, err := t.header()
		if err != nil {
			return false, err
		}
		log, _, err = t.ask.checkpoint("NOOP")
		if err != nil && !errors.Is(err, errAskAgain) {
			return false, err
		}
		asked := err == nil
		if h, err = t.header(); err != nil {
			return false, err
		}
		if asked && h == before {
			break
		}
		if tries == 10 {
			return false, nil // it is looked at again soon
		}
		time.Sleep(100 * time.Microsecond)
	}
	switch {
	case log == 0:
		t.taken.Moment = moment
		return true, nil
	case !h.known:
		t.lose(errors.New("it has no header"))
		return false, t.lost
	case t.at.known && h != t.at.logHeader && h.number != t.at.number+1:
		t.lose(fmt.Errorf("it has begun anew %d times", h.number-t.at.number))
		return false, t.lost
	case t.at.known && h != t.at.logHeader && t.at.frame != t.ends:
		t.lose(errors.New("somebody else has begun it anew"))
		return false, t.lost
	case h != t.at.logHeader:
		if t.at.known {
			t.restarts++
		}
		t.ends = 0
		t.at = logPlace{logHeader: h, sum: h.headSum}
	}
	if err := t.read(log); err != nil {
		t.lose(err)
		return false, t.lost
	}
	if whole = t.at.frame == log; whole {
		t.taken.Moment = moment
	}
	return whole, nil
}

// read reads frames up to a committed one, or to an earlier commit when enough was taken.
func (t *Tail) read(log int64) error {
	if log < t.at.frame {
		return fmt.Errorf("it has %d frames, and %d were read", log, t.at.frame)
	}
	at, buf := t.at, make([]byte, 0, frameSize*min(readFrames, log-t.at.frame))
	for at.frame < log {
		if int64(len(t.taken.Pages))*pageSize > t.mostTaken && at.frame == t.at.frame {
			return nil
		}
		buf = buf[:frameSize*min(readFrames, log-at.frame)]
		if _, err := t.file.ReadAt(buf, headerSize+at.frame*frameSize); err != nil {
			return err
		}
		for rest := buf; len(rest) > 0; rest = rest[frameSize:] {
			if err := t.frame(&at, rest[:frameSize]); err != nil {
				return err
			}
		}
	}
	if t.at.frame != log {
		return fmt.Errorf("its frame %d is no commit", log)
	}
	return nil
}

// frame takes the next frame of the log.
func (t *Tail) frame(at *logPlace, frame []byte) error {
	number, size := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
	at.sum = checksum(at.order, checksum(at.order, at.sum, frame[:8]), frame[frameHead:])
	at.frame++
	if number == 0 || [8]byte(frame[8:16]) != at.salt || sumAt(frame[16:]) != at.sum {
		return fmt.Errorf("its frame %d is damaged", at.frame)
	}
	if plantedMissFrame(at.frame) {
		if size != 0 {
			t.at = *at
		}
		return nil
	}
	if t.taken.Pages == nil {
		t.taken.Pages = map[uint32][]byte{}
	}
	t.taken.Pages[number] = append([]byte(nil), frame[frameHead:]...)
	if size != 0 { // a commit
		t.taken.Size = size
		t.taken.Commits++
		t.at = *at
	}
	return nil
}

// pin has the log not begin anew, whatever is copied back of it: a transaction reads from its end. It is asked where
// something of the log is not copied back yet, or else the transaction would read from the file alone and hold nothing.
// The lock is held.
func (t *Tail) pin() bool {
	next := 0
	if t.pinned == 0 {
		next = 1
	}
	c := t.pins[next]
	if c == nil {
		return false
	}
	if err := errors.Join(c.run("BEGIN", nil, nil), c.run(schemaOf, nil, nil)); err != nil {
		_ = c.run("ROLLBACK", nil, nil)
		return false
	}
	t.unpin()
	t.pinned = next
	return true
}

func (t *Tail) unpin() {
	if t.pinned >= 0 && t.pins[t.pinned] != nil {
		_ = t.pins[t.pinned].run("ROLLBACK", nil, nil)
	}
	t.pinned = -1
}

// yield lets the log, which has so many pages, begin anew, unless that would lose something. The writer has nothing
// open, and the lock is held.
func (t *Tail) yield(log int64) bool {
	if plantedRestartEarly {
		t.unpin()
		return true
	}
	whole, err := t.take()
	switch {
	case t.lost != nil:
	case err != nil:
		t.lose(err)
	case !whole && log*pageSize < t.mostLog:
		return false
	case !whole:
		t.lose(errBehind)
	}
	t.ends = t.at.frame
	t.unpin()
	return true
}
