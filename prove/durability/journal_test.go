package durability

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// TestJournalNotices plants every kind of damage into what a service lists.
func TestJournalNotices(t *testing.T) {
	const (
		first  = `{"uid":"1","number":1,"title":"a","status":"open","deleted":false,"created_at":"1","updated_at":"1"}`
		second = `{"uid":"2","number":2,"title":"b","status":"open","deleted":false,"created_at":"2","updated_at":"2"}`
		third  = `{"uid":"3","number":3,"title":"c","status":"closed","deleted":false,"created_at":"3","updated_at":"3"}`
		// The change of second's title that was in flight.
		after = `{"uid":"2","number":2,"title":"bb","status":"open","deleted":false,"created_at":"2","updated_at":"4"}`
	)
	for _, test := range []struct {
		name   string
		listed []string
		want   seen
	}{
		{"as acknowledged", []string{first, second}, seen{}},
		{"the change happened", []string{first, after}, seen{unsaid: 1}},
		{"the create happened", []string{first, second, third}, seen{unsaid: 1}},
		{"both happened", []string{first, after, third}, seen{unsaid: 2}},
		{"one lost", []string{first}, seen{lost: 1}},
		{"the first lost", []string{second}, seen{lost: 1, gaps: 1}},
		{"an old version", []string{
			`{"uid":"1","number":1,"title":"z","status":"open","deleted":false,"created_at":"1","updated_at":"0"}`,
			second,
		}, seen{changed: 1}},
		{"half a change", []string{
			first, `{"uid":"2","number":2,"title":"b","status":"open","deleted":false,"created_at":"2","updated_at":"4"}`,
		}, seen{changed: 1}},
		{"more than the change", []string{
			first, `{"uid":"2","number":2,"title":"bb","status":"closed","deleted":false,"created_at":"2","updated_at":"4"}`,
		}, seen{changed: 1}},
		{"a field less", []string{
			first, `{"uid":"2","number":2,"title":"bb","deleted":false,"created_at":"2","updated_at":"4"}`,
		}, seen{changed: 1, half: 1}},
		{"nobody asked", []string{
			first, second, `{"uid":"4","number":3,"title":"x","status":"open","deleted":false,"created_at":"3","updated_at":"3"}`,
		}, seen{invented: 1}},
		{"the create with another status", []string{
			first, second, `{"uid":"3","number":3,"title":"c","status":"open","deleted":false,"created_at":"3","updated_at":"3"}`,
		}, seen{invented: 1}},
		{"a gap", []string{
			first, second, `{"uid":"3","number":4,"title":"c","status":"closed","deleted":false,"created_at":"3","updated_at":"3"}`,
		}, seen{gaps: 1, unsaid: 1}},
		{"twice", []string{first, second, second}, seen{gaps: 2}},
	} {
		j := newJournal("/projects/p")
		for _, raw := range []string{first, second} {
			j.answered(&op{method: "POST", target: &known{kind: "issues"}}, 201, []byte(raw))
		}
		j.unanswered(&op{method: "PATCH", fields: lab.Fields{"title": jsontext.Value(`"bb"`)}, target: j.known["2"]})
		j.unanswered(&op{method: "POST", fields: lab.Fields{
			"title": jsontext.Value(`"c"`), "status": jsontext.Value(`"closed"`),
		}, target: &known{kind: "issues"}})
		var records []jsontext.Value
		for _, text := range test.listed {
			records = append(records, jsontext.Value(text))
		}
		found := map[string]bool{}
		if err := j.compare("issues", records, found); err != nil {
			t.Fatal(err)
		}
		j.missing(found)
		if j.first = ""; j.seen != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, j.seen, test.want)
		}
	}
}
