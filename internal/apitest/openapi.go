package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract checks requests and responses against the service's own OpenAPI document, and remembers which operations
// were played.
type contract struct {
	document   any
	compiler   *jsonschema.Compiler
	operations []operation

	mu     sync.Mutex
	played map[string]bool
}

// operation is a method of a path: "GET /projects/{project}".
type operation struct {
	name     string
	segments []string
	pointer  string // to the operation in the document
	content  map[string]any
}

const documentURL = "https://groundwork.test/openapi.json"

func newContract(document []byte) (*contract, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	c := &contract{document: parsed, compiler: jsonschema.NewCompiler(), played: map[string]bool{}}
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(documentURL, parsed); err != nil {
		return nil, err
	}
	paths, _ := dig(parsed, "paths").(map[string]any)
	if len(paths) == 0 {
		return nil, fmt.Errorf("the OpenAPI document has no paths")
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods, _ := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			content, _ := methods[method].(map[string]any)
			if content == nil || !slices.Contains(verbs, strings.ToUpper(method)) {
				continue
			}
			c.operations = append(c.operations, operation{
				name: strings.ToUpper(method) + " " + path, segments: strings.Split(path, "/"),
				pointer: "/paths/" + pointer.Replace(path) + "/" + method, content: content,
			})
		}
	}
	return c, nil
}

var (
	verbs   = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	pointer = strings.NewReplacer("~", "~0", "/", "~1")
)

// find gives the operation a request reaches: segment by segment from the left, a literal wins over a wildcard.
func (c *contract) find(method, path string) *operation {
	segments := strings.Split(path, "/")
	var best *operation
	for i := range c.operations {
		o := &c.operations[i]
		verb, _, _ := strings.Cut(o.name, " ")
		if verb == method && o.matches(segments) && (best == nil || o.beats(best)) {
			best = o
		}
	}
	return best
}

func (o *operation) matches(segments []string) bool {
	return slices.EqualFunc(o.segments, segments, func(pattern, segment string) bool {
		return pattern == segment || strings.HasPrefix(pattern, "{") && segment != ""
	})
}

func (o *operation) beats(other *operation) bool {
	for i, s := range o.segments {
		if wild := strings.HasPrefix(s, "{"); wild != strings.HasPrefix(other.segments[i], "{") {
			return !wild
		}
	}
	return false
}

// check validates one exchange; it gives nothing for a path and method that the document does not have.
func (c *contract) check(method, path string, sent []byte, r Response) error {
	o := c.find(method, path)
	if o == nil {
		return nil
	}
	good := r.Status >= 200 && r.Status < 300 || r.Status == http.StatusSeeOther
	if good {
		c.mu.Lock()
		c.played[o.name] = true
		c.mu.Unlock()
	}
	if err := c.checkResponse(o, r); err != nil {
		return fmt.Errorf("the response %d of %s: %w", r.Status, o.name, err)
	}
	if !good || len(sent) == 0 {
		return nil
	}
	if dig(o.content, "requestBody") == nil {
		return fmt.Errorf("%s took a body that the OpenAPI document does not know", o.name)
	}
	content, _ := dig(o.content, "requestBody", "content").(map[string]any)
	kind := "application~1json"
	if content["application/x-www-form-urlencoded"] != nil {
		kind = "application~1x-www-form-urlencoded"
		sent = formAsJSON(sent)
	}
	if content["application/json"] == nil && content["application/x-www-form-urlencoded"] == nil {
		return nil // the type is all there is to say
	}
	if err := c.validate(o.pointer+"/requestBody/content/"+kind+"/schema", sent); err != nil {
		return fmt.Errorf("the request of %s was accepted, but not by its schema: %w", o.name, err)
	}
	return nil
}

// formAsJSON is a form as an object of strings, which is what its schema describes.
func formAsJSON(form []byte) []byte {
	values, err := url.ParseQuery(string(form))
	if err != nil {
		return form
	}
	texts := map[string]string{}
	for name := range values {
		texts[name] = values.Get(name)
	}
	text, err := json.Marshal(texts)
	if err != nil {
		return form
	}
	return text
}

func (c *contract) checkResponse(o *operation, r Response) error {
	status := strconv.Itoa(r.Status)
	where := o.pointer + "/responses/" + status
	described, _ := dig(o.content, "responses", status).(map[string]any)
	if described == nil {
		return fmt.Errorf("the OpenAPI document does not list this status")
	}
	if ref, is := described["$ref"].(string); is {
		where = strings.TrimPrefix(ref, "#")
		described, _ = dig(c.document, strings.Split(where, "/")[1:]...).(map[string]any)
	}
	kinds, _ := described["content"].(map[string]any)
	switch {
	case len(kinds) == 0 && len(r.Body) > 0:
		return fmt.Errorf("a body where the OpenAPI document has none")
	case len(kinds) == 0:
		return nil
	case kinds["application/json"] == nil:
		return nil // text: the type is all there is to say
	}
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		return fmt.Errorf("the content type is %q", got)
	}
	return c.validate(where+"/content/application~1json/schema", r.Body)
}

func (c *contract) validate(where string, body []byte) error {
	c.mu.Lock()
	schema, err := c.compiler.Compile(documentURL + "#" + where)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// unplayed lists the operations that no request reached with success.
func (c *contract) unplayed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, o := range c.operations {
		if !c.played[o.name] {
			out = append(out, o.name)
		}
	}
	return out
}

// dig walks down objects by name.
func dig(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}
