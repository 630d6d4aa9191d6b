package auth

import (
	"context"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

const closedProjects = `SELECT number, erase_at FROM erasing UNION ALL SELECT number, 0 FROM erasures
WHERE number IS NOT NULL`

// closed refuses a project that is to be erased, with fault.Forbidden, or was, with fault.NotFound. Which these are is
// remembered like credentials: whoever closes a project, or opens it again, calls Changed.
func (a *Auth) closed(ctx context.Context, p *store.Project) error {
	known := a.memory.Load()
	all := known.closed.Load()
	if all == nil {
		read := map[int64]int64{}
		err := a.store.Query(ctx, closedProjects, nil, func(c *store.Cols) error {
			read[c.Int(0)] = c.Int(1)
			return nil
		})
		if err != nil {
			return err
		}
		known.closed.Store(&read)
		all = &read
	}
	at, is := (*all)[p.ID]
	switch {
	case !is:
		return nil
	case at == 0:
		return fault.Missing("Project", p.UID)
	default:
		return fault.New(fault.Forbidden,
			"The project %s is closed, and will be erased on %s. Until then the operator of this service can open it again.",
			p.UID, time.UnixMicro(at).UTC().Format("2 January 2006"))
	}
}
