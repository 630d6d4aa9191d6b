package document

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"groundwork/internal/fault"
)

// order has a field of every type that a client may write, with every rule: between them, all that kinds are made of.
type order struct {
	Record
	Name     string       `json:"name" write:"required,solid,max=5"`
	Title    *string      `json:"title" write:"max=255"`
	Code     *string      `json:"code" write:"solid,create"`
	Status   string       `json:"status" write:"one=open|in_review|closed"`
	Type     *string      `json:"type" write:"one=issue|other"`
	Place    string       `json:"place" write:"create,one=here|there,required"`
	Assigned PeopleOrNull `json:"assigned_to" write:"as=assigned_to|assigned_to_uids"`
	Watchers People       `json:"watchers" write:"required"`
	List     Ref          `json:"list" write:"as=list_uid" ref:"issue_lists"`
	Start    *Date        `json:"start_date" write:""`
	End      Date         `json:"end_date" write:"required"`
	DueAt    *Time        `json:"due_at" write:""`
	BeganAt  Time         `json:"began_at" write:""`
	Costly   bool         `json:"costly" write:""`
	Late     *bool        `json:"late" write:"required"`
	Cost     *Money       `json:"cost" write:""`
	Price    Money        `json:"price" write:"required"`
	Days     *int64       `json:"days" write:""`
	Floor    int64        `json:"floor" write:""`
	Invites  *string      `json:"-" write:"as=invites"`
	Ratio    *float64     `json:"ratio" write:""`
	Tags     []string     `json:"tags" write:"max=4"`
	Columns  *[]string    `json:"columns" write:"max=4,most=2"`
	Entries  []part       `json:"entries" write:""`
	Form     form         `json:"form" write:""`
	Weather  *part        `json:"weather" write:""`
}

// form is a part that is always there, with lists of its own.
type form struct {
	Work  []part  `json:"work" write:""`
	Other []part  `json:"other" write:"required"`
	Note  *string `json:"note" write:"max=3"`
}

type part struct {
	UID   string   `json:"uid" write:"max=8"`
	Name  string   `json:"name" write:"required,solid"`
	Hours *int64   `json:"hours" write:""`
	Value *float64 `json:"value" write:""`
	Day   *Date    `json:"day" write:""`
	Gone  bool     `json:"gone" write:""`
	Texts []string `json:"texts" write:""`
}

// FuzzBody reads bodies against plans: what is accepted is what the published schema says, and what is not is refused
// with the field's name.
func FuzzBody(f *testing.F) {
	type small struct {
		Name *string `json:"name" write:"max=3"`
		When *Time   `json:"when" write:""`
		Cost *Money  `json:"cost" write:""`
		Days *int64  `json:"days" write:""`
		Who  People  `json:"who" write:""`
	}
	const own = "0d4ec0f5-11b3-4a7e-9d41-0a6e1b6e0c11"
	checks := []func(t *testing.T, body []byte, fields []member){
		holds[order](f, true, ""), holds[order](f, false, own), holds[small](f, true, ""), holds[small](f, false, own),
	}
	whole := `{"name":"n","place":"here","watchers":["a"],"end_date":"2026-03-31","late":false,"price":1.5`
	for _, s := range []string{
		`{}`, whole + `}`, whole +
			`,"title":null,"code":"c","status":"open","type":null,"assigned_to":["a","b"],"due_at":"2026-03-31T16:00:00Z","start_date":"2026-02-28"}`,
		`{"cost":25850.10,"costly":true,"days":1e3}`, `{"cost":0.001}`, `{"days":9223372036854775808}`,
		`{"assigned_to":"a, b","list_uid":"x"}`, `{"assigned_to":[null]}`,
		`{"who":[1]}`, `{"name":" "}`, `{"name":"\u0000"}`, `{"name":"éééééé"}`, `{"uid":"` + own + `","title":""}`,
		`{"deleted":true}`, `{"assigned_to":[],"assigned_to_uids":[]}`,
		`{"status":null,"place":null}`, `{"due_at":7,"began_at":null,"floor":null}`, `{"cost":-0,"days":-0.0}`,
		`{"cost":1e-64}`, `{"invites":"x","list_uid":null}`, `{"who":",,"}`, `{"late":null}`,
		`{"ratio":1e400,"tags":["a",null]}`, `{"ratio":-1.5e-3,"tags":["abcde"]}`,
		`{"entries":[{"name":"a","hours":1,"texts":["x"],"day":"2026-01-01","gone":true,"value":0.5}]}`,
		`{"entries":[{"name":" "},7,null,{"nom":"x"}]}`, `{"form":{"other":[],"note":"abcd"}}`,
		`{"form":{"work":null,"other":null}}`, `{"form":[],"weather":{}}`,
		`{"form":null,"weather":null,"entries":null}`, `{"columns":[]}`, `{"columns":["a","b","c"]}`, `{"columns":["abcde"]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, ok := read(body)
		if !ok {
			return // refused before
		}
		for _, check := range checks {
			check(t, body, fields)
		}
	})
}

func holds[T any](f *testing.F, create bool, own string) func(t *testing.T, body []byte, fields []member) {
	plan := makePlan(reflect.TypeFor[T]())
	text, err := json.Marshal(plan.BodySchema(create))
	if err != nil {
		f.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		f.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("body.json", document); err != nil {
		f.Fatal(err)
	}
	schema, err := compiler.Compile("body.json")
	if err != nil {
		f.Fatal(err)
	}
	return func(t *testing.T, body []byte, fields []member) {
		if _, err := plan.Parse(pairs(fields), Reading{Create: create, Own: own}); err != nil {
			if !fault.Is(err, fault.Invalid) || len(fault.Of(err).Fields) == 0 {
				t.Fatalf("%T: %s is refused with %v", *new(T), body, err)
			}
			return
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Fatalf("%T: %s is accepted, but %v", *new(T), body, err)
		}
	}
}

// member is one member of a body.
type member struct {
	Name  string
	Value jsontext.Value
}

func pairs(fields []member) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for _, f := range fields {
			if !yield(f.Name, f.Value) {
				return
			}
		}
	}
}

// read takes a body apart as the edge does.
func read(body []byte) (fields []member, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if dec.PeekKind() != '{' {
		return nil, false
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		field := member{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		field.Value = value.Clone()
		fields = append(fields, field)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	_, err := dec.ReadToken()
	return fields, errors.Is(err, io.EOF)
}
