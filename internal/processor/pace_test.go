package processor

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPace: of long work a third is work, in small pieces; short work does not rest.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pace
		began := time.Now()
		p.Rest()
		p.Rest()
		if rested := time.Since(began); rested != 0 {
			t.Errorf("before any work it rested for %s", rested)
		}
		const piece, pieces = 100 * time.Microsecond, 50
		for range pieces {
			time.Sleep(piece) // the work
			p.Rest()
		}
		if took, want := time.Since(began), 3*piece*pieces; took != want {
			t.Errorf("%s of work took %s, not %s", piece*pieces, took, want)
		}
	})
}
