package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

func TestParseKeep(t *testing.T) {
	for text, good := range map[string]bool{
		"": true, "7d": true, "7d,4w,12m": true, " 1h , 2y ": true,
		"7": false, "d": false, "0d": false, "-1d": false, "7d,": false, "7x": false, "1.5d": false, ",": false,
	} {
		if _, err := ParseKeep(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestKeepChooses(t *testing.T) {
	var all []Head
	begin := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	for day := range 400 {
		for _, hour := range []int{0, 12} {
			at := begin.AddDate(0, 0, day).Add(time.Duration(hour) * time.Hour)
			all = append(all, Head{Moment: at, name: at.Format("2006-01-02T15")})
		}
	}
	rule, err := ParseKeep("3d,2w,2m,1y")
	if err != nil {
		t.Fatal(err)
	}
	gone := rule.choose(all, false)
	var stay []string
	for _, h := range all {
		if !slices.ContainsFunc(gone, func(g Head) bool { return g.name == h.name }) {
			stay = append(stay, h.name)
		}
	}
	// 2027-02-04 is a Thursday: the week before ended on the 31st of January, as did the month.
	if got, want := strings.Join(stay, " "), "2027-01-31T15 2027-02-02T15 2027-02-03T15 2027-02-04T15"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	if gone := Keep(nil).choose(all, false); gone != nil {
		t.Error("no rule removes something")
	}
	// Of what was shipped all of the last three days is kept, and the last stretch of the others.
	stay = nil
	gone = rule.choose(all, true)
	for _, h := range all {
		if !slices.ContainsFunc(gone, func(g Head) bool { return g.name == h.name }) {
			stay = append(stay, h.name)
		}
	}
	want := []string{"2027-01-31T15"}
	for _, h := range all {
		if strings.Compare(h.name, "2027-02-02") > 0 {
			want = append(want, h.name)
		}
	}
	if !slices.Equal(stay, want) || len(want) < 4 {
		t.Errorf("of what was shipped %v are kept, want %v", stay, want)
	}
}

// clocked is an installation whose clock the test sets.
type clocked struct {
	*store.Store
	blobs blob.Store
	now   time.Time
	place *Place
	at    string
}

func openClocked(t *testing.T) *clocked {
	t.Helper()
	c := &clocked{now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), at: t.TempDir()}
	var err error
	if c.Store, err = store.Open(t.Context(), store.Config{
		URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db"), Now: func() time.Time { return c.now },
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if c.blobs, err = blob.Open(t.Context(), "file:"+t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	if c.place, err = Open(t.Context(), c.at, true, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *clocked) back(t *testing.T) (Made, error) {
	from := Source{Store: c.Store, Blobs: c.blobs, Spool: t.TempDir()}
	return Make(t.Context(), c.place, from, Secret{}, func(int) {})
}

// What is not kept goes, with the parts that nothing else needs; what is kept stays whole.
func TestTidy(t *testing.T) {
	c := openClocked(t)
	for day := range 6 {
		if err := c.SetNote(t.Context(), "day", fmt.Sprint(day, strings.Repeat("x", 1000*day))); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(24 * time.Hour)
		if _, err := c.back(t); err != nil {
			t.Fatal(err)
		}
	}
	rule, _ := ParseKeep("2d")
	// While a backup is being made, nothing is removed: it may rely on it.
	running, err := c.place.claim(t.Context(), making)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := c.place.Tidy(t.Context(), rule); err != nil || done.Later == "" || done.Backups+done.Parts != 0 {
		t.Errorf("beside a backup: %+v %v", done, err)
	}
	running.release()
	done, err := c.place.Tidy(t.Context(), rule)
	if err != nil || done.Backups != 4 || done.Parts < 4 || done.Later != "" {
		t.Errorf("removed %+v %v", done, err)
	}
	all, damaged, err := c.place.List(t.Context())
	if err != nil || len(all) != 2 || damaged != 0 {
		t.Fatalf("left %v %d %v", all, damaged, err)
	}
	for _, h := range all {
		if got, wrong, err := c.place.Verify(t.Context(), h.Moment, Secret{}, false, func(int) {}); err != nil ||
			len(wrong) != 0 || !got.Moment.Equal(h.Moment) {
			t.Errorf("%s: %v %v", Moment(h.Moment), wrong, err)
		}
	}
	// A backup begins after whoever removes has ended.
	removal, err := c.place.claim(t.Context(), removing)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Make(ctx, c.place, Source{Store: c.Store, Blobs: c.blobs, Spool: t.TempDir()}, Secret{},
		func(int) {}); err == nil {
		t.Error("a backup was made while parts were being removed")
	}
	removal.release()
	if _, err := c.back(t); err != nil {
		t.Error(err)
	}
	if left, err := sizes(t.Context(), c.place.claims); err != nil || len(left) != 0 {
		t.Errorf("claims stay: %v %v", left, err)
	}
}

// full is a place whose disk takes a few parts more.
type full struct {
	blob.Store
	room int
}

func (f *full) Put(ctx context.Context, name string, r io.Reader) (int64, error) {
	if f.room--; f.room < 0 {
		return 0, &fault.Error{Kind: fault.Full, Message: "There is no room left to store the file."}
	}
	return f.Store.Put(ctx, name, r)
}

// A place that fills up makes no backup, loses none, and goes on when there is room.
func TestFullPlace(t *testing.T) {
	c := openClocked(t)
	if _, err := c.back(t); err != nil {
		t.Fatal(err)
	}
	name := blob.NewName()
	if _, err := c.blobs.Put(t.Context(), name, bytes.NewReader(make([]byte, 100))); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		if err := c.SetNote(t.Context(), fmt.Sprint("note", n), strings.Repeat(fmt.Sprint(n), 9000)); err != nil {
			t.Fatal(err)
		}
	}
	whole := c.place.parts
	c.place.parts = &full{whole, 1}
	if _, err := c.back(t); err == nil || !strings.Contains(err.Error(), "is full") {
		t.Errorf("a full place: %v", err)
	}
	c.place.parts = whole
	all, _, err := c.place.List(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("backups %v %v", all, err)
	}
	if _, wrong, err := c.place.Verify(t.Context(), time.Time{}, Secret{}, false, func(int) {}); err != nil ||
		len(wrong) > 0 {
		t.Error(wrong, err)
	}
	if made, err := c.back(t); err != nil || made.NewParts == 0 {
		t.Errorf("made %+v %v", made, err)
	}
}

// A backup of a later release is refused before anything is made of it.
func TestLaterSchema(t *testing.T) {
	c := openClocked(t)
	if _, err := c.back(t); err != nil {
		t.Fatal(err)
	}
	all, _, err := c.place.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	what, parts, _, err := c.place.contents(t.Context(), all[0], Secret{})
	if err != nil {
		t.Fatal(err)
	}
	what.Schema = 9999
	later := all[0]
	later.Moment = later.Moment.Add(time.Hour)
	what.Moment = later.Moment
	if _, err := c.place.write(t.Context(), later, what, parts, &sealer{}); err != nil {
		t.Fatal(err)
	}
	url := "sqlite:" + filepath.Join(t.TempDir(), "new.db")
	to := Target{Database: store.Config{URL: url}}
	_, err = Restore(t.Context(), c.place, time.Time{}, Secret{}, to, func(int) {})
	if err == nil || !strings.Contains(err.Error(), "later release") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(strings.TrimPrefix(url, "sqlite:") + "*"); len(left) > 0 {
		t.Errorf("it made %v", left)
	}
}

// A chunk in the place of another one is whole in itself, and found by its hash.
func TestForeignChunk(t *testing.T) {
	c := openClocked(t)
	for n := range 40 {
		if err := c.SetNote(t.Context(), fmt.Sprint("note", n), strings.Repeat(fmt.Sprint(n), 9000)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.back(t); err != nil {
		t.Fatal(err)
	}
	all, _, err := c.place.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	what, _, _, err := c.place.contents(t.Context(), all[0], Secret{})
	if err != nil {
		t.Fatal(err)
	}
	var chunks []chunk
	for _, t := range what.Tables {
		chunks = append(chunks, t.Chunks...)
	}
	if len(chunks) < 3 {
		t.Fatalf("%d chunks", len(chunks))
	}
	foreign, err := readAll(t.Context(), c.place.parts, chunks[1].Part, mostManifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.place.parts.Delete(t.Context(), chunks[0].Part); err != nil {
		t.Fatal(err)
	}
	if _, err := c.place.parts.Put(t.Context(), chunks[0].Part, bytes.NewReader(foreign)); err != nil {
		t.Fatal(err)
	}
	r, err := c.place.reading(t.Context(), time.Time{}, Secret{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	own := chunks[0]
	own.Bytes = max(own.Bytes, chunks[1].Bytes) // its length alone does not tell
	if _, err := r.chunk(t.Context(), own); err == nil {
		t.Error("a chunk of something else is taken")
	}
	if _, err := r.chunk(t.Context(), chunks[1]); err != nil {
		t.Error(err)
	}
	endless := chunks[1]
	endless.Bytes = mostManifest + 1
	if _, err := r.chunk(t.Context(), endless); !errors.Is(err, errDamaged) {
		t.Errorf("a chunk that no memory holds: %v", err)
	}
}

// TestKeysOfOthers: a key at the place that takes gigabytes to open is passed over.
func TestKeysOfOthers(t *testing.T) {
	p, err := Open(t.Context(), t.TempDir(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	with, err := age.NewScryptRecipient("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	with.SetWorkFactor(workFactor + 1)
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, with)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, identity.String()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.keys.Put(t.Context(), blob.NewName(), &sealed); err != nil {
		t.Fatal(err)
	}
	if _, err := p.unlock(t.Context(), "correct horse"); !errors.Is(err, errPassphrase) {
		t.Errorf("it is opened: %v", err)
	}
	own, err := p.lock(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.unlock(t.Context(), "correct horse"); err != nil || got.String() != own.String() {
		t.Errorf("beside it, the own key is not found: %v", err)
	}
}

// TestMomentOfAnother: an old backup under a later moment, which everybody can write, is none.
func TestMomentOfAnother(t *testing.T) {
	c := openClocked(t)
	if _, err := c.back(t); err != nil {
		t.Fatal(err)
	}
	all, _, err := c.place.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := all[0]
	text, err := readAll(t.Context(), c.place.manifests, own.name, mostManifest)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text[:len(text)-sha256.Size], []byte("\n"))
	later := own
	later.Moment = own.Moment.Add(time.Hour)
	head, err := json.Marshal(later)
	if err != nil {
		t.Fatal(err)
	}
	whole := append(append(head, '\n'), rest...)
	sum := sha256.Sum256(whole)
	forged := bytes.NewReader(append(whole, sum[:]...))
	if _, err := c.place.manifests.Put(t.Context(), blob.NewName(), forged); err != nil {
		t.Fatal(err)
	}
	if _, err := c.place.reading(t.Context(), time.Time{}, Secret{}, func(int) {}); !errors.Is(err, errManifest) {
		t.Errorf("it is taken for the newest: %v", err)
	}
	if _, err := c.place.reading(t.Context(), own.Moment, Secret{}, func(int) {}); err != nil {
		t.Error(err)
	}
}

// TestCheckPlace: other places than folders and buckets are refused, and nothing of a password is repeated.
func TestCheckPlace(t *testing.T) {
	for at, good := range map[string]bool{
		"/mnt/backups": true, "backups": true, "file:/mnt/backups": true, "file:///mnt/backups": true,
		"s3://bucket/prefix?endpoint=https://s3.example.com": true, "./odd://name": true,
		"s3://b": false, "s3:x": false, "ftp://u:canary@host/x": false, "sftp://host": false, "https://host/x": false,
	} {
		err := CheckPlace(at)
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", at, err)
		}
		if _, opened := Open(t.Context(), at, false, nil); !good && opened == nil {
			t.Errorf("%s was opened", at)
		}
	}
	for at, relative := range map[string]bool{"backups": true, "file:backups": true, "/mnt": false, "file:/mnt": false, "s3://bucket": false} {
		if Relative(at) != relative {
			t.Errorf("%s: %v", at, !relative)
		}
	}
}
