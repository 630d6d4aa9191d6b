package resource

import (
	"fmt"

	"groundwork/internal/store"
)

// kinds are the stored numbers and the names of all record kinds. A number is a fact on disk: never change or reuse one. The golden file
// testdata/kinds.txt shows every change.
var kinds = []struct {
	number       store.Kind
	plural, name string
}{
	{1, "projects", "Project"},
	{2, "users", "User"},
	{3, "roles", "Role"},
	{4, "issue_lists", "Issue list"},
	{5, "issues", "Issue"},
}

// named finds a kind by its plural, the name it has in paths.
func named(plural string) (number store.Kind, name string) {
	for _, k := range kinds {
		if k.plural == plural {
			return k.number, k.name
		}
	}
	panic(fmt.Sprintf("resource: there is no kind %q", plural))
}
