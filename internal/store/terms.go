package store

import (
	"strconv"
	"strings"
)

// A term name:number is a key: lists can be sorted by it and bounded. All others are name=value and can be filtered by.

// Key is the term that gives a record a key.
func Key(name string, value int64) string { return name + ":" + strconv.FormatInt(value, 10) }

// keyOf reads a term that is a key.
func keyOf(term string) (name string, value int64, ok bool) {
	i := strings.IndexAny(term, "=:")
	if i < 0 || term[i] != ':' {
		return "", 0, false
	}
	value, err := strconv.ParseInt(term[i+1:], 10, 64)
	return term[:i], value, err == nil
}

// ByClock is the key that every record has: when it was changed.
const ByClock = "updated_at"

// DeletedTerm is the term every deleted record has beside its own.
const DeletedTerm = "deleted=true"

// Range bounds a key: From ≤ key < To. A record without the key is outside.
type Range struct {
	Key      string
	From, To int64
}
