package document

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
)

// FuzzShape reads and writes documents of all that kinds are made of beside the JSON library, which must do the same.
func FuzzShape(f *testing.F) {
	for _, doc := range []string{
		`{}`,
		`{"uid":"U1","deleted":true,"created_at":"2026-03-01T10:00:00.123456+00:00","updated_at":{"~t":0},"created_by":{"~p":300},"updated_by":null,"name":"a\"b\\c\u0001ü","title":null,` +
			`"assigned_to":null,"watchers":[{"~p":1},{"~p":2}],"list":{"~r":"issue_lists/L1"},"due_at":"2026-03-01T10:00:00+00:00","cost":-0.01,"price":12.30,"days":-7,"floor":0,"ratio":0.5,` +
			`"tags":["a,b","]}","\\"],"entries":[{"uid":"x","name":"{","hours":8,"value":1e21,"day":null,"gone":true,"texts":[]}],"form":{"work":[],"other":[{"name":""}],"note":"n"},"weather":{"uid":"w"}}`,
		`{"number":{"~i":0},"title":"t","tags":[],"people":[],"nobody":[{"~p":1}],"list":null,"photos":{"~n":2},"email":{"~m":3}}`,
		`{"number":17,"tags":["x",],"people":[{"~p":1}] }`, `{"title":"a","uid":"late"}`,
		`{"title":"a","unknown":[1,{"b":"}"}]}`, `{"deleted":false,}`, `{ "deleted":false}`, `[]`, `{"days":007}`,
		`{"tags":null,"form":null}`,
	} {
		f.Add(doc)
	}
	orders, all := PlanOf(reflect.TypeFor[order]()), PlanOf(reflect.TypeFor[everything]())
	f.Fuzz(func(t *testing.T, doc string) {
		shapeLike[order](t, orders, doc)
		shapeLike[everything](t, all, doc)
	})
}

func shapeLike[T any](t *testing.T, p *Plan, doc string) {
	t.Helper()
	var want, got T
	if json.Unmarshal([]byte(doc), &want) != nil {
		return
	}
	if p.Read([]byte(doc), reflect.ValueOf(&got).Elem()) && !Same(&got, &want) {
		t.Fatalf("%s is read as %+v, by the library as %+v", doc, got, want)
	}
	stored, err := json.Marshal(&want, json.Deterministic(true))
	if err != nil {
		return
	}
	if wrote, err := p.Write(nil, reflect.ValueOf(&want).Elem()); err != nil || string(wrote) != string(stored) {
		t.Fatalf("%s is written as %s (%v), by the library as %s", doc, wrote, err, stored)
	}
	var back, byLibrary T
	if err := json.Unmarshal(stored, &byLibrary); err != nil {
		t.Fatal(err)
	}
	later := CoreOf(&want).Later
	if quick := p.Read(stored, reflect.ValueOf(&back).Elem()); quick != (len(later) == 0) {
		t.Fatalf("%s is read quickly: %t", stored, quick)
	} else if quick && !Same(&back, &byLibrary) {
		t.Fatalf("%s is read as %+v, by the library as %+v", stored, back, byLibrary)
	}
}

// TestShapeDamaged reads what nobody wrote: it is left to the library, which says what is wrong.
func TestShapeDamaged(t *testing.T) {
	p := PlanOf(reflect.TypeFor[order]())
	whole := `{"deleted":true,"name":"a","tags":["x","y"],"form":{"work":[]}}`
	if !p.Read([]byte(whole), reflect.ValueOf(new(order)).Elem()) {
		t.Fatalf("%s is not read", whole)
	}
	for i := range whole {
		if p.Read([]byte(whole[:i]), reflect.ValueOf(new(order)).Elem()) {
			t.Errorf("%s is read", whole[:i])
		}
	}
	for _, doc := range []string{
		`{"deleted":True}`, `{"deleted":true,}`, `{"deleted":true "name":"a"}`, `{"deleted":true]`, `{"tags":["x",]}`,
		`{"tags":["x"}}`, `{"tags":"x"}`, `{"name":a}`, `{"floor":1.5}`, `{"floor":}`,
		`{"title":7}`, `{"form":[]}`, `{"list":{"~p":1}}`, `{"due_at":"soon"}`, `{"name":"a"}}`, `{"name":"a"},`,
		`{"name":"a"]"title":"b"}`, `["name":"a"}`,
	} {
		if p.Read([]byte(doc), reflect.ValueOf(new(order)).Elem()) {
			t.Errorf("%s is read", doc)
		}
	}
}

// TestShapeOwns reads over what was there: what a pointer or a slice led to stays as it was, since others may have it.
func TestShapeOwns(t *testing.T) {
	title, tags := "default", []string{"default"}
	v := order{Title: &title, Tags: tags}
	if !PlanOf(reflect.TypeFor[order]()).Read([]byte(`{"title":"read","tags":["read"]}`), reflect.ValueOf(&v).Elem()) ||
		*v.Title != "read" || v.Tags[0] != "read" {
		t.Fatalf("read as %+v", v)
	}
	if title != "default" || tags[0] != "default" {
		t.Errorf("what others have became %q and %q", title, tags[0])
	}
}

func TestValueEnd(t *testing.T) {
	for text, want := range map[string]int{
		`1,`: 1, `"a,b"}`: 5, `"\"",`: 4, `"\\"]`: 4, `{"a":[1,2]},`: 11, `[]]`: 2, `null`: 4, `"open`: 5, `"open\`: 6,
		``: 0, `}`: 0,
	} {
		if got := valueEnd([]byte(text)); got != want {
			t.Errorf("the value of %s ends at %d, want %d", text, got, want)
		}
	}
}
