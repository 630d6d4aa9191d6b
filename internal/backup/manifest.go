package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// format is the number of the form of backups; docs/operating.md describes it. A later one is refused.
const format = 1

// Head is what can be read of a backup without its key.
type Head struct {
	Format int       `json:"groundwork_backup"`
	Moment time.Time `json:"moment"`
	// Encrypted is empty, recipient or passphrase.
	Encrypted string `json:"encrypted"`
	// Rows, Files and Bytes are how much there is in it, as it was before it was compressed.
	Rows    int64 `json:"rows"`
	Files   int64 `json:"files"`
	Bytes   int64 `json:"bytes"`
	Missing int64 `json:"missing"`
	// Parts and Contents are the lengths of what follows the head.
	Parts    int64 `json:"parts"`
	Contents int64 `json:"contents"`

	name string
}

// contents is what a backup has.
type contents struct {
	Release string    `json:"release"`
	Engine  string    `json:"engine"`
	Schema  int64     `json:"schema"`
	Moment  time.Time `json:"moment"`
	Tables  []table   `json:"tables"`
	Objects []object  `json:"objects"`
	Missing []lost    `json:"missing"`
	LeftOut []string  `json:"left_out"`
}

type table struct {
	Name    string  `json:"name"`
	Columns string  `json:"columns"`
	Rows    int64   `json:"rows"`
	Chunks  []chunk `json:"chunks"`
}

type chunk struct {
	Part   string `json:"part"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Rows   int64  `json:"rows"`
}

// object is a file of the file store.
type object struct {
	Name   string `json:"name"`
	Part   string `json:"part"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// lost is a file that the database names and the file store did not have whole.
type lost struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// columnsOf says in one text what a table is like.
func columnsOf(t store.Table) string {
	var all []string
	for i, c := range t.Columns {
		text := c.Name
		if c.Text {
			text += " text"
		}
		if i < t.Key {
			text += " key"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

const (
	mostHead     = 4 << 10
	mostManifest = 1 << 30
)

// write stores a manifest: the head in one line of JSON, the names and sizes of its parts, its contents, and the hash
// of all of it. The parts can be read without a key: whoever removes what no backup needs has none.
func (p *Place) write(ctx context.Context, h Head, c *contents, parts map[string]int64, s *sealer) (int64, error) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		return 0, err
	}
	defer z.Close()
	packed := z.EncodeAll(listed(parts), nil)
	text, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	sealed, err := s.bytesOf(text, z)
	if err != nil {
		return 0, err
	}
	h.Format, h.Encrypted, h.Parts, h.Contents = format, s.how, int64(len(packed)), int64(len(sealed))
	head, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	whole := append(append(append(head, '\n'), packed...), sealed...)
	sum := sha256.Sum256(whole)
	size, err := p.manifests.Put(ctx, blob.NewName(), bytes.NewReader(append(whole, sum[:]...)))
	return size, failed(err)
}

// listed is a list of parts with their sizes, as readParts reads it when it is packed.
func listed(parts map[string]int64) []byte {
	var list bytes.Buffer
	for _, name := range sortedKeys(parts) {
		fmt.Fprintf(&list, "%s %d\n", name, parts[name])
	}
	return list.Bytes()
}

func sortedKeys(m map[string]int64) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// List gives the backups at the place, the oldest first, and how many manifests cannot be read.
func (p *Place) List(ctx context.Context) (all []Head, damaged int, err error) {
	names, err := sizes(ctx, p.manifests)
	for name, size := range names {
		if err != nil {
			return nil, 0, err
		}
		var text []byte
		text, err = p.manifests.Range(ctx, name, 0, min(size, mostHead))
		if fault.Is(err, fault.NotFound) {
			err, damaged = nil, damaged+1
			continue
		}
		line, _, whole := bytes.Cut(text, []byte("\n"))
		h := Head{name: name}
		if err == nil && (!whole || json.Unmarshal(line, &h) != nil || h.Format < 1) {
			damaged++
			continue
		}
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b Head) int { return cmp.Or(a.Moment.Compare(b.Moment), cmp.Compare(a.name, b.name)) })
	return all, damaged, failed(err)
}

// choose gives the newest backup, or the newest that is not later than a moment.
func (p *Place) choose(ctx context.Context, at time.Time) (Head, error) {
	all, damaged, err := p.List(ctx)
	if err != nil {
		return Head{}, err
	}
	if damaged > 0 && at.IsZero() {
		return Head{}, fmt.Errorf("%d manifests at this place cannot be read, and one of them may be of the newest backup. Choose a backup with --at; groundwork backup list shows them.", damaged)
	}
	for _, h := range slices.Backward(all) {
		if at.IsZero() || !h.Moment.After(at) {
			return h, nil
		}
	}
	if len(all) == 0 {
		return Head{}, NoneError{errors.New("There are no backups at this place.")}
	}
	return Head{}, NoneError{fmt.Errorf("No backup at this place is as old as %s: the oldest is of %s.", Moment(at),
		Moment(all[0].Moment))}
}

// NoneError says that there is no backup to choose, where all can be read.
type NoneError struct{ error }

// Moment is a moment as people read and type it.
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

var errManifest = errors.New("The manifest of the backup is damaged. Choose another backup with --at.")

// whole reads a manifest and holds it against its hash.
func (p *Place) whole(ctx context.Context, h Head) (packed, sealed []byte, err error) {
	if h.Format > format {
		return nil, nil, fmt.Errorf("The backup of %s has the form %d of a later release; this one knows up to %d.",
			Moment(h.Moment), h.Format, format)
	}
	text, err := readAll(ctx, p.manifests, h.name, mostManifest)
	if fault.Is(err, fault.Unavailable) {
		return nil, nil, failed(err)
	}
	end := len(text) - sha256.Size
	if err != nil || end < 0 || sha256.Sum256(text[:end]) != [sha256.Size]byte(text[end:]) {
		return nil, nil, errManifest
	}
	_, rest, _ := bytes.Cut(text[:end], []byte("\n"))
	if h.Parts < 0 || h.Contents < 0 || h.Parts+h.Contents != int64(len(rest)) {
		return nil, nil, errManifest
	}
	return rest[:h.Parts], rest[h.Parts:], nil
}

// parts gives the names and sizes of all parts of a backup.
func (p *Place) partsOf(ctx context.Context, h Head) (map[string]int64, error) {
	packed, _, err := p.whole(ctx, h)
	if err != nil {
		return nil, err
	}
	return readParts(packed)
}

func readParts(packed []byte) (map[string]int64, error) {
	list, err := textOf(packed, nil, mostManifest)
	if err != nil {
		return nil, errManifest
	}
	all := map[string]int64{}
	for line := range strings.Lines(string(list)) {
		name, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if all[name], err = strconv.ParseInt(size, 10, 64); err != nil {
			return nil, errManifest
		}
	}
	return all, nil
}

// contents opens a backup.
func (p *Place) contents(ctx context.Context, h Head, s Secret) (c *contents, parts map[string]int64,
	identities []age.Identity, err error,
) {
	packed, sealed, err := p.whole(ctx, h)
	if err != nil {
		return nil, nil, nil, err
	}
	if parts, err = readParts(packed); err != nil {
		return nil, nil, nil, err
	}
	if identities, err = p.identities(ctx, s, h.Encrypted); err != nil {
		return nil, nil, nil, err
	}
	text, err := textOf(sealed, identities, mostManifest)
	if err != nil {
		return nil, nil, nil, err
	}
	c = &contents{}
	// The head is not encrypted: an old backup must not pass for a new one.
	if err := json.Unmarshal(text, c); err != nil || !c.Moment.Equal(h.Moment) {
		return nil, nil, nil, errManifest
	}
	return c, parts, identities, nil
}
