//go:build soak

package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak has people create, change, delete, read and list records among very many for a while, and holds every page
// of the cache against what it was when its use ended, and every record against what was written last.
//
//	go test -tags soak -run TestSoak -timeout 60m -v ./internal/store
//
// GROUNDWORK_SOAK is for how long (30m), GROUNDWORK_SOAK_RECORDS among how many records (1,000,000).
func TestSoak(t *testing.T) {
	lasts, records := 30*time.Minute, 1_000_000
	if text := os.Getenv("GROUNDWORK_SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("GROUNDWORK_SOAK_RECORDS"); text != "" {
		var err error
		if records, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	g := soaking(t)
	g.create(t, records)
	t.Logf("%d records", records)

	end := time.Now().Add(lasts)
	var reads, lists, writes atomic.Int64
	var all sync.WaitGroup
	for worker := range 12 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			for time.Now().Before(end) && !t.Failed() {
				i := r.IntN(records)
				var err error
				switch op := r.IntN(10); {
				case op < 5:
					err = g.read(t.Context(), i)
					reads.Add(1)
				case op < 8:
					err = g.list(t.Context(), r.IntN(records))
					lists.Add(1)
				default:
					err = g.change(t.Context(), i)
					writes.Add(1)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d records read, %d lists, %d changed; %d pages held against what they were", reads.Load(), lists.Load(),
		writes.Load(), checkedPages.Load())
	if checkedPages.Load() < 1000 {
		t.Error("next to no page was looked at")
	}
	for i := range records {
		if i%97 == 0 {
			if err := g.read(t.Context(), i); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSoakControl damages one page between two uses, and sees it noticed.
func TestSoakControl(t *testing.T) {
	g := soaking(t)
	g.create(t, 2000)
	g.close() // or else one of its connections could use the page that is damaged
	defer func() {
		if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "is not what it was") {
			t.Errorf("a damaged page was not noticed: %v", p)
		}
	}()
	c, err := openLiteConn(g.path, nil, "PRAGMA query_only=ON")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := c.run("SELECT count(*) FROM records WHERE doc LIKE '%nothing%'", nil, nil); err != nil {
			t.Fatal(err)
		}
		damagesPageNo.Store(1)
	}
}

// soak is a store of records whose content follows from their number and how often they were changed.
type soak struct {
	store   *Store
	project *Project
	path    string
	close   func()
	uids    []string
	changed []atomic.Int64 // of each, while it is being changed and after it
	locks   [256]sync.RWMutex
}

const soakKind = 9

func soaking(t *testing.T) *soak {
	t.Helper()
	path := filepath.Join(t.TempDir(), "soak.db")
	s, err := Open(t.Context(), Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	g := &soak{store: s, path: path}
	g.close = sync.OnceFunc(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(g.close)
	err = s.Write(t.Context(), func(tx *Tx) (err error) {
		if g.project, err = tx.Found(NewUID()); err != nil {
			return err
		}
		return tx.Insert(1, &Row{UID: g.project.UID, Version: 1, Doc: []byte(`{}`)})
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *soak) doc(i int, changed int64) string {
	word := fmt.Sprintf("%d.%d ", i, changed)
	return fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat(word, 300/len(word)+i%50))
}

func (g *soak) create(t *testing.T, n int) {
	t.Helper()
	g.uids, g.changed = make([]string, n), make([]atomic.Int64, n)
	const together = 500
	for from := 0; from < n; from += together {
		err := g.store.Edit(t.Context(), g.project, 1, func(tx *Tx) error {
			for i := from; i < min(from+together, n); i++ {
				g.uids[i] = NewUID()
				err := tx.Insert(soakKind, &Row{UID: g.uids[i], Version: 1, Terms: "a=" + strconv.Itoa(i%7), Doc: []byte(g.doc(i, 0))})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (g *soak) read(ctx context.Context, i int) error {
	lock := &g.locks[i%len(g.locks)]
	lock.RLock()
	defer lock.RUnlock()
	page, ok, err := g.store.Get(ctx, g.project, soakKind, g.uids[i])
	if err != nil || !ok {
		return errors.Join(err, fmt.Errorf("record %d: found %v", i, ok))
	}
	defer page.Release()
	if want := g.doc(i, g.changed[i].Load()); string(page.Rows[0].Doc) != want {
		return fmt.Errorf("record %d is %.80q and not %.80q", i, page.Rows[0].Doc, want)
	}
	return nil
}

func (g *soak) list(ctx context.Context, skip int) error {
	page, err := g.store.List(ctx, g.project, Select{Kind: soakKind, After: Always, Skip: skip, Limit: 50})
	if err != nil {
		return err
	}
	defer page.Release()
	for _, l := range page.Rows {
		if want := fmt.Sprintf(`{"n":%d,`, l.ID.Ordinal()-1); !strings.HasPrefix(string(l.Doc), want) {
			return fmt.Errorf("record %d is %.80q", l.ID.Ordinal(), l.Doc)
		}
	}
	return nil
}

func (g *soak) change(ctx context.Context, i int) error {
	lock := &g.locks[i%len(g.locks)]
	lock.Lock()
	defer lock.Unlock()
	next := g.changed[i].Load() + 1
	err := g.store.Edit(ctx, g.project, 1, func(tx *Tx) error {
		row, ok, err := tx.Get(soakKind, g.uids[i])
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("record %d: found %v", i, ok))
		}
		row.Doc = []byte(g.doc(i, next))
		return tx.Update(&row, Updated, []byte(`{"text":[0,1]}`))
	})
	if err == nil {
		g.changed[i].Store(next)
	}
	return err
}
