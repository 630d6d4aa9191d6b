package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is the service's description of itself: what requests are made from, and what answers are held against.
type document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
	routes   []*route
	errors   map[int]*reply // those that any path may give
}

// route is one method of one path.
type route struct {
	method, path string
	segments     []string
	params       []param
	body         object             // the schema of the JSON it takes; nil when that is nothing
	accepts      *jsonschema.Schema // the same, compiled
	form         object             // the schema of the form it takes in place of JSON
	replies      map[int]*reply     // by status
}

// object is a JSON object, mostly a schema.
type object = map[string]any

// param is something that a request may carry in its query or its headers.
type param struct {
	name, in string
	required bool
	schema   object
}

// reply is one answer that a route may give.
type reply struct {
	kind   string             // the name of its schema, if it has one
	shape  object             // its schema; nil when it has no JSON
	schema *jsonschema.Schema // the same, compiled
	text   bool               // it has a body that is not JSON
}

const documentURL = "https://groundwork.test/openapi.json"

// readDocument asks the service for its description.
func readDocument(ctx context.Context, c *client) (*document, error) {
	a, err := c.do(ctx, http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	root, _ := parsed.(object)
	d := &document{root: root, compiler: jsonschema.NewCompiler(), errors: map[int]*reply{}}
	closeObjects(root)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, root); err != nil {
		return nil, err
	}
	for status := range d.at("components", "responses") {
		if err := d.addReply(d.errors, status, "/components/responses/"+status, d.at("components", "responses", status)); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.at("paths"))) {
		for _, method := range slices.Sorted(maps.Keys(d.at("paths", path))) {
			if err := d.addRoute(method, path); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	if len(d.routes) == 0 {
		return nil, fmt.Errorf("the description has no routes: %s", clip(a.body))
	}
	return d, nil
}

// closeObjects has every schema of an object refuse what it does not name: a field that nobody described is a mistake here.
func closeObjects(v any) {
	switch v := v.(type) {
	case object:
		if _, named := v["properties"].(object); named && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range v {
			closeObjects(inner)
		}
	}
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

func (d *document) addRoute(method, path string) error {
	described := d.at("paths", path, method)
	where := "/paths/" + pointer.Replace(path) + "/" + method
	r := &route{method: strings.ToUpper(method), path: path, segments: strings.Split(path, "/"), replies: map[int]*reply{}}
	params, _ := described["parameters"].([]any)
	for _, p := range params {
		p, _ := p.(object)
		name, _ := p["name"].(string)
		in, _ := p["in"].(string)
		required, _ := p["required"].(bool)
		r.params = append(r.params, param{name, in, required, d.resolve(p["schema"])})
	}
	if content := dig(described, "requestBody", "content", "application/json"); content != nil {
		var err error
		if r.accepts, err = d.compiler.Compile(documentURL + "#" + where + "/requestBody/content/application~1json/schema"); err != nil {
			return err
		}
		r.body = d.resolve(content["schema"])
	}
	if content := dig(described, "requestBody", "content", "application/x-www-form-urlencoded"); content != nil {
		r.form = d.resolve(content["schema"])
	}
	for status, described := range dig(described, "responses") {
		described, _ := described.(object)
		at := where + "/responses/" + status
		if ref, is := described["$ref"].(string); is {
			at = strings.TrimPrefix(ref, "#")
			described = d.at(strings.Split(at, "/")[1:]...)
		}
		if err := d.addReply(r.replies, status, at, described); err != nil {
			return err
		}
	}
	d.routes = append(d.routes, r)
	return nil
}

func (d *document) addReply(to map[int]*reply, status, where string, described object) error {
	code, err := strconv.Atoi(status)
	if err != nil {
		return err
	}
	r := &reply{}
	contents := dig(described, "content")
	if content := dig(contents, "application/json"); content != nil {
		if r.schema, err = d.compiler.Compile(documentURL + "#" + where + "/content/application~1json/schema"); err != nil {
			return err
		}
		r.shape = d.resolve(content["schema"])
		ref, _ := dig(content, "schema")["$ref"].(string)
		r.kind = ref[strings.LastIndex(ref, "/")+1:]
	}
	r.text = len(contents) > 0 && r.schema == nil
	to[code] = r
	return nil
}

// at walks down the document.
func (d *document) at(names ...string) object { return dig(d.root, names...) }

func dig(v object, names ...string) object {
	for _, name := range names {
		v, _ = v[name].(object)
	}
	return v
}

// resolve gives a schema itself in place of a reference to it.
func (d *document) resolve(schema any) object {
	o, _ := schema.(object)
	if ref, is := o["$ref"].(string); is {
		return d.resolve(d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	return o
}

// maker gives the route that makes what another one names by its uid; nil where there is none.
func (d *document) maker(r *route) *route {
	place, last := path.Split(r.path)
	if !strings.HasPrefix(last, "{") {
		return nil
	}
	for _, m := range d.routes {
		if m.method == http.MethodPost && m.path == strings.TrimSuffix(place, "/") {
			return m
		}
	}
	return nil
}

// find gives the route that a request reaches: segment by segment from the left, a literal wins over a wildcard. known tells whether the path
// has routes at all.
func (d *document) find(method, path string) (found *route, known bool) {
	segments := strings.Split(path, "/")
	var best *route
	for _, r := range d.routes {
		if r.matches(segments) && (best == nil || r.beats(best)) {
			best = r
		}
	}
	if best == nil {
		return nil, false
	}
	for _, r := range d.routes {
		if r.path == best.path && r.method == method {
			return r, true
		}
	}
	return nil, true
}

func (r *route) matches(segments []string) bool {
	return slices.EqualFunc(r.segments, segments, func(pattern, segment string) bool {
		return pattern == segment || strings.HasPrefix(pattern, "{") && segment != ""
	})
}

func (r *route) beats(other *route) bool {
	for i, s := range r.segments {
		if wild := strings.HasPrefix(s, "{"); wild != strings.HasPrefix(other.segments[i], "{") {
			return !wild
		}
	}
	return false
}

// success gives the status and the answer of a route that did what it was asked for; the least one when there are several.
func (r *route) success() (int, *reply) {
	for _, status := range slices.Sorted(maps.Keys(r.replies)) {
		if status >= 200 && status < 300 {
			return status, r.replies[status]
		}
	}
	return 0, nil
}

// types are the JSON types that a schema allows.
func types(schema object) []string {
	switch t := schema["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, one := range t {
			out = append(out, fmt.Sprint(one))
		}
		return out
	}
	return nil
}
