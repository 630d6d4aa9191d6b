package resource

import (
	"strconv"

	"github.com/cespare/xxhash/v2"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// Whatever a response of a project shows changes only with the project's sequence or with the epoch of the
// installation, so its entity tag is made of these and of the path and query, and whether a caller has the answer
// already is known without reading a row. A record's tag begins with its clock; If-Match compares only that.

// viewTag is the tag of a list, and the second part of the tag of a record.
func viewTag(c *api.Call, seq int64) string {
	return strconv.FormatInt(seq,
		36) + "-" + strconv.FormatUint(c.Epoch()^xxhash.Sum64String(c.Path()+"?"+c.RawQuery()), 36)
}

// recordTag is the first part of a record's tag.
func recordTag(clock int64) string { return strconv.FormatInt(clock, 36) }

// notModified answers 304 when the caller's tag ends with the view of the project as it is now.
func notModified(c *api.Call, p *store.Project, view func(seq int64) string) (bool, error) {
	if !c.Asks() {
		return false, nil
	}
	if err := c.Store.Refresh(c.Context(), p, 0); err != nil {
		return false, err
	}
	clock, seq := p.Stamp()
	c.SetHeader("X-Clock", document.StampText(clock))
	return c.FreshView(view(seq)), nil
}
