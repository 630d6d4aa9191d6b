package main

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
)

var e34 = &experiment{
	id:      "E34",
	title:   "fields that the service owns in every body that can be written, alone and beside a field that can be",
	bar:     "refused with 400, directly and in a batch; the record is the same byte for byte, and none is made",
	control: "the fields that can be written",
	engines: bothEngines,
	run: func(t *trial) error {
		f, err := newForge(t)
		if err != nil {
			return err
		}
		routes := 0
		for _, r := range f.doc.routes {
			if r.body == nil || !strings.HasPrefix(r.path, "/projects") { // records are what is meant, not keys and tokens
				continue
			}
			routes++
			if err := f.route(r); err != nil {
				return fmt.Errorf("%s %s: %w", r.method, r.path, err)
			}
		}
		t.note("routes that write", "%d", routes)
		t.note("fields", "%d", len(f.fields))
		t.note("bodies", "%s", thousands(f.tried))
		t.note("refused, in batches too", "%s, %s", thousands(f.refused), thousands(f.parts))
		t.note("records changed or made", "%d", f.harmed)
		t.require(routes > 0 && f.refused > 0, "nothing was tried")
		return nil
	},
	runControl: func(t *trial) (string, error) {
		f, err := newForge(t)
		if err != nil {
			return "", err
		}
		tried, changed := 0, 0
		for _, r := range f.doc.routes {
			if r.body == nil || r.method == http.MethodPost || !strings.HasPrefix(r.path, "/projects") {
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
			t.require(did, "%s %s changed nothing", r.method, r.path)
		}
		if tried == 0 || changed < tried {
			return "", errors.New(strings.Join(t.problems, "; "))
		}
		return fmt.Sprintf("each of %d routes changes its record", changed), nil
	},
}

// forge sends what a client has no business to send.
type forge struct {
	t      *trial
	doc    *document
	client *client
	estate *estate
	made   int

	fields                        map[string]bool
	tried, refused, parts, harmed int
}

func newForge(t *trial) (*forge, error) {
	s, err := newSite(t, released)
	if err != nil {
		return nil, err
	}
	estates, err := s.newEstates(1)
	if err != nil {
		return nil, err
	}
	f := &forge{t: t, client: s.client(), estate: estates[0], fields: map[string]bool{}}
	// Nothing else may change anything meanwhile.
	if err := f.client.tiled(t, "/projects/"+f.estate.project); err != nil {
		return nil, err
	}
	f.doc, err = readDocument(t, f.client)
	return f, err
}

// target gives the path of a route, with records that exist.
func (f *forge) target(r *route) (string, error) {
	segments := slices.Clone(r.segments)
	for i, s := range segments {
		switch {
		case s == "{project}":
			segments[i] = f.estate.project
		case strings.HasPrefix(s, "{"):
			if segments[i] = f.uid(segments[i-1]); segments[i] == "" {
				return "", fmt.Errorf("there is no record of %s", segments[i-1])
			}
		}
	}
	return strings.Join(segments, "/"), nil
}

// uid gives the uid of a record of a kind: the last, since the first of the team is the caller; empty where there is none.
func (f *forge) uid(family string) string {
	known := f.estate.uids[family]
	if len(known) == 0 {
		return ""
	}
	return known[len(known)-1]
}

// least is the smallest body that a route takes.
func (f *forge) least(r *route) object {
	body := object{}
	required, _ := r.body["required"].([]any)
	for _, name := range required {
		name := fmt.Sprint(name)
		body[name] = f.value(name, f.doc.resolve(dig(r.body, "properties")[name]))
	}
	if name, value := f.writable(r); len(body) == 0 && name != "" {
		body[name] = value
	}
	return body
}

// writable gives a field that a route takes, with a value it did not have.
func (f *forge) writable(r *route) (string, any) {
	properties := dig(r.body, "properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if schema := f.doc.resolve(properties[name]); name != "uid" && !strings.Contains(name, "assigned") && !slices.Contains(types(schema), "array") {
			return name, f.value(name, schema)
		}
	}
	return "", nil
}

// value gives something that a schema allows, new each time where it can be.
func (f *forge) value(name string, schema object) any {
	f.made++
	if any, _ := schema["anyOf"].([]any); len(any) > 0 {
		return f.value(name, f.doc.resolve(any[0]))
	}
	if enum, _ := schema["enum"].([]any); len(enum) > 0 {
		return enum[0]
	}
	switch first := append(types(schema), "string")[0]; {
	case first == "boolean":
		return true
	case first == "integer", first == "number":
		return f.made
	case first == "array":
		return []any{}
	case first == "object":
		out := object{}
		for inner, s := range dig(schema, "properties") {
			out[inner] = f.value(inner, f.doc.resolve(s))
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
	case families[name] != "":
		return f.uid(families[name])
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
	"id", "uids", "clock", "seq", "ordinal", "kind", "tally", "terms", "version", "doc", "private", "actor", "account", "project", "project_uid",
	"operator", "disabled", "password", "key", "hash", "limits", "~p", "__proto__", "$set", "", "updated_at ", "updated_at\u0000", "deleted_at", "owner_uid", "is_admin",
}

// owned gives the fields that a route must refuse, with what each is in its record.
func (f *forge) owned(r *route, record fields) map[string]any {
	_, shown := r.success()
	takes, out := dig(r.body, "properties"), map[string]any{}
	add := func(name string, schema object) {
		if _, taken := takes[name]; !taken {
			out[name] = f.value(name, schema)
		}
	}
	for name, schema := range dig(shown.shape, "properties") {
		add(name, f.doc.resolve(schema))
	}
	for _, name := range inside {
		add(name, nil)
	}
	// What only a create takes, a change refuses.
	for _, maker := range f.doc.routes {
		if made := maker.replies[http.StatusCreated]; made != nil && made.kind == shown.kind {
			for name, schema := range dig(maker.body, "properties") {
				add(name, f.doc.resolve(schema))
			}
		}
	}
	for name := range takes {
		for _, other := range []string{strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], strings.ReplaceAll(name, "_", "-"), " " + name} {
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
func (f *forge) bodies(r *route, record fields) (out []object, names []string) {
	beside, fine := f.writable(r)
	try := func(name string, value any) {
		if name == beside {
			return
		}
		base := object{}
		if r.method == http.MethodPost {
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
		f.fields[r.method+" "+r.path+" "+name] = true
		try(name, owned[name])
		try(name, nil)
		if present, has := record[name]; has {
			try(name, present)
		}
		// Under another name, and inside a field that can be written.
		out, names = append(out, object{"data": object{name: owned[name]}}), append(names, "data")
		if beside != "" {
			out, names = append(out, object{beside: object{name: owned[name]}}), append(names, beside)
		}
	}
	if r.method != http.MethodPost {
		for _, value := range []any{"00000000-0000-4000-8000-000000000000", strings.ToUpper(record.text("uid")), nil, 1, object{}} {
			if value != record.text("uid") { // one without letters is its own in capitals, and may be repeated
				try("uid", value)
			}
		}
	}
	return out, names
}

// route tries everything with one route.
func (f *forge) route(r *route) error {
	path, err := f.target(r)
	if err != nil {
		return err
	}
	witness := f.witness(r, path)
	before, err := f.client.do(f.t, http.MethodGet, witness, nil)
	if err != nil {
		return err
	}
	var record fields
	if err := json.Unmarshal(before.body, &record); err != nil || !before.ok() {
		return errors.Join(fmt.Errorf("%s: %s", witness, before), err)
	}
	if r.method == http.MethodPost {
		record = nil
	}
	bodies, names := f.bodies(r, record)
	for i, body := range bodies {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		if f.tried++; !f.t.full && i%8 != 0 {
			continue // a part of a batch is the same request
		}
		a, err := f.client.do(f.t, r.method, path, text)
		if err != nil {
			return err
		}
		f.judge(r, text, names[i], a.status, a.body)
		f.same(witness, before, text)
	}
	return f.batches(r, path, witness, before, bodies, names)
}

// witness is what would show that a request did something: the record, or the list that a POST adds to, or what stands above.
func (f *forge) witness(r *route, path string) string {
	segments := strings.Split(path, "/")
	for n := len(segments); n > 0; n-- {
		pattern := strings.Join(r.segments[:n], "/")
		for _, get := range f.doc.routes {
			if get.method != http.MethodGet || get.path != pattern {
				continue
			}
			found := strings.Join(segments[:n], "/")
			if slices.ContainsFunc(get.params, func(p param) bool { return p.name == "limit" }) {
				found += "?limit=0"
			}
			return found
		}
	}
	return path
}

// batches tries the same as parts of batches.
func (f *forge) batches(r *route, path, witness string, before *answer, bodies []object, names []string) error {
	const together = 50
	for from := 0; from < len(bodies); from += together {
		group := bodies[from:min(len(bodies), from+together)]
		parts := []object{}
		for _, body := range group {
			text, err := json.Marshal(body)
			if err != nil {
				return err
			}
			parts = append(parts, object{"method": r.method, "path": path, "body": string(text)})
		}
		var results struct {
			Data []struct {
				Status int    `json:"status_code"`
				Body   string `json:"body"`
			} `json:"data"`
		}
		if err := f.client.must(f.t, http.MethodPost, "/batch", parts, &results); err != nil {
			return err
		}
		f.t.require(len(results.Data) == len(group), "%d results of %d parts", len(results.Data), len(group))
		for i, result := range results.Data {
			f.parts++
			f.judge(r, []byte(fmt.Sprint(parts[i]["body"])), names[from+i], result.Status, []byte(result.Body))
		}
		f.same(witness, before, []byte("a batch"))
	}
	return nil
}

// judge requires that a body was refused for the field it was made to be refused for.
func (f *forge) judge(r *route, sent []byte, name string, status int, body []byte) {
	var got struct {
		Message string                    `json:"message"`
		Errors  map[string]jsontext.Value `json:"errors"`
	}
	err := json.Unmarshal(body, &got)
	if _, named := got.Errors[name]; err == nil && status == http.StatusBadRequest && (named || strings.Contains(name, "\u0000")) {
		f.refused++
		return
	}
	f.t.require(false, "%s %s with %s: %d %s", r.method, r.path, sent, status, clip(body))
}

// same requires that what a path shows is the same byte for byte.
func (f *forge) same(path string, before *answer, sent []byte) {
	now, err := f.client.do(context.WithoutCancel(f.t), http.MethodGet, path, nil)
	if err != nil {
		f.t.require(false, "%s: %v", path, err)
		return
	}
	if now.status != before.status || !bytes.Equal(now.body, before.body) || now.header.Get("ETag") != before.header.Get("ETag") {
		f.harmed++
		f.t.require(false, "%s changed %s from %s to %s", sent, path, clip(before.body), clip(now.body))
		*before = *now
	}
}

// write changes a field that can be written and tells whether that changed the record.
func (f *forge) write(r *route) (bool, error) {
	path, err := f.target(r)
	if err != nil {
		return false, err
	}
	before, err := f.client.do(f.t, http.MethodGet, path, nil)
	if err != nil {
		return false, err
	}
	name, value := f.writable(r)
	if err := f.client.must(f.t, r.method, path, object{name: value}, nil); err != nil {
		return false, err
	}
	after, err := f.client.do(f.t, http.MethodGet, path, nil)
	return err == nil && !bytes.Equal(before.body, after.body), err
}
