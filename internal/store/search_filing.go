package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// On SQLite a change of the text index takes longer than all the rest of a write, and for one record nearly as long as
// for a hundred. So the words of a record wait in a table of their own until they are filed, many at a time and beside
// other writes. A search looks at both.

const (
	awaitFiling  = "INSERT OR REPLACE INTO wording (record, text) VALUES ($1, $2)"
	waitingWords = "SELECT record, text FROM wording WHERE record >= $1 AND record < $2"
	nextWords    = "SELECT record, text FROM wording ORDER BY record LIMIT 32"
	fileWords    = "INSERT OR REPLACE INTO words (rowid, text) VALUES ($1, $2)"
	filedWords   = "DELETE FROM wording WHERE record >= $1 AND record <= $2"

	mostFiled = 32 // a few milliseconds, for which writes wait
	fileEvery = 50 * time.Millisecond
	// Where more than rush words were stored since the last look, writes go first, until mostWaiting wait, of which a
	// search takes some milliseconds to look at all.
	rush        = 16
	mostWaiting = 4096
	// Long texts are counted by their bytes too: from mostWaitingBytes on they are filed however many write, and of one
	// kind a search looks at mostLooked.
	mostWaitingBytes = 4 << 20
	mostLooked       = 2 * mostWaitingBytes
	// mostFiledBytes is how much one write files beyond its first record: some milliseconds, for which others wait.
	mostFiledBytes = 1 << 14
)

// keepFiling files what waits until stop is closed.
func (s *Store) keepFiling() {
	tick := time.NewTicker(fileEvery)
	defer tick.Stop()
	for before := int64(0); ; before = s.waiting.Load() {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		if rushed(before, s.waiting.Load()) && s.waitingBytes.Load() < mostWaitingBytes {
			continue
		}
		for s.waiting.Load() > 0 {
			all, err := s.file(context.Background())
			if err != nil && !errors.Is(err, errClosed) {
				s.log.Warn("words wait to be filed for searches", "error", err)
			}
			if all || err != nil || s.leaves() || s.busy() && s.waitingBytes.Load() < mostWaitingBytes {
				break
			}
		}
	}
}

// rushed tells whether filing can wait until fewer write.
func rushed(before, waiting int64) bool { return waiting-before > rush && waiting < mostWaiting }

// busy tells whether somebody writes.
func (s *Store) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lanes) > 0
}

// leaves tells whether the database is being closed.
func (s *Store) leaves() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// file files up to mostFiled records, and of long texts fewer; all tells that nothing is left.
func (s *Store) file(ctx context.Context) (all bool, err error) {
	type entry struct {
		record int64
		text   string
	}
	s.filing.Lock() // two in one group would count the same records
	defer s.filing.Unlock()
	err = s.Write(ctx, func(tx *Tx) error {
		// Writes are serial here: what is counted by now is there to be seen, or was taken back.
		waiting, waitingBytes, bytes := s.waiting.Load(), s.waitingBytes.Load(), int64(0)
		var next []entry
		err := tx.Query(nextWords, nil, func(c *Cols) error {
			if bytes >= mostFiledBytes {
				return errEnough
			}
			next = append(next, entry{c.Int(0), c.Text(1)})
			bytes += int64(len(next[len(next)-1].text))
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		n := len(next)
		if all = err == nil && n < mostFiled; all {
			tx.After(func() { s.waiting.Add(-waiting); s.waitingBytes.Add(-waitingBytes) })
		} else { // there may be more, even more than it knows of
			tx.After(func() { s.waiting.Add(-min(int64(n), waiting-1)); s.waitingBytes.Add(-min(bytes, waitingBytes)) })
		}
		for _, e := range next {
			if err := tx.Exec(fileWords, e.record, e.text); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
		return tx.Exec(filedWords, next[0].record, next[n-1].record)
	})
	return all && err == nil, err
}

// unfiled are the records of a kind whose words wait, and which of them have all terms.
type unfiled struct {
	terms      []term
	waits, has roaring.Bitmap
	looked     int  // bytes
	cut        bool // more wait than a search looks at
}

// statement reads them. It must be read before what is filed: a record that is filed meanwhile is then found by what it
// had here.
func (u *unfiled) statement(p *Project, kind Kind) statement {
	from, to := span(p.ID, kind)
	return statement{waitingWords, []any{from, to}, func(c *Cols) error {
		ordinal := ID(c.Int(0)).Ordinal()
		u.waits.Add(ordinal)
		if u.cut = u.looked >= mostLooked; u.cut {
			return nil // what it was found by before is not what it has now
		}
		words := " " + c.Text(1) + " "
		u.looked += len(words)
		for _, t := range u.terms {
			text := " " + t.text
			if !t.begins {
				text += " "
			}
			if !strings.Contains(words, text) {
				return nil
			}
		}
		u.has.Add(ordinal)
		return nil
	}}
}
