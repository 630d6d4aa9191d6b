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

// visibleTo gives the groups of terms that the caller must find on a record to see it.
func (k *Kind[T]) visibleTo(s auth.Scope) [][]string {
	if k.VisibleTo == nil {
		return nil
	}
	return k.VisibleTo(s)
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

// requireVisible refuses what the caller does not see as if it were not there: fault.NotFound.
func (k *Kind[T]) requireVisible(c *api.Call, uid string) error {
	if k.VisibleTo == nil {
		return nil
	}
	terms, ok, err := c.Store.Terms(c.Context(), c.Scope.Project(), k.Number, uid)
	if err == nil && (!ok || !visible(terms, k.visibleTo(c.Scope))) {
		err = fault.Missing(k.Name, uid)
	}
	return err
}

// entityTag is the view of the kind's records. Where not everybody sees the same, it is one for each; where links to
// files are shown, which are others in each period, it is one for each period.
func (k *Kind[T]) entityTag(c *api.Call, seq int64) string {
	tag := viewTag(c, seq)
	if k.VisibleTo != nil {
		tag = personalTag(c, seq)
	}
	if k.plan.Linked {
		tag += "-" + strconv.FormatInt(c.Period(), 36)
	}
	if k.plan.Daily {
		tag += "-" + strconv.FormatInt(c.TilePeriod(), 36)
	}
	return tag
}

// personalTag is the view of what only the caller sees like this.
func personalTag(c *api.Call, seq int64) string {
	return viewTag(c, seq) + "-" + strconv.FormatUint(uint64(c.Scope.Person()), 36)
}

// notModified answers 304 when the caller's tag ends with the view of the project as it is now.
func (k *Kind[T]) notModified(c *api.Call, p *store.Project) (bool, error) {
	return notModified(c, p, func(seq int64) string { return k.entityTag(c, seq) })
}
