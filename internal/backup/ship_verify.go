package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"groundwork/internal/store"
)

// Compared is what was found when a stretch was restored and compared.
type Compared struct {
	// Moment is what was compared.
	Moment   time.Time
	Segments int64
	Rows     int64
	// Missing is how many files that the rows name were not at the place.
	Missing int
}

// Compare restores the stretch that is being shipped into a folder that is then removed, compares it with the live
// database as of exactly the same commit, row by row, and reads all files at the place to their ends.
func (s *Shipper) Compare(ctx context.Context, progress func(int)) (done Compared, err error) {
	at, err := s.cutWhenBased(ctx)
	if err != nil {
		return done, err
	}
	live, err := digest(ctx, at.snap)
	if err = errors.Join(err, at.snap.Close()); err != nil {
		return done, err
	}
	if at.segment != nil {
		select {
		case <-at.segment.sent:
			at.number = at.segment.number
		case <-at.stretch.gone:
			return done, errors.New("the stretch ended before it could be compared")
		case <-ctx.Done():
			return done, context.Cause(ctx)
		}
	}
	place, err := s.Place(ctx)
	if err != nil {
		return done, err
	}
	all, _, err := place.Stretches(ctx)
	if err != nil {
		return done, err
	}
	i := slices.IndexFunc(all, func(o Stretch) bool { return o.ID == at.stretch.id })
	if i < 0 {
		return done, errors.New("the stretch is not at the place")
	}
	folder, err := os.MkdirTemp(s.Spool, "backup-check-*")
	if err != nil {
		return done, err
	}
	defer os.RemoveAll(folder)
	c := &chosen{Stretch: all[i], upTo: at.number}
	r, err := place.replaying(ctx, c, s.Secret, folder, progress)
	if err != nil {
		return done, err
	}
	if r.stopped != "" {
		return done, fmt.Errorf("what was shipped from %s on is not whole: %s", Moment(c.From), r.stopped)
	}
	done = Compared{Moment: r.head.Moment, Segments: at.number, Rows: r.head.Rows, Missing: len(r.Missing)}
	if err := differ(live, r.Tables); err != nil {
		return done, err
	}
	damaged, err := unusable(ctx, r.fileParts(ctx), func(string) error { return nil })
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("%d files at the place are damaged, the first one: %s", len(damaged), damaged[0])
	}
	return done, err
}

// cutWhenBased waits for a base, and cuts.
func (s *Shipper) cutWhenBased(ctx context.Context) (cutAt, error) {
	for {
		c := &cut{ctx: ctx, reply: make(chan cutAt, 1)}
		select {
		case s.cuts <- c:
		case <-s.ended:
			return cutAt{}, errors.New("nothing is shipped any more")
		case <-ctx.Done():
			return cutAt{}, context.Cause(ctx)
		}
		at := <-c.reply
		if !errors.Is(at.err, errNoBase) {
			return at, at.err
		}
		select {
		case <-ctx.Done():
			return cutAt{}, context.Cause(ctx)
		case <-time.After(askAgain):
		}
	}
}

// digest cuts all rows of a snapshot into chunks and keeps their hashes.
func digest(ctx context.Context, snap *store.Snapshot) (all []table, err error) {
	for _, t := range snap.Tables() {
		into := table{Name: t.Name, Columns: columnsOf(t)}
		cut := cutter{each: func(content []byte, rows int64) error {
			into.Chunks = append(into.Chunks, chunk{SHA256: hashOf(content), Bytes: int64(len(content)), Rows: rows})
			into.Rows += rows
			return nil
		}}
		err := snap.Each(ctx, t, func(row *store.Cols) error { return cut.add(t, row) })
		if err == nil {
			err = cut.end()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, into)
	}
	return all, nil
}

// differ says where two states of a database are not the same.
func differ(want, got []table) error {
	if len(want) != len(got) {
		return fmt.Errorf("it has %d tables instead of %d", len(got), len(want))
	}
	for i, t := range want {
		same := func(a, b chunk) bool { return a.SHA256 == b.SHA256 && a.Bytes == b.Bytes && a.Rows == b.Rows }
		if t.Name != got[i].Name || t.Columns != got[i].Columns || !slices.EqualFunc(t.Chunks, got[i].Chunks, same) {
			return fmt.Errorf("the table %s differs: %d rows, and %d in the database", t.Name, got[i].Rows, t.Rows)
		}
	}
	return nil
}

// VerifyShipped restores, into a folder that is then removed, what was shipped up to a moment, and says what is wrong
// with it, a line each. Found is false where nothing was shipped.
func (p *Place) VerifyShipped(ctx context.Context, at time.Time, s Secret, progress func(int),
) (h Head, segments int64, wrong []string, found bool, err error) {
	c, err := p.chooseStretch(ctx, at)
	if err != nil || c == nil {
		return h, 0, nil, false, err
	}
	folder, err := os.MkdirTemp("", "groundwork-*")
	if err != nil {
		return h, 0, nil, true, err
	}
	defer os.RemoveAll(folder)
	r, err := p.replaying(ctx, c, s, filepath.Clean(folder), progress)
	if err != nil {
		return h, 0, []string{err.Error()}, true, nil
	}
	if r.stopped != "" {
		wrong = append(wrong, r.stopped)
	}
	for _, l := range r.Missing {
		wrong = append(wrong, fmt.Sprintf("the file %s %s", l.Name, l.Why))
	}
	damaged, err := unusable(ctx, r.fileParts(ctx), func(string) error { return nil })
	progress(100)
	return r.head, c.upTo, append(wrong, damaged...), true, err
}
