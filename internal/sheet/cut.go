package sheet

import (
	"context"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// tiling is the kind of the jobs that cut a sheet into tiles, cutting what such a job is told.
const tiling = "tiles"

type cutting struct{ Project, Sheet string }

// cutWork declares the jobs, one at a time: nobody waits for the last sheet of a set as they do for the first. Most of its time a job may wait for work that comes before it.
func (r *readers) cutWork() {
	job.Handle(r.jobs, tiling, job.Options{Attempts: readAttempts, Backoff: 10 * time.Second, Timeout: 6 * time.Hour}, r.cut)
}

// cut makes the tiles of a sheet, and shows them with one change of the record, by which the job is done. What it stores has a name that a repetition uses again.
func (r *readers) cut(ctx context.Context, c cutting, run *job.Run) error {
	p, err := r.store.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	s, _, err := sheets.Stored(ctx, r.store, p, c.Sheet)
	if err != nil {
		return err
	}
	if s.TilesURL != "" || s.TilesError != nil {
		return nil
	}
	archive, err := r.archive(ctx, string(s.FileURL))
	wrong := ""
	if fault.Is(err, fault.Invalid) {
		wrong, err = fault.Of(err).Message, nil
	}
	if err != nil {
		return err
	}
	// Who changed the sheet last stays who did.
	return r.store.Edit(ctx, p, uint32(s.UpdatedBy), func(tx *store.Tx) error {
		write := &resource.Tx{Tx: tx}
		row, err := write.Find(sheets.Plural, c.Sheet)
		if err != nil {
			return err
		}
		old, err := resource.Load[Sheet](row)
		if err != nil {
			return err
		}
		now := *old
		if wrong != "" {
			now.TilesError = &wrong
		} else {
			archive.Name = now.Name + ".tiles"
			now.TilesURL = tilesOf(archive)
			if err := upload.AddFile(tx, row.ID, archive); err != nil {
				return err
			}
		}
		if err := sheets.Save(write, &row, old, &now, store.Updated); err != nil {
			return err
		}
		return run.Complete(tx)
	})
}

// archive stores the tiles of a PDF's only page. fault.Invalid says why there can be none.
func (r *readers) archive(ctx context.Context, source string) (upload.File, error) {
	o, err := r.desk.Blobs.Open(ctx, source)
	if fault.Is(err, fault.NotFound) {
		return upload.File{}, job.Permanent{Err: err}
	}
	if err != nil {
		return upload.File{}, err
	}
	defer o.Close()
	f, err := r.shop.BringAhead(o)
	if err != nil {
		return upload.File{}, err
	}
	defer f.Close()
	made, err := f.Tiles(ctx, 1)
	if err != nil {
		return upload.File{}, err
	}
	return r.desk.Keep(ctx, blob.Part(source, "tiles"), made.Path, "application/octet-stream")
}

// hashShown is how much of a hash an address holds.
const hashShown = 32

func tilesOf(archive upload.File) resource.Tiles {
	return resource.Tiles(archive.Object + "/" + archive.SHA256[:hashShown])
}
