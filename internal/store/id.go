package store

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ID is the place of a record in the ledger: project, kind and ordinal packed into one integer, so that a page of a
// list is one range and ID >> 39 is the tenancy test. Of a change it is project and sequence.
type ID int64

// Kind is the stored number of a record kind: 1 to 127, never reused.
type Kind uint8

const (
	kindShift    = 32
	projectShift = 39
	maxProject   = 1<<24 - 1
)

// MakeID packs a place.
func MakeID(project int64, kind Kind, ordinal uint32) ID {
	return ID(project<<projectShift | int64(kind)<<kindShift | int64(ordinal))
}

// Project is the number of the record's project.
func (id ID) Project() int64 { return int64(id) >> projectShift }

// Kind is the record's kind.
func (id ID) Kind() Kind { return Kind(id >> kindShift & 127) }

// Ordinal is the record's place in its kind, from 1.
func (id ID) Ordinal() uint32 { return uint32(id) }

// span gives the first id of a kind in a project and the first one after it.
func span(project int64, kind Kind) (from, to int64) {
	return int64(MakeID(project, kind, 0)), int64(MakeID(project, kind+1, 0))
}

// NewUID makes the uid of a new record. It grows with time, so that the uid index is written at its end.
func NewUID() string { return uuid.Must(uuid.NewV7()).String() }

// FoldUID gives a uid as it is stored: one in the form of a UUID in lower case, whatever its client's library writes.
func FoldUID(uid string) string {
	if IsUUID(uid) {
		return strings.ToLower(uid)
	}
	return uid
}

// IsUUID tells whether a text has the form of a UUID: 8-4-4-4-12 hexadecimal digits, of either case.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// placedUID makes the uid of the record at an ordinal: its last eight digits are the ordinal, so that it tells where to
// look.
func placedUID(ordinal uint32) string {
	uid := uuid.Must(uuid.NewV7())
	binary.BigEndian.PutUint32(uid[12:], ordinal)
	return uid.String()
}

// storable tells whether a text could stand in a database at all: one engine refuses to even compare what cannot.
func storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// Storable tells whether a text could stand in a database at all.
func Storable(text string) bool { return storable(text) }

// MostSeq is the greatest sequence number that a project can have.
const MostSeq = 1<<projectShift - 1
