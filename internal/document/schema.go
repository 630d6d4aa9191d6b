package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// SchemaRef refers to a schema by its name among the components.
func SchemaRef(name string) Schema { return Schema{"$ref": "#/components/schemas/" + name} }

// NullableSchema allows null beside what a schema allows.
func NullableSchema(s Schema) Schema {
	if t, ok := s["type"].(string); ok {
		s = maps.Clone(s)
		s["type"] = []any{t, "null"}
		if values, ok := s["enum"].([]any); ok {
			s["enum"] = append(append([]any{}, values...), nil)
		}
		return s
	}
	return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
}

// SharedSchemas are the schemas that documents of all kinds refer to.
func SharedSchemas() map[string]Schema {
	uri := Schema{"type": "string", "format": "uri"}
	text := Schema{"type": "string"}
	return map[string]Schema{
		"Reference": ObjectSchema("A reference to one record.", Schema{"uid": text, "url": uri}),
		"UserReference": ObjectSchema("A reference to a member of the project's team.", Schema{
			"uid": NullableSchema(text), "url": NullableSchema(uri), "email": text,
		}),
		"Collection": ObjectSchema("A reference to a collection of records.", Schema{
			"total_count": Schema{"type": "integer", "minimum": 0}, "url": NullableSchema(uri),
		}),
	}
}

// ObjectSchema is a schema in which every property is always there.
func ObjectSchema(description string, properties Schema) Schema {
	s := Schema{"type": "object", "properties": properties, "required": names(properties)}
	if description != "" {
		s["description"] = description
	}
	return s
}

func names(properties Schema) []any {
	var out []any
	for _, name := range sortedKeys(properties) {
		out = append(out, name)
	}
	return out
}

// stamp and moment are the two forms of timestamps that go out.
var (
	StampSchema = Schema{
		"type": "string", "format": "date-time", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$`,
	}
	momentSchema = Schema{
		"type": "string", "format": "date-time", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$`,
	}
)

// shown is the schema of a type as a response shows it.
func shown(t reflect.Type) Schema {
	switch t {
	case reflect.TypeFor[Stamp](), reflect.TypeFor[Updated]():
		return StampSchema
	case timeType:
		return momentSchema
	case dateType:
		return Schema{"type": "string", "format": "date"}
	case moneyType:
		return Schema{"type": "number", "multipleOf": 0.01}
	case reflect.TypeFor[Number]():
		return Schema{"type": "integer", "minimum": 1}
	case reflect.TypeFor[Person]():
		return NullableSchema(SchemaRef("UserReference"))
	case reflect.TypeFor[PersonUID]():
		return Schema{"type": "string"}
	case peopleType:
		return Schema{"type": "array", "items": SchemaRef("UserReference")}
	case orNullType:
		return Schema{"type": []any{"array", "null"}, "items": SchemaRef("UserReference")}
	case refType:
		return NullableSchema(SchemaRef("Reference"))
	case fileType:
		return Schema{
			"type": []any{"string", "null"}, "format": "uri",
			"description": "A link that needs no credentials and is good for an hour at least.",
		}
	case reflect.TypeFor[Collection]():
		return SchemaRef("Collection")
	case reflect.TypeFor[jsontext.Value]():
		return Schema{"description": "Any JSON."}
	case stateType:
		return StructSchema("", reflect.TypeFor[ShownState]())
	}
	if d, ok := reflect.Zero(t).Interface().(Declared); ok {
		return d.Placeholder().Schema
	}
	switch t.Kind() {
	case reflect.Pointer:
		return NullableSchema(shown(t.Elem()))
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int64:
		return Schema{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Slice:
		return Schema{"type": "array", "items": shown(t.Elem())}
	case reflect.Struct:
		return StructSchema("", t)
	default:
		panic(fmt.Sprintf("resource: no schema for %s", t))
	}
}

// StructSchema is the schema of a struct as a response shows it.
func StructSchema(description string, t reflect.Type) Schema {
	properties := Schema{}
	for _, f := range PlanOf(t).Fields {
		if f.hidden {
			continue
		}
		s := shown(f.Type)
		if f.One != nil {
			s = maps.Clone(s)
			s["enum"] = f.choices()
		}
		properties[f.Name] = s
	}
	return ObjectSchema(description, properties)
}

func (f *Field) choices() []any {
	var out []any
	for _, v := range f.One {
		out = append(out, v)
	}
	if f.Type.Kind() == reflect.Pointer {
		out = append(out, nil)
	}
	return out
}

// taken is the schema of a field as a body may give it.
func (f *Field) taken(create bool) Schema {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var s Schema
	switch t {
	case timeType:
		s = Schema{
			"type": "string", "description": "A time such as 2026-03-31T16:00:00Z; without a zone it is UTC.",
		}
	case peopleType, orNullType:
		s = Schema{
			"type": []any{"array", "string"}, "items": Schema{"type": "string"},
			"description": "Uids of members; text is split at commas.",
		}
	case refType, stateType:
		s = Schema{"type": "string", "description": "A uid of " + f.Ref + "."}
	default:
		if s = maps.Clone(shown(t)); f.codec.deep {
			s = nestedSchema(t)
		}
	}
	if f.uuid {
		s["format"], s["description"] = "uuid", ChosenUIDText
	}
	text := s // what max and solid bound: of a list of texts, each
	if items, ok := s["items"].(Schema); ok && f.codec.deep {
		text, s["maxItems"] = items, f.most
	}
	if f.max > 0 {
		text["maxLength"] = f.max
	}
	if f.solid {
		text["minLength"] = 1
	}
	if f.One != nil {
		s["enum"] = append([]any{}, f.choices()...)
		if f.Type.Kind() != reflect.Pointer && !(f.required && create) {
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
	if f.One != nil {
		s["type"] = []any{s["type"], "null"}
		return s
	}
	return NullableSchema(s)
}

// BodySchema is the schema of a body that is read against a plan.
func (p *Plan) BodySchema(create bool) Schema {
	properties := Schema{}
	var required []any
	for _, f := range p.Fields {
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
	s := Schema{"type": "object", "properties": properties, "minProperties": 1, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	if !create {
		properties["uid"] = Schema{
			"type": "string", "description": "Tolerated where it equals the uid in the path.",
		}
	}
	return s
}

// BodySchema is the schema of the body that Body reads into T.
func BodySchema[T any]() Schema { return PlanOf(reflect.TypeFor[T]()).BodySchema(true) }

// OptionalBodySchema describes a body for Wishes.
func OptionalBodySchema[T any]() Schema {
	s := maps.Clone(BodySchema[T]())
	delete(s, "minProperties")
	return s
}

// SchemaOf is the schema of T as a response shows it, and the schemas it refers to.
func SchemaOf[T any](description string) (Schema, map[string]Schema) {
	return StructSchema(description, reflect.TypeFor[T]()), SharedSchemas()
}

// ChosenUIDText describes the uid in the body of a create.
const ChosenUIDText = "The uid of the new record, where the client wants to choose it: a UUID that no record of this kind has in the project. " +
	"It is stored in lower case."

func sortedKeys(s Schema) []string {
	return slices.Sorted(maps.Keys(s))
}

// nestedSchema is the schema of a nested value as a body gives it.
func nestedSchema(t reflect.Type) Schema {
	switch {
	case t == textType:
		return Schema{"type": "string"}
	case t.Kind() == reflect.Slice:
		return Schema{"type": "array", "items": nestedSchema(t.Elem()), "maxItems": mostEntries}
	default:
		s := maps.Clone(PlanOf(t).BodySchema(true))
		delete(s, "minProperties")
		return s
	}
}
