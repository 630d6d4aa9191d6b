package resource

import (
	"fmt"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// TestPlacesOfAProject: a project has so many places, which are free again when their time is over.
func TestPlacesOfAProject(t *testing.T) {
	p, tower, bridge := &presence{}, &store.Project{ID: 1}, &store.Project{ID: 2}
	put := func(of *store.Project, person uint32, now int64) error {
		who := visitor{subject{5, fmt.Sprint(person)}, person}
		_, err := p.put(of, who, visit{ends: now + presentFor.Microseconds()}, now)
		return err
	}
	for person := range uint32(mostPresent) {
		if err := put(tower, person+1, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(tower, mostPresent+1, 1); !fault.Is(err, fault.Limited) {
		t.Errorf("one more: %v", err)
	}
	if err := put(tower, 1, 1); err != nil { // who is there stays
		t.Error(err)
	}
	if err := put(bridge, 1, 1); err != nil {
		t.Error(err)
	}
	later := presentFor.Microseconds()
	if err := put(tower, mostPresent+1, later); err != nil || len(p.halls[tower].visits) != 2 {
		t.Errorf("their time is over, and %d are there: %v", len(p.halls[tower].visits), err)
	}
	// A project where nobody is takes no memory.
	if err := put(tower, 1, 3*later); err != nil || p.halls[bridge] != nil {
		t.Errorf("%v %v", p.halls, err)
	}
}
