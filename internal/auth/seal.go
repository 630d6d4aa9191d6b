package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"strconv"
	"strings"
	"time"

	"groundwork/internal/store"
)

// Seal marks things that whoever has the mark may read until a moment, without credentials. It is for one goroutine.
type Seal struct {
	Until int64 // seconds since 1970
	mac   hash.Hash
	epoch []byte // "3.": the link epoch, before each mark; empty for the first
	room  [sha256.Size]byte
}

// Seal makes the seal of a scope, such as a project, for a moment. A mark made with one is worthless with another.
func (a *Auth) Seal(scope string, until time.Time) *Seal {
	s := &Seal{Until: until.Unix()}
	s.mac = hmac.New(sha256.New, a.Sign("seal", []byte(strconv.FormatInt(s.Until, 10)+" "+scope)))
	return s
}

// Links makes the seal of links to what belongs to a project. Its marks end with the project's link epoch, if that ends
// before the moment.
func (a *Auth) Links(p *store.Project, until time.Time) *Seal { return a.links(p, p.Epoch(), until) }

func (a *Auth) links(p *store.Project, epoch int64, until time.Time) *Seal {
	if epoch == 0 {
		return a.Seal(p.UID, until) // as it was made before there were epochs: an upgrade ends no link
	}
	text := strconv.FormatInt(epoch, 10)
	s := a.Seal(p.UID+" "+text, until)
	s.epoch = []byte(text + ".")
	return s
}

// Opens tells whether mark is one of Links for the thing, and of the project's present link epoch. Only a mark of ours
// is worth a look into the database.
func (a *Auth) Opens(ctx context.Context, p *store.Project, until time.Time, thing, mark string) (bool, error) {
	var epoch int64
	if text, _, later := strings.Cut(mark, "."); later {
		var err error
		if epoch, err = strconv.ParseInt(text, 10, 64); err != nil {
			return false, nil
		}
	}
	if !a.links(p, epoch, until).Opens(thing, mark) {
		return false, nil
	}
	if err := a.store.Refresh(ctx, p, trust); err != nil {
		return false, err
	}
	if epoch > p.Epoch() { // another process signed it just now
		if err := a.store.Refresh(ctx, p, 0); err != nil {
			return false, err
		}
	}
	return epoch == p.Epoch(), nil
}

// markBytes are enough: nobody can try marks but by asking for what they open.
const markBytes = 16

// Append appends the mark of a thing: 22 characters, and a number before them, that need no escape anywhere.
func (s *Seal) Append(buf []byte, thing []byte) []byte {
	s.mac.Reset()
	s.mac.Write(thing)
	return base64.RawURLEncoding.AppendEncode(append(buf, s.epoch...), s.mac.Sum(s.room[:0])[:markBytes])
}

// Opens tells whether mark is the mark of the thing.
func (s *Seal) Opens(thing, mark string) bool {
	return subtle.ConstantTimeCompare(s.Append(nil, []byte(thing)), []byte(mark)) == 1
}
