package drawing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/await"
)

// early puts bytes into a workshop for which nobody waits.
func early(t *testing.T, w *Workshop) *File {
	t.Helper()
	f, err := w.BringAhead(strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// begin has a task done beside the test; ended gives its error.
func begin(ctx context.Context, f *File, task string) (ended chan error) {
	ended = make(chan error, 1)
	go func() {
		_, err := f.do(ctx, "The file", task, struct{}{}, new(any))
		ended <- err
	}()
	return ended
}

func TestWorkAheadWaitsUntilNobodyDoes(t *testing.T) {
	w := open(t, Config{Children: 1})
	first, second := bring(t, w, []byte("hello")), bring(t, w, []byte("hello"))
	made := begin(t.Context(), early(t, w), "sum")
	await.True(t, time.Minute, "the work ahead is not there", func() bool { return len(w.turns.ahead) == 1 || len(made) == 1 })
	// Between the tasks of a file the place is free, for longer than a child takes to start.
	for i := range 300 {
		works(t, []*File{first, second}[i%2])
		if len(made) > 0 {
			t.Fatal("work ahead came before a file that somebody waits for")
		}
	}
	for range 2 { // closing twice counts once
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	works(t, second)
	if len(made) > 0 {
		t.Fatal("work ahead came before the second file")
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Error(err)
	}
}

func TestNobodyWaitsForWorkAhead(t *testing.T) {
	w := open(t, Config{Children: 1})
	slow := early(t, w)
	made := begin(t.Context(), slow, "wait")
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(slow.folder, name))
		return err == nil
	}
	await.True(t, time.Minute, "the work ahead does not begin", func() bool { return there("made-1/begun.now") })
	second := begin(t.Context(), early(t, w), "sum")
	f := bring(t, w, []byte("hello"))
	works(t, f)
	if len(made) > 0 {
		t.Fatal("the work ahead has ended, so this shows nothing")
	}
	if err := os.WriteFile(filepath.Join(slow.folder, "1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Errorf("what was begun ahead: %v", err)
	}
	works(t, f)
	if len(second) > 0 {
		t.Error("more work ahead was begun")
	}
	if err := errors.Join(f.Close(), <-second); err != nil {
		t.Error(err)
	}
}

// TestSlowFileHoldsUpOthersOnce: each page of a file may never end.
func TestSlowFileHoldsUpOthersOnce(t *testing.T) {
	w := open(t, Config{Children: 1, Within: 3 * time.Second}) // an honest task takes long beside much else
	slow, f := bring(t, w, []byte("hello")), bring(t, w, []byte("hello"))
	_, err := ask[any](t, slow, "spin")
	invalid(t, err, "within 3s")
	again := begin(t.Context(), slow, "sum")
	await.True(t, time.Minute, "the slow file is not there", func() bool { return len(w.turns.ahead) == 1 || len(again) == 1 })
	for range 100 {
		works(t, f)
	}
	if len(again) > 0 {
		t.Error("the slow file came before the other")
	}
	if err := errors.Join(f.Close(), <-again); err != nil {
		t.Error(err)
	}
}

func TestWaitingAheadCanEnd(t *testing.T) {
	w := open(t, Config{Children: 1})
	f, a := bring(t, w, []byte("hello")), early(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	given := begin(ctx, a, "sum")
	await.True(t, time.Minute, "the work ahead is not there", func() bool { return len(w.turns.ahead) == 1 })
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	works(t, a)
}
