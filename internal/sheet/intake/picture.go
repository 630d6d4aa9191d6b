package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

const (
	// mostPictured is how many pages of a set have a picture of their title block, and picturedWithin how long it may
	// take to make them: others show their thumbnail.
	mostPictured   = 1000
	picturedWithin = 10 * time.Minute
	// titleBlockSide is how wide or high such a picture is, in pixels.
	titleBlockSide = 720
)

// picture makes pictures of the title blocks of a set that somebody looks through before it is published. Where that
// cannot be done the page has none.
func (s *shift) picture(ctx context.Context, pages []pending.Page, said []read.Sheet) error {
	if s.set.Publish {
		return nil
	}
	end := time.After(picturedWithin)
	for from := 0; from < min(len(pages), mostPictured); {
		to := from
		for to < min(len(pages), mostPictured) && pages[to].File == pages[from].File {
			to++
		}
		over, err := s.pictureFile(ctx, end, pages[from:to], said[from:to])
		if err != nil || over {
			return err
		}
		from = to
	}
	return nil
}

// pictureFile makes those of the pages of one file; over says that there is no time for others.
func (s *shift) pictureFile(ctx context.Context, end <-chan time.Time, pages []pending.Page, said []read.Sheet) (
	over bool, err error,
) {
	f := s.set.Files[pages[0].File-1]
	o, err := s.desk.Blobs.Open(ctx, f.Object)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.Close()
	in, err := s.shop.Bring(o)
	if err != nil {
		return false, err
	}
	defer in.Close()
	for i := range pages {
		if pages[i].Made.TitleBlock != "" {
			continue // an earlier attempt came so far
		}
		select {
		case <-end:
			return true, nil
		case <-s.leaving:
			return true, nil
		default:
		}
		if err := s.titleBlock(ctx, f, in, &pages[i], &said[i]); err != nil {
			return false, err
		}
		if err := in.Clear(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// titleBlock makes the picture of one page, and stores it under a name that a repetition uses again.
func (s *shift) titleBlock(ctx context.Context, f pending.File, in *drawing.File, p *pending.Page,
	said *read.Sheet,
) error {
	made, err := in.Detail(ctx, int(p.Page), titleBlockSide, titleArea(p.Made.Width, p.Made.Height, said))
	if fault.Is(err, fault.Invalid) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := s.desk.Keep(ctx, blob.Part(f.Object, fmt.Sprintf("page/%d/title", p.Page)), made.Path, "image/jpeg")
	if err != nil {
		return err
	}
	file.Name = fmt.Sprintf("%s p%d title block", f.Name, p.Page)
	p.Made.TitleBlock = file.Object
	stored, err := json.Marshal(p.Made)
	if err != nil {
		return err
	}
	return s.edit(ctx, func(tx *store.Tx) error {
		if err := upload.AddFile(tx, s.owner, file); err != nil {
			return err
		}
		if err := s.run.Outlived(tx); err != nil {
			return err
		}
		return tx.Exec(pending.SetMade, s.p.ID, s.set.UID, p.File, p.Page, stored)
	})
}

// titleArea is where a page says what it is: around its number, with title and date where they stand near it. Where no
// number was read it is the bottom right corner, in which most have it.
func titleArea(width, height float64, said *read.Sheet) drawing.Area {
	const inch = 72
	box := said.Number.Box
	if box == (read.Box{}) {
		wide, high := min(width, max(5*inch, width/4)), min(height, max(3*inch, height/5))
		return drawing.Area{X0: 1 - wide/width, Y0: 1 - high/height, X1: 1, Y1: 1}
	}
	wide, high := min(width, max(2.5*inch, width/10)), min(height, max(1.25*inch, height/16))
	for _, other := range []read.Box{said.Title.Box, said.Date.Box} {
		both := read.Box{
			X0: min(box.X0, other.X0), Y0: min(box.Y0, other.Y0), X1: max(box.X1, other.X1), Y1: max(box.Y1, other.Y1),
		}
		near := both.X1-both.X0 <= max(2*wide, width/3) &&
			both.Y1-both.Y0 <= max(2*high, height/4)
		if near && other != (read.Box{}) {
			box = both
		}
	}
	const edge = inch / 4
	x0, x1 := stretch(box.X0-edge, box.X1+edge, wide, width)
	y0, y1 := stretch(box.Y0-edge, box.Y1+edge, high, height)
	return drawing.Area{X0: x0 / width, Y0: y0 / height, X1: x1 / width, Y1: y1 / height}
}

// stretch makes a stretch at least so long, around its middle, and keeps it between 0 and a length.
func stretch(from, to, least, length float64) (float64, float64) {
	if missing := least - (to - from); missing > 0 {
		from, to = from-missing/2, to+missing/2
	}
	if from < 0 {
		from, to = 0, to-from
	}
	if to > length {
		from, to = from-(to-length), length
	}
	return max(from, 0), min(to, length)
}
