package backup

import (
	"context"
	"strings"
	"testing"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

// What a backup has yet to copy is removed when it has ended, and everything else at once.
func TestHold(t *testing.T) {
	files, err := blob.Open(t.Context(), "file:"+t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Hold(files)
	needed, other, early := blob.NewName(), blob.NewName(), blob.NewName()
	there := func(name string) bool {
		o, err := s.Open(t.Context(), name)
		if err == nil {
			_ = o.Close()
		} else if !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
		return err == nil
	}
	for _, name := range []string{needed, other, early} {
		if _, err := s.Put(t.Context(), name, strings.NewReader(name)); err != nil {
			t.Fatal(err)
		}
	}
	h := s.hold()
	// Whoever removes something while nobody knows yet what is needed, a request among them, does not wait for that.
	hurried, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Delete(hurried, early); err != nil || !there(early) {
		t.Errorf("removed before anybody knows what is needed, or waited for: %v", err)
	}
	// It would be removed with what was there before.
	if _, err := s.Put(t.Context(), early, strings.NewReader("again")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("what is yet to be removed comes again: %v", err)
	}
	s.need(h, []object{{Name: needed}})
	for _, name := range []string{needed, other} {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if !there(needed) || there(other) {
		t.Error("what is needed is gone, or what is not stays")
	}
	if err := s.release(t.Context(), h); err != nil || there(needed) || there(early) {
		t.Errorf("it stays: %v", err)
	}
	if err := s.release(t.Context(), s.hold()); err != nil {
		t.Error(err)
	}
}
