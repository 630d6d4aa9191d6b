package resource

import (
	"maps"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/document"
)

func (k *Kind[T]) component() string { return camel(k.Name) }

// camel joins the words of a name: "Issue list" is IssueList.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(name) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func (k *Kind[T]) out() (api.Schema, map[string]api.Schema) {
	parts := document.SharedSchemas()
	parts[k.component()] = document.StructSchema(k.Name+".", k.plan.Type)
	return document.SchemaRef(k.component()), parts
}

// What a body does with a record.
const (
	creation = iota
	alteration
	replacement
)

// in is the schema of the body of a creation, alteration or replacement.
func (k *Kind[T]) in(does int) (api.Schema, map[string]api.Schema) {
	name := []string{
		creation: "New" + k.component(), alteration: k.component() + "Change",
		replacement: k.component() + "Replacement",
	}[does]
	body := k.plan.BodySchema(does != alteration)
	if does == creation && !k.Self {
		body["properties"].(api.Schema)["uid"] = api.Schema{
			"type": []any{"string", "null"}, "format": "uuid", "description": document.ChosenUIDText,
		}
	}
	if k.WholeForm != nil && does == alteration {
		body["description"] = "What the body leaves out stays, and null makes a field blank. A body that names all of " +
			strings.Join(k.WholeForm, ", ") + " is a whole form: null in it means not given."
	}
	return document.SchemaRef(name), map[string]api.Schema{name: body}
}

func (k *Kind[T]) pageOut() (api.Schema, map[string]api.Schema) {
	one, parts := k.out()
	page := PageSchema(one)
	if len(k.plan.Search) > 0 {
		page["properties"].(api.Schema)["search_truncated"] = truncatedSchema()
	}
	parts[k.component()+"Page"] = page
	return document.SchemaRef(k.component() + "Page"), parts
}

// CreateSchemas are the schemas of a create of the kind: its body, its answer, and what they refer to.
func CreateSchemas[T any](k *Kind[T]) (in, out api.Schema, parts map[string]api.Schema) {
	in, parts = k.in(creation)
	out, more := k.out()
	return in, out, joined(parts, more)
}

// OneSchema is the schema of a record of the kind, and what it refers to.
func OneSchema[T any](k *Kind[T]) (api.Schema, map[string]api.Schema) { return k.out() }

// PageSchemas are the schemas of a list of the kind.
func PageSchemas[T any](k *Kind[T]) (api.Schema, map[string]api.Schema) { return k.pageOut() }

// PageSchema is the schema of the list envelope around records of a schema.
func PageSchema(one api.Schema) api.Schema {
	return document.ObjectSchema("A window of a list.", api.Schema{
		"data":          api.Schema{"type": "array", "items": one},
		"total_count":   api.Schema{"type": "integer", "minimum": 0},
		"next_page_url": api.Schema{"type": []any{"string", "null"}, "format": "uri"},
	})
}

// WindowParams are the query parameters of every list.
func WindowParams() []api.Param {
	count := api.Schema{"type": "integer", "minimum": 0}
	return []api.Param{
		{Name: "limit", Summary: "The most records to give.", Schema: api.Schema{
			"type": "integer", "minimum": 0, "maximum": MostRows, "default": MostRows,
		}},
		{Name: "skip", Summary: "How many records to pass over.", Schema: count},
		{
			Name: "updated_after", Summary: "Only records created or changed after this time.",
			Schema: api.Schema{"type": "string"},
		},
		{
			Name: "cursor", Summary: "Where a walk with updated_after goes on; part of next_page_url.",
			Schema: api.Schema{"type": "string"},
		},
	}
}

func (k *Kind[T]) params() []api.Param {
	params := WindowParams()
	for _, f := range k.plan.Fields {
		if f.Filter == "" {
			continue
		}
		s, summary := api.Schema{"type": "string"}, "Only records with this "+strings.ReplaceAll(f.Name, "_", " ")+"."
		if f.IsBool() {
			s, summary = api.Schema{"type": "boolean"}, "Only records that are "+f.Name+", or only those that are not."
		}
		if f.One != nil {
			s["description"] = "One or more of " + strings.Join(f.One, ", ") + ", separated by commas."
		}
		params = append(params, api.Param{Name: f.Filter, Summary: summary, Schema: s})
	}
	for _, f := range k.flags {
		params = append(params, api.Param{Name: f.Param, Summary: f.Summary, Schema: api.Schema{"type": "boolean"}})
	}
	return append(append(params, k.searchParams()...), k.sortParams()...)
}

func joined(a, b map[string]api.Schema) map[string]api.Schema {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
