package resource

import (
	"slices"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// sees gives the groups of terms that the caller must find on a record to see it.
func (k *Kind[T]) sees(s auth.Scope) [][]string {
	if k.Sees == nil {
		return nil
	}
	return k.Sees(s)
}

// visible tells whether terms, as a record has them, hold one of every group.
func visible(terms string, groups [][]string) bool {
	for _, group := range groups {
		found := false
		for term := range strings.SplitSeq(terms, "\t") {
			found = found || slices.Contains(group, term)
		}
		if !found {
			return false
		}
	}
	return true
}

// look refuses what the caller does not see as if it were not there: fault.NotFound.
func (k *Kind[T]) look(c *api.Call, uid string) error {
	if k.Sees == nil {
		return nil
	}
	terms, ok, err := c.Store.Terms(c.Context(), c.Scope.Project(), k.number, uid)
	if err == nil && (!ok || !visible(terms, k.sees(c.Scope))) {
		err = fault.Missing(k.name, uid)
	}
	return err
}

// view is the view of the kind's records. Where not everybody sees the same, it is one for each; where links to files are shown, which are others in
// each period, it is one for each period.
func (k *Kind[T]) view(c *api.Call, seq int64) string {
	tag := view(c, seq)
	if k.Sees != nil {
		tag = mine(c, seq)
	}
	if k.plan.linked {
		tag += "-" + strconv.FormatInt(c.Period(), 36)
	}
	if k.plan.tiled {
		tag += "-" + strconv.FormatInt(c.TilePeriod(), 36)
	}
	return tag
}

// mine is the view of what only the caller sees like this.
func mine(c *api.Call, seq int64) string {
	return view(c, seq) + "-" + strconv.FormatUint(uint64(c.Scope.Person()), 36)
}

// has answers 304 when the caller's tag ends with the view of the project as it is now.
func (k *Kind[T]) has(c *api.Call, p *store.Project) (bool, error) {
	return hasView(c, p, func(seq int64) string { return k.view(c, seq) })
}
