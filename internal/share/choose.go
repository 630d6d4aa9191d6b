package share

import (
	"context"
	"slices"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Choice says which sheets are meant: those of a version set, or the current ones; all of them, or those of these
// numbers.
type Choice struct {
	Numbers []string
	Version string
}

// Sheets gives the uids of the sheets of a choice: in the order of the numbers, or as lists show them. fault.NotFound
// names what is not there.
func Sheets(ctx context.Context, t *Tools, who auth.Scope, c Choice) ([]string, error) {
	var uids []string
	first := map[string]string{} // of two sheets with one number the later one is meant, and of one set the first page
	err := t.All.Each(ctx, t.Store, who, "sheets", func(row store.Row) error {
		s, err := numbers.Read(row)
		if err != nil || row.Deleted || c.Version == "" && !s.Current ||
			c.Version != "" && !strings.EqualFold(c.Version, s.VersionName) {
			return err
		}
		uids = append(uids, s.UID)
		first[strings.ToLower(s.Name)] = s.UID
		return nil
	})
	if err != nil {
		return nil, err
	}
	among := "among the current ones"
	if c.Version != "" {
		among = "in the version set " + c.Version
	}
	if len(uids) == 0 {
		return nil, fault.New(fault.NotFound, "There are no sheets %s.", among)
	}
	if slices.Reverse(uids); len(c.Numbers) > 0 { // a set is stored from its last page on
		uids = nil
		for _, number := range c.Numbers {
			uid := first[strings.ToLower(strings.TrimSpace(number))]
			if uid == "" {
				return nil, fault.New(fault.NotFound, "There is no sheet %s %s.", number, among)
			}
			uids = append(uids, uid)
		}
	}
	if len(uids) > mostSheets {
		return nil, fault.New(fault.Invalid,
			"These are %d sheets; a packet has at most %d. Choose some by their numbers, or a version set.", len(uids),
			mostSheets)
	}
	return uids, nil
}
