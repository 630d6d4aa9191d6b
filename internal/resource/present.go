package resource

import (
	"context"
	"fmt"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Present holds that the records of a kind that a field names are there: fault.NotFound names the first that is not,
// fault.Invalid the first that is deleted. It reads beside the writer: what changes a moment later is for whoever reads
// the records to tell.
func (c *Catalog) Present(ctx context.Context, s *store.Store, p *store.Project, plural, field string,
	uids []string,
) error {
	number, name := c.named(plural)
	deleted, err := s.Deleted(ctx, p, number, uids)
	if err != nil {
		return err
	}
	for i, uid := range uids {
		switch gone, known := deleted[uid]; {
		case !known:
			return fault.Missing(name, uid)
		case gone:
			return fault.Field(fmt.Sprintf("%s[%d]", field, i), "%s %s is deleted. Restore it first, or leave it out.",
				name, uid)
		}
	}
	return nil
}
