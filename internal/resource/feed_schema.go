package resource

import (
	"maps"

	"groundwork/internal/api"
	"groundwork/internal/document"
)

// changeSchemas describe entries of the change log, and parts of it.
func (c *Catalog) changeSchemas() map[string]api.Schema {
	parts := document.SharedSchemas()
	var records []any
	for i := range c.entries {
		one, more := c.entries[i].out()
		records = append(records, one)
		maps.Copy(parts, more)
	}
	change := document.ObjectSchema("A change of one record.", api.Schema{
		"sequence": api.Schema{
			"type": "integer", "format": "int64", "minimum": 0,
			"description": "Later changes have greater ones; not every number is shown. In a walk with latest=true, that before the walk.",
		},
		"kind": api.Schema{"type": "string", "description": "The plural of the record's kind."},
		"uid":  api.Schema{"type": "string"},
		"operation": api.Schema{
			"type": "string", "enum": []any{
				"create", "update", "delete", "restore", "link", "unlink", touched, hidden, latest,
			},
			"description": "touch, hide and latest only with include=records: what is shown with the record changed; the caller sees the record no longer; the record as a walk found it.",
		},
		"actor": document.NullableSchema(document.SchemaRef("UserReference")),
		"time":  document.StampSchema,
		"fields": api.Schema{
			"type": "array", "items": api.Schema{"type": "string"},
			"description": "The names of the fields that changed; none for a create.",
		},
		"etag": api.Schema{
			"type":        []any{"string", "null"},
			"description": "With include=records: the entity tag of the record, for If-Match.",
		},
		"record": api.Schema{
			"anyOf":       append(records, api.Schema{"type": "null"}),
			"description": "With include=records: the record as GET shows it now; null with hide.",
		},
	})
	change["required"] = []any{"sequence", "kind", "uid", "operation", "actor", "time", "fields"}
	parts["Change"] = change
	parts["ChangePage"] = document.ObjectSchema("A part of the change log.", api.Schema{
		"data": api.Schema{"type": "array", "items": document.SchemaRef("Change")},
		"next_after": api.Schema{
			"type": "integer", "format": "int64", "minimum": 0,
			"description": "Where to go on: the next request's after.",
		},
		"next_page_url": api.Schema{
			"type": []any{"string", "null"}, "format": "uri",
			"description": "The next part; null where there is none yet.",
		},
	})
	return parts
}
