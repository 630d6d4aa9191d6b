package app

import (
	"testing"

	"groundwork/internal/store"
)

// TestUpgradeIsAskedOnce: a start leaves the work of rewriting documents unless it was done for the same versions.
func TestUpgradeIsAskedOnce(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		start := func() (jobs int) {
			t.Helper()
			if err := a.askUpgrade(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := a.Jobs.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			a.Jobs.Wait()
			err := a.Store.In(store.JobsOffice).Query(t.Context(), "SELECT state FROM jobs WHERE kind = $1",
				[]any{upgradeKind}, func(c *store.Cols) error {
					if jobs++; c.Int(0) != 2 {
						t.Errorf("the job is in state %d", c.Int(0))
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			return jobs
		}
		if first, second := start(), start(); first != 1 || second != 1 {
			t.Errorf("after one start there were %d jobs, after two %d", first, second)
		}
		if err := a.Store.SetNote(t.Context(), writtenName, "issues=1"); err != nil {
			t.Fatal(err)
		}
		if third := start(); third != 2 {
			t.Errorf("after a start with documents of another release there were %d jobs", third)
		}
		written, err := a.Store.Note(t.Context(), writtenName)
		if err != nil {
			t.Fatal(err)
		}
		if written != Catalog().Versions() {
			t.Errorf("documents are written as %q", written)
		}
	})
}
