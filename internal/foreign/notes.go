package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// told says where each column went.
func (r *reader) told() (all []Column) {
	for _, c := range r.columns {
		to := string(c.what)
		switch c.what {
		case ofRemark:
			to = "kept as text"
		case ofNumber:
			to = "number, where it is free here, or else text"
		case ofUID:
			to = "how rows are found again, and text"
		case ofText:
			to = "description"
			if r.plural == "rfis" {
				to = "question"
			}
		}
		all = append(all, Column{c.heading, to, c.known})
	}
	return all
}

// notes are sentences about what could not be taken as it is.
func (r *reader) notes() (all []string) {
	if len(r.strangers) > 0 {
		all = append(all, fmt.Sprintf("These people were kept as text, since no member of the project has their address or name: %s. Invite them, and say who somebody is with --person \"NAME=ADDRESS\".",
			listed(r.strangers)))
	}
	if len(r.namesakes) > 0 {
		all = append(all, fmt.Sprintf("These names are of several members of the project and were kept as text: %s. Say who is meant with --person \"NAME=ADDRESS\".",
			listed(r.namesakes)))
	}
	if len(r.byName) > 0 {
		all = append(all, fmt.Sprintf("These people were found by their names, which one member of the project each has: %s. --person \"NAME=ADDRESS\" says where it is somebody else.",
			listed(r.byName)))
	}
	if len(r.unknown) > 0 {
		all = append(all, fmt.Sprintf("These statuses have no counterpart here and were kept as text, with the status of a new record: %s.", listed(r.unknown)))
	}
	if len(r.unread) > 0 {
		all = append(all, "Values that could not be read as what they are were kept as text: "+listed(r.unread)+".")
	}
	if o := r.order; o.either > 0 || o.dayFirst > 0 && o.monthFirst > 0 {
		all = append(all, r.aboutOrder())
	}
	if len(r.again) > 0 {
		some := slices.Clone(r.again[:min(len(r.again), mostListed)])
		if more := len(r.again) - len(some); more > 0 {
			some = append(some, fmt.Sprintf("%d more", more))
		}
		all = append(all, fmt.Sprintf("Rows that have the number of an earlier row came as records of their own: %s.",
			strings.Join(some, ", ")))
	}
	if r.nameless {
		all = append(all, "The file has no numbers: a row that changes there comes as a new record the next time.")
	}
	return append(all, r.aboutNumbers()...)
}

func (r *reader) aboutOrder() string {
	how, other := "month first", "--day-first reads them the other way"
	if r.dayFirst {
		how, other = "day first", "without --day-first they are read the other way"
	}
	o := r.order
	switch {
	case o.dayFirst > 0 && o.monthFirst > 0:
		return fmt.Sprintf("The file has days both ways: %d with the day first, %d with the month first. They were read %s; what cannot be was kept as text.",
			o.dayFirst, o.monthFirst, how)
	case o.monthFirst > 0 && r.dayFirst:
		return fmt.Sprintf("Days such as %s were read day first, as --day-first says, although others of the file show the month first.",
			o.example)
	case o.dayFirst > 0 || o.monthFirst > 0:
		return fmt.Sprintf("Days such as %s were read %s, as others of the file show.", o.example, how)
	}
	return fmt.Sprintf("Days such as %s (%d of them) can be read both ways. They were read %s: %s.", o.example, o.either, how,
		other)
}

// aboutNumbers says which numbers did not stay.
func (r *reader) aboutNumbers() (all []string) {
	lost := map[string]int{}
	for _, it := range r.all {
		if it.numbered != "" && !it.keeps {
			lost[it.numbered]++
		}
	}
	if len(lost) > 0 {
		all = append(all, fmt.Sprintf("These numbers are taken here, or are no whole numbers, and were kept as text: %s.",
			listed(lost)))
	}
	if r.ahead {
		all = append(all, "The numbers have gaps: what is made here later may get a number that one of these has.")
	}
	return all
}

// mostListed is how many names a sentence has.
const mostListed = 20

// listed gives what there is most of first.
func listed(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	var all []string
	for _, name := range names[:min(len(names), mostListed)] {
		short := clip(strings.Join(strings.Fields(name), " "), 60)
		if counts[name] > 1 {
			short = fmt.Sprintf("%s (%d)", short, counts[name])
		}
		all = append(all, short)
	}
	if more := len(names) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, ", ")
}
