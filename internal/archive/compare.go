package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/document"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Compare holds a project that is here against what another server shows of it, record by record: differs is told what
// is not the same, and why. It gives how many records there are here, by plural.
func Compare(ctx context.Context, at Site, project string, with Copied, differs func(plural, uid, why string)) (
	ours map[string]int64, err error,
) {
	c := newComposer(at, project, with, nil)
	if c.snap, err = at.Store.Snapshot(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.snap.Close()) }()
	if err := errors.Join(c.meet(ctx)); err != nil {
		return nil, err
	}
	if err := c.order(ctx); err != nil {
		return nil, err
	}
	ours = map[string]int64{}
	for i := range c.kinds {
		k := &c.kinds[i]
		err := c.each(ctx, k, func(id store.ID, shown map[string]jsontext.Value, here *store.Row) error {
			uid, _ := c.uid(k.Number, id.Ordinal())
			if here != nil {
				ours[k.Plural]++
			}
			why, err := c.differs(k, id, uid, shown, here)
			if why != "" {
				differs(k.Plural, uid, why)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return ours, nil
}

// differs says why a record is not here as it is there; "" where it is.
func (c *composer) differs(k *resource.Declared, id store.ID, uid string, shown map[string]jsontext.Value,
	here *store.Row,
) (string, error) {
	switch {
	case here == nil:
		return "it is not here", nil
	case shown == nil:
		return "it is here, and the server does not show it", nil
	}
	row, err := k.Take(shown, here, &namer{c, k, id.Ordinal(), uid})
	if err != nil {
		return "", err
	}
	if !bytes.Equal(row.Doc, here.Doc) {
		return "fields differ: " + fieldsOf(row.Doc, here.Doc), nil
	}
	var updated string
	if json.Unmarshal(shown["updated_at"], &updated) == nil {
		if clock, ok := document.ParseMoment(updated); ok && clock != here.Clock {
			return fmt.Sprintf("updated_at is %s there and %s here", updated, moment(here.Clock)), nil
		}
	}
	for slot, name := range k.Collections {
		var there struct {
			Total *uint32 `json:"total_count"`
		}
		if !c.from.Fresh() && !slices.Contains(k.Links, name) {
			continue
		}
		has := document.Counter([]byte(here.Tally), slot)
		if json.Unmarshal(shown[name], &there) == nil && there.Total != nil && *there.Total != uint32(has) {
			return fmt.Sprintf("%s are %d there and %d here", name, *there.Total, has), nil
		}
	}
	return "", nil
}

// fieldsOf names the fields in which two documents differ.
func fieldsOf(a, b []byte) string {
	var x, y map[string]jsontext.Value
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return "all"
	}
	var names []string
	for name := range x {
		if !bytes.Equal(x[name], y[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}
