package ordering

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestMirrorNotices(t *testing.T) {
	state := map[string]jsontext.Value{"1": jsontext.Value(`{"a":1}`), "2": jsontext.Value(`{"a":2}`)}
	for _, test := range []struct {
		name           string
		copied         map[string]jsontext.Value
		missing, wrong int
	}{
		{"exact", map[string]jsontext.Value{"1": jsontext.Value(`{"a":1}`), "2": jsontext.Value(`{"a":2}`)}, 0, 0},
		{"one missing", map[string]jsontext.Value{"1": jsontext.Value(`{"a":1}`)}, 1, 0},
		{"one old", map[string]jsontext.Value{"1": jsontext.Value(`{"a":0}`), "2": jsontext.Value(`{"a":2}`)}, 0, 1},
		{"one too many", map[string]jsontext.Value{
			"1": jsontext.Value(`{"a":1}`), "2": jsontext.Value(`{"a":2}`), "3": jsontext.Value(`{}`),
		}, 0, 1},
	} {
		m := &mirror{copied: test.copied}
		if missing, wrong, _ := m.compare(state); missing != test.missing || wrong != test.wrong {
			t.Errorf("%s: %d missing, %d wrong; want %d, %d", test.name, missing, wrong, test.missing, test.wrong)
		}
	}
}
