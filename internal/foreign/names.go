package foreign

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/resource"
)

// uidOf is the uid of the record of a row that the file names so: by its id, its number or all that it says.
func (r *reader) uidOf(what, name string) string {
	return UID("row", r.project, r.service, r.export.name, r.Source, what, name)
}

// title is the title of the record, and its mark.
func (it *item) title() (text, marked string) {
	text, _ = it.fields["title"].(string)
	if text == "" {
		return "", resource.Hashed(jsontext.Value("null"))
	}
	return text, resource.Hashed(quoted(text))
}

// name finds the record of each row, or gives it the uid of a new one. Rows that the file names alike are told apart by
// their titles, so their order does not matter. A row that has an id and a number is also found by its number where the
// record came without an id, and one without an id where it came with one.
func (b *bringing) name() {
	claimed, nth := map[string]bool{}, map[[2]string]int{}
	also := map[string][]string{}
	for uid, m := range b.here {
		for _, other := range m.also {
			also[other] = append(also[other], uid)
		}
	}
	for _, uids := range also {
		slices.Sort(uids)
	}
	claim := func(it *item, uid string) bool {
		if claimed[uid] {
			return false
		}
		it.uid, claimed[uid] = uid, true
		return true
	}
	twin := func(it *item, takes func(uid string) bool) {
		title, _ := it.title()
		key := [2]string{it.names[0], title}
		if uid := UID("twin", it.names[0], title, strconv.Itoa(nth[key]+1)); takes(uid) && claim(it, uid) {
			nth[key]++
		}
	}
	for _, it := range b.items { // first those whose title is as it was
		_, marked := it.title()
		for _, uid := range append([]string{it.names[0]}, also[it.names[0]]...) {
			if m, here := b.here[uid]; it.uid == "" && here && m.title == marked {
				claim(it, uid)
			}
		}
		if it.uid == "" {
			twin(it, func(uid string) bool { _, here := b.here[uid]; return here })
		}
	}
	for _, it := range b.items {
		for _, uid := range append([]string{it.names[0]}, also[it.names[0]]...) {
			if _, here := b.here[uid]; it.uid == "" && here {
				claim(it, uid)
			}
		}
		if it.uid == "" && len(it.names) > 1 {
			if m, here := b.here[it.names[1]]; here && len(m.also) == 0 {
				claim(it, it.names[1])
			}
		}
		if it.uid == "" && !claim(it, it.names[0]) {
			twin(it, func(string) bool { return true })
		}
	}
}

// also are the other uids by which the record of a row is looked for.
func (it *item) also() (all []string) {
	if len(it.names) > 1 {
		all = it.names[1:]
		if it.uid == it.names[1] {
			all = it.names[:1]
		}
	}
	return all
}

// another says that a file is another one than last time, if most of its rows have other titles: it would overwrite
// what the first has brought.
func (b *bringing) another() error {
	found, other := 0, 0
	for _, it := range b.items {
		m, here := b.here[it.uid]
		if !here || m.deleted || m.title == "" {
			continue
		}
		found++
		if _, marked := it.title(); marked != m.title {
			other++
		}
	}
	if other < 2 || 2*other <= found || b.AlthoughRenamed {
		return nil
	}
	return fmt.Errorf("%d of the %d rows that came before have another title now. If this is another file, say with "+
		"--source NAME which one: its rows are then records of their own. If it is the same, give --although-renamed.",
		other, found)
}
