package resource

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/auth"
)

func ref(name string) api.Schema { return api.Schema{"$ref": "#/components/schemas/" + name} }

func orNull(s api.Schema) api.Schema {
	if t, ok := s["type"].(string); ok {
		s = maps.Clone(s)
		s["type"] = []any{t, "null"}
		if values, ok := s["enum"].([]any); ok {
			s["enum"] = append(append([]any{}, values...), nil)
		}
		return s
	}
	return api.Schema{"anyOf": []any{s, api.Schema{"type": "null"}}}
}

// shared are the schemas that documents of all kinds refer to.
func shared() map[string]api.Schema {
	uri := api.Schema{"type": "string", "format": "uri"}
	text := api.Schema{"type": "string"}
	return map[string]api.Schema{
		"Reference": object("A reference to one record.", api.Schema{"uid": text, "url": uri}),
		"UserReference": object("A reference to a member of the project's team.", api.Schema{
			"uid": orNull(text), "url": orNull(uri), "email": text,
		}),
		"Collection": object("A reference to a collection of records.", api.Schema{
			"total_count": api.Schema{"type": "integer", "minimum": 0}, "url": orNull(uri),
		}),
	}
}

// object is a schema in which every property is always there.
func object(description string, properties api.Schema) api.Schema {
	s := api.Schema{"type": "object", "properties": properties, "required": names(properties)}
	if description != "" {
		s["description"] = description
	}
	return s
}

func names(properties api.Schema) []any {
	var out []any
	for _, name := range sortedKeys(properties) {
		out = append(out, name)
	}
	return out
}

// stamp and moment are the two forms of timestamps that go out.
var (
	stampSchema  = api.Schema{"type": "string", "format": "date-time", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$`}
	momentSchema = api.Schema{"type": "string", "format": "date-time", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`}
)

// shown is the schema of a type as a response shows it.
func shown(t reflect.Type) api.Schema {
	switch t {
	case reflect.TypeFor[Stamp](), reflect.TypeFor[Updated]():
		return stampSchema
	case timeType:
		return momentSchema
	case dateType:
		return api.Schema{"type": "string", "format": "date"}
	case moneyType:
		return api.Schema{"type": "number", "multipleOf": 0.01}
	case reflect.TypeFor[Number]():
		return api.Schema{"type": "integer", "minimum": 1}
	case reflect.TypeFor[Person]():
		return orNull(ref("UserReference"))
	case reflect.TypeFor[PersonUID]():
		return api.Schema{"type": "string"}
	case peopleType:
		return api.Schema{"type": "array", "items": ref("UserReference")}
	case orNullType:
		return api.Schema{"type": []any{"array", "null"}, "items": ref("UserReference")}
	case refType:
		return orNull(ref("Reference"))
	case fileType:
		return api.Schema{"type": []any{"string", "null"}, "format": "uri", "description": "A link that needs no credentials and is good for an hour at least."}
	case tilesType:
		return api.Schema{"type": []any{"string", "null"}, "format": "uri", "description": "A Deep Zoom descriptor, as OpenSeadragon opens it. It and its tiles need no credentials, are good for a day at least, and never change."}
	case reflect.TypeFor[Coll]():
		return ref("Collection")
	case reflect.TypeFor[jsontext.Value]():
		return api.Schema{"description": "Any JSON."}
	case stateType:
		return showStruct("", reflect.TypeFor[shownState]())
	case reflect.TypeFor[Member]():
		return api.Schema{"type": []any{"string", "null"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return orNull(shown(t.Elem()))
	case reflect.String:
		return api.Schema{"type": "string"}
	case reflect.Bool:
		return api.Schema{"type": "boolean"}
	case reflect.Int64:
		return api.Schema{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return api.Schema{"type": "number"}
	case reflect.Slice:
		return api.Schema{"type": "array", "items": shown(t.Elem())}
	case reflect.Struct:
		return showStruct("", t)
	default:
		panic(fmt.Sprintf("resource: no schema for %s", t))
	}
}

func showStruct(description string, t reflect.Type) api.Schema {
	properties := api.Schema{}
	for _, f := range planOf(t).fields {
		if f.hidden {
			continue
		}
		s := shown(f.typ)
		if f.one != nil {
			s = maps.Clone(s)
			s["enum"] = f.choices()
		}
		properties[f.name] = s
	}
	return object(description, properties)
}

func (f *field) choices() []any {
	var out []any
	for _, v := range f.one {
		out = append(out, v)
	}
	if f.typ.Kind() == reflect.Pointer {
		out = append(out, nil)
	}
	return out
}

// taken is the schema of a field as a body may give it.
func (f *field) taken(create bool) api.Schema {
	t := f.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var s api.Schema
	switch t {
	case timeType:
		s = api.Schema{"type": "string", "description": "A time such as 2026-03-31T16:00:00Z; without a zone it is UTC."}
	case peopleType, orNullType:
		s = api.Schema{"type": []any{"array", "string"}, "items": api.Schema{"type": "string"}, "description": "Uids of members; text is split at commas."}
	case refType, stateType:
		s = api.Schema{"type": "string", "description": "A uid of " + f.ref + "."}
	default:
		if s = maps.Clone(shown(t)); f.codec.deep {
			s = nestedSchema(t)
		}
	}
	if f.max > 0 {
		s["maxLength"] = f.max
	}
	if f.solid {
		s["minLength"] = 1
	}
	if f.one != nil {
		s["enum"] = append([]any{}, f.choices()...)
		if f.typ.Kind() != reflect.Pointer && !(f.required && create) {
			s["enum"] = append(s["enum"].([]any), nil)
		}
	}
	if f.required && create {
		return s
	}
	if types, ok := s["type"].([]any); ok {
		s["type"] = append(types, "null")
		return s
	}
	if f.one != nil {
		s["type"] = []any{s["type"], "null"}
		return s
	}
	return orNull(s)
}

// bodySchema is the schema of a body that is read against a plan.
func (p *plan) bodySchema(create bool) api.Schema {
	properties := api.Schema{}
	var required []any
	for _, f := range p.fields {
		if f.create && !create {
			continue
		}
		for _, name := range f.accepts {
			properties[name] = f.taken(create)
		}
		if create && f.required {
			required = append(required, f.accepts[0])
		}
	}
	s := api.Schema{"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	if !create {
		properties["uid"] = api.Schema{"type": "string", "description": "Tolerated where it equals the uid in the path."}
	}
	return s
}

// BodySchema is the schema of the body that Body reads into T.
func BodySchema[T any]() api.Schema { return planOf(reflect.TypeFor[T]()).bodySchema(true) }

// WishesSchema describes a body for Wishes.
func WishesSchema[T any]() api.Schema {
	s := maps.Clone(BodySchema[T]())
	delete(s, "minProperties")
	return s
}

// Schema is the schema of T as a response shows it, and the schemas it refers to.
func Schema[T any](description string) (api.Schema, map[string]api.Schema) {
	return showStruct(description, reflect.TypeFor[T]()), shared()
}

func (k *Kind[T]) component() string { return camel(k.name) }

// camel joins the words of a name: "Issue list" is IssueList.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(name) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func (k *Kind[T]) out() (api.Schema, map[string]api.Schema) {
	parts := shared()
	parts[k.component()] = showStruct(k.name+".", k.plan.typ)
	return ref(k.component()), parts
}

func (k *Kind[T]) in(create bool) (api.Schema, map[string]api.Schema) {
	name := k.component() + "Change"
	if create {
		name = "New" + k.component()
	}
	return ref(name), map[string]api.Schema{name: k.plan.bodySchema(create)}
}

func (k *Kind[T]) pageOut() (api.Schema, map[string]api.Schema) {
	one, parts := k.out()
	parts[k.component()+"Page"] = PageSchema(one)
	return ref(k.component() + "Page"), parts
}

// CreateSchemas are the schemas of a create of the kind: its body, its answer, and what they refer to.
func CreateSchemas[T any](k *Kind[T]) (in, out api.Schema, parts map[string]api.Schema) {
	in, parts = k.ready().in(true)
	out, more := k.out()
	return in, out, joined(parts, more)
}

// OneSchema is the schema of a record of the kind, and what it refers to.
func OneSchema[T any](k *Kind[T]) (api.Schema, map[string]api.Schema) { return k.ready().out() }

// PageSchemas are the schemas of a list of the kind.
func PageSchemas[T any](k *Kind[T]) (api.Schema, map[string]api.Schema) { return k.ready().pageOut() }

// PageSchema is the schema of the list envelope around records of a schema.
func PageSchema(one api.Schema) api.Schema {
	return object("A window of a list.", api.Schema{
		"data":          api.Schema{"type": "array", "items": one},
		"total_count":   api.Schema{"type": "integer", "minimum": 0},
		"next_page_url": api.Schema{"type": []any{"string", "null"}, "format": "uri"},
	})
}

// WindowParams are the query parameters of every list.
func WindowParams() []api.Param {
	count := api.Schema{"type": "integer", "minimum": 0}
	return []api.Param{
		{Name: "limit", Summary: "The most records to give.", Schema: api.Schema{"type": "integer", "minimum": 0, "maximum": MostRows, "default": MostRows}},
		{Name: "skip", Summary: "How many records to pass over.", Schema: count},
		{Name: "updated_after", Summary: "Only records created or changed after this time.", Schema: api.Schema{"type": "string"}},
		{Name: "cursor", Summary: "Where a walk with updated_after goes on; part of next_page_url.", Schema: api.Schema{"type": "string"}},
	}
}

func (k *Kind[T]) params() []api.Param {
	params := WindowParams()
	for _, f := range k.plan.fields {
		if f.filter == "" {
			continue
		}
		s, summary := api.Schema{"type": "string"}, "Only records with this "+strings.ReplaceAll(f.name, "_", " ")+"."
		if f.typ == boolType {
			s, summary = api.Schema{"type": "boolean"}, "Only records that are "+f.name+", or only those that are not."
		}
		if f.one != nil {
			s["description"] = "One or more of " + strings.Join(f.one, ", ") + ", separated by commas."
		}
		params = append(params, api.Param{Name: f.filter, Summary: summary, Schema: s})
	}
	for _, f := range k.flags {
		params = append(params, api.Param{Name: f.Param, Summary: f.Summary, Schema: api.Schema{"type": "boolean"}})
	}
	return append(append(params, k.askParams()...), k.sortParams()...)
}

// route is a route of the kind; tail follows the kind's path.
func (k *Kind[T]) route(method, tail string, right auth.Right, do func(*api.Call) error) api.Route {
	pattern := "/projects/{project}"
	if !k.Self {
		pattern += "/" + k.Path
		if tail != "" {
			pattern += "/" + tail
		}
	}
	if looks := method != "GET" && tail != ""; !looks && slices.Contains([]auth.Level{right.Admin, right.Power, right.Collaborator}, auth.Own) {
		// It would be as good as any.
		panic("resource: " + method + " " + pattern + " is for own records, but only a route that writes one record looks whose it is")
	}
	return api.Route{
		Method: method, Pattern: pattern, Access: api.Member, Right: right, Do: do, Tag: k.title(),
		Guarded: method == "PATCH" || method == "PUT" || method == "DELETE", Keyed: method == "PATCH" || method == "PUT" || method == "POST",
	}
}

// title is the family's name for people: "issue lists".
func (k *Kind[T]) title() string {
	plural := strings.ReplaceAll(k.Plural, "_", " ")
	if first, _, _ := strings.Cut(k.name, " "); strings.ToUpper(first) == first {
		return first + plural[len(first):] // an abbreviation
	}
	return plural
}

// one is a record of the kind for people: "an issue list".
func (k *Kind[T]) one() string { return article(k.name) + lower(k.name) }

func article(name string) string {
	if strings.ContainsRune("AEIO", rune(name[0])) || strings.HasPrefix(name, "RFI") {
		return "an "
	}
	return "a "
}

// lower writes a name as inside a sentence: an abbreviation stays as it is.
func lower(name string) string {
	first, rest, _ := strings.Cut(name, " ")
	if strings.ToUpper(first) == first {
		return strings.TrimSuffix(first+" "+strings.ToLower(rest), " ")
	}
	return strings.ToLower(name)
}

func joined(a, b map[string]api.Schema) map[string]api.Schema {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func sortedKeys(s api.Schema) []string {
	return slices.Sorted(maps.Keys(s))
}
