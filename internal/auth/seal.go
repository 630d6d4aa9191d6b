package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"strconv"
	"time"
)

// Seal marks things that whoever has the mark may read until a moment, without credentials. It is for one goroutine.
type Seal struct {
	Until int64 // seconds since 1970
	mac   hash.Hash
	room  [sha256.Size]byte
}

// Seal makes the seal of a scope, such as a project, for a moment. A mark made with one is worthless with another.
func (a *Auth) Seal(scope string, until time.Time) *Seal {
	s := &Seal{Until: until.Unix()}
	s.mac = hmac.New(sha256.New, a.Sign("seal", []byte(strconv.FormatInt(s.Until, 10)+" "+scope)))
	return s
}

// markBytes are enough: nobody can try marks but by asking for what they open.
const markBytes = 16

// Append appends the mark of a thing: 22 characters that need no escape anywhere.
func (s *Seal) Append(buf []byte, thing []byte) []byte {
	s.mac.Reset()
	s.mac.Write(thing)
	return base64.RawURLEncoding.AppendEncode(buf, s.mac.Sum(s.room[:0])[:markBytes])
}

// Opens tells whether mark is the mark of the thing.
func (s *Seal) Opens(thing, mark string) bool {
	return subtle.ConstantTimeCompare(s.Append(nil, []byte(thing)), []byte(mark)) == 1
}
