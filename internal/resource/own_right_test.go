package resource

import (
	"fmt"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
)

// TestOwn: a right on own records is refused at start-up where nothing would look whose a record is.
func TestOwn(t *testing.T) {
	type note struct {
		document.Record
		Text string `json:"text" write:"required"`
	}
	notes := &Kind[note]{Number: 1, Plural: "issues", Name: "Issue"}
	if _, err := NewCatalog(notes); err != nil {
		t.Fatal(err)
	}
	own := auth.Right{Admin: auth.Any, Collaborator: auth.Own}
	for name, c := range map[string]struct {
		build func() api.Route
		stops bool
	}{
		"list":    {func() api.Route { return List(notes, own) }, true},
		"get":     {func() api.Route { return Get(notes, own) }, true},
		"create":  {func() api.Route { return Create(notes, own) }, true},
		"update":  {func() api.Route { return Update(notes, own) }, false},
		"replace": {func() api.Route { return Replace(notes, own) }, false},
		"delete":  {func() api.Route { return Delete(notes, own) }, false},
		"restore": {func() api.Route { return Restore(notes, own) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				reason := recover()
				if said := strings.Contains(fmt.Sprint(reason), "is for own records"); said != c.stops ||
					(reason != nil) != c.stops {
					t.Errorf("it stops the program: %v, want %v", reason, c.stops)
				}
			}()
			c.build()
		})
	}
}
