package await_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"groundwork/internal/await"
)

// told keeps what a test would fail with.
type told struct {
	testing.TB
	text string
}

func (f *told) Helper() {}

func (f *told) Fatalf(format string, args ...any) {
	f.text = format
	for _, a := range args {
		if s, is := a.(string); is {
			f.text += " " + s
		}
	}
	panic(f)
}

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		await.Until(t, time.Second, func() string {
			if looks++; looks == 5 {
				return ""
			}
			return "not yet"
		})
		if looks != 5 {
			t.Errorf("%d looks", looks)
		}
		f, began := &told{TB: t}, time.Now()
		func() {
			defer func() { _ = recover() }()
			await.True(f, time.Second, "the bus did not come", func() bool { return false })
		}()
		if !strings.Contains(f.text, "the bus did not come") {
			t.Errorf("it failed with %q", f.text)
		}
		if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond {
			t.Errorf("it gave up after %s", took)
		}
	})
}
