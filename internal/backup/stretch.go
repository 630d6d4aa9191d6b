package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// stretchFormat is the number of the form of stretches and their segments.
const stretchFormat = 1

// Stretch is a base, the database at one moment in pages, and the segments that follow it: what was changed since, page
// by page. It can be restored to the end of any of its segments. This is what can be read of it without its key.
type Stretch struct {
	Format int    `json:"groundwork_stretch"`
	ID     string `json:"id"`
	// From is the first moment to which it can be restored.
	From time.Time `json:"from"`
	// Encrypted is empty, recipient or passphrase.
	Encrypted string `json:"encrypted"`
	// Bytes is how long the database was.
	Bytes int64 `json:"bytes"`
	// Parts and Contents are the lengths of what follows the head.
	Parts    int64 `json:"parts"`
	Contents int64 `json:"contents"`

	// To is the last moment to which it can be restored, and Segments how many follow the base without a gap.
	To       time.Time `json:"-"`
	Segments int64     `json:"-"`
	// Gap says that there are segments after one that is missing.
	Gap bool `json:"-"`

	name  string
	sizes map[string]int64 // of all segments at the place
}

// stretchContents is what a stretch begins with.
type stretchContents struct {
	ID      string    `json:"id"`
	From    time.Time `json:"from"`
	Release string    `json:"release"`
	Engine  string    `json:"engine"`
	Schema  int64     `json:"schema"`
	// Ready is how many segments the base needs at least: it was read while they were made.
	Ready int64 `json:"ready"`
	// Key is the public key by which parts of files have their names; empty where nothing is encrypted.
	Key      string  `json:"key"`
	PageSize int64   `json:"page_size"`
	Pages    []chunk `json:"pages"`
}

// segmentHead is what can be read of a segment without a key. Its contents begin with the same, but for the last two.
type segmentHead struct {
	Format  int       `json:"groundwork_segment"`
	Stretch string    `json:"stretch"`
	Number  int64     `json:"number"` // from 1
	Moment  time.Time `json:"moment"`
	// Previous is the hash of the segment before, as it is stored; of the first it is empty.
	Previous string `json:"previous"`
	Pages    int64  `json:"pages"`
	// Size is how many pages the database has; 0 where the segment changes nothing.
	Size int64 `json:"size"`
	// Last says that the stretch was ended, not cut off.
	Last bool `json:"last"`
	// Lists is how many lists of files there were when it was sealed.
	Lists     int64  `json:"lists"`
	Encrypted string `json:"encrypted"`
	Contents  int64  `json:"contents"`
}

func (h segmentHead) inner() segmentHead {
	h.Encrypted, h.Contents = "", 0
	return h
}

func segmentName(stretch string, number int64) string {
	return blob.Part(stretch, "segment/"+strconv.FormatInt(number, 10))
}

// listName names a list of parts, the files that a stretch has, by its number from 1.
func listName(stretch string, number int64) string {
	return blob.Part(stretch, "files/"+strconv.FormatInt(number, 10))
}

// sealSegment gives a segment as it is stored.
func sealSegment(h segmentHead, c store.Changes, s *sealer, with *zstd.Encoder) ([]byte, error) {
	h.Format, h.Pages, h.Size = stretchFormat, int64(len(c.Pages)), int64(c.Size)
	inner, err := json.Marshal(h.inner())
	if err != nil {
		return nil, err
	}
	numbers := make([]uint32, 0, len(c.Pages))
	for number := range c.Pages {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	text := make([]byte, 0, len(inner)+1+len(numbers)*(store.PageSize+4))
	text = append(append(text, inner...), '\n')
	for _, number := range numbers {
		text = append(binary.BigEndian.AppendUint32(text, number), c.Pages[number]...)
	}
	if len(text) > mostSegment {
		return nil, errTooLarge
	}
	sealed, err := s.bytesOf(text, with)
	if err != nil {
		return nil, err
	}
	h.Encrypted, h.Contents = s.how, int64(len(sealed))
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return summed(append(append(head, '\n'), sealed...)), nil
}

// summed appends the hash of a text.
func summed(text []byte) []byte {
	sum := sha256.Sum256(text)
	return append(text, sum[:]...)
}

// unsummed gives a text whose hash is right.
func unsummed(text []byte) (content []byte, whole bool) {
	end := len(text) - sha256.Size
	if end < 0 || sha256.Sum256(text[:end]) != [sha256.Size]byte(text[end:]) {
		return nil, false
	}
	return text[:end], true
}

// mostSegment is how much a segment can be, before it is compressed and after: less than what is read at once.
const mostSegment = mostManifest - 1<<20

var errTooLarge = errors.New("one change is larger than a segment can be")

// openSegment reads a segment, whose hash must be right, and shows its pages.
func openSegment(stored []byte, identities []age.Identity, each func(number uint32, page []byte) error,
) (h segmentHead, err error) {
	text, whole := unsummed(stored)
	line, sealed, cut := bytes.Cut(text, []byte("\n"))
	if !whole || !cut || json.Unmarshal(line, &h) != nil || h.Format < 1 || h.Contents != int64(len(sealed)) {
		return h, errDamaged
	}
	if h.Format > stretchFormat {
		return h, fmt.Errorf("it has the form %d of a later release", h.Format)
	}
	content, err := textOf(sealed, identities, mostSegment)
	if err != nil {
		return h, err
	}
	line, content, _ = bytes.Cut(content, []byte("\n"))
	var inner segmentHead
	if err := json.Unmarshal(line, &inner); err != nil || inner != h.inner() ||
		int64(len(content))%(store.PageSize+4) != 0 || int64(len(content))/(store.PageSize+4) != h.Pages {
		return h, errDamaged
	}
	for ; len(content) > 0; content = content[store.PageSize+4:] {
		if err := each(binary.BigEndian.Uint32(content), content[4:store.PageSize+4]); err != nil {
			return h, err
		}
	}
	return h, nil
}

// Stretches gives what was shipped to the place without a break, the oldest first, and how many of their manifests
// cannot be read.
func (p *Place) Stretches(ctx context.Context) (all []Stretch, damaged int, err error) {
	names, err := sizes(ctx, p.stretches)
	if err != nil || len(names) == 0 {
		return nil, 0, err
	}
	has, err := sizes(ctx, p.segments)
	if err != nil {
		return nil, 0, err
	}
	for name, size := range names {
		text, err := p.stretches.Range(ctx, name, 0, min(size, mostHead))
		if fault.Is(err, fault.Unavailable) {
			return nil, 0, failed(err)
		}
		line, _, whole := bytes.Cut(text, []byte("\n"))
		s := Stretch{name: name, sizes: has}
		if err != nil || !whole || json.Unmarshal(line, &s) != nil || s.Format < 1 {
			damaged++
			continue
		}
		if err := p.extent(ctx, &s); err != nil {
			return nil, 0, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Stretch) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.name, b.name)) })
	return all, damaged, nil
}

// lookAhead is how many numbers after a missing segment are looked for.
const lookAhead = 10_000

// extent finds the last segment of a stretch.
func (p *Place) extent(ctx context.Context, s *Stretch) error {
	s.To = s.From
	for s.has(s.Segments + 1) {
		s.Segments++
	}
	for n := s.Segments + 2; n < s.Segments+lookAhead && !s.Gap; n++ {
		s.Gap = s.has(n)
	}
	if s.Gap { // segments come while names are listed: the one that is missing may be there by now
		missing := segmentName(s.ID, s.Segments+1)
		switch size, err := sizeIn(ctx, p.segments, missing); {
		case err == nil:
			s.sizes[missing], s.Gap, s.Segments = size, false, 0
			return p.extent(ctx, s)
		case !fault.Is(err, fault.NotFound):
			return failed(err)
		}
	}
	if s.Segments == 0 {
		return nil
	}
	to, err := p.momentOf(ctx, s, s.Segments)
	if err == nil && to.After(s.To) {
		s.To = to
	}
	return err
}

func (s *Stretch) has(number int64) bool {
	_, there := s.sizes[segmentName(s.ID, number)]
	return there
}

// eachName shows the names of all segments and lists that the stretch has, also of segments after a missing one, and of
// those that come while it is looked.
func (s *Stretch) eachName(show func(string)) {
	for n, missing := int64(1), 0; missing < lookAhead; n++ {
		missing++
		for _, name := range []string{segmentName(s.ID, n), listName(s.ID, n)} {
			show(name)
			if _, there := s.sizes[name]; there {
				missing = 0
			}
		}
	}
}

// momentOf reads the moment of a segment; one whose head cannot be read has none.
func (p *Place) momentOf(ctx context.Context, s *Stretch, number int64) (time.Time, error) {
	h, err := p.headOf(ctx, s, number)
	return h.Moment, err
}

// headOf reads the head of a segment; it is zero where it cannot be read.
func (p *Place) headOf(ctx context.Context, s *Stretch, number int64) (h segmentHead, err error) {
	name := segmentName(s.ID, number)
	text, err := p.segments.Range(ctx, name, 0, max(1, min(s.sizes[name], mostHead)))
	if fault.Is(err, fault.Unavailable) {
		return h, failed(err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || json.Unmarshal(line, &h) != nil {
		return segmentHead{}, nil
	}
	return h, nil
}

// until gives the last segment of a stretch whose moment is not later than at; 0 where that is the base.
func (p *Place) until(ctx context.Context, s *Stretch, at time.Time) (number int64, err error) {
	if at.IsZero() || !s.To.After(at) {
		return s.Segments, nil
	}
	low, high := int64(0), s.Segments // low is not later, what is beyond high is
	for low < high {
		middle := (low + high + 1) / 2
		moment, err := p.momentOf(ctx, s, middle)
		if err != nil {
			return 0, err
		}
		if moment.After(at) {
			high = middle - 1
		} else {
			low = middle
		}
	}
	return low, nil
}

// writeStretch stores the manifest of a stretch, in the form of that of a backup.
func (p *Place) writeStretch(ctx context.Context, name string, h Stretch, c *stretchContents, parts map[string]int64,
	s *sealer,
) error {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	defer z.Close()
	packed := z.EncodeAll(listed(parts), nil)
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	sealed, err := s.bytesOf(text, z)
	if err != nil {
		return err
	}
	h.Format, h.Encrypted, h.Parts, h.Contents = stretchFormat, s.how, int64(len(packed)), int64(len(sealed))
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	whole := summed(append(append(append(head, '\n'), packed...), sealed...))
	_, err = p.stretches.Put(ctx, name, bytes.NewReader(whole))
	return failed(err)
}

var errStretch = errors.New("its manifest is damaged")

// stretchParts reads the manifest of a stretch and holds it against its hash.
func (p *Place) stretchParts(ctx context.Context, s *Stretch) (parts map[string]int64, sealed []byte, err error) {
	if s.Format > stretchFormat {
		return nil, nil, fmt.Errorf("it has the form %d of a later release; this one knows up to %d", s.Format, stretchFormat)
	}
	stored, err := readAll(ctx, p.stretches, s.name, mostManifest)
	if fault.Is(err, fault.Unavailable) {
		return nil, nil, failed(err)
	}
	text, whole := unsummed(stored)
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || !whole || s.Parts < 0 || s.Contents < 0 || s.Parts+s.Contents != int64(len(rest)) {
		return nil, nil, errStretch
	}
	parts, err = readParts(rest[:s.Parts])
	return parts, rest[s.Parts:], err
}

// lists is how many lists of files a stretch has, as far as can be known: those that are there, and those that its last
// segment tells of.
func (p *Place) lists(ctx context.Context, s *Stretch) (n int64, err error) {
	for i, missing := int64(1), 0; missing < lookAhead; i++ {
		if missing++; s.sizes[listName(s.ID, i)] > 0 {
			n, missing = i, 0
		}
	}
	if s.Segments == 0 {
		return n, nil
	}
	h, err := p.headOf(ctx, s, s.Segments)
	return max(n, h.Lists), err
}

// filesOf gives the parts of files that a stretch has: errStretch where a list of them is missing.
func (p *Place) filesOf(ctx context.Context, s *Stretch) (all map[string]int64, err error) {
	lists, err := p.lists(ctx, s)
	if err != nil {
		return nil, err
	}
	all = map[string]int64{}
	for n := int64(1); n <= lists; n++ {
		name := listName(s.ID, n)
		stored, err := readAll(ctx, p.segments, name, mostManifest)
		if fault.Is(err, fault.Unavailable) {
			return nil, failed(err)
		}
		packed, whole := unsummed(stored)
		if err != nil || !whole {
			return nil, errStretch
		}
		some, err := readParts(packed)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, some)
	}
	return all, nil
}

func hexOf(stored []byte) string {
	sum := sha256.Sum256(stored)
	return hex.EncodeToString(sum[:])
}
