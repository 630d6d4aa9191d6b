package resource

import (
	"strconv"
	"strings"
)

// tallied gives a tally such as "2 0 1" with the count in a slot changed.
func tallied(tally string, slot, by int) string {
	counts := strings.Fields(tally)
	for len(counts) <= slot {
		counts = append(counts, "0")
	}
	n := int(count([]byte(tally), slot)) + by
	counts[slot] = strconv.Itoa(max(n, 0))
	return strings.Join(counts, " ")
}
