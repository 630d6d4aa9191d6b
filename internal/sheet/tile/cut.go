package tile

import (
	"context"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/drawing"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/pyramid"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// cutter cuts sheets into tiles.
type cutter struct {
	jobs  *job.Queue
	store *store.Store
	desk  *upload.Desk
	shop  *drawing.Workshop
}

// cutAttempts is for about a day, while the store of files does not answer.
const cutAttempts = 30

// Work declares the jobs, one at a time: nobody waits for the last sheet of a set as they do for the first. Most of
// its time a job may wait for work that comes before it.
func Work(q *job.Queue, s *store.Store, desk *upload.Desk, shop *drawing.Workshop) {
	r := &cutter{q, s, desk, shop}
	job.Handle(r.jobs, register.Tiling, job.Options{
		Heavy: true, Attempts: cutAttempts, Backoff: 10 * time.Second, Timeout: 6 * time.Hour,
	}, r.cut)
	job.Died(r.jobs, register.Tiling, func(ctx context.Context, c register.Cutting, run *job.Run) error {
		why := "The service stopped twice while it cut the sheet into tiles. The sheet itself can be fetched."
		if run.Slow() {
			why = "The service stopped while it cut the sheet into tiles, and the second attempt took longer than five minutes. The sheet itself can be fetched."
		}
		return r.show(ctx, c, run, upload.File{}, why)
	})
}

// cut makes the tiles of a sheet, and shows them with one change of the record, by which the job is done. What it
// stores has a name that a repetition uses again.
func (r *cutter) cut(ctx context.Context, c register.Cutting, run *job.Run) error {
	s, err := r.uncut(ctx, c)
	if err != nil || s == nil {
		return err
	}
	archive, wrong, err := r.archive(drawing.For(ctx, run.Owner()), string(s.FileURL))
	if fault.Is(err, fault.Invalid) {
		wrong, err = fault.Of(err).Message, nil
	}
	if err != nil {
		return err
	}
	return r.show(ctx, c, run, archive, wrong)
}

// uncut gives the sheet of a job; nil where nothing is to be done any more.
func (r *cutter) uncut(ctx context.Context, c register.Cutting) (*register.Sheet, error) {
	p, err := r.store.Project(ctx, c.Project)
	if err != nil {
		return nil, err
	}
	s, _, err := register.Sheets.Stored(ctx, r.store, p, c.Sheet)
	if err != nil || s.TilesURL != "" && !c.Again || s.TilesURL == "" && s.TilesError != nil {
		return nil, err
	}
	return s, nil
}

// show writes the tiles into the record, and why there are none or only coarse ones, and ends the job.
func (r *cutter) show(ctx context.Context, c register.Cutting, run *job.Run, archive upload.File, wrong string) error {
	s, err := r.uncut(ctx, c)
	if err != nil || s == nil {
		return err
	}
	p, err := r.store.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	// Who changed the sheet last stays who did.
	return r.store.Edit(ctx, p, uint32(s.UpdatedBy), func(tx *store.Tx) error {
		write := &resource.Tx{Tx: tx}
		row, err := register.Sheets.Find(write, c.Sheet)
		if err != nil {
			return err
		}
		old, err := register.Sheets.Load(row)
		if err != nil {
			return err
		}
		now := *old
		if c.Again && archive.Object != "" && tilesOf(archive) == old.TilesURL {
			return r.asTheyWere(tx, row, old, archive, run)
		}
		if old.TilesURL != "" {
			now.TilesURL, now.TilesError = "", nil
			if err := upload.DropFile(tx, old.TilesURL.Object()); err != nil {
				return err
			}
		}
		if wrong != "" {
			now.TilesError = &wrong
		}
		if archive.Object != "" {
			archive.Name = now.Name + ".tiles"
			now.TilesURL = tilesOf(archive)
			if err := upload.AddFile(tx, row.ID, archive); err != nil {
				return err
			}
		}
		if err := register.Sheets.Save(write, &row, old, &now, store.Updated); err != nil {
			return err
		}
		return run.Complete(tx)
	})
}

// asTheyWere ends the job where the sheet has not changed. A sheet that was mirrored shows tiles of which nothing is
// known but their name: their file is noted now.
func (r *cutter) asTheyWere(tx *store.Tx, row store.Row, s *register.Sheet, archive upload.File, run *job.Run) error {
	has, err := upload.HasFile(tx, archive.Object)
	if err == nil && !has {
		archive.Name = s.Name + ".tiles"
		err = upload.AddFile(tx, row.ID, archive)
	}
	if err != nil {
		return err
	}
	return run.Complete(tx)
}

// archive stores the tiles of a PDF's only page; note says that they are coarser than others. fault.Invalid says why
// there can be none.
func (r *cutter) archive(ctx context.Context, source string) (made upload.File, note string, err error) {
	o, err := r.desk.Blobs.Open(ctx, source)
	if fault.Is(err, fault.NotFound) {
		return upload.File{}, "", job.Permanent{Err: err}
	}
	if err != nil {
		return upload.File{}, "", err
	}
	defer o.Close()
	f, err := r.shop.BringAhead(o)
	if err != nil {
		return upload.File{}, "", err
	}
	defer f.Close()
	tiles, note, err := f.Tiles(ctx, 1)
	if err != nil {
		return upload.File{}, "", err
	}
	made, err = r.desk.Keep(ctx, blob.Part(source, "tiles"), tiles.Path, "application/octet-stream")
	return made, note, err
}

func tilesOf(archive upload.File) pyramid.Tiles {
	return pyramid.Tiles(archive.Object + "/" + archive.SHA256[:hashShown])
}
