package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/pgtest"
)

// endless are statements that no patience suffices for.
var endless = map[string]string{
	"sqlite":     "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
	"postgresql": "SELECT 1 FROM (SELECT pg_sleep(3600)) AS x",
}

// bothEngines runs a test on a new database of either engine.
func bothEngines(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Helper()
	for engine, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "x.db"),
		"postgres": pgtest.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			s, err := Open(t.Context(), Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			test(t, s)
		})
	}
}

// TestEndlessReads ends reads in their middle: those that were given a time, and those whose clients went away.
// Afterwards every connection reads again.
func TestEndlessReads(t *testing.T) {
	bothEngines(t, func(t *testing.T, s *Store) {
		within, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		sql := endless[s.Engine()]
		for range 2 * s.engine.reads() {
			if err := s.engine.readFor(within, 20*time.Millisecond, tenant{}, statement{sql: sql}); !errors.Is(err,
				errTooLong) {
				t.Fatalf("an endless statement ended with %v", err)
			}
		}
		left := make(chan error)
		// time to begin; whoever did not is told the same
		ctx, leave := context.WithTimeout(within, 50*time.Millisecond)
		defer leave()
		for range s.engine.reads() {
			go func() { left <- s.Query(ctx, sql, nil, nil) }()
		}
		for range s.engine.reads() {
			if err := <-left; !fault.Is(err, fault.Unavailable) {
				t.Errorf("who went away is told %v", err)
			}
		}
		for range 2 * s.engine.reads() {
			if err := s.Ping(within); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// wordy stores n records with these words and more of their own.
func wordy(t *testing.T, s *Store, n int, text string) *Project {
	t.Helper()
	var p *Project
	err := s.Write(t.Context(), func(tx *Tx) (err error) {
		if p, err = tx.Found(NewUID()); err != nil {
			return err
		}
		for i := range n {
			row := Row{UID: NewUID(), Version: 1, Doc: []byte(`{}`)}
			if err := tx.Insert(1, &row); err != nil {
				return err
			}
			if err := tx.Word(row.ID, fmt.Sprintf(text, i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err = s.Project(t.Context(), p.UID)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSearchCut has a search that takes too long find whole words only, and say so; one that takes too long for those
// is refused with a sentence.
func TestSearchCut(t *testing.T) {
	bothEngines(t, func(t *testing.T, s *Store) {
		p := wordy(t, s, 20, "door number%d")
		find := func(query string) (total int, cut bool) {
			t.Helper()
			page, err := s.List(t.Context(), p, Select{Kind: 1, Words: Asked(query), After: Always, Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			defer page.Release()
			return page.Total, page.Cut
		}
		try := func(when string) {
			t.Helper()
			s.searching.begins = beginsWithin
			for query, want := range map[string]int{"doo": 20, "door": 20, "numb doo": 20, "number1": 11, "d": 0} {
				if total, cut := find(query); total != want || cut {
					t.Errorf("%s, %q finds %d, cut: %t; want %d", when, query, total, cut, want)
				}
			}
			s.searching.begins = 0
			for query, want := range map[string]int{"doo": 0, "door": 20, "door number1": 1} {
				if total, cut := find(query); total != want || !cut {
					t.Errorf("%s, cut short, %q finds %d, cut: %t; want %d", when, query, total, cut, want)
				}
			}
		}
		try("before they are filed")
		if err := s.File(t.Context()); err != nil {
			t.Fatal(err)
		}
		try("filed")
		s.searching.whole = 0
		_, err := s.List(t.Context(), p, Select{Kind: 1, Words: Asked("door"), After: Always, Limit: 5})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "rarer words") {
			t.Errorf("what cannot be compared is refused with %v", err)
		}
	})
}

// TestLongTextsWait has a search look at a bounded part of the texts that wait to be filed, and a write file a bounded
// part of them.
func TestLongTextsWait(t *testing.T) {
	s, err := Open(t.Context(), Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "long.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := make([]string, 40000)
	for i := range long {
		long[i] = fmt.Sprintf("w%d", i)
		if i > 9 {
			long[i] += strings.Repeat("x", 16) // so that few texts have many bytes
		}
	}
	const texts = 96
	var one Row
	p := wordy(t, s, 1, "door %d")
	u := unfiled{terms: []term{{text: scope(p.ID, 1) + "w7"}}}
	st := u.statement(p, 1)
	err = s.Write(t.Context(), func(tx *Tx) error {
		// In this transaction nothing can be filed beside.
		for i := range texts {
			one.ID = MakeID(p.ID, 1, uint32(i+2))
			if err := tx.Word(one.ID, strings.Join(long, " ")); err != nil {
				return err
			}
		}
		return tx.ses.query(st.sql, st.args, st.each)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := u.has.GetCardinality(); !u.cut || u.looked > mostLooked+mostText || n == 0 || n >= texts ||
		u.waits.GetCardinality() < texts {
		t.Errorf("of the long texts that wait %d are found after %d bytes, cut: %t", n, u.looked, u.cut)
	}
	for writes := 1; ; writes++ {
		var before, after int64
		count := func(n *int64) {
			if err := s.Query(t.Context(), "SELECT COUNT(*) FROM wording", nil,
				func(c *Cols) error { *n = c.Int(0); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		count(&before)
		if before == 0 {
			break
		}
		if _, err := s.file(t.Context()); err != nil {
			t.Fatal(err)
		}
		if count(&after); writes == 1 && before-after > 10 {
			t.Errorf("one write filed %d of %d long texts", before-after, before)
		}
	}
	if n := s.waitingBytes.Load(); n != 0 {
		t.Errorf("%d bytes are thought to wait when none does", n)
	}
}

// TestListsBesideSearches holds as many searches as come in the middle of their statements: lists are read all the
// same.
func TestListsBesideSearches(t *testing.T) {
	held, release := make(chan struct{}, 100), make(chan struct{})
	s, err := Open(t.Context(),
		Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "beside.db"), Trace: func(sql string) {
			if strings.Contains(sql, "MATCH") {
				held <- struct{}{}
				<-release
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := wordy(t, s, 3, "door %d")
	done := make(chan error)
	const searches = 20
	for i := range searches {
		go func() {
			page, err := s.List(t.Context(), p, Select{
				Kind: 1, Words: Asked("door"), After: Always, Limit: 5, Account: fmt.Sprint(i),
			})
			if err == nil {
				page.Release()
			}
			done <- err
		}()
	}
	for range s.searching.places {
		<-held
	}
	soon, cancel := context.WithTimeout(t.Context(), 4*time.Second) // before the first search has waited for too long
	defer cancel()
	for range 50 {
		page, err := s.List(soon, p, Select{Kind: 1, After: Always, Limit: 5})
		if err != nil {
			t.Fatalf("while %d searches are under way a list is told: %v", searches, err)
		}
		page.Release()
	}
	if n := len(held); n > 0 {
		t.Errorf("%d searches hold a connection beyond their share of %d", n, s.searching.places)
	}
	close(release)
	for range searches {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
