package backup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

// Erased is a person or a project that an installation has erased for good. The place keeps it beside the backups, for
// ever: those that are older still have it, and whoever restores one erases it again. Of what was erased it has the uid
// alone.
type Erased struct {
	What    string    `json:"what"`
	UID     string    `json:"uid"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Further int64     `json:"further"`
}

// erasedHead is what can be read of it without a key: that, and when, something was erased.
type erasedHead struct {
	Format    int       `json:"groundwork_erased"`
	At        time.Time `json:"at"`
	Encrypted string    `json:"encrypted"`
}

const mostOfErased = 1 << 16

// NoteErased writes to the place what it does not have yet of what was erased.
func (p *Place) NoteErased(ctx context.Context, all []Erased, secret Secret) error {
	if len(all) == 0 {
		return nil
	}
	seal, err := p.sealer(ctx, secret)
	if err != nil {
		return err
	}
	return p.noteErased(ctx, all, seal)
}

func (p *Place) noteErased(ctx context.Context, all []Erased, seal *sealer) error {
	has, err := sizes(ctx, p.erased)
	if err != nil {
		return err
	}
	for _, e := range all {
		name := blob.Part("erased", fmt.Sprint(seal.name, "/", e.What, "/", e.UID, "/", e.At.UnixMicro()))
		if _, there := has[name]; there {
			continue
		}
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		head, err := json.Marshal(erasedHead{format, e.At, seal.how})
		if err != nil {
			return err
		}
		sealed, err := seal.seal(bytes.NewReader(text))
		if err != nil {
			return err
		}
		var whole bytes.Buffer
		whole.Write(append(head, '\n'))
		if _, err := whole.ReadFrom(sealed); err != nil {
			return err
		}
		if _, err := p.erased.Put(ctx, name, &whole); err != nil && !fault.Is(err, fault.Conflict) {
			return failed(err)
		}
	}
	return nil
}

// ErasedSince tells how much was erased after a moment, without any key.
func (p *Place) ErasedSince(ctx context.Context) (since func(time.Time) int, err error) {
	var all []time.Time
	err = p.eachErased(ctx, func(h erasedHead, _ []byte) error {
		all = append(all, h.At)
		return nil
	})
	return func(moment time.Time) (n int) {
		for _, at := range all {
			if at.After(moment) {
				n++
			}
		}
		return n
	}, err
}

// Erased gives everything that was erased, the oldest first, and how many lines of it cannot be read with the secret:
// they are damaged, encrypted for somebody else, or not encrypted where a secret is given, so that anybody may have
// written them.
func (p *Place) Erased(ctx context.Context, s Secret) (all []Erased, unread int, err error) {
	opened := map[string][]age.Identity{}
	err = p.eachErased(ctx, func(h erasedHead, sealed []byte) error {
		identities, tried := opened[h.Encrypted]
		if !tried {
			var err error
			if identities, err = p.identities(ctx, s, h.Encrypted); err != nil && h.Format > 0 {
				unread++
				return nil
			}
			opened[h.Encrypted] = identities
		}
		var e Erased
		r, err := open(bytes.NewReader(sealed), identities)
		var text bytes.Buffer
		if err == nil {
			_, err = text.ReadFrom(r)
		}
		if err != nil || json.Unmarshal(text.Bytes(), &e) != nil || e.UID == "" {
			unread++
			return nil
		}
		// What was said last of somebody, or something, counts.
		if i := slices.IndexFunc(all, func(had Erased) bool { return had.UID == e.UID }); i < 0 {
			all = append(all, e)
		} else if all[i].At.Before(e.At) {
			all[i] = e
		}
		return nil
	})
	slices.SortFunc(all, func(a, b Erased) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.UID, b.UID)) })
	return all, unread, err
}

func (p *Place) eachErased(ctx context.Context, each func(h erasedHead, sealed []byte) error) error {
	names, err := sizes(ctx, p.erased)
	for _, name := range sortedKeys(names) {
		if err != nil {
			return err
		}
		text, err := readAll(ctx, p.erased, name, mostOfErased)
		if fault.Is(err, fault.Unavailable) {
			return failed(err)
		}
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		var h erasedHead
		if err != nil || !whole || json.Unmarshal(line, &h) != nil {
			h, rest = erasedHead{}, nil
		}
		if err := each(h, rest); err != nil {
			return err
		}
	}
	return err
}
