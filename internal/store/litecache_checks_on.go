//go:build soak

package store

import (
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A build with the tag soak holds every page against what it was when its use ended. It is slow, and is for TestSoak
// only.
const checksPages = true

var (
	sealed        sync.Map // the checksums of pages that are not in use, by their address
	checkedPages  atomic.Int64
	polynomial    = crc32.MakeTable(crc32.Castagnoli)
	damagesPageNo atomic.Int64 // a page to damage, for the control; 0 for none
)

func (p *litePage) sum(size uintptr) uint32 {
	return crc32.Checksum(unsafe.Slice(at[byte](p.bytes), size), polynomial) ^ p.number
}

// seal notes what a page is when its use ends.
func (p *litePage) seal(size uintptr) {
	sealed.Store(p.at(), p.sum(size))
	if damagesPageNo.CompareAndSwap(int64(p.number), 0) {
		*at[byte](p.bytes + size/2)++
	}
}

// check stops the program where a page is another one than it was when its use ended.
func (p *litePage) check(size uintptr) {
	was, is := sealed.LoadAndDelete(p.at())
	checkedPages.Add(1)
	if !is || was != p.sum(size) {
		panic(fmt.Sprintf("store: page %d is not what it was when its use ended", p.number))
	}
}
