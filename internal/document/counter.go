package document

import (
	"bytes"
	"strconv"
	"strings"
)

// AddToCounter gives a tally such as "2 0 1" with the count in a slot changed.
func AddToCounter(tally string, slot, by int) string {
	counts := strings.Fields(tally)
	for len(counts) <= slot {
		counts = append(counts, "0")
	}
	n := int(Counter([]byte(tally), slot)) + by
	counts[slot] = strconv.Itoa(max(n, 0))
	return strings.Join(counts, " ")
}

// Counter reads a slot of a tally such as "2 0 1".
func Counter(tally []byte, slot int) uint32 {
	if len(tally) == 0 { // as of most records
		return 0
	}
	for ; slot > 0; slot-- {
		i := bytes.IndexByte(tally, ' ')
		if i < 0 {
			return 0
		}
		tally = tally[i+1:]
	}
	if i := bytes.IndexByte(tally, ' '); i >= 0 {
		tally = tally[:i]
	}
	return number(tally)
}
