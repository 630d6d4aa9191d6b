package durability

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

const testBlocks = 16

// newTestDisk gives an empty disk of a few blocks.
func newTestDisk(t *testing.T, seed uint64) *disk {
	t.Helper()
	image, err := os.Create(filepath.Join(t.TempDir(), "image"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = image.Close() })
	if err := image.Truncate(testBlocks * block); err != nil {
		t.Fatal(err)
	}
	d, err := newDisk(image, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *disk) put(t *testing.T, at int64, with byte) {
	t.Helper()
	if err := d.write(bytes.Repeat([]byte{with}, block), at*block); err != nil {
		t.Fatal(err)
	}
}

// has gives what fills a block.
func (d *disk) has(t *testing.T, at int64) byte {
	t.Helper()
	data := make([]byte, block)
	if n, err := d.read(data, at*block); err != nil || n != block {
		t.Fatalf("read %d bytes: %v", n, err)
	}
	if !bytes.Equal(data, bytes.Repeat(data[:1], block)) {
		t.Fatalf("block %d is torn", at)
	}
	return data[0]
}

func (d *disk) lose(t *testing.T) {
	t.Helper()
	d.cutNow()
	d.abandon()
	if err := d.restore(); err != nil {
		t.Fatal(err)
	}
}

// TestDiskCut writes 1 everywhere, flushes, then writes 2 and 3, and cuts: what was flushed is there, and each block
// chose for itself.
func TestDiskCut(t *testing.T) {
	var found [4]int
	for seed := range uint64(40) {
		d := newTestDisk(t, seed)
		for at := range int64(testBlocks) {
			d.put(t, at, 1)
		}
		if err := d.flush(); err != nil {
			t.Fatal(err)
		}
		for at := range int64(testBlocks / 2) {
			d.put(t, at, 2)
			d.put(t, at, 3)
			if got := d.has(t, at); got != 3 {
				t.Fatalf("before the cut block %d holds %d", at, got)
			}
		}
		d.lose(t)
		for at := range int64(testBlocks) {
			got := d.has(t, at)
			if found[got]++; at >= testBlocks/2 && got != 1 {
				t.Errorf("block %d was flushed and holds %d", at, got)
			}
		}
	}
	if found[0] > 0 {
		t.Errorf("%d flushed blocks are empty", found[0])
	}
	for version := 1; version <= 3; version++ {
		if found[version] == 0 {
			t.Errorf("no block kept version %d", version)
		}
	}
}

// TestDiskOff has writes and flushes come while the power is off: nobody is answered until it cannot matter, and
// nothing of it stays.
func TestDiskOff(t *testing.T) {
	d := newTestDisk(t, 1)
	d.put(t, 0, 1)
	if err := d.flush(); err != nil {
		t.Fatal(err)
	}
	d.cutAfter(1)
	done := make(chan error, 1)
	go func() {
		err := d.write(bytes.Repeat([]byte{2}, block), 0)
		if err == nil {
			err = d.flush()
		}
		done <- err
	}()
	for !d.isCut() {
	}
	select {
	case <-done:
		t.Error("answered without power")
	default:
	}
	d.abandon()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := d.restore(); err != nil {
		t.Fatal(err)
	}
	if got := d.has(t, 0); got != 1 {
		t.Errorf("block 0 holds %d", got)
	}
}

// TestDiskParts writes less than a block, over the edge of two.
func TestDiskParts(t *testing.T) {
	d := newTestDisk(t, 1)
	want := make([]byte, 2*block)
	for _, w := range []struct {
		at   int64
		text string
	}{{block - 3, "abcdef"}, {10, "xyz"}, {block - 1, "!!"}} {
		if err := d.write([]byte(w.text), w.at); err != nil {
			t.Fatal(err)
		}
		copy(want[w.at:], w.text)
	}
	got := make([]byte, 2*block)
	if _, err := d.read(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read %q, %v", bytes.Trim(got, "\x00"), err)
	}
	if err := d.flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.read(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after the flush %q, %v", bytes.Trim(got, "\x00"), err)
	}
}
