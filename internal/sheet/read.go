package sheet

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Reading is the kind of the jobs that read sets of drawings, assignment what such a job is told.
const Reading = "drawings"

type assignment struct{ Project, Set string }

const (
	// readAtOnce is how many sets a process reads at once; how many pages are worked on at once, the workshop bounds.
	readAtOnce   = 2
	readAttempts = 30
	// readShift is how long a job reads before another one goes on, so that sets take turns, and that what went well is not counted among its attempts.
	readShift = 2 * time.Minute
	// mostSetPages is how many pages a set may have: they are published in one change.
	mostSetPages = 10_000
	// mostBadPages is how many pages in a row may not be readable before a file is given up: each may have cost a minute.
	mostBadPages = 10
	// thumbnailSide is how wide or high a thumbnail is, in pixels.
	thumbnailSide = 512
)

// Work declares what is done with drawings in the background. While the store of files does not answer, it is tried for about a day.
func Work(q *job.Queue, s *store.Store, desk *upload.Desk, shop *drawing.Workshop) {
	r := &readers{q, s, desk, shop}
	job.Handle(q, Reading, job.Options{Parallel: readAtOnce, Attempts: readAttempts, Backoff: 10 * time.Second, Timeout: time.Hour}, r.work)
	r.cutWork()
	const forgetting = "forget-version-uploads"
	job.Handle(q, forgetting, job.Options{Attempts: 5, Backoff: time.Minute}, func(ctx context.Context, _ struct{}, _ *job.Run) error { return r.sweep(ctx) })
	q.Every(forgetting, time.Hour)
}

// readers read sets of drawings.
type readers struct {
	jobs  *job.Queue
	store *store.Store
	desk  *upload.Desk
	shop  *drawing.Workshop
}

// work reads a set as far as it gets in its shift. What cannot be done in all attempts ends with a sentence that an Admin reads.
func (r *readers) work(ctx context.Context, a assignment, run *job.Run) error {
	p, err := r.store.Project(ctx, a.Project)
	if err != nil {
		return err
	}
	err = r.read(ctx, p, a, run)
	if err != nil && ctx.Err() == nil && run.Attempt() >= readAttempts {
		failed := r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			return tx.Exec(setComing, p.ID, a.Set, stateFailed, "The service could not read the set; its log says why. Upload it again when that is mended.")
		})
		if failed != nil {
			return failed
		}
		return job.Permanent{Err: err}
	}
	return err
}

// read goes on with a set where the last shift, or one that died, has left it: each page that was read has its row.
func (r *readers) read(ctx context.Context, p *store.Project, a assignment, run *job.Run) error {
	ask := outside(ctx, r.store, p)

	v, err := findSet(ask, p, a.Set)
	if err != nil || v.state != stateReading {
		return err
	}
	_, owner, err := versionSets.Stored(ctx, r.store, p, a.Set)
	if err != nil {
		return err
	}
	s := &shift{readers: r, p: p, set: v, owner: owner, ask: ask, end: time.After(readShift), leaving: run.Leaving()}
	for i := range v.files {
		if v.files[i].state != fileWaiting {
			continue
		}
		if err := s.file(ctx, &v.files[i]); err != nil {
			return err
		}
		if s.over {
			return r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
				if _, err := r.jobs.Enqueue(tx, Reading, a); err != nil {
					return err
				}
				return run.Complete(tx)
			})
		}
	}
	return s.finish(ctx, run)
}

// shift is a job's work on a set.
type shift struct {
	*readers
	p     *store.Project
	set   *coming
	owner store.ID // the version set, which has the files until they are sheets
	ask   asking
	end   <-chan time.Time
	// leaving is closed when the process stops.
	leaving <-chan struct{}
	over    bool
}

func (s *shift) edit(ctx context.Context, fn func(tx *store.Tx) error) error {
	return s.store.Edit(ctx, s.p, 0, fn)
}

// close ends the work on a file; wrong is "" where some of it could be read.
func (s *shift) close(ctx context.Context, f *comingFile, wrong string) error {
	f.state, f.err = fileRead, wrong
	if wrong != "" {
		f.state = fileFailed
	}
	return s.edit(ctx, func(tx *store.Tx) error {
		return tx.Exec(setComingFile, s.p.ID, s.set.UID, f.place, f.state, orNil(wrong))
	})
}

// file reads the pages of a file that were not read before. Its error is never about the file.
func (s *shift) file(ctx context.Context, f *comingFile) error {
	o, err := s.desk.Blobs.Open(ctx, f.object)
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
	if before := s.set.pagesBefore(f.place); before+len(sizes) > mostSetPages {
		return s.close(ctx, f, fmt.Sprintf("The file has %d pages; with those before it the set would have more than the %d that one may have.", len(sizes), mostSetPages))
	}
	if f.pages == 0 {
		f.pages = int64(len(sizes))
		if err := s.edit(ctx, func(tx *store.Tx) error { return tx.Exec(countComingFile, s.p.ID, s.set.UID, f.place, f.pages) }); err != nil {
			return err
		}
	}
	return s.pages(ctx, f, in, sizes)
}

// pagesBefore counts the pages of the files before one.
func (v *coming) pagesBefore(place int64) (n int) {
	for _, f := range v.files[:place-1] {
		if f.state == fileRead {
			n += int(f.pages)
		}
	}
	return n
}

// pages reads the pages of an opened file until it is through, or the shift is over.
func (s *shift) pages(ctx context.Context, f *comingFile, in *drawing.File, sizes []drawing.Size) error {
	done := map[int64]bool{}
	good, bad, first := 0, 0, ""
	count := func(page int64, readable bool, wrong string) {
		if done[page] = true; readable {
			good, bad = good+1, 0
		} else if bad++; first == "" {
			first = wrong
		}
	}
	before, err := pagesOf(s.ask, eachPage, s.p.ID, s.set.UID)
	if err != nil {
		return err
	}
	for _, p := range before {
		if p.file == f.place {
			count(p.page, p.made != nil, p.err)
		}
	}
	for page := int64(1); page <= f.pages; page++ {
		if done[page] {
			continue
		}
		if bad >= mostBadPages {
			return s.close(ctx, f, fmt.Sprintf("The file was given up: %d pages in a row cannot be read. The first: %s", mostBadPages, first))
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
		readable, wrong, err := s.page(ctx, f, in, int(page), sizes[page-1])
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
func (s *shift) page(ctx context.Context, f *comingFile, in *drawing.File, page int, size drawing.Size) (readable bool, wrong string, err error) {
	m, text, files, err := s.make(ctx, f, in, page, size)
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
		known, err := pagesOf(tx.Query, findPage, s.p.ID, s.set.UID, f.place, page)
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
			file.Name = fmt.Sprintf("%s p%d", f.name, page)
			if err := upload.AddFile(tx, s.owner, file); err != nil {
				return err
			}
		}
		return tx.Exec(insertPage, s.p.ID, s.set.UID, f.place, page, orNil(wrong), stored, orNil(text.words))
	})
}

// pageText is what a page says, and what is wrong with its text.
type pageText struct{ words, wrong string }

// make makes everything of a page first, and then stores it. A page whose text cannot be read is one without text.
func (s *shift) make(ctx context.Context, f *comingFile, in *drawing.File, page int, size drawing.Size) (m *made, text pageText, files []upload.File, err error) {
	thumbnail, err := in.Thumbnail(ctx, page, thumbnailSide)
	if err != nil {
		return nil, text, nil, err
	}
	split, err := in.Split(ctx, page)
	if err != nil {
		return nil, text, nil, err
	}
	letters, err := in.Page(ctx, page)
	if fault.Is(err, fault.Invalid) {
		text.wrong = "Its text cannot be read. " + fault.Of(err).Message
		letters, err = drawing.Page{Width: size.Width, Height: size.Height}, nil
	}
	if err != nil {
		return nil, text, nil, err
	}
	m = &made{Width: size.Width, Height: size.Height}
	keep := func(part, path, kind string, to *string) {
		if err == nil {
			var file upload.File
			file, err = s.desk.Keep(ctx, blob.Part(f.object, fmt.Sprintf("page/%d/%s", page, part)), path, kind)
			files, *to = append(files, file), file.Object
		}
	}
	keep("pdf", split, pdfType, &m.PDF)
	keep("thumbnail", thumbnail.Path, "image/jpeg", &m.Thumbnail)
	if lines, _ := read.Page(letters); len(lines) > 0 && err == nil {
		kept := textOf(lines, size.Width, size.Height)
		path := filepath.Join(filepath.Dir(split), "text")
		err = kept.write(path)
		keep("text", path, textType, &m.Text)
		text.words = kept.words()
	}
	return m, text, files, err
}
