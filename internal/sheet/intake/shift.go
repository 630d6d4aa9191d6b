package intake

import (
	"context"
	"time"

	"groundwork/internal/drawing"
	"groundwork/internal/job"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Reading is the kind of the jobs that read sets of drawings, assignment what such a job is told.
const Reading = "drawings"

type assignment struct{ Project, Set string }

// readers read sets of drawings.
type readers struct {
	jobs  *job.Queue
	store *store.Store
	desk  *upload.Desk
	shop  *drawing.Workshop
}

// shift is a job's work on a set.
type shift struct {
	*readers
	p     *store.Project
	set   *pending.Set
	owner store.ID // the version set, which has the files until they are sheets
	ask   pending.Query
	end   <-chan time.Time
	// leaving is closed when the process stops.
	leaving <-chan struct{}
	run     *job.Run
	over    bool
	// wrong says why the set could not be read as a whole; its pages have no numbers then.
	wrong string
}

func (s *shift) edit(ctx context.Context, fn func(tx *store.Tx) error) error {
	return s.store.Edit(ctx, s.p, 0, fn)
}
