package processor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestTake: as much heavy work runs at once as there are places; what has one needs no second one, and nobody waits for
// ever.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		share := NewShare(2)
		take := func(ctx context.Context) func() {
			t.Helper()
			leave, err := share.Take(ctx, Patience)
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		first, second := take(t.Context()), take(t.Context())
		began := time.Now()
		take(Held(t.Context()))()
		if waited := time.Since(began); waited != 0 || share.Taken() != 2 {
			t.Errorf("work that has a place waited for %s; %d places are taken", waited, share.Taken())
		}
		time.AfterFunc(time.Second, first)
		third := take(t.Context())
		if waited := time.Since(began); waited != time.Second || share.Taken() != 2 {
			t.Errorf("the third waited for %s; %d places are taken", waited, share.Taken())
		}
		gone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := share.Take(gone, Patience); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who left is told %v", err)
		}
		began = time.Now()
		take(t.Context())()
		if waited := time.Since(began); waited != Patience || share.Taken() != 2 {
			t.Errorf("nobody left, and the fourth waited for %s; %d places are taken", waited, share.Taken())
		}
		second()
		third()
		if share.Taken() != 0 {
			t.Errorf("%d places are still taken", share.Taken())
		}
	})
}
