package resource

import (
	"fmt"
	"slices"

	"groundwork/internal/store"
)

// kinds are the stored facts of all record kinds: the number, and the collections that its records show, by slot. Numbers and slots are on disk:
// never change or reuse one, append only. The golden file testdata/kinds.txt shows every change.
var kinds = []struct {
	number       store.Kind
	plural, name string
	collections  []string
}{
	{1, "projects", "Project", nil},
	{2, "users", "User", nil},
	{3, "roles", "Role", nil},
	{4, "issue_lists", "Issue list", nil},
	{5, "issues", "Issue", []string{"photos", "comments", "attachments", "snapshots"}},
	{6, "attachments", "Document", nil},
	{7, "photos", "Photo", nil},
	{8, "snapshots", "Snapshot", nil},
	{9, "comments", "Comment", nil},
	{10, "rfis", "RFI", []string{"photos", "attachments", "snapshots", "comments"}},
	{11, "rfi_statuses", "RFI status", nil},
	{12, "annotations", "Annotation", nil},
	{13, "field_reports", "Field report", []string{"attachments", "photos", "snapshots"}},
	{14, "sheets", "Sheet", []string{"comments"}},
	{15, "version_sets", "Version set", nil},
}

// named finds a kind by its plural, the name it has in paths.
func named(plural string) (number store.Kind, name string) {
	k := fact(plural)
	return kinds[k].number, kinds[k].name
}

// fact finds the line of a kind; a plural that has none stops the program.
func fact(plural string) int {
	for i := range kinds {
		if kinds[i].plural == plural {
			return i
		}
	}
	panic(fmt.Sprintf("resource: there is no kind %q", plural))
}

// factOf finds the line of a kind by its number.
func factOf(number store.Kind) int {
	for i := range kinds {
		if kinds[i].number == number {
			return i
		}
	}
	panic(fmt.Sprintf("resource: there is no kind %d", number))
}

// Slot is where records of a kind show a collection.
func Slot(plural, collection string) Coll {
	i := slices.Index(kinds[fact(plural)].collections, collection)
	if i < 0 {
		panic(fmt.Sprintf("resource: %s show no collection %q", plural, collection))
	}
	return Coll(i)
}
