package api

import (
	"bytes"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"groundwork/internal/auth"
)

func documentedRoutes() []Route {
	issue := map[string]Schema{
		"Issue": object(Schema{
			"uid": Schema{"type": "string"}, "title": Schema{"type": []string{"string", "null"}},
			"list": Schema{"$ref": "#/components/schemas/Ref"},
		}),
		"Ref": object(Schema{"uid": Schema{"type": "string"}, "url": Schema{"type": "string", "format": "uri"}}),
	}
	ref := Schema{"$ref": "#/components/schemas/Issue"}
	return []Route{
		route("GET", "/projects/{project}/issues", func(r *Route) {
			r.Out, r.Components = ListOf(ref), issue
			r.Query = []Param{{Name: "status", Summary: "Only those.", Schema: Schema{
				"type": "string", "enum": []string{"open", "closed"},
			}}}
		}),
		route("PATCH", "/projects/{project}/issues/{uid}", func(r *Route) {
			r.In, r.Out, r.Components, r.Errors, r.Extension = Schema{"type": "object"}, ref, issue, []int{412}, true
			r.Right = auth.Right{Admin: auth.Any, Collaborator: auth.Own}
		}),
		route("DELETE", "/projects/{project}/issues/{uid}"),
		route("POST", "/steps", func(r *Route) { r.OptionalIn = true }),
	}
}

func TestDocumentIsValid(t *testing.T) {
	bytesOf, err := Document(documentedRoutes(), "https://build.example.com", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(bytesOf)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context, openapi3.IsOpenAPI31OrLater(),
		openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Error(err)
	}
	again, err := Document(documentedRoutes(), "https://build.example.com", "1.2.3")
	if err != nil || !bytes.Equal(bytesOf, again) {
		t.Error("the same routes give other bytes")
	}
}

// TestSchemasCompile compiles every schema where it stands in the document, and validates the examples.
func TestSchemasCompile(t *testing.T) {
	b, err := Document(documentedRoutes(), "https://build.example.com", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("https://x/openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	schemas, examples := 0, 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, value := range v {
				walk(at+"/"+itoa(i), value)
			}
		case map[string]any:
			_, isSchema := v["schema"]
			if strings.HasSuffix(at, "/components") {
				for name := range v["schemas"].(map[string]any) {
					compileSchema(t, compiler, at+"/schemas/"+name)
					schemas++
				}
			}
			if isSchema {
				schema := compileSchema(t, compiler, at+"/schema")
				schemas++
				if example, ok := v["example"]; ok && schema != nil {
					examples++
					if err := schema.Validate(example); err != nil {
						t.Errorf("%s: the example is wrong: %v", at, err)
					}
				}
				return
			}
			for name, value := range v {
				walk(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), value)
			}
		}
	}
	walk("", doc)
	if schemas < 30 || examples < 14 {
		t.Errorf("only %d schemas and %d examples were found", schemas, examples)
	}
}

func compileSchema(t *testing.T, c *jsonschema.Compiler, at string) *jsonschema.Schema {
	t.Helper()
	schema, err := c.Compile("https://x/openapi.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(at))
	if err != nil {
		t.Errorf("%s: %v", at, err)
	}
	return schema
}

func TestDocumentSaysWhatTheTableSays(t *testing.T) {
	b, err := Document(documentedRoutes(), "https://build.example.com", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string                               `json:"openapi"`
		Info    struct{ Version string }             `json:"info"`
		Servers []map[string]string                  `json:"servers"`
		Paths   map[string]map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(b, &doc, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.2.3" || doc.Servers[0]["url"] != "https://build.example.com" {
		t.Errorf("%+v", doc)
	}
	text := func(v any) string {
		b, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	patch := doc.Paths["/projects/{project}/issues/{uid}"]["patch"]
	for name, want := range map[string]string{
		"operationId": `"patch_projects_by_project_issues_by_uid"`,
		"x-rights":    `{"admin":"any","collaborator":"own","power_collaborator":"no"}`,
		"x-extension": `true`,
		"security":    `[{"basic":[]},{"oauth":["write:projects"]}]`,
		"tags":        `["tests"]`,
		"requestBody": `{"content":{"application/json":{"schema":{"type":"object"}}},"required":true}`,
		"parameters":  `[{"in":"path","name":"project","required":true,"schema":{"type":"string"}},{"in":"path","name":"uid","required":true,"schema":{"type":"string"}}]`,
	} {
		if got := text(patch[name]); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	for operation, want := range map[string]string{
		"/projects/{project}/issues/{uid} patch":  "200 400 401 403 404 406 412 413 429 500 503 507",
		"/projects/{project}/issues/{uid} delete": "204 400 401 403 404 406 429 500 503 507",
		"/projects/{project}/issues get":          "200 304 400 401 403 404 406 429 500 503",
		"/rate_limits get":                        "200 304 400 401 403 406 429 500 503",
		"/batch post":                             "200 400 401 403 406 413 429 500 503 507",
		"/healthz get":                            "200 500 503",
		"/metrics get":                            "200 403 429 500 503",
	} {
		path, method, _ := strings.Cut(operation, " ")
		responses, _ := doc.Paths[path][method]["responses"].(map[string]any)
		var got []string
		for _, status := range strings.Fields(want) {
			if responses[status] != nil {
				got = append(got, status)
			}
		}
		if len(responses) != len(strings.Fields(want)) || strings.Join(got, " ") != want {
			t.Errorf("%s: %v", operation, text(responses))
		}
	}
	if got := text(doc.Paths["/healthz"]["get"]["security"]); got != "[]" {
		t.Errorf("health needs %s", got)
	}
	if got := text(doc.Paths["/steps"]["post"]["requestBody"]); !strings.Contains(got, `"required":false`) {
		t.Errorf("an optional body: %s", got)
	}
	if doc.Paths["/projects/{project}/issues"]["get"]["x-extension"] != nil {
		t.Error("a route of the original API is called an extension")
	}
}

func TestDocumentIsServed(t *testing.T) {
	e := newEdge(t, testConfig(), documentedRoutes())
	want, err := Document(documentedRoutes(), "https://build.example.com", "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	w := call(e, "GET", "/openapi.json", "", "Accept", "text/html")
	if w.Code != 200 || !bytes.Equal(w.Body.Bytes(), want) || !bytes.Equal(e.OpenAPI(), want) {
		t.Errorf("%d, %d bytes, want %d", w.Code, w.Body.Len(), len(want))
	}
	if got := len(e.Routes()) - len(documentedRoutes()); got != 6 {
		t.Errorf("the edge has %d routes of its own", got)
	}
}
