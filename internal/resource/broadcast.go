package resource

import (
	"context"
	"slices"
	"sync"
	"time"

	"groundwork/internal/store"
)

// A broadcast is the newest part of a project's change log, read once for all streams that follow it. It reads as long
// as anybody follows. Whoever is further behind than what it keeps reads the log alone.

const (
	// readEvery is how long what happens is gathered where much happens: a stream is written to once for all of it.
	// What comes alone is told at once. The more there was, the longer: perLine for each, up to readAtLeastEvery, which
	// ten changes within one reading reach. What was read in part is read on after readEvery.
	readEvery        = 100 * time.Millisecond
	perLine          = 40 * time.Millisecond
	readAtLeastEvery = 400 * time.Millisecond
	// keptLines and keptBytes bound what a broadcast keeps, keptFor how long it does so when nothing comes. Streams
	// take what comes within milliseconds.
	keptLines = 1000
	keptBytes = 256 << 10
	keptFor   = 2 * time.Second
	// retryRead is when a broadcast reads again after the database refused.
	retryRead = time.Second
)

// broadcasts are the projects that somebody follows.
type broadcasts struct {
	all   *Catalog
	where *presence
	mu    sync.Mutex
	open  map[*store.Project]*broadcast
}

type broadcast struct {
	all     *Catalog
	store   *store.Store
	project *store.Project
	end     context.CancelFunc
	readers int // guarded by broadcasts.mu

	mu       sync.Mutex
	records  int // how many of the readers want records
	from, to int64
	clock    int64   // of the project, when it had the sequence to
	lines    []*line // all after from, up to to
	bytes    int
	moved    chan struct{} // closed and replaced when to moves
}

// join takes part in the broadcast of a project; leave ends that.
func (all *broadcasts) join(s *store.Store, p *store.Project, records bool) (b *broadcast, leave func()) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if b = all.open[p]; b == nil {
		_, seq := p.Stamp()
		b = &broadcast{all: all.all, store: s, project: p, from: seq, to: seq, moved: make(chan struct{})}
		ctx, end := context.WithCancel(context.Background())
		b.end = end
		if all.open == nil {
			all.open = map[*store.Project]*broadcast{}
		}
		all.open[p] = b
		go b.read(ctx)
	}
	b.readers++
	b.want(records, 1)
	return b, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		b.want(records, -1)
		if b.readers--; b.readers == 0 {
			b.end()
			delete(all.open, p)
		}
	}
}

func (b *broadcast) want(records bool, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if records {
		b.records += n
	}
}

// since gives the lines after a sequence number and what they stand for; ok is false where the reader is to read them
// itself. moved is closed when there is more.
func (b *broadcast) since(after int64, records bool) (lines []*line, clock, to int64, moved <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	moved = b.moved
	if after < b.from {
		return nil, 0, 0, moved, false
	}
	i := len(b.lines)
	for i > 0 && b.lines[i-1].Seq > after {
		if i--; records && b.lines[i].Now.Doc == nil {
			return nil, 0, 0, moved, false // it was read before anybody wanted records
		}
	}
	return b.lines[i:len(b.lines):len(b.lines)], b.clock, max(after, b.to), moved, true
}

// read reads what comes until ctx ends.
func (b *broadcast) read(ctx context.Context) {
	for {
		b.mu.Lock()
		to, kept := b.to, len(b.lines) > 0
		b.mu.Unlock()
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if kept {
			waiting, cancel = context.WithTimeout(ctx, keptFor)
		}
		came := b.store.Await(waiting, b.project, to)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if !came {
			b.drop()
			continue
		}
		n, more, err := b.take(ctx, to)
		pause := gatherFor(n, more)
		if err != nil {
			pause = retryRead
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// gatherFor is how long what comes is gathered after so many lines came, and perhaps there are more.
func gatherFor(lines int, more bool) time.Duration {
	if more {
		return readEvery
	}
	return min(max(time.Duration(lines)*perLine, readEvery), readAtLeastEvery)
}

// take reads the log after a sequence number, and tells all who follow; n is how many lines there were, and more says
// that it did not read all that there is.
func (b *broadcast) take(ctx context.Context, after int64) (n int, more bool, err error) {
	b.mu.Lock()
	feed := b.store.Feed
	if b.records > 0 {
		feed = b.store.FeedRecords
	}
	b.mu.Unlock()
	var lines []*line
	bytes, read, last := 0, 0, after
	clock, seq, err := feed(ctx, b.project, after, keptLines, func(ch *store.Entry) bool {
		if read++; bytes >= keptBytes {
			more = true
			return false
		}
		last = ch.Seq
		if kind := b.all.numbered(ch.Record.Kind()); kind != nil {
			lines = append(lines, keep(kind, ch))
			bytes += lines[len(lines)-1].size()
		}
		return true
	})
	if err != nil {
		return 0, false, err
	}
	if more = more || read >= keptLines; !more {
		last = max(last, seq) // a line that is lost had its number too
	}
	b.add(lines, clock, last)
	return len(lines), more, nil
}

// add keeps the lines up to a sequence number, drops the oldest beyond what is kept, and tells all who follow. What was
// just read is kept in any case.
func (b *broadcast) add(lines []*line, clock, to int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// What was read before a record was hidden shows it still: whoever comes later reads the log, which does not.
	if slices.ContainsFunc(lines, func(l *line) bool { return l.Was != nil }) {
		b.lines, b.bytes, b.from = nil, 0, b.to
	}
	b.lines = append(b.lines, lines...)
	for _, l := range lines {
		b.bytes += l.size()
	}
	for len(b.lines) > max(keptLines, len(lines)) || b.bytes > keptBytes && len(b.lines) > len(lines) {
		b.bytes -= b.lines[0].size()
		b.from, b.lines = b.lines[0].Seq, b.lines[1:]
	}
	b.clock, b.to = clock, to
	close(b.moved)
	b.moved = make(chan struct{})
}

// drop forgets what all but the slowest have taken.
func (b *broadcast) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines, b.bytes, b.from = nil, 0, b.to
}
