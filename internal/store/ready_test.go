package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// prose is a text of different words.
func prose(words, from int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%07dx ", (from+i)*7919%10_000_019)
	}
	return b.String()
}

// TestWordsBesideTheWriter compares, turn by turn, how long the writer is held to word long texts with how long it
// takes to find their words.
func TestWordsBesideTheWriter(t *testing.T) {
	bothEngines(t, func(t *testing.T, s *Store) {
		p := wordy(t, s, 1, "door %d")
		var held, alone []time.Duration
		for i := range 15 {
			text := strings.Repeat("The door of the staircase does not close, as its frame is out of plumb. ",
				8000) + prose(100, 100*i)
			began := time.Now()
			wordsOf(text)
			alone = append(alone, time.Since(began))
			var spent time.Duration
			runs := 0
			err := s.Edit(t.Context(), p, 1, func(tx *Tx) error {
				runs++
				began := time.Now()
				defer func() { spent += time.Since(began) }()
				if err := tx.Ready(1, text); err != nil {
					return err
				}
				return tx.Word(MakeID(p.ID, 1, 1), text)
			})
			if err != nil || runs != 2 {
				t.Fatalf("the write was run %d times: %v", runs, err)
			}
			held = append(held, spent)
		}
		slices.Sort(held)
		slices.Sort(alone)
		if held[7] > alone[7]/2 {
			t.Errorf("the writer is held for %v to word a text whose words take %v", held[7], alone[7])
		}
	})
}

// TestLackingAmongOthers commits a write with a long text in a group: the others are kept and not run again, and it is
// found by its words afterwards. A write of many long texts is run three times at most.
func TestLackingAmongOthers(t *testing.T) {
	bothEngines(t, func(t *testing.T, s *Store) {
		p := wordy(t, s, 40, "door %d")
		runs := map[string]int{}
		write := func(name string, fn func(*Tx) error) *command {
			return &command{ctx: t.Context(), project: p, actor: 1, done: make(chan struct{}), fn: func(tx *Tx) error {
				runs[name]++
				return fn(tx)
			}}
		}
		word := func(ordinal uint32, text string) func(*Tx) error {
			return func(tx *Tx) error {
				if err := tx.Ready(1, text); err != nil {
					return err
				}
				return tx.Word(MakeID(p.ID, 1, ordinal), text)
			}
		}
		first, long, last := write("first", word(1, "gate")), write("long",
			word(2, "portal "+prose(1000, 0))), write("last", word(3, "gate"))
		together(s, first, long, last)
		if first.err != nil || last.err != nil || runs["first"] != 1 || runs["last"] != 1 {
			t.Errorf("the others ended with %v and %v after %v runs", first.err, last.err, runs)
		}
		if err := s.submit(long); err != nil || runs["long"] > 3 { // the first run was that of the group
			t.Errorf("the long text ended with %v after %v runs", err, runs)
		}
		many := write("many", func(tx *Tx) error {
			for i := range uint32(20) {
				if err := word(i+10, "hatch "+prose(1000, int(i)))(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err := s.submit(many); err != nil || runs["many"] != 3 {
			t.Errorf("many long texts ended with %v after %v runs", err, runs)
		}
		for query, want := range map[string]int{"gate": 2, "portal": 1, "hatch": 20, "portal w0000000x": 1} {
			page, err := s.List(t.Context(), p, Select{Kind: 1, Words: Asked(query), After: Always, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != want {
				t.Errorf("%s finds %d records, want %d", query, page.Total, want)
			}
			page.Release()
		}
	})
}

// TestMostWords finds a record by the words that come first in it, and by no more than count.
func TestMostWords(t *testing.T) {
	bothEngines(t, func(t *testing.T, s *Store) {
		p := wordy(t, s, 1, "door %d")
		text := "zebra " + prose(mostWords+1000, 0)
		words := strings.Fields(text)
		if err := s.Edit(t.Context(), p, 1, func(tx *Tx) error {
			return tx.Word(MakeID(p.ID, 1, 1), text)
		}); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]int{
			"zebra": 1, words[mostWords-1]: 1, words[mostWords]: 0,
			words[len(words)-1]: 0,
		} {
			page, err := s.List(t.Context(), p, Select{Kind: 1, Words: Asked(query), After: Always, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != want {
				t.Errorf("%s finds %d records, want %d", query, page.Total, want)
			}
			page.Release()
		}
	})
}

// BenchmarkNeighbourOfLongTexts tells how long writes of one tenant take while others store texts of 65,000 characters
// as fast as their limits admit.
func BenchmarkNeighbourOfLongTexts(b *testing.B) {
	s, err := Open(b.Context(), Config{URL: "sqlite:" + filepath.Join(b.TempDir(), "neighbour.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	make1 := func() (p *Project) {
		err := s.Write(b.Context(), func(tx *Tx) (err error) {
			p, err = tx.Found(NewUID())
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	p, stop := make1(), make(chan struct{})
	var wg sync.WaitGroup
	for k := range 3 {
		theirs := make1()
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(25 * time.Millisecond):
				}
				text := prose(6500, 6500*(3*i+k))
				err := s.Edit(b.Context(), theirs, 1, func(tx *Tx) error {
					row := Row{UID: NewUID(), Version: 1, Doc: []byte(`{}`)}
					if err := tx.Insert(1, &row); err != nil {
						return err
					}
					return tx.Word(row.ID, text)
				})
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	var took []time.Duration
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		began := time.Now()
		err := s.Edit(b.Context(), p, 1, func(tx *Tx) error {
			return tx.Insert(1, &Row{UID: NewUID(), Version: 1, Doc: []byte(`{}`)})
		})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	close(stop)
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}
