package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/sheet/pagetext"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

const (
	// readAtOnce is how many sets a process reads at once; how many pages are worked on at once, the workshop bounds.
	readAtOnce   = 2
	readAttempts = 30
	// readShift is how long a job reads before another one goes on, so that sets take turns, and that what went well is
	// not counted among its attempts.
	readShift = 2 * time.Minute
	// mostSetPages is how many pages a set may have: they are published in one change.
	mostSetPages = 10_000
	// mostBadPages is how many pages in a row may not be readable before a file is given up: each may have cost a
	// minute.
	mostBadPages = 10
	// thumbnailSide is how wide or high a thumbnail is, in pixels.
	thumbnailSide = 512
)

// work reads a set as far as it gets in its shift. What cannot be done in all attempts ends with a sentence that an
// Admin reads.
func (r *readers) work(ctx context.Context, a assignment, run *job.Run) error {
	p, err := r.store.Project(ctx, a.Project)
	if err != nil {
		return err
	}
	err = r.read(drawing.For(ctx, run.Owner()), p, a, run)
	if err != nil && ctx.Err() == nil && run.Attempt() >= readAttempts {
		failed := r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			return tx.Exec(pending.SetState, p.ID, a.Set, pending.StateFailed,
				"The service could not read the set; its log says why. Upload it again when that is mended.")
		})
		if failed != nil {
			return failed
		}
		return job.Permanent{Err: err}
	}
	return err
}

// giveUp ends a set with which the service stopped twice at the same page, or once where the page then took too long.
func (r *readers) giveUp(ctx context.Context, a assignment, run *job.Run) error {
	p, err := r.store.Project(ctx, a.Project)
	if err != nil {
		return err
	}
	v, err := pending.Find(pending.Outside(ctx, r.store, p), p, a.Set)
	if err != nil || v.State != pending.StateReading {
		return err
	}
	why := "The service stopped twice while it read the set."
	if run.Slow() {
		why = "The service stopped while it read the set, and the second attempt at the same page took longer than five minutes."
	}
	return r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		return tx.Exec(pending.SetState, p.ID, a.Set, pending.StateFailed,
			why+" Upload fewer drawings at once to find the one that it cannot read.")
	})
}

// read goes on with a set where the last shift, or one that died, has left it: each page that was read has its row.
func (r *readers) read(ctx context.Context, p *store.Project, a assignment, run *job.Run) error {
	ask := pending.Outside(ctx, r.store, p)

	v, err := pending.Find(ask, p, a.Set)
	if err != nil || v.State != pending.StateReading {
		return err
	}
	_, owner, err := register.VersionSets.Stored(ctx, r.store, p, a.Set)
	if err != nil {
		return err
	}
	s := &shift{
		readers: r, p: p, set: v, owner: owner, ask: ask, end: time.After(readShift), leaving: run.Leaving(), run: run,
	}
	for i := range v.Files {
		if v.Files[i].State != pending.FileWaiting {
			continue
		}
		if err := s.file(ctx, &v.Files[i]); err != nil {
			return err
		}
		if s.over {
			return r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
				if _, err := r.jobs.Enqueue(tx, Reading, a, job.Owner(run.Owner())); err != nil {
					return err
				}
				return run.Complete(tx)
			})
		}
	}
	return s.finish(ctx, run)
}

// close ends the work on a file; wrong is "" where some of it could be read.
func (s *shift) close(ctx context.Context, f *pending.File, wrong string) error {
	f.State, f.Err = pending.FileRead, wrong
	if wrong != "" {
		f.State = pending.FileFailed
	}
	return s.edit(ctx, func(tx *store.Tx) error {
		return tx.Exec(pending.SetFileState, s.p.ID, s.set.UID, f.Place, f.State, pending.OrNil(wrong))
	})
}

// file reads the pages of a file that were not read before. Its error is never about the file.
func (s *shift) file(ctx context.Context, f *pending.File) error {
	o, err := s.desk.Blobs.Open(ctx, f.Object)
	if fault.Is(err, fault.NotFound) {
		return s.close(ctx, f, "The file is missing in the store of this service.")
	}
	if err != nil {
		return err
	}
	defer o.Close()
	in, err := s.shop.Bring(o)
	if err != nil {
		return err
	}
	defer in.Close()
	sizes, err := in.Pages(ctx)
	if fault.Is(err, fault.Invalid) {
		return s.close(ctx, f, fault.Of(err).Message)
	}
	if err != nil {
		return err
	}
	if before := s.set.PagesBefore(f.Place); before+len(sizes) > mostSetPages {
		return s.close(ctx, f,
			fmt.Sprintf("The file has %d pages; with those before it the set would have more than the %d that one may have.", len(sizes), mostSetPages))
	}
	if f.Pages == 0 {
		f.Pages = int64(len(sizes))
		if err := s.edit(ctx, func(tx *store.Tx) error {
			return tx.Exec(pending.CountPages, s.p.ID, s.set.UID, f.Place, f.Pages)
		}); err != nil {
			return err
		}
	}
	names, err := in.Names(ctx, len(sizes))
	if fault.Is(err, fault.Invalid) { // then what stands on the pages must do
		names, err = make([]drawing.Named, len(sizes)), nil
	}
	if err != nil {
		return err
	}
	return s.pages(ctx, f, in, sizes, names)
}

// pages reads the pages of an opened file until it is through, or the shift is over.
func (s *shift) pages(ctx context.Context, f *pending.File, in *drawing.File, sizes []drawing.Size,
	names []drawing.Named,
) error {
	done := map[int64]bool{}
	good, bad, first := 0, 0, ""
	count := func(page int64, readable bool, wrong string) {
		if done[page] = true; readable {
			good, bad = good+1, 0
		} else if bad++; first == "" {
			first = wrong
		}
	}
	before, err := pending.Pages(s.ask, pending.EachPage, s.p.ID, s.set.UID)
	if err != nil {
		return err
	}
	for _, p := range before {
		if p.File == f.Place {
			count(p.Page, p.Made != nil, p.Err)
		}
	}
	for page := int64(1); page <= f.Pages; page++ {
		if done[page] {
			continue
		}
		if bad >= mostBadPages {
			return s.close(ctx, f, fmt.Sprintf("The file was given up: %d pages in a row cannot be read. The first: %s",
				mostBadPages, first))
		}
		select {
		case <-s.end:
			s.over = true
			return nil
		case <-s.leaving:
			s.over = true
			return nil
		default:
		}
		readable, wrong, err := s.page(ctx, f, in, int(page), sizes[page-1], names[page-1])
		if err != nil {
			return err
		}
		count(page, readable, wrong)
	}
	if good == 0 {
		return s.close(ctx, f, "No page of the file can be read. The first: "+first)
	}
	return s.close(ctx, f, "")
}

// page reads one page, stores what it made of it under names that a repetition uses again, and writes its row.
func (s *shift) page(ctx context.Context, f *pending.File, in *drawing.File, page int, size drawing.Size,
	called drawing.Named,
) (readable bool, wrong string, err error) {
	m, text, files, err := s.make(ctx, f, in, page, size)
	if m != nil {
		m.Label, m.Bookmarks = called.Label, called.Bookmarks
	}
	switch {
	case fault.Is(err, fault.Invalid):
		wrong = fault.Of(err).Message
	case err != nil:
		return false, "", err
	default:
		readable, wrong = true, text.wrong
	}
	if err := in.Clear(); err != nil {
		return false, "", err
	}
	return readable, wrong, s.edit(ctx, func(tx *store.Tx) error {
		known, err := pending.Pages(tx.Query, pending.FindPage, s.p.ID, s.set.UID, f.Place, page)
		if err != nil || len(known) > 0 {
			return err
		}
		var stored any
		if m != nil {
			if stored, err = json.Marshal(m); err != nil {
				return err
			}
		}
		for _, file := range files {
			file.Name = fmt.Sprintf("%s p%d", f.Name, page)
			if err := upload.AddFile(tx, s.owner, file); err != nil {
				return err
			}
		}
		if err := s.run.Outlived(tx); err != nil {
			return err
		}
		return tx.Exec(pending.InsertPage, s.p.ID, s.set.UID, f.Place, page, pending.OrNil(wrong), stored,
			pending.OrNil(text.words))
	})
}

// pageText is what a page says, and what is wrong with its text.
type pageText struct{ words, wrong string }

// make makes everything of a page first, and then stores it. A page whose text cannot be read is one without text.
func (s *shift) make(ctx context.Context, f *pending.File, in *drawing.File, page int, size drawing.Size) (
	m *pending.Made, text pageText, files []upload.File, err error,
) {
	thumbnail, err := in.Thumbnail(ctx, page, thumbnailSide)
	if err != nil {
		return nil, text, nil, err
	}
	split, err := in.Split(ctx, page)
	if err != nil {
		return nil, text, nil, err
	}
	said, err := in.Text(ctx, page)
	if fault.Is(err, fault.Invalid) {
		text.wrong = "Its text cannot be read. " + fault.Of(err).Message
		err = nil
	}
	if err != nil {
		return nil, text, nil, err
	}
	if said.Untold {
		text.wrong = "Its text cannot be read: its fonts do not say which letters they show."
	}
	if said.Bare && s.shop.Recognises(ctx) {
		if said, err = s.recognise(ctx, f, in, page, said, &text); err != nil {
			return nil, text, nil, err
		}
	}
	m = &pending.Made{Width: size.Width, Height: size.Height}
	keep := func(part, path, kind string, to *string) {
		if err == nil {
			var file upload.File
			file, err = s.desk.Keep(ctx, blob.Part(f.Object, fmt.Sprintf("page/%d/%s", page, part)), path, kind)
			files, *to = append(files, file), file.Object
		}
	}
	keep("pdf", split, pdfType, &m.PDF)
	keep("thumbnail", thumbnail.Path, "image/jpeg", &m.Thumbnail)
	if said.Path != "" {
		keep("text", said.Path, pagetext.ContentType, &m.Text)
		text.words = said.Words
	}
	return m, text, files, err
}

// mostRecognised is how many pages of a set may be recognised: the first ones. A page takes seconds of processor.
const mostRecognised = 1000

// recognisable tells whether a page of a file is among those of its set that may be recognised.
func recognisable(set *pending.Set, f *pending.File, page int) bool {
	before := int64(0)
	for i := range set.Files {
		if set.Files[i].Place < f.Place {
			before += set.Files[i].Pages
		}
	}
	return before+int64(page) <= mostRecognised
}

// recognise finds the text of a page that tells none itself. Where that fails the page stays as it is, and says so.
func (s *shift) recognise(ctx context.Context, f *pending.File, in *drawing.File, page int, said drawing.PageText,
	text *pageText,
) (drawing.PageText, error) {
	if !recognisable(s.set, f, page) {
		text.wrong = fmt.Sprintf("Its text was not recognised: that is done for the first %d pages of a set.",
			mostRecognised)
		return said, nil
	}
	better, err := in.Recognise(ctx, page)
	switch {
	case fault.Is(err, fault.Invalid):
		text.wrong = fault.Of(err).Message
		return said, nil
	case err != nil:
		return said, err
	case better.Path == "":
		return said, nil
	}
	text.wrong = better.Note
	return better, nil
}
