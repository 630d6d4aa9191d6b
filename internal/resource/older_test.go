package resource

import (
	"testing"

	"groundwork/internal/document"
	"groundwork/internal/store"
)

type aged struct {
	document.Record
	Colour string `json:"colour" write:"max=10"`
}

// A record that an earlier version wrote is loaded with what a new record has in the fields that it lacks: saved, it
// would otherwise keep the gap.
func TestLoadFillsWhatOlderDocumentsLack(t *testing.T) {
	k := &Kind[aged]{Number: 1, Plural: "issues", Name: "Issue", Version: 2, Defaults: aged{Colour: "blue"}}
	if _, err := NewCatalog(k); err != nil {
		t.Fatal(err)
	}
	const old = `{"uid":"u","deleted":false}`
	for version, want := range map[int]string{1: "blue", 2: ""} {
		v, err := k.Load(store.Row{Version: version, Doc: []byte(old)})
		if err != nil {
			t.Fatal(err)
		}
		if v.Colour != want {
			t.Errorf("a document of version %d has %q, want %q", version, v.Colour, want)
		}
	}
}
