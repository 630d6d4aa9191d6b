package drawing

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
)

// TestPlacesByTurns has three of one account wait before one of another: that one comes next, then it is by turns.
func TestPlacesByTurns(t *testing.T) {
	p := newPlaces(1)
	done, err := p.take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	type given struct {
		account string
		done    func()
	}
	got := make(chan given, 10)
	wait := func(account string) {
		p.mu.Lock()
		before := len(p.waiting)
		p.mu.Unlock()
		go func() {
			done, err := p.take(t.Context(), account)
			if err != nil {
				t.Error(err)
			}
			got <- given{account, done}
		}()
		await.True(t, time.Minute, "nobody waits", func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.waiting) > before
		})
	}
	for _, account := range strings.Fields("a a a b c b") {
		wait(account)
	}
	// Who no longer wants a place holds nobody up.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.take(ctx, "d"); err == nil {
		t.Fatal("a place was given to who had left")
	}
	var order []string
	for range 6 {
		done()
		g := <-got
		order, done = append(order, g.account), g.done
	}
	if want := strings.Fields("b c a b a a"); !slices.Equal(order, want) {
		t.Errorf("the places went to %v, want %v", order, want)
	}
	done()
	if p.free != 1 || len(p.holding) != 0 || len(p.waiting) != 0 {
		t.Errorf("left are %+v", p)
	}
}
