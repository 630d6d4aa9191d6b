// Package openapi reads the service's description of itself, as a client does: requests are made from it, and answers
// are held against it.
package openapi

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

	"groundwork/prove/lab"
)

// Document is the service's description of itself: what requests are made from, and what answers are held against.
type Document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
	Routes   []*Route
	Errors   map[int]*Reply // those that any path may give
}

// Route is one method of one path.
type Route struct {
	Method, Path string
	Segments     []string
	Params       []Param
	Body         lab.Object         // the schema of the JSON it takes; nil when that is nothing
	Accepts      *jsonschema.Schema // the same, compiled
	Form         lab.Object         // the schema of the form it takes in place of JSON
	Replies      map[int]*Reply     // by status
}

// Param is something that a request may carry in its query or its headers.
type Param struct {
	Name, In string
	Required bool
	Schema   lab.Object
}

// Reply is one answer that a route may give.
type Reply struct {
	Kind   string             // the name of its schema, if it has one
	Shape  lab.Object         // its schema; nil when it has no JSON
	Schema *jsonschema.Schema // the same, compiled
	Text   bool               // it has a body that is not JSON
}

const documentURL = "https://groundwork.test/openapi.json"

// Read asks the service for its description.
func Read(ctx context.Context, c *lab.Client) (*Document, error) {
	a, err := c.Do(ctx, http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return nil, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return nil, err
	}
	root, _ := parsed.(lab.Object)
	d := &Document{root: root, compiler: jsonschema.NewCompiler(), Errors: map[int]*Reply{}}
	closeObjects(root)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, root); err != nil {
		return nil, err
	}
	for status := range d.at("components", "responses") {
		if err := d.addReply(d.Errors, status, "/components/responses/"+status,
			d.at("components", "responses", status)); err != nil {
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
	if len(d.Routes) == 0 {
		return nil, fmt.Errorf("the description has no routes: %s", lab.Clip(a.Body))
	}
	return d, nil
}

// closeObjects has every schema of an object refuse what it does not name: a field that nobody described is a mistake
// here.
func closeObjects(v any) {
	switch v := v.(type) {
	case lab.Object:
		if _, named := v["properties"].(lab.Object); named && v["additionalProperties"] == nil {
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

func (d *Document) addRoute(method, path string) error {
	described := d.at("paths", path, method)
	where := "/paths/" + pointer.Replace(path) + "/" + method
	r := &Route{
		Method: strings.ToUpper(method), Path: path, Segments: strings.Split(path, "/"), Replies: map[int]*Reply{},
	}
	params, _ := described["parameters"].([]any)
	for _, p := range params {
		p, _ := p.(lab.Object)
		name, _ := p["name"].(string)
		in, _ := p["in"].(string)
		required, _ := p["required"].(bool)
		r.Params = append(r.Params, Param{name, in, required, d.Resolve(p["schema"])})
	}
	if content := Dig(described, "requestBody", "content", "application/json"); content != nil {
		var err error
		if r.Accepts, err = d.compiler.Compile(documentURL + "#" + where +
			"/requestBody/content/application~1json/schema"); err != nil {
			return err
		}
		r.Body = d.Resolve(content["schema"])
	}
	if content := Dig(described, "requestBody", "content", "application/x-www-form-urlencoded"); content != nil {
		r.Form = d.Resolve(content["schema"])
	}
	for status, described := range Dig(described, "responses") {
		described, _ := described.(lab.Object)
		at := where + "/responses/" + status
		if ref, is := described["$ref"].(string); is {
			at = strings.TrimPrefix(ref, "#")
			described = d.at(strings.Split(at, "/")[1:]...)
		}
		if err := d.addReply(r.Replies, status, at, described); err != nil {
			return err
		}
	}
	d.Routes = append(d.Routes, r)
	return nil
}

func (d *Document) addReply(to map[int]*Reply, status, where string, described lab.Object) error {
	code, err := strconv.Atoi(status)
	if err != nil {
		return err
	}
	r := &Reply{}
	contents := Dig(described, "content")
	if content := Dig(contents, "application/json"); content != nil {
		if r.Schema, err = d.compiler.Compile(documentURL + "#" + where +
			"/content/application~1json/schema"); err != nil {
			return err
		}
		r.Shape = d.Resolve(content["schema"])
		ref, _ := Dig(content, "schema")["$ref"].(string)
		r.Kind = ref[strings.LastIndex(ref, "/")+1:]
	}
	r.Text = len(contents) > 0 && r.Schema == nil
	to[code] = r
	return nil
}

// at walks down the document.
func (d *Document) at(names ...string) lab.Object { return Dig(d.root, names...) }

// Dig follows names from object to object; nil where one is missing.
func Dig(v lab.Object, names ...string) lab.Object {
	for _, name := range names {
		v, _ = v[name].(lab.Object)
	}
	return v
}

// Resolve gives a schema itself in place of a reference to it.
func (d *Document) Resolve(schema any) lab.Object {
	o, _ := schema.(lab.Object)
	if ref, is := o["$ref"].(string); is {
		return d.Resolve(d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	return o
}

// CreatorOf gives the route that makes what another one names by its uid; nil where there is none.
func (d *Document) CreatorOf(r *Route) *Route {
	place, last := path.Split(r.Path)
	if !strings.HasPrefix(last, "{") {
		return nil
	}
	for _, m := range d.Routes {
		if m.Method == http.MethodPost && m.Path == strings.TrimSuffix(place, "/") {
			return m
		}
	}
	return nil
}

// Route gives the route that a request reaches: segment by segment from the left, a literal wins over a wildcard. known
// tells whether the path has routes at all.
func (d *Document) Route(method, path string) (found *Route, known bool) {
	segments := strings.Split(path, "/")
	var best *Route
	for _, r := range d.Routes {
		if r.matches(segments) && (best == nil || r.beats(best)) {
			best = r
		}
	}
	if best == nil {
		return nil, false
	}
	for _, r := range d.Routes {
		if r.Path == best.Path && r.Method == method {
			return r, true
		}
	}
	return nil, true
}

func (r *Route) matches(segments []string) bool {
	return slices.EqualFunc(r.Segments, segments, func(pattern, segment string) bool {
		return pattern == segment || strings.HasPrefix(pattern, "{") && segment != ""
	})
}

func (r *Route) beats(other *Route) bool {
	for i, s := range r.Segments {
		if wild := strings.HasPrefix(s, "{"); wild != strings.HasPrefix(other.Segments[i], "{") {
			return !wild
		}
	}
	return false
}

// Success gives the status and the answer of a route that did what it was asked for; the least one when there are
// several.
func (r *Route) Success() (int, *Reply) {
	for _, status := range slices.Sorted(maps.Keys(r.Replies)) {
		if status >= 200 && status < 300 {
			return status, r.Replies[status]
		}
	}
	return 0, nil
}

// Types are the JSON types that a schema allows.
func Types(schema lab.Object) []string {
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
