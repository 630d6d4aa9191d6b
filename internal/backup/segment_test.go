package backup

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/store"
)

// TestForgedNumberOfPages: a segment that says it has so many pages that their bytes, counted in 64 bits, are the four
// that it has, is damaged.
func TestForgedNumberOfPages(t *testing.T) {
	const odd = (store.PageSize + 4) / 4
	pages := uint64(1) // becomes 1/odd, modulo 2⁶²
	for range 6 {
		pages *= 2 - odd*pages
	}
	h := segmentHead{Format: stretchFormat, Stretch: "s", Number: 1, Pages: int64(pages % (1 << 62)), Size: 1}
	if uint64(h.Pages)*(store.PageSize+4) != 4 {
		t.Fatalf("%d pages", h.Pages)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	line := func(h segmentHead) []byte {
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return append(text, '\n')
	}
	sealed, err := (&sealer{}).bytesOf(append(line(h.inner()), 0, 0, 0, 1), z)
	if err != nil {
		t.Fatal(err)
	}
	h.Contents = int64(len(sealed))
	_, err = openSegment(summed(append(line(h), sealed...)), nil, func(uint32, []byte) error { return nil })
	if !errors.Is(err, errDamaged) {
		t.Errorf("it is said: %v", err)
	}
}
