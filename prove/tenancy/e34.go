package tenancy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
	"groundwork/prove/openapi"
)

// E34 sends fields that the service owns in every body that can be written.
var E34 = &lab.Experiment{
	ID:       "E34",
	Title:    "fields that the service owns in every body that can be written, alone and beside a field that can be",
	MustHold: "refused with 400, directly and in a batch; the record is the same byte for byte, and none is made",
	Control:  "the fields that can be written",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		f, err := newForge(t)
		if err != nil {
			return err
		}
		routes := 0
		for _, r := range f.doc.Routes {
			// records are what is meant, not keys and tokens
			if r.Body == nil || !strings.HasPrefix(r.Path, "/projects") {
				continue
			}
			routes++
			if err := f.route(r); err != nil {
				return fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
			}
		}
		t.Note("routes that write", "%d", routes)
		t.Note("fields", "%d", len(f.fields))
		t.Note("bodies", "%s", lab.Thousands(f.tried))
		t.Note("refused, in batches too", "%s, %s", lab.Thousands(f.refused), lab.Thousands(f.parts))
		t.Note("records changed or made", "%d", f.harmed)
		t.Require(routes > 0 && f.refused > 0, "nothing was tried")
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		f, err := newForge(t)
		if err != nil {
			return "", err
		}
		tried, changed := 0, 0
		for _, r := range f.doc.Routes {
			if r.Body == nil || r.Method == http.MethodPost || !strings.HasPrefix(r.Path, "/projects") ||
				!f.shows(r) {
				continue
			}
			did, err := f.write(r)
			if err != nil {
				return "", err
			}
			tried++
			if did {
				changed++
			}
			t.Require(did, "%s %s changed nothing", r.Method, r.Path)
		}
		if tried == 0 || changed < tried {
			return "", errors.New(strings.Join(t.Problems, "; "))
		}
		return fmt.Sprintf("each of %d routes changes its record", changed), nil
	},
}

// forge sends what a client has no business to send.
type forge struct {
	t      *lab.Trial
	doc    *openapi.Document
	client *lab.Client
	estate *estate.Estate
	made   int

	fields                        map[string]bool
	tried, refused, parts, harmed int
}

func newForge(t *lab.Trial) (*forge, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	estates, err := estate.Start(s, 1)
	if err != nil {
		return nil, err
	}
	f := &forge{t: t, client: s.NewClient(), estate: estates[0], fields: map[string]bool{}}
	// Nothing else may change anything meanwhile.
	if err := estate.AwaitTiles(t, f.client, "/projects/"+f.estate.Project); err != nil {
		return nil, err
	}
	f.doc, err = openapi.Read(t, f.client)
	return f, err
}

// shows tells whether what a route changes can be read at its own address: where somebody is cannot.
func (f *forge) shows(r *openapi.Route) bool {
	return slices.ContainsFunc(f.doc.Routes, func(get *openapi.Route) bool {
		return get.Method == http.MethodGet && get.Path == r.Path
	})
}

// target gives the path of a route, with records that exist.
func (f *forge) target(r *openapi.Route) (string, error) {
	segments := slices.Clone(r.Segments)
	for i, s := range segments {
		switch {
		case s == "{project}":
			segments[i] = f.estate.Project
		case strings.HasPrefix(s, "{"):
			if segments[i] = f.uid(segments[i-1]); segments[i] == "" {
				return "", fmt.Errorf("there is no record of %s", segments[i-1])
			}
		}
	}
	return strings.Join(segments, "/"), nil
}

// uid gives the uid of a record of a kind: the last, since the first of the team is the caller; empty where there is
// none.
func (f *forge) uid(family string) string {
	known := f.estate.UIDs[family]
	if len(known) == 0 {
		return ""
	}
	return known[len(known)-1]
}

// least is the smallest body that a route takes.
func (f *forge) least(r *openapi.Route) lab.Object {
	body := lab.Object{}
	required, _ := r.Body["required"].([]any)
	for _, name := range required {
		name := fmt.Sprint(name)
		body[name] = f.value(name, f.doc.Resolve(openapi.Dig(r.Body, "properties")[name]))
	}
	if name, value := f.writable(r); len(body) == 0 && name != "" {
		body[name] = value
	}
	return body
}

// writable gives a field that a route takes, with a value it did not have.
func (f *forge) writable(r *openapi.Route) (string, any) {
	properties := openapi.Dig(r.Body, "properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema := f.doc.Resolve(properties[name])
		types := openapi.Types(schema)
		if name != "uid" && !strings.Contains(name, "assigned") && !slices.Contains(types, "array") &&
			!slices.Contains(types, "object") {
			return name, f.value(name, schema)
		}
	}
	return "", nil
}

// value gives something that a schema allows, new each time where it can be.
func (f *forge) value(name string, schema lab.Object) any {
	f.made++
	if any, _ := schema["anyOf"].([]any); len(any) > 0 {
		return f.value(name, f.doc.Resolve(any[0]))
	}
	if enum, _ := schema["enum"].([]any); len(enum) > 0 {
		return enum[0]
	}
	switch first := append(openapi.Types(schema), "string")[0]; {
	case first == "boolean":
		return true
	case first == "integer", first == "number":
		return f.made
	case first == "array":
		return []any{}
	case first == "object":
		out := lab.Object{}
		for inner, s := range openapi.Dig(schema, "properties") {
			out[inner] = f.value(inner, f.doc.Resolve(s))
		}
		return out
	case schema["format"] == "date":
		return "2026-03-01"
	case schema["format"] == "date-time", strings.HasSuffix(name, "_at"):
		return "2026-03-01T12:00:00.000001+00:00"
	case strings.Contains(name, "email"):
		return fmt.Sprintf("person%d@example.com", f.made)
	case name == "role_uid":
		return "0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41" // Power Collaborator, in every project
	case estate.KindByField[name] != "":
		return f.uid(estate.KindByField[name])
	case name == "kind":
		return estate.AnyKind
	case name == "content_type":
		return "image/png"
	case name == "color":
		return fmt.Sprintf("#%06X", f.made)
	case strings.HasSuffix(name, "uid"):
		return "00000000-0000-4000-8000-000000000000"
	case schema["format"] == "uri":
		return "https://example.com/" + name
	default:
		return fmt.Sprintf("Text %d", f.made)
	}
}

// inside are names that mean something only inside the service.
var inside = []string{
	"id", "uids", "clock", "seq", "ordinal", "kind", "tally", "terms", "version", "doc", "private", "actor", "account",
	"project", "project_uid",
	"operator", "disabled", "password", "key", "hash", "limits", "~p", "__proto__", "$set", "", "updated_at ",
	"updated_at\u0000", "deleted_at", "owner_uid", "is_admin",
}

// owned gives the fields that a route must refuse, with what each is in its record.
func (f *forge) owned(r *openapi.Route, record lab.Fields) map[string]any {
	_, shown := r.Success()
	takes, out := openapi.Dig(r.Body, "properties"), map[string]any{}
	add := func(name string, schema lab.Object) {
		if _, taken := takes[name]; !taken {
			out[name] = f.value(name, schema)
		}
	}
	for name, schema := range openapi.Dig(shown.Shape, "properties") {
		add(name, f.doc.Resolve(schema))
	}
	for _, name := range inside {
		add(name, nil)
	}
	// What only a create takes, a change refuses.
	for _, maker := range f.doc.Routes {
		if made := maker.Replies[http.StatusCreated]; made != nil && made.Kind == shown.Kind {
			for name, schema := range openapi.Dig(maker.Body, "properties") {
				add(name, f.doc.Resolve(schema))
			}
		}
	}
	for name := range takes {
		for _, other := range []string{
			strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:],
			strings.ReplaceAll(name, "_", "-"), " " + name,
		} {
			if value := record[name]; other != name {
				out[other] = value
				if value == nil {
					out[other] = "Text"
				}
			}
		}
	}
	return out
}

// bodies are all that is tried with a route.
func (f *forge) bodies(r *openapi.Route, record lab.Fields) (out []lab.Object, names []string) {
	beside, fine := f.writable(r)
	try := func(name string, value any) {
		if name == beside {
			return
		}
		base := lab.Object{}
		if r.Method == http.MethodPost {
			base = f.least(r)
		}
		base[name] = value
		out, names = append(out, base), append(names, name)
		if beside != "" {
			with := maps.Clone(base)
			with[beside] = fine
			out, names = append(out, with), append(names, name)
		}
	}
	owned := f.owned(r, record)
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		f.fields[r.Method+" "+r.Path+" "+name] = true
		try(name, owned[name])
		try(name, nil)
		if present, has := record[name]; has {
			try(name, present)
		}
		// Under another name, and inside a field that can be written.
		out, names = append(out, lab.Object{"data": lab.Object{name: owned[name]}}), append(names, "data")
		if beside != "" {
			out, names = append(out, lab.Object{beside: lab.Object{name: owned[name]}}), append(names, beside)
		}
	}
	if r.Method != http.MethodPost {
		for _, value := range []any{
			"00000000-0000-4000-8000-000000000000", strings.ToUpper(record.Text("uid")), nil, 1,
			lab.Object{},
		} {
			if value != record.Text("uid") { // one without letters is its own in capitals, and may be repeated
				try("uid", value)
			}
		}
	}
	return out, names
}

// route tries everything with one route.
func (f *forge) route(r *openapi.Route) error {
	path, err := f.target(r)
	if err != nil {
		return err
	}
	witness := f.witness(r, path)
	before, err := f.client.Do(f.t, http.MethodGet, witness, nil)
	if err != nil {
		return err
	}
	var record lab.Fields
	if err := json.Unmarshal(before.Body, &record); err != nil || !before.OK() {
		return errors.Join(fmt.Errorf("%s: %s", witness, before), err)
	}
	if r.Method == http.MethodPost {
		record = nil
	}
	bodies, names := f.bodies(r, record)
	for i, body := range bodies {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		if f.tried++; !f.t.Full && i%8 != 0 {
			continue // a part of a batch is the same request
		}
		a, err := f.client.Do(f.t, r.Method, path, text)
		if err != nil {
			return err
		}
		f.judge(r, text, names[i], a.Status, a.Body)
		f.same(witness, before, text)
	}
	return f.batches(r, path, witness, before, bodies, names)
}

// witness is what would show that a request did something: the record, or the list that a POST adds to, or what stands
// above.
func (f *forge) witness(r *openapi.Route, path string) string {
	segments := strings.Split(path, "/")
	for n := len(segments); n > 0; n-- {
		pattern := strings.Join(r.Segments[:n], "/")
		for _, get := range f.doc.Routes {
			if get.Method != http.MethodGet || get.Path != pattern {
				continue
			}
			found := strings.Join(segments[:n], "/")
			if slices.ContainsFunc(get.Params, func(p openapi.Param) bool { return p.Name == "limit" }) {
				found += "?limit=0"
			}
			return found
		}
	}
	return path
}

// batches tries the same as parts of batches.
func (f *forge) batches(r *openapi.Route, path, witness string, before *lab.Answer, bodies []lab.Object,
	names []string,
) error {
	const together = 50
	for from := 0; from < len(bodies); from += together {
		group := bodies[from:min(len(bodies), from+together)]
		parts := []lab.Object{}
		for _, body := range group {
			text, err := json.Marshal(body)
			if err != nil {
				return err
			}
			parts = append(parts, lab.Object{"method": r.Method, "path": path, "body": string(text)})
		}
		var results struct {
			Data []struct {
				Status int    `json:"status_code"`
				Body   string `json:"body"`
			} `json:"data"`
		}
		if err := f.client.MustDo(f.t, http.MethodPost, "/batch", parts, &results); err != nil {
			return err
		}
		f.t.Require(len(results.Data) == len(group), "%d results of %d parts", len(results.Data), len(group))
		for i, result := range results.Data {
			f.parts++
			f.judge(r, []byte(fmt.Sprint(parts[i]["body"])), names[from+i], result.Status, []byte(result.Body))
		}
		f.same(witness, before, []byte("a batch"))
	}
	return nil
}

// judge requires that a body was refused for the field it was made to be refused for.
func (f *forge) judge(r *openapi.Route, sent []byte, name string, status int, body []byte) {
	var got struct {
		Message string                    `json:"message"`
		Errors  map[string]jsontext.Value `json:"errors"`
	}
	err := json.Unmarshal(body, &got)
	if _, named := got.Errors[name]; err == nil && status == http.StatusBadRequest && (named ||
		strings.Contains(name, "\u0000")) {
		f.refused++
		return
	}
	f.t.Require(false, "%s %s with %s: %d %s", r.Method, r.Path, sent, status, lab.Clip(body))
}

// same requires that what a path shows is the same byte for byte.
func (f *forge) same(path string, before *lab.Answer, sent []byte) {
	now, err := f.client.Do(context.WithoutCancel(f.t), http.MethodGet, path, nil)
	if err != nil {
		f.t.Require(false, "%s: %v", path, err)
		return
	}
	if now.Status != before.Status || !bytes.Equal(now.Body, before.Body) ||
		now.Header.Get("ETag") != before.Header.Get("ETag") {
		f.harmed++
		f.t.Require(false, "%s changed %s from %s to %s", sent, path, lab.Clip(before.Body), lab.Clip(now.Body))
		*before = *now
	}
}

// write changes a field that can be written and tells whether that changed the record.
func (f *forge) write(r *openapi.Route) (bool, error) {
	path, err := f.target(r)
	if err != nil {
		return false, err
	}
	before, err := f.client.Do(f.t, http.MethodGet, path, nil)
	if err != nil {
		return false, err
	}
	name, value := f.writable(r)
	if err := f.client.MustDo(f.t, r.Method, path, lab.Object{name: value}, nil); err != nil {
		return false, err
	}
	after, err := f.client.Do(f.t, http.MethodGet, path, nil)
	return err == nil && !bytes.Equal(before.Body, after.Body), err
}
