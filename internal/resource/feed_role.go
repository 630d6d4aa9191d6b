package resource

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
)

// turned shows what a change of the caller's own role does to what they see: of the kinds that roles see differently,
// the records that they see now and did not, and those that they saw and do not see now. Kinds whose records people see
// by what stands on them, whatever their role, are the same to all roles and are not looked at.
func (v *view) turned(l *line, show func(entry []byte)) error {
	var changed struct {
		Role *[2]document.Ref `json:"role"`
	}
	if len(l.Diff) == 0 {
		return nil
	}
	if err := json.Unmarshal(l.Diff, &changed); err != nil {
		return fault.Of(err)
	}
	if changed.Role == nil || changed.Role[0] == "" {
		return nil // whoever had no role saw nothing
	}
	was := v.c.Scope.In(auth.RoleOf(changed.Role[0].UID()))
	for i := range v.all.entries {
		kind := &v.all.entries[i]
		before, now := kind.visibleTo(was), v.groups(kind)
		if !v.asked(kind) || reflect.DeepEqual(before, now) {
			continue
		}
		if err := v.differing(l, kind, before, now, show); err != nil {
			return err
		}
	}
	return nil
}

// differing shows the records of a kind that are visible by one of two groups of terms only.
func (v *view) differing(l *line, kind *entry, before, now [][]string, show func(entry []byte)) error {
	f, err := kind.shower(v.c, v.project)
	if err != nil {
		return err
	}
	for after, more := uint32(0), true; more; {
		var gone []bool // of each row, that it is not seen any more
		page, last, follow, err := v.c.Store.Walk(v.c.Context(), v.project, kind.number, after, walkAtOnce, walkAtOnce,
			walkBytes,
			func(terms string) bool {
				sees := visible(terms, now)
				if sees == visible(terms, before) {
					return false
				}
				gone = append(gone, !sees)
				return true
			})
		if err != nil {
			return err
		}
		for i := range page.Rows {
			row := &page.Rows[i]
			if gone[i] {
				show(appendHidden(nil, l.Seq, kind, document.UIDIn(row.Doc), l.Clock))
			} else {
				show(appendPresent(nil, l.Seq, kind, touched, f, row))
			}
		}
		page.Release()
		after, more = last, follow
	}
	return nil
}
