package media

import (
	"context"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/document"
	"groundwork/internal/drawing"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// developing is the kind of the jobs that look at a photo's file, exposure what such a job is told.
const developing = "photo"

type exposure struct{ Project, Photo string }

// pictureType is what all pictures are that are made of a photo.
const pictureType = "image/jpeg"

// work declares what is done with photos in the background. While the store of files does not answer, it is tried for
// about a day.
func work(site *family.Site) {
	q, d := site.Jobs, &darkroom{site.Store, site.Files, site.Drawing}
	job.Handle(q, developing, job.Options{Heavy: true, Parallel: 2, Attempts: 30, Backoff: 10 * time.Second}, d.develop)
	job.Died(q, developing, func(ctx context.Context, e exposure, r *job.Run) error {
		wrong := "The service stopped twice while it looked at the photo. Its file can be fetched."
		if r.Slow() {
			wrong = "The service stopped while it looked at the photo, and the second attempt took longer than five minutes. Its file can be fetched."
		}
		return d.show(ctx, e, r, &finding{wrong: wrong})
	})
}

// arrives leaves the work that photos wait for which come from an archive: to be looked at.
func arrives(site *family.Site, tx *store.Tx) error {
	var all []exposure
	err := tx.Each(photos.Number, func(row store.Row) error {
		photo, err := photos.Load(row)
		if err == nil && !photo.developed() {
			all = append(all, exposure{Project: tx.Project().UID, Photo: row.UID})
		}
		return err
	})
	for _, e := range all {
		if err != nil {
			return err
		}
		_, err = site.Jobs.Enqueue(tx, developing, e)
	}
	return err
}

// darkroom is where photos get their pictures.
type darkroom struct {
	store *store.Store
	desk  *upload.Desk
	shop  *drawing.Workshop
}

// develop reads the file of a photo, stores the pictures of it, and writes all that it found with one change of the
// record, by which the job is done. What it stores has names that a repetition uses again, so that nothing is left
// behind when it dies in between.
func (d *darkroom) develop(ctx context.Context, e exposure, r *job.Run) error {
	photo, err := d.undeveloped(ctx, e)
	if err != nil || photo == nil {
		return err
	}
	seen, err := d.look(drawing.For(ctx, r.Owner()), photo)
	if err != nil {
		return err
	}
	return d.show(ctx, e, r, seen)
}

// undeveloped gives the photo of a job; nil where nothing is to be done any more.
func (d *darkroom) undeveloped(ctx context.Context, e exposure) (*Photo, error) {
	p, err := d.store.Project(ctx, e.Project)
	if err != nil {
		return nil, err
	}
	photo, _, err := photos.Stored(ctx, d.store, p, e.Photo)
	if err != nil || photo.developed() {
		return nil, err
	}
	return photo, nil
}

// show writes what was found into the record, and ends the job.
func (d *darkroom) show(ctx context.Context, e exposure, r *job.Run, seen *finding) error {
	photo, err := d.undeveloped(ctx, e)
	if err != nil || photo == nil {
		return err
	}
	p, err := d.store.Project(ctx, e.Project)
	if err != nil {
		return err
	}
	// Who changed the photo last stays who did.
	return d.store.Edit(ctx, p, uint32(photo.UpdatedBy), func(tx *store.Tx) error {
		write := &resource.Tx{Tx: tx}
		row, err := photos.Find(write, e.Photo)
		if err != nil {
			return err
		}
		old, err := photos.Load(row)
		if err != nil {
			return err
		}
		now := *old
		seen.tell(&now)
		for _, f := range seen.files {
			f.Name = upload.PictureName(text(now.Title), pictureType)
			if err := upload.AddFile(tx, row.ID, f); err != nil {
				return err
			}
		}
		if err := photos.Save(write, &row, old, &now, store.Updated); err != nil {
			return err
		}
		return r.Complete(tx)
	})
}

func (p *Photo) developed() bool { return p.ThumbnailURL != "" || p.ImageError != nil }

// finding is what a look at a file has given: what is wrong with it, or what it says and the pictures.
type finding struct {
	wrong string
	photo drawing.Photo
	files []upload.File
	// Where the pictures lie; display is the file itself when that can be shown.
	display, preview, thumbnail string
}

// look reads the file and stores the pictures. Its error is never about the file.
func (d *darkroom) look(ctx context.Context, p *Photo) (*finding, error) {
	if err := drawing.TooLarge(p.Size); err != nil {
		return &finding{wrong: fault.Of(err).Message}, nil
	}
	source := string(p.URL)
	o, err := d.desk.Blobs.Open(ctx, source)
	if fault.Is(err, fault.NotFound) {
		return nil, job.Permanent{Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	f, err := d.shop.Bring(o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	made, err := f.Photo(ctx)
	if fault.Is(err, fault.Invalid) {
		return &finding{wrong: fault.Of(err).Message}, nil
	}
	if err != nil {
		return nil, err
	}
	out := &finding{photo: made, display: source}
	keep := func(picture drawing.Picture, part string, to *string) {
		if err == nil {
			var file upload.File
			file, err = d.desk.Keep(ctx, blob.Part(source, part), picture.Path, pictureType)
			out.files, *to = append(out.files, file), file.Object
		}
	}
	keep(made.Thumbnail, "thumbnail", &out.thumbnail)
	keep(made.Preview, "preview", &out.preview)
	switch {
	case made.Display != nil:
		keep(*made.Display, "display", &out.display)
	case p.ContentType != pictureType:
		out.display = out.preview // the file would be served as what it was said to be
	}
	return out, err
}

// tell gives the record what was found.
func (s *finding) tell(p *Photo) {
	if s.wrong != "" {
		p.ImageError = &s.wrong
		return
	}
	width, height := int64(s.photo.Width), int64(s.photo.Height)
	p.Width, p.Height = &width, &height
	p.Latitude, p.Longitude = s.photo.Latitude, s.photo.Longitude
	if s.photo.TakenAt != nil {
		at := document.Time(s.photo.TakenAt.UnixMicro())
		p.TakenAt = &at
	}
	if s.photo.TakenOffset != nil {
		offset := int64(*s.photo.TakenOffset)
		p.TakenOffset = &offset
	}
	p.DisplayURL, p.PreviewURL = document.File(s.display), document.File(s.preview)
	p.ThumbnailURL = document.File(s.thumbnail)
}
