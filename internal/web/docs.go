package web

import (
	"net/http"

	"groundwork/internal/api"
)

// root is where everybody arrives who knows only the address of the service.
var root = api.Route{
	Method: "GET", Pattern: "/", Access: api.Public, Alone: true, Do: showRoot,
	Summary: "Name this API and where it is described. A browser is sent to the application.", Tag: "documentation",
	Extension: true,
	Out: api.Schema{
		"type": "object", "required": []string{
			"name", "version", "docs_url", "openapi_url", "data", "total_count", "next_page_url",
		}, "additionalProperties": false,
		"properties": api.Schema{
			"name":    api.Schema{"type": "string", "const": name},
			"version": api.Schema{"type": "string", "description": "The release of the service."},
			"docs_url": api.Schema{
				"type": "string", "format": "uri", "description": "The documentation, for people.",
			},
			"openapi_url": api.Schema{
				"type": "string", "format": "uri", "description": "The OpenAPI document, for programs.",
			},
			"data": api.Schema{
				"type": "array", "maxItems": 0,
				"description": "Nothing. A blank collection has no url, and a program that then asks for the base address reads an empty page here.",
			},
			"total_count":   api.Schema{"type": "integer", "const": 0},
			"next_page_url": api.Schema{"type": "null"},
		},
	},
	Status: 200, Also: []int{http.StatusSeeOther},
}

const name = "Groundwork"

func showRoot(c *api.Call) error {
	c.SetHeader("Vary", "Origin, Accept")
	if c.PrefersHTML() {
		return c.Redirect(home)
	}
	return c.SendJSON(http.StatusOK, struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Docs    string `json:"docs_url"`
		OpenAPI string `json:"openapi_url"`
		// An empty page, for programs that follow the url of a blank collection, which is null, to here.
		Data  []struct{} `json:"data"`
		Total int64      `json:"total_count"`
		Next  *string    `json:"next_page_url"`
	}{Name: name, Version: c.Version, Docs: c.Base + "/docs", OpenAPI: c.Base + "/openapi.json", Data: []struct{}{}})
}

// docs is the interactive reference. Its script draws it from /openapi.json.
var docs = api.Route{
	Method: "GET", Pattern: "/docs", Access: api.Public, Alone: true, Page: page, Do: showDocs,
	Summary: "Read about the API, and try it.", Tag: "documentation", Extension: true, Status: 200,
}

func showDocs(c *api.Call) error {
	return show(c, "docs.html", map[string]any{"Title": "API reference", "Version": c.Version, "Base": c.Base})
}
