package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	testPage  = 512
	testExtra = 64
)

func testCache(t *testing.T, most uint32) (*liteCache, *libc.TLS) {
	t.Helper()
	tls := libc.NewTLS()
	c := newLiteCache(tls, testPage, testExtra, true)
	c.resize(tls, most)
	t.Cleanup(func() {
		c.destroy(tls)
		tls.Close()
	})
	return c, tls
}

// read uses a page as SQLite does, and tells whether it had to be read from the file.
func (c *liteCache) read(tls *libc.TLS, number uint32) (missed bool) {
	p := c.fetch(tls, number, fetchForce)
	missed = p.isNew()
	p.fill(number)
	c.release(tls, p, false)
	return missed
}

func (p *litePage) isNew() bool { return *at[uintptr](p.extra) == 0 }

// fill writes the number at both ends of all that SQLite may write to.
func (p *litePage) fill(number uint32) {
	*at[uint32](p.bytes), *at[uint32](p.bytes + testPage - 4) = number, number
	*at[uintptr](p.extra), *at[uint32](p.extra + testExtra - 4) = 1, number
}

func (p *litePage) holds(number uint32) error {
	for _, place := range []uintptr{p.bytes, p.bytes + testPage - 4, p.extra + testExtra - 4} {
		if got := *at[uint32](place); got != number {
			return fmt.Errorf("page %d holds what page %d had", number, got)
		}
	}
	return nil
}

// Whatever SQLite asks for in whatever order: a page is its own and only its own, one in use stays where it is, and no
// more are kept than allowed.
func TestLiteCacheKeepsWhatItHas(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := uint32(r.IntN(60))
		c, tls := testCache(t, most)
		used := map[uint32]*litePage{}
		anyUsed := func() uint32 {
			for number := range used {
				return number
			}
			return 0
		}
		for step := range 20_000 {
			number := uint32(1 + r.IntN(300))
			if r.IntN(3) == 0 {
				number = uint32(1 + r.IntN(20))
			}
			switch op := r.IntN(100); {
			case op < 60:
				how := int32(r.IntN(3))
				p := c.fetch(tls, number, how)
				was := used[number]
				switch {
				case p == nil && (how == fetchForce || was != nil):
					t.Fatalf("seed %d, step %d: page %d is not given", seed, step, number)
				case p == nil:
				case was != nil && was != p:
					t.Fatalf("seed %d, step %d: page %d is in use and was moved", seed, step, number)
				case p.isNew() && (how == fetchNone || was != nil):
					t.Fatalf("seed %d, step %d: page %d is empty", seed, step, number)
				case p.isNew() && how == fetchEasy && (c.held-1)*10 >= most*9:
					t.Fatalf("seed %d, step %d: page %d is given though %d of %d are in use", seed, step, number,
						c.held-1, most)
				case p.isNew():
					p.fill(number)
					used[number] = p
				default:
					used[number] = p
				}
			case op < 90 || len(used) > 30:
				if number = anyUsed(); number != 0 {
					c.release(tls, used[number], r.IntN(10) == 0)
					delete(used, number)
				}
			case op < 95:
				old := anyUsed()
				if used[number] != nil || old == 0 {
					continue // SQLite never does that to a page in use
				}
				p := used[old]
				c.renumber(tls, p, number)
				p.fill(number)
				delete(used, old)
				used[number] = p
			case op < 97:
				c.truncate(tls, number)
				for n := range used {
					if n >= number {
						delete(used, n)
					}
				}
			case op < 98:
				c.shrink(tls)
			default:
				most = uint32(r.IntN(60))
				c.resize(tls, most)
			}
			for n, p := range used {
				if err := p.holds(n); err != nil {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			}
			if err := c.sound(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
			if int(c.held) != len(used) || c.n > max(most, c.held+1) || c.spare > 0 && c.n+c.spare > most {
				t.Fatalf("seed %d, step %d: %d pages, %d in use, memory for %d more; want at most %d, %d in use", seed,
					step, c.n, c.held, c.spare, most, len(used))
			}
		}
	}
}

// sound looks at all that is in the table and among what is not in use.
func (c *liteCache) sound() error {
	n, idle, seen := 0, 0, map[uint32]bool{}
	for i, a := range c.table {
		for p := a.page(); p != nil; p = p.next.page() {
			if n++; seen[p.number] || int(p.number)%len(c.table) != i || p.number > c.last {
				return fmt.Errorf("page %d stands in bucket %d, the last is %d, twice: %t", p.number, i, c.last,
					seen[p.number])
			}
			seen[p.number] = true
			if err := p.holds(p.number); err != nil {
				return err
			}
		}
	}
	var before pageAt
	for p := c.oldest.page(); p != nil; before, p = p.at(), p.newer.page() {
		if idle++; p.used || p.older != before {
			return fmt.Errorf("page %d is not where it should be among those not in use", p.number)
		}
	}
	if n != int(c.n) || idle != n-int(c.held) || c.newest != before {
		return fmt.Errorf("%d pages, %d not in use, where %d and %d are counted", n, idle, c.n, c.n-c.held)
	}
	return nil
}

// A million records have some 200 pages that lead to them. These stay while records are read at random, and only the
// records are read from the file.
func TestLiteCacheKeepsWhatLeadsThere(t *testing.T) {
	const above, below, kept, reads = 210, 50, 242, 40_000
	c, tls := testCache(t, kept)
	r := rand.New(rand.NewPCG(1, 1))
	use := func(number uint32) (p *litePage, missed bool) {
		p = c.fetch(tls, number, fetchForce)
		missed = p.isNew()
		p.fill(number)
		return p, missed
	}
	missed := 0
	for i := range reads {
		number := uint32(2 + r.IntN(above))
		root, _ := use(1)
		p, again := use(number)
		record, _ := use(above + number*below + uint32(r.IntN(below)))
		if again && i > reads/2 {
			missed++
		}
		c.release(tls, root, false)
		c.release(tls, p, false)
		c.release(tls, record, false)
	}
	// Where all have to go in turn, it is 51 of 100.
	if got := float64(missed) / (reads / 2); got > 0.1 {
		t.Errorf("of 100 reads %.0f had to read a page that leads to the record", 100*got)
	}
}

// What is new and asked for again comes to stay, though the cache is full of what is not asked for any more. What was
// asked for all the time stays.
func TestLiteCacheLearns(t *testing.T) {
	c, tls := testCache(t, 50)
	for number := range uint32(50) {
		c.read(tls, 1+number)
	}
	for number := range uint32(1000) {
		other := c.fetch(tls, 201+number, fetchForce)
		other.fill(other.number)
		if c.read(tls, 7) {
			t.Fatalf("page 7 was forgotten after %d others", number)
		}
		c.release(tls, other, false)
	}
	missed := 0
	for range 100 {
		for number := range uint32(7) {
			if c.read(tls, 101+number) {
				missed++
			}
		}
	}
	if missed != 2*7 {
		t.Errorf("seven pages were read %d times, want twice each", missed)
	}
}

// SQLite itself, with two connections in turns that read records at random: each reads the record's page, and seldom
// one that leads to it.
func TestLiteCacheInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	writer, err := openLiteConn(path, nil, "PRAGMA page_size=512", "PRAGMA journal_mode=WAL",
		"CREATE TABLE records (id INTEGER PRIMARY KEY, doc TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO records SELECT i, printf('%0400d', i) FROM n")
	if err == nil {
		err = writer.conn.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString(path)
	if err != nil {
		t.Fatal(err)
	}
	defer libc.Xfree(tls, name)
	var readers [2]uintptr
	for i := range readers {
		db := made[uintptr](tls)
		defer libc.Xfree(tls, address(db))
		if code := sqlite3.Xsqlite3_open_v2(tls, name, address(db), sqlite3.SQLITE_OPEN_READONLY,
			0); code != sqlite3.SQLITE_OK {
			t.Fatalf("opening: %d", code)
		}
		readers[i] = *db
		defer sqlite3.Xsqlite3_close(tls, readers[i])
	}
	run := func(db uintptr, text string) {
		t.Helper()
		sql, err := libc.CString(text)
		if err != nil {
			t.Fatal(err)
		}
		defer libc.Xfree(tls, sql)
		if code := sqlite3.Xsqlite3_exec(tls, db, sql, 0, 0, 0); code != sqlite3.SQLITE_OK {
			t.Fatalf("%s: %d", text, code)
		}
	}
	figures := made[[2]int32](tls)
	defer libc.Xfree(tls, address(figures))
	missed := func(db uintptr) int32 {
		if code := sqlite3.Xsqlite3_db_status(tls, db, sqlite3.SQLITE_DBSTATUS_CACHE_MISS, address(&figures[0]),
			address(&figures[1]), 0); code != sqlite3.SQLITE_OK {
			t.Fatalf("asking what was read: %d", code)
		}
		return figures[0]
	}
	const reads = 10_000
	var before [2]int32
	r := rand.New(rand.NewPCG(1, 1))
	for _, db := range readers {
		run(db, "PRAGMA cache_size=500")
	}
	for i := range 2 * reads {
		if i == reads {
			before = [2]int32{missed(readers[0]), missed(readers[1])}
		}
		run(readers[i%2], fmt.Sprintf("SELECT doc FROM records WHERE id = %d", 1+r.IntN(20_000)))
	}
	got := missed(readers[0]) - before[0] + missed(readers[1]) - before[1]
	t.Logf("%d pages read for %d records", got, reads)
	if got > reads*11/10 {
		t.Errorf("%d pages were read for %d records", got, reads)
	}
}
