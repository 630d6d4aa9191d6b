package api

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
)

func (e *Edge) documentRoute() Route {
	return Route{
		Method: "GET", Pattern: "/openapi.json", Access: Public, Alone: true, Do: e.sendDocument,
		Summary: "Get this description of the API.", Tag: "documentation", Extension: true,
		Out: Schema{"type": "object", "required": []string{"openapi", "info", "paths"}}, Status: 200,
	}
}

func (e *Edge) sendDocument(c *Call) error {
	c.SetHeader("Cache-Control", "public, max-age=300")
	return c.Send(http.StatusOK, e.document)
}

// Document is the OpenAPI 3.1 document of routes and of the edge's own. The same routes give the same bytes.
// The error says which schema is missing or has two meanings.
func Document(routes []Route, base, version string) ([]byte, error) {
	return document(append(new(Edge).own(), routes...), base, version)
}

func document(routes []Route, base, version string) ([]byte, error) {
	schemas, err := components(routes)
	if err != nil {
		return nil, err
	}
	paths, tags := map[string]map[string]any{}, map[string]bool{}
	for _, r := range routes {
		if r.Page != nil {
			continue
		}
		if paths[r.Pattern] == nil {
			paths[r.Pattern] = map[string]any{}
		}
		paths[r.Pattern][strings.ToLower(r.Method)] = operation(r)
		tags[r.Tag] = true
	}
	tagList := []any{}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		tagList = append(tagList, Schema{"name": tag})
	}
	return json.Marshal(Schema{
		"openapi": "3.1.0",
		"info": Schema{
			"title": "Groundwork", "version": cmp.Or(version, "0"),
			"summary": "Construction project data: projects, teams and what they work on.",
			"license": Schema{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "State the MAJOR version in the Accept header: `application/vnd.groundwork+json; version=1` (`vnd.plangrid`, which older programs send, means the same; without the header version 1 is served). " +
				"Send an API key as the user name of HTTP Basic authentication, with an empty password; or, as an application that somebody has allowed to act for them, an OAuth 2.0 access token as Bearer. " +
				"Operations with `x-extension` are additions to the original API; `x-rights` says which records each role reaches.",
		},
		"servers": []any{Schema{"url": base}},
		"tags":    tagList,
		"paths":   paths,
		"components": Schema{
			"schemas": schemas, "responses": errorResponses(), "headers": headers(),
			"securitySchemes": Schema{
				"basic": Schema{
					"type": "http", "scheme": "basic",
					"description": "The API key is the user name; the password is ignored.",
				},
				"oauth": flows(base),
			},
		},
	}, json.Deterministic(true), jsontext.WithIndent("  "))
}

// components gathers the named schemas, and finds every name that is used and not given.
func components(routes []Route) (map[string]Schema, error) {
	all := shared()
	for _, r := range routes {
		for name, schema := range r.Components {
			if had, ok := all[name]; ok && !reflect.DeepEqual(had, schema) {
				return nil, fmt.Errorf("api: route %s %s: the schema %s has another meaning elsewhere", r.Method,
					r.Pattern, name)
			}
			all[name] = schema
		}
	}
	for _, r := range routes {
		used := []any{r.In, r.Out, r.Refusal, r.Components}
		for _, p := range r.Query {
			if p.Name == "" || p.Schema == nil {
				return nil, fmt.Errorf("api: route %s %s: a query parameter needs a name and a schema", r.Method,
					r.Pattern)
			}
			used = append(used, p.Schema)
		}
		for _, name := range references(used, nil) {
			if all[name] == nil {
				return nil, fmt.Errorf("api: route %s %s: the schema %s is not given", r.Method, r.Pattern, name)
			}
		}
	}
	return all, nil
}

// references lists what a schema refers to.
func references(schema any, found []string) []string {
	switch v := schema.(type) {
	case Schema:
		for key, value := range v {
			if text, ok := value.(string); ok && key == "$ref" {
				found = append(found, strings.TrimPrefix(text, "#/components/schemas/"))
			}
			found = references(value, found)
		}
	case map[string]Schema:
		for _, value := range v {
			found = references(value, found)
		}
	case []Schema:
		for _, value := range v {
			found = references(value, found)
		}
	case []any:
		for _, value := range v {
			found = references(value, found)
		}
	}
	return found
}

func operation(r Route) Schema {
	op := Schema{
		"operationId": operationID(r), "summary": r.Summary, "tags": []string{r.Tag}, "security": []any{},
		"responses": responses(r),
	}
	if r.Access != Public {
		scope, personal := r.scope()
		ways := []any{Schema{"basic": []any{}}}
		if !personal {
			ways = append(ways, Schema{"oauth": scope.Names()})
		}
		op["security"] = ways
	}
	if r.Access == Member {
		op["x-rights"] = Schema{
			"admin": levels[r.Right.Admin], "power_collaborator": levels[r.Right.Power],
			"collaborator": levels[r.Right.Collaborator],
		}
	}
	if r.Extension {
		op["x-extension"] = true
	}
	parameters := []any{}
	segments, _ := split(r.Pattern)
	for _, s := range segments {
		if s[0] == '{' {
			parameters = append(parameters, Schema{
				"name": s[1 : len(s)-1], "in": "path", "required": true, "schema": Schema{"type": "string"},
			})
		}
	}
	for _, p := range r.Query {
		parameters = append(parameters, Schema{
			"name": p.Name, "in": "query", "description": p.Summary, "required": p.Required, "schema": p.Schema,
		})
	}
	for _, h := range conditions(r) {
		parameters = append(parameters, Schema{
			"name": h.Name, "in": "header", "description": h.Summary, "schema": Schema{"type": "string"},
		})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if r.In != nil {
		op["requestBody"] = Schema{
			"required": !r.OptionalIn, "content": Schema{cmp.Or(r.Takes, "application/json"): Schema{"schema": r.In}},
		}
	}
	return op
}

// flows are the ways in which an application gets a token.
func flows(base string) Schema {
	scopes := Schema{"write:projects": "View and manage project data.", "read:profile": "See who the account is."}
	return Schema{
		"type": "oauth2", "description": "The implicit flow is for applications that are registered for it.",
		"flows": Schema{
			"authorizationCode": Schema{
				"authorizationUrl": base + "/oauth/authorize",
				"tokenUrl":         base + "/oauth/token", "refreshUrl": base + "/oauth/token", "scopes": scopes,
			},
			"implicit": Schema{"authorizationUrl": base + "/oauth/authorize", "scopes": scopes},
		},
	}
}

var levels = [...]string{auth.No: "no", auth.Own: "own", auth.Any: "any"}

// operationID is made of the method and the pattern: get_projects_by_project_issues.
func operationID(r Route) string {
	path := strings.NewReplacer("/{", "_by_", "}", "", "/", "_", ".", "_").Replace(r.Pattern)
	return strings.ToLower(r.Method) + path
}

// tagged tells whether the answers of a route have entity tags.
func tagged(r Route) bool { return r.Method == "GET" && r.Access != Public }

// conditions are the headers that make a request safe to repeat.
func conditions(r Route) []Param {
	var all []Param
	if tagged(r) {
		all = append(all, Param{
			Name: "If-None-Match", Summary: "The ETag of an answer the caller has; 304 when it is still the same.",
		})
	}
	if r.Guarded {
		all = append(all, Param{
			Name: "If-Match", Summary: "The ETag of the record as the caller knows it; 412 when it has changed since.",
		})
	}
	if r.Keyed {
		all = append(all, Param{
			Name:    "Idempotency-Key",
			Summary: "Up to 255 characters of the caller's choice. For a day the same key takes effect once, and is answered the same.",
		})
	}
	return all
}

func responses(r Route) Schema {
	headers := Schema{"X-Request-Id": Schema{"$ref": "#/components/headers/X-Request-Id"}}
	all := Schema{}
	for _, status := range append([]int{r.Status}, r.Also...) {
		one := Schema{"description": http.StatusText(status), "headers": headers}
		switch {
		case status == http.StatusSeeOther || status == http.StatusFound:
			one["headers"] = Schema{
				"X-Request-Id": Schema{"$ref": "#/components/headers/X-Request-Id"},
				"Location": Schema{
					"description": "Where to go on.", "schema": Schema{"type": "string", "format": "uri-reference"},
				},
			}
		case status == http.StatusNotModified:
		case r.Gives != "":
			one["content"] = Schema{r.Gives: Schema{"schema": Schema{"type": "string"}}}
		case r.Out != nil:
			one["content"] = Schema{"application/json": Schema{"schema": r.Out}}
		}
		all[strconv.Itoa(status)] = one
	}
	if tagged(r) {
		headers["ETag"] = Schema{"$ref": "#/components/headers/ETag"}
		all["304"] = Schema{"description": "Not Modified: the caller has this answer already.", "headers": headers}
	}
	for _, status := range errorStatuses(r) {
		all[strconv.Itoa(status)] = Schema{"$ref": "#/components/responses/" + strconv.Itoa(status)}
		if r.Refusal != nil && (status == http.StatusBadRequest || status == http.StatusUnauthorized) {
			all[strconv.Itoa(status)] = Schema{
				"description": http.StatusText(status), "headers": headers,
				"content": Schema{"application/json": Schema{"schema": r.Refusal}},
			}
		}
	}
	return all
}
