package apitest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// takes says of which kind the record is whose uid a field or a parameter takes; "" where it is no record. Whoever adds
// a field that takes a uid, by another name, adds it here.
var takes = map[string]string{
	"attachment_uid": "attachments", "photo_uid": "photos", "snapshot_uid": "snapshots", "sheet_uid": "sheets",
	"sheet_uids": "sheets", "issue_uid": "issues", "issue_uids": "issues",
	"issue_list_uid": "issue_lists", "assigned_to": "users", "assigned_to_uids": "users", "role_uid": "users",
	"status_uid": "rfis/statuses", "field_report_uids": "field_reports",
	"record_uid": "issues", "version_set": "version_sets", "with": "sheets", "history_set_uid": "", "template_uid": "",
}

// takesUID finds the names that take a uid, whatever else they are called.
var takesUID = regexp.MustCompile(`_uids?$|^assigned_to$|^version_set$`)

// description is the part of the service's own description that is looked at here.
type description struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name, In string }
		RequestBody struct {
			Content map[string]struct{ Schema map[string]any }
		}
	}
	Components struct{ Schemas map[string]map[string]any }
}

// fields are those of a body that take a uid; a body may be described elsewhere.
func (d *description) fields(schema map[string]any) []string {
	if ref, ok := schema["$ref"].(string); ok {
		schema = d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
	}
	properties, _ := schema["properties"].(map[string]any)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool {
		return !takesUID.MatchString(name)
	})
}

// TestRightsEveryUID: in every field and every parameter that takes a uid, by the service's own description, one of
// another project is as unknown as one that nobody has, and nothing is written.
func TestRightsEveryUID(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		var d description
		if err := json.Unmarshal(w.overseer.Want(200, "GET", "/openapi.json", nil).Body, &d); err != nil {
			t.Fatal(err)
		}
		w.there = w.here
		tried := 0
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			if !strings.HasPrefix(path, "/projects/{project}/") {
				continue
			}
			for method, operation := range d.Paths[path] {
				for _, content := range operation.RequestBody.Content {
					for _, field := range d.fields(content.Schema) {
						w.tryField(strings.ToUpper(method), path, field)
						tried++
					}
				}
				for _, p := range operation.Parameters {
					if p.In == "query" && takesUID.MatchString(p.Name) {
						w.tryParameter(path, p.Name)
						tried++
					}
				}
			}
		}
		if tried < 40 {
			t.Errorf("only %d fields and parameters take a uid", tried)
		}
	})
}

// at is the path of an operation on a record of the project here.
func (w *world) at(path string) string {
	w.t.Helper()
	if kind, _, named := strings.Cut(strings.TrimPrefix(path, "/projects/{project}/"), "/{uid}"); named {
		path = strings.Replace(path, "{uid}", makers[kind](w, w.here, hereMark, w.overseer), 1)
	}
	return strings.Replace(path, "{project}", w.here, 1)
}

// abroad is the uid of a record of the project away that a name takes.
func (w *world) abroad(name string) string {
	w.t.Helper()
	kind, known := takes[name]
	switch {
	case !known:
		w.t.Errorf("%s takes a uid: say in takes of which kind", name)
		return nowhere
	case kind == "":
		return w.away
	}
	return makers[kind](w, w.away, awayMark, w.foreigner)
}

// tryField sends a body in which everything is good but one uid.
func (w *world) tryField(method, path, field string) {
	w.t.Helper()
	at := w.at(path)
	answers := map[string]bool{}
	for _, uid := range []string{w.abroad(field), nowhere} {
		body := map[string]any{}
		if good := bodies[method+" "+path]; good != nil {
			if err := json.Unmarshal([]byte(good(w)), &body); err != nil {
				w.t.Fatal(method, path, err)
			}
		}
		body[field] = uid
		if strings.HasSuffix(field, "s") || field == "assigned_to" {
			body[field] = []string{uid}
		}
		before := w.look(w.here, "/users?limit=0")
		got := w.overseer.Do(method, at, body)
		if got.Status != 404 {
			w.t.Errorf("%s %s with the %s %s: %d %s", method, path, field, uid, got.Status, got.Body)
		}
		if after := w.look(w.here, "/users?limit=0"); after != before {
			w.t.Errorf("%s %s with the %s %s wrote something", method, path, field, uid)
		}
		answers[fmt.Sprint(got.Status, strings.ReplaceAll(string(got.Body), uid, "UID"))] = true
	}
	if len(answers) != 1 {
		w.t.Errorf("%s %s: a %s of another project can be told from one that nobody has: %v", method, path, field,
			slices.Sorted(maps.Keys(answers)))
	}
}

// tryParameter lists by a uid.
func (w *world) tryParameter(path, name string) {
	w.t.Helper()
	at := w.at(path)
	for _, uid := range []string{w.abroad(name), nowhere} {
		if got := w.overseer.Do("GET", at+"?"+name+"="+uid, nil); got.Status != 200 ||
			string(got.Body) != `{"data":[],"total_count":0,"next_page_url":null}` {
			w.t.Errorf("GET %s?%s=%s: %d %s", path, name, uid, got.Status, got.Body)
		}
	}
}
