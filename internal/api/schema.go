package api

import (
	"maps"
	"slices"
)

// object is the schema of an object all of whose fields are always there. Fields may be added in later releases, so
// others are not forbidden.
func object(fields Schema) Schema {
	return Schema{"type": "object", "required": slices.Sorted(maps.Keys(fields)), "properties": fields}
}

// ListOf is the schema of a page of items: data, total_count and next_page_url.
func ListOf(item Schema) Schema {
	return object(Schema{
		"data": Schema{"type": "array", "maxItems": mostListed, "items": item},
		"total_count": Schema{
			"type": "integer", "minimum": 0, "description": "How many there are in all, before this page was cut out.",
		},
		"next_page_url": Schema{
			"type": []string{"string", "null"}, "format": "uri",
			"description": "Where the next page is; null on the last one.",
		},
	})
}

// shared are the schemas that the edge itself answers with.
func shared() map[string]Schema {
	return map[string]Schema{
		"Error": {
			"type": "object", "required": []string{"message"},
			"properties": Schema{
				"message": Schema{
					"type":        "string",
					"description": "What went wrong, in a sentence for people. Its wording may change.",
				},
				"errors": Schema{
					"type": "object", "additionalProperties": Schema{"type": "string"},
					"description": "What is wrong with each field; _general is the whole body.",
				},
				"url": Schema{
					"type": "string", "format": "uri",
					"description": "On 409 to a create: the caller's own record that has the uid already. What the create meant may be done.",
				},
			},
		},
		"RateLimitError": {
			"type": "object", "required": []string{"message", "rate_limit"},
			"properties": Schema{
				"message": Schema{"type": "string"},
				"rate_limit": Schema{
					"anyOf": []any{Schema{"$ref": "#/components/schemas/RateLimit"}, Schema{"type": "null"}},
				},
			},
		},
		"RateLimit": object(Schema{
			"request_type": Schema{
				"type": "string", "enum": []string{"all", "write"},
				"description": "What is counted: all requests, or POST, PUT, PATCH and DELETE.",
			},
			"interval": Schema{"type": "integer", "minimum": 1, "description": "The length of a window in seconds."},
			"limit":    Schema{"type": "integer", "minimum": 0, "description": "How many requests a window allows."},
			"remaining": Schema{
				"type": "integer", "minimum": 0, "description": "How many are left in the present window.",
			},
			"reset": Schema{"type": "string", "format": "date-time", "description": "When the present window ends."},
		}),
	}
}

// mostListed is the greatest and the default length of a page.
const mostListed = 50
