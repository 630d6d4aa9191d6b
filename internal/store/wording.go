package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// On SQLite a change of the text index takes longer than all the rest of a write, and for one record nearly as long as for a hundred. So the words of
// a record wait in a table of their own until they are filed, many at a time and beside other writes. A search looks at both.

const (
	awaitFiling  = "INSERT OR REPLACE INTO wording (record, text) VALUES ($1, $2)"
	waitingWords = "SELECT record, text FROM wording WHERE record >= $1 AND record < $2"
	nextWords    = "SELECT record, text FROM wording ORDER BY record LIMIT 32"
	fileWords    = "INSERT OR REPLACE INTO words (rowid, text) VALUES ($1, $2)"
	filedWords   = "DELETE FROM wording WHERE record >= $1 AND record <= $2"

	mostFiled = 32 // a few milliseconds, for which writes wait
	fileEvery = 50 * time.Millisecond
	// Where more than rush words were stored since the last look, writes go first, until mostWaiting wait, of which a search takes some milliseconds to
	// look at all.
	rush        = 16
	mostWaiting = 4096
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
		if rushed(before, s.waiting.Load()) {
			continue
		}
		for s.waiting.Load() > 0 {
			n, err := s.file(context.Background())
			if err != nil && !errors.Is(err, errClosed) {
				s.log.Warn("words wait to be filed for searches", "error", err)
			}
			if n < mostFiled || err != nil || s.busy() {
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
	return len(s.lanes) > 0 || s.closed
}

// file files up to mostFiled records and tells how many.
func (s *Store) file(ctx context.Context) (n int, err error) {
	type entry struct {
		record int64
		text   string
	}
	var waiting int64
	err = s.Write(ctx, func(tx *Tx) error {
		waiting = s.waiting.Load() // writes are serial here: what is counted by now is there to be seen, or was taken back
		var all []entry
		err := tx.Query(nextWords, nil, func(c *Cols) error {
			all = append(all, entry{c.Int(0), c.Text(1)})
			return nil
		})
		if n = len(all); err != nil || n == 0 {
			return err
		}
		for _, e := range all {
			if err := tx.Exec(fileWords, e.record, e.text); err != nil {
				return err
			}
		}
		return tx.Exec(filedWords, all[0].record, all[n-1].record)
	})
	switch {
	case err != nil:
	case n < mostFiled: // that was all
		s.waiting.Add(-waiting)
	default: // there may be more, even more than it knows of
		s.waiting.Add(-min(mostFiled, waiting-1))
	}
	return n, err
}

// unfiled reads which records of a kind wait, and which of them have a word that begins with each of terms. It must be read before what is filed:
// a record that is filed meanwhile is then found by what it had here.
func unfiled(p *Project, kind Kind, terms []string, waits, has *roaring.Bitmap) statement {
	from, to := span(p.ID, kind)
	return statement{waitingWords, []any{from, to}, func(c *Cols) error {
		ordinal, words := ID(c.Int(0)).Ordinal(), " "+c.Text(1)
		waits.Add(ordinal)
		for _, term := range terms {
			if !strings.Contains(words, " "+term) {
				return nil
			}
		}
		has.Add(ordinal)
		return nil
	}}
}
