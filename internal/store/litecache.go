package store

import (
	"unsafe"

	"modernc.org/libc"
)

// liteCache keeps the pages that one connection of SQLite has read. Once it is full, a page that nobody asked for
// lately takes nobody's place: it is forgotten after its use, but for its number. Asked for again soon, it takes the
// place of the one that was not used for longest. So the pages above the leaves stay, however many records are read at
// random; and a leaf is read into memory that the processor still has at hand.
//
// All of it lies outside of Go's heap, for SQLite holds it by its addresses, and so do we: a pointer there could be
// taken for one of Go's. Whoever has the connection has its cache: nothing is locked.
type liteCache struct {
	size, extra    uintptr // of a page, in bytes
	purgeable      bool    // pages can be read again
	most           uint32
	last           uint32 // no page has a greater number
	n, held, spare uint32 // pages in the table, those of them in use, and those that wait to be used
	table          []pageAt
	oldest, newest pageAt // of those not in use
	free           pageAt
	forgotten      [512]uint32 // numbers, each where its last bits say
}

// litePage stands between the bytes of a page and what SQLite adds to them. It begins with what SQLite looks at.
type litePage struct {
	bytes, extra uintptr
	number       uint32
	used         bool
	once         bool   // so far
	next         pageAt // in the table, or of the free ones
	older, newer pageAt
}

// pageAt is the address of a litePage; 0 for none.
type pageAt uintptr

func (a pageAt) page() *litePage { return at[litePage](uintptr(a)) }

func (p *litePage) at() pageAt { return pageAt(address(p)) }

// How a page is asked for that is not there.
const (
	fetchNone  = 0
	fetchEasy  = 1 // nil when nearly all are in use: then SQLite writes what it has changed
	fetchForce = 2
)

const (
	liteTable = 256 // buckets at first, a power of two
	liteRoom  = 4   // pages that are asked for the first time may be used at once, and still none has to go for them
)

func newLiteCache(tls *libc.TLS, size, extra uintptr, purgeable bool) *liteCache {
	c := made[liteCache](tls)
	if c == nil {
		return nil
	}
	c.size, c.extra, c.purgeable = size, extra, purgeable
	if !c.widen(tls, liteTable) {
		libc.Xfree(tls, address(c))
		return nil
	}
	return c
}

// resize sets how many pages are kept.
func (c *liteCache) resize(tls *libc.TLS, most uint32) {
	c.most = most
	for c.n > most && c.oldest != 0 {
		c.evict(tls)
	}
	c.trim(tls, most)
}

// fetch gives a page to be used until release. In one that is new the first word of extra is zero.
func (c *liteCache) fetch(tls *libc.TLS, number uint32, how int32) *litePage {
	p := c.bucket(number).page()
	for p != nil && p.number != number {
		p = p.next.page()
	}
	if p != nil {
		if !p.used {
			if checksPages {
				p.check(c.size)
			}
			c.unlink(p)
			p.used = true
			c.held++
		}
		p.once = false
		return p
	}
	if how == fetchNone || how == fetchEasy && uint64(c.held)*10 >= uint64(c.most)*9 {
		return nil
	}
	if c.purgeable && c.n >= c.most && c.oldest != 0 {
		c.evict(tls)
	}
	if p = c.blank(tls); p == nil {
		return nil
	}
	name := c.name(number)
	p.number, p.used, p.once = number, true, *name != number
	if *name == number {
		*name = 0
	}
	if c.n++; int(c.n) > len(c.table) {
		c.widen(tls, 2*len(c.table))
	}
	c.enter(p)
	c.held++
	return p
}

// release ends the use of a page; with discard the page is no more.
func (c *liteCache) release(tls *libc.TLS, p *litePage, discard bool) {
	p.used = false
	c.held--
	switch {
	case discard:
		c.drop(tls, p)
	case c.purgeable && (c.n > c.most || p.once && c.n+liteRoom > c.most):
		*c.name(p.number) = p.number
		c.drop(tls, p)
	default:
		if checksPages {
			p.seal(c.size)
		}
		c.link(p)
	}
}

// renumber gives a page in use another number. A page that has it is no more.
func (c *liteCache) renumber(tls *libc.TLS, p *litePage, number uint32) {
	for q := c.bucket(number).page(); q != nil; q = q.next.page() {
		if q.number == number && q != p {
			c.lose(tls, q)
			break
		}
	}
	c.leave(p)
	p.number = number
	c.enter(p)
}

// truncate loses the pages from a number on, those in use too.
func (c *liteCache) truncate(tls *libc.TLS, from uint32) {
	if from > c.last {
		return // as after most commits
	}
	for i := range min(c.last-from, uint32(len(c.table)-1)) + 1 {
		for p := c.bucket(from + i).page(); p != nil; {
			next := p.next.page()
			if p.number >= from {
				c.lose(tls, p)
			}
			p = next
		}
	}
	c.last = max(from, 1) - 1
}

// shrink gives back the memory of what is not in use.
func (c *liteCache) shrink(tls *libc.TLS) {
	for c.oldest != 0 {
		c.evict(tls)
	}
	c.trim(tls, 0)
}

// trim gives back the memory that waits to be used, beyond what so many pages need.
func (c *liteCache) trim(tls *libc.TLS, most uint32) {
	for c.free != 0 && c.n+c.spare > most {
		p := c.free.page()
		c.free = p.next
		c.spare--
		libc.Xfree(tls, p.bytes)
	}
}

func (c *liteCache) destroy(tls *libc.TLS) {
	c.truncate(tls, 0)
	c.shrink(tls)
	libc.Xfree(tls, address(unsafe.SliceData(c.table)))
	libc.Xfree(tls, address(c))
}

// evict loses the page that was not used for longest.
func (c *liteCache) evict(tls *libc.TLS) { c.lose(tls, c.oldest.page()) }

// lose drops a page wherever it is.
func (c *liteCache) lose(tls *libc.TLS, p *litePage) {
	if p.used {
		p.used = false
		c.held--
	} else {
		if checksPages {
			p.check(c.size)
		}
		c.unlink(p)
	}
	c.drop(tls, p)
}

// drop takes a page out of the table. Its memory is the first to be used again.
func (c *liteCache) drop(tls *libc.TLS, p *litePage) {
	c.leave(p)
	if c.n--; c.n+c.spare >= c.most {
		libc.Xfree(tls, p.bytes)
		return
	}
	p.next, c.free = c.free, p.at()
	c.spare++
}

// blank gives a page that is in no table; nil where memory has run out.
func (c *liteCache) blank(tls *libc.TLS) *litePage {
	p := c.free.page()
	if p != nil {
		c.free = p.next
		c.spare--
	} else {
		const head = (unsafe.Sizeof(litePage{}) + 15) &^ 15
		bytes := libc.Xmalloc(tls, libc.Tsize_t(c.size+head+c.extra))
		if bytes == 0 {
			return nil
		}
		p = at[litePage](bytes + c.size)
		*p = litePage{bytes: bytes, extra: bytes + c.size + head}
	}
	*at[uintptr](p.extra) = 0
	return p
}

func (c *liteCache) name(number uint32) *uint32 {
	return &c.forgotten[number%uint32(len(c.forgotten))]
}

func (c *liteCache) bucket(number uint32) *pageAt {
	return &c.table[number&uint32(len(c.table)-1)]
}

func (c *liteCache) enter(p *litePage) {
	c.last = max(c.last, p.number)
	b := c.bucket(p.number)
	p.next, *b = *b, p.at()
}

func (c *liteCache) leave(p *litePage) {
	b := c.bucket(p.number)
	for *b != p.at() {
		b = &b.page().next
	}
	*b = p.next
}

// widen makes a table of so many buckets; where memory has run out, the old one stays.
func (c *liteCache) widen(tls *libc.TLS, buckets int) bool {
	memory := libc.Xcalloc(tls, libc.Tsize_t(buckets), libc.Tsize_t(unsafe.Sizeof(pageAt(0))))
	if memory == 0 {
		return false
	}
	old := c.table
	c.table = unsafe.Slice(at[pageAt](memory), buckets)
	for _, a := range old {
		for p := a.page(); p != nil; {
			next := p.next.page()
			c.enter(p)
			p = next
		}
	}
	if old != nil {
		libc.Xfree(tls, address(unsafe.SliceData(old)))
	}
	return true
}

// link makes a page the newest of those not in use.
func (c *liteCache) link(p *litePage) {
	p.older, p.newer = c.newest, 0
	if c.newest != 0 {
		c.newest.page().newer = p.at()
	} else {
		c.oldest = p.at()
	}
	c.newest = p.at()
}

func (c *liteCache) unlink(p *litePage) {
	if p.older != 0 {
		p.older.page().newer = p.newer
	} else {
		c.oldest = p.newer
	}
	if p.newer != 0 {
		p.newer.page().older = p.older
	} else {
		c.newest = p.older
	}
}

// at is what lies at an address outside of Go's heap.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// made is a zero value outside of Go's heap; nil where memory has run out.
func made[T any](tls *libc.TLS) *T {
	return at[T](libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(*new(T)))))
}
