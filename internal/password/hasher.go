// Package password owns passwords by themselves: which are refused, in which form they are kept, how many are hashed at
// once and who waits for it, and how often one may be tried. It refuses to know whose they are: it asks no database.
// Problem judges a password, Hasher keeps and compares one, Attempts counts guesses.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"runtime"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"groundwork/internal/processor"
	"groundwork/internal/redact"
)

// Hashing a password takes a core for 40 ms and 19 MiB, and anybody can ask for it. So it has a share of its own: few
// are hashed at once, few more wait, and whoever comes then is told to come again.

const (
	mostHashing = 2 // at once, so that sign-ins cannot take all memory and cores
	// MostInLine is how many requests may wait for a hash or have one made, which is done in half a second, beside
	// other heavy work in two or three.
	MostInLine = 16 + mostHashing
	// LineOfNetwork is how many of one network may: people of one office sign in at the same moment, but not all of
	// them.
	LineOfNetwork = 4
	// mostForProcessor is how long a hash waits for other heavy work: the line behind it is of people who sign in.
	mostForProcessor = 100 * time.Millisecond
)

// hashers is how many passwords are hashed at once: half of the cores, so that requests have the others.
func hashers() int { return max(1, min(mostHashing, runtime.GOMAXPROCS(0)/2)) }

// Hasher hashes passwords, a few at once.
type Hasher struct {
	cost  cost          // of what is hashed anew
	turns chan struct{} // a place for each password that may be hashed at once
	line  line          // requests that wait for that
}

// NewHasher makes a Hasher with nobody in its line.
func NewHasher() *Hasher {
	return &Hasher{costNow, make(chan struct{}, hashers()), line{most: MostInLine, each: LineOfNetwork}}
}

// Cheapen has the hashes that are made from now on cost a thousandth, so that they protect nobody. It serves tests,
// which make thousands of accounts.
func (h *Hasher) Cheapen() { h.cost = cost{memory: 64, time: 1, lanes: 1} }

// Hold takes every place at which passwords are hashed, until release is called. It serves tests.
func (h *Hasher) Hold() (release func()) {
	for range cap(h.turns) {
		h.turns <- struct{}{}
	}
	return func() {
		for range cap(h.turns) {
			<-h.turns
		}
	}
}

// Waiting is how many requests wait for a hash or have one made. It serves tests.
func (h *Hasher) Waiting() int { return h.line.waiting() }

// Encode gives the form in which a password is kept: argon2id in the PHC string format. What line.pass refuses with
// when too many wait.
func (h *Hasher) Encode(ctx context.Context, password redact.Secret) (string, error) {
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	sum, err := h.hash(ctx, password, salt, h.cost, hashBytes)
	if err != nil {
		return "", err
	}
	return kept(h.cost, salt, sum), nil
}

// Compare tells whether a password is the one that is kept in this form; it never is where the form is "", which costs
// the same time. Its errors are those of encode, and what is damaged.
func (h *Hasher) Compare(ctx context.Context, encoded string, password redact.Secret) (same bool, err error) {
	c, salt, want := h.cost, make([]byte, saltBytes), make([]byte, hashBytes)
	possible := encoded != ""
	if possible {
		if c, salt, want, err = decode(encoded); err != nil {
			return false, err
		}
	}
	if len(password) > mostBytes {
		password, possible = password[:mostBytes], false
	}
	got, err := h.hash(ctx, password, salt, c, uint32(len(want)))
	if err != nil {
		return false, err
	}
	equal := subtle.ConstantTimeCompare(got, want) == 1
	return equal && possible, nil
}

// hash waits for its turn, then hashes: what line.pass refuses with when too many wait. The same characters
// give the same hash however a keyboard composed them.
func (h *Hasher) hash(ctx context.Context, password redact.Secret, salt []byte, c cost, size uint32) (sum []byte,
	err error,
) {
	refusal := h.line.pass(ctx, func() {
		select {
		case h.turns <- struct{}{}:
			defer func() { <-h.turns }()
			var leave func()
			if leave, err = processor.Heavy.Take(ctx, mostForProcessor); err != nil {
				return
			}
			defer leave()
			sum = argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.time, c.memory, c.lanes, size)
		case <-ctx.Done():
			err = ctx.Err()
		}
	})
	if refusal != nil {
		return nil, refusal
	}
	return sum, err
}
