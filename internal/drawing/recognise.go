package drawing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
)

const (
	// edgeDPI is how finely the edges of a page are drawn for recognition, where its title block is, and pageDPI how
	// finely the whole page; mostEdgePixels and mostPagePixels bound both on large sheets.
	edgeDPI, mostEdgePixels = 300, 14_000_000
	pageDPI, mostPagePixels = 200, 24_000_000
	// convincing is how many legible letters at the edges show that a page lies so, and poor how few may as well be
	// accidents.
	convincing, poor = 120, 24
	// pageSeen is how long all pictures of a page may use the processor together.
	pageSeen = 45 * time.Second
	// longSeen is after how much of that all other files come before the file, as after a worker that was ended.
	longSeen = 20 * time.Second
	// leastInk is which part of a picture must be drawn on before anybody looks at it.
	leastInk = 0.0002
	// mostUnseen is after how many pages whose recognition failed no more pages of a file are tried.
	mostUnseen = 3
)

// edges are the parts of a page where title blocks are, when it lies upright: the right and the lower one.
var edges = [][4]float64{{0.72, 0, 1, 1}, {0, 0.78, 0.72, 1}}

// wholePage is all of it.
var wholePage = [4]float64{0, 0, 1, 1}

// Recognises is whether the letters of a page can be recognised on this system.
func (w *Workshop) Recognises(ctx context.Context) bool { return w.Recogniser(ctx).Program != "" }

// look is the recognition of one page.
type look struct {
	*File
	page  int
	left  time.Duration
	seen  []glance
	taken []string // answers, to be removed
}

// glance is a picture of a page, and the number of the answer about it.
type glance struct {
	scan    read.Scan
	answer  int
	legible int
}

// Recognise finds the words of a page that its file does not tell, in pictures of it. First the edges, for the title
// block, as the page lies and turned; then the whole page. Where the first succeeds and the second fails, Note says so.
// An error of the kind fault.Invalid says that there is nothing to be had.
func (f *File) Recognise(ctx context.Context, page int) (PageText, error) {
	if f.unseen >= mostUnseen {
		return PageText{}, bad("Recognition was given up after %d pages of the file on which it failed.", mostUnseen)
	}
	l := &look{File: f, page: page, left: pageSeen}
	text, err := l.whole(ctx)
	if l.left < pageSeen-longSeen {
		f.giveWay()
	}
	for _, path := range l.taken {
		err = errors.Join(err, os.Remove(path))
	}
	switch {
	case err == nil && text.Note == "":
		f.unseen = 0
	case err == nil || fault.Is(err, fault.Invalid):
		f.unseen++
	}
	return text, err
}

func (l *look) whole(ctx context.Context) (PageText, error) {
	turn, err := l.lie(ctx)
	if err != nil {
		return PageText{}, err
	}
	var note string
	if err := l.add(ctx, scanOrder{Area: wholePage, Turn: turn, DPI: pageDPI, Most: mostPagePixels}); err != nil {
		if !fault.Is(err, fault.Invalid) || len(l.seen) == 0 {
			return PageText{}, err
		}
		note = "Only the words at its edges were recognised. " + fault.Of(err).Message
	}
	text, err := l.hear(ctx)
	text.Note = note
	return text, err
}

// lie finds how the page lies, by what is legible at its edges, and keeps the glances of that.
func (l *look) lie(ctx context.Context) (turn int, err error) {
	var best []glance
	most := -1
	for _, turn := range []int{0, 270, 90, 180} {
		l.seen = nil
		for _, area := range edges {
			if err := l.add(ctx, scanOrder{
				Area: lying(area, turn), Turn: turn, DPI: edgeDPI, Most: mostEdgePixels,
			}); err != nil {
				return 0, err
			}
		}
		if len(l.seen) == 0 {
			return 0, nil // there is nothing at the edges
		}
		if _, err := l.hear(ctx); err != nil {
			return 0, err
		}
		if n := legible(l.seen); n > most {
			best, most = l.seen, n
		}
		if most >= convincing {
			break
		}
	}
	if l.seen = best; most < poor {
		l.seen = nil
		return 0, nil
	}
	turn = best[0].scan.Turn
	// On an upright page, the title block at the right may be written upwards.
	if best[0].legible < poor {
		for _, sideways := range []int{270, 90} {
			before := len(l.seen)
			if err := l.add(ctx, scanOrder{
				Area: lying(edges[0], turn), Turn: (turn + sideways) % 360, DPI: edgeDPI, Most: mostEdgePixels,
			}); err != nil {
				return 0, err
			}
			if _, err := l.hear(ctx); err != nil {
				return 0, err
			}
			if len(l.seen) == before {
				break
			}
			if l.seen[before].legible >= convincing {
				break
			}
			l.seen = l.seen[:before]
		}
	}
	return turn, nil
}

func legible(glances []glance) (n int) {
	for _, v := range glances {
		n += v.legible
	}
	return n
}

// lying is where a part of an upright page is when the page lies so that its writing goes in a direction.
func lying(a [4]float64, direction int) [4]float64 {
	switch direction {
	case 90:
		return [4]float64{1 - a[3], a[0], 1 - a[1], a[2]}
	case 180:
		return [4]float64{1 - a[2], 1 - a[3], 1 - a[0], 1 - a[1]}
	case 270:
		return [4]float64{a[1], 1 - a[2], a[3], 1 - a[0]}
	}
	return a
}

// add draws a part of the page and has the recogniser look at it. A part on which nothing is drawn is not looked at.
func (l *look) add(ctx context.Context, o scanOrder) error {
	o.Page = l.page
	var made scanned
	place, err := l.do(ctx, name(l.page), scanTask, o, &made)
	if err != nil {
		return err
	}
	made.Path = filepath.Join(place, filepath.Base(made.Path))
	defer os.Remove(made.Path) // some megabytes
	if !(made.Ink >= leastInk) {
		return nil
	}
	if l.left < time.Second {
		return bad("Its letters could not be recognised within %v.", pageSeen)
	}
	l.answers++
	answer := filepath.Join(l.folder, strconv.Itoa(l.answers))
	l.taken = append(l.taken, answer)
	spent, err := l.workshop.see(ctx, l.File, made, answer, min(l.workshop.seenWithin, l.left))
	l.left -= spent
	l.workshop.config.Log.DebugContext(ctx, "a picture was recognised", "pixels", made.Width*made.Height, "spent", spent,
		"error", err)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.workshop.config.Log.WarnContext(ctx, "the recogniser failed", "error", err)
		return l.workshop.unseen(err)
	}
	l.seen = append(l.seen, glance{scan: made.Scan, answer: l.answers})
	return nil
}

// unseen is a sentence about a page whose letters could not be recognised.
func (w *Workshop) unseen(err error) error {
	why := bad("Its letters could not be recognised.")
	if errors.Is(err, errSlow) {
		why = bad("Its letters could not be recognised within %v.", w.seenWithin)
	}
	why.Cause = err
	return why
}

// hear makes the text of all glances, and sets how legible each is.
func (l *look) hear(ctx context.Context) (PageText, error) {
	o := heardOrder{Page: l.page}
	for _, v := range l.seen {
		o.Scans, o.Answers = append(o.Scans, v.scan), append(o.Answers, v.answer)
	}
	var h heard
	place, err := l.do(ctx, name(l.page), heardTask, o, &h)
	if err != nil {
		return PageText{}, err
	}
	if len(h.Legible) != len(l.seen) {
		return PageText{}, fmt.Errorf("%w: it heard of %d pictures in place of %d", errHostile, len(h.Legible),
			len(l.seen))
	}
	for i := range l.seen {
		l.seen[i].legible = h.Legible[i]
	}
	return h.PageText.in(place), nil
}
