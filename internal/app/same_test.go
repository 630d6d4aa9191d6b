package app

import (
	"errors"
	"testing"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// TestMarkOutlivesAHiccup: where nobody knows whether the mark of the file store was noted, its object stays. Otherwise
// the note could be of an object that is gone, and no server would start again.
func TestMarkOutlivesAHiccup(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		lost := errors.New("connection reset")
		_, err = a.markFiles(t.Context(), func(mark string) (string, error) {
			if _, err := a.firstNote(t.Context(), filesMark, mark); err != nil {
				t.Error(err)
			}
			return "", lost // it is committed, and its answer is lost
		})
		if !errors.Is(err, lost) {
			t.Errorf("got %v", err)
		}
		if err := a.SameStores(t.Context()); err != nil || a.unsure.Load() {
			t.Errorf("the next start: %v", err)
		}
		// Of two servers that begin at once, the object of the second goes.
		second := ""
		kept, err := a.markFiles(t.Context(), func(mark string) (string, error) {
			second = mark
			return a.firstNote(t.Context(), filesMark, store.NewUID())
		})
		if err != nil || kept == second {
			t.Errorf("kept %s of %s, %v", kept, second, err)
		}
		if _, err := a.Blob.Range(t.Context(), blob.Part(second, "mark"), 0, 1); !fault.Is(err, fault.NotFound) {
			t.Errorf("the object of the second: %v", err)
		}
	})
}
