package mirror

import (
	"fmt"
	"slices"

	"groundwork/internal/archive"
)

// Report is what became of a project.
type Report struct {
	Project, Name string
	// Kinds tell how many records there are on both sides.
	Kinds []KindReport
	// Files are those of all records: theirs, and those that are here.
	Files, FilesHere int64
	// Notes are sentences on what is not as it is there.
	Notes []string
	// Import is what was brought in.
	Import archive.Report
	Err    error
}

// KindReport holds both sides of a kind against each other.
type KindReport struct {
	Kind                    string
	Theirs, Ours, Differing int64
	Why                     []string
}

// Differing is how many records are not here as they are there.
func (r *Report) Differing() (n int64) {
	for _, k := range r.Kinds {
		n += k.Differing
	}
	return n
}

// mostWhys is how many reasons of a kind are told.
const mostWhys = 10

// reasons are the first few, and how many more there are.
func reasons(plural string, all map[string]string) (out []string) {
	uids := make([]string, 0, len(all))
	for uid := range all {
		uids = append(uids, uid)
	}
	slices.Sort(uids)
	for i, uid := range uids {
		if i == mostWhys {
			return append(out, fmt.Sprintf("and %d more", len(uids)-i))
		}
		out = append(out, fmt.Sprintf("%s/%s: %s", plural, uid, all[uid]))
	}
	return out
}
