package issue

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// Place has an issue show the mark of an annotation, a JSON document of an Annotation, as its current one, and gives the uid of the annotation that it showed
// before. Without a mark it shows none, if it showed this one. It is a change of the issue: fault.NotFound and fault.Forbidden as for any other.
func Place(tx *resource.Tx, uid, annotation string, mark []byte) (before string, err error) {
	row, err := tx.Find("issues", uid)
	if err != nil {
		return "", err
	}
	old, err := resource.Load[Issue](row)
	switch {
	case err != nil:
		return "", err
	case orOwn.For(tx.Scope.Role()) == auth.Own && !ownOrAssigned(tx.Scope, old):
		return "", fault.New(fault.Forbidden, "As %s you may place only your own issues; issue %s is not yours.", tx.Scope.Role(), row.UID)
	}
	if old.CurrentAnnotation != nil {
		before = old.CurrentAnnotation.UID
	}
	if mark == nil && before != annotation {
		return before, nil
	}
	now := *old
	now.CurrentAnnotation = nil
	if mark != nil {
		if err := json.Unmarshal(mark, &now.CurrentAnnotation); err != nil {
			return "", fault.Of(err)
		}
	}
	return before, issues.Save(tx, &row, old, &now, store.Updated)
}
