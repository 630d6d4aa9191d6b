package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// form is what CycloneDX 1.5 asks of the parts that our bill has.
const form = `{
	"type": "object", "additionalProperties": false,
	"required": ["bomFormat", "specVersion", "version", "serialNumber", "metadata", "components", "dependencies"],
	"properties": {
		"bomFormat": {"const": "CycloneDX"}, "specVersion": {"const": "1.5"}, "version": {"type": "integer", "minimum": 1},
		"serialNumber": {"pattern": "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"},
		"metadata": {"type": "object", "required": ["component"], "additionalProperties": false, "properties": {"component": {"$ref": "#/$defs/component"}}},
		"components": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"allOf": [{"$ref": "#/$defs/component"}, {"required": ["version", "licenses", "purl"]}]}},
		"dependencies": {"type": "array", "uniqueItems": true, "items": {
			"type": "object", "required": ["ref"], "additionalProperties": false,
			"properties": {"ref": {"$ref": "#/$defs/ref"}, "dependsOn": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/ref"}}}
		}}
	},
	"$defs": {
		"ref": {"type": "string", "minLength": 1},
		"component": {
			"type": "object", "required": ["type", "name", "bom-ref"], "additionalProperties": false,
			"properties": {
				"bom-ref": {"$ref": "#/$defs/ref"}, "type": {"enum": ["application", "library"]}, "name": {"type": "string"}, "version": {"type": "string"},
				"scope": {"enum": ["required", "optional", "excluded"]}, "purl": {"pattern": "^pkg:(golang|npm)/[^@ ]+@[^@ ]+$"},
				"hashes": {"type": "array", "items": {
					"type": "object", "required": ["alg", "content"], "additionalProperties": false,
					"properties": {"alg": {"enum": ["SHA-256", "SHA-512"]}, "content": {"pattern": "^([a-f0-9]{64}|[a-f0-9]{128})$"}}
				}},
				"licenses": {"type": "array", "minItems": 1, "items": {
					"type": "object", "required": ["license"], "additionalProperties": false,
					"properties": {"license": {"type": "object", "required": ["id"], "additionalProperties": false, "properties": {"id": {"$ref": "#/$defs/spdx"}}}}
				}},
				"properties": {"type": "array", "items": {"type": "object", "required": ["name", "value"], "additionalProperties": false, "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}}
			}
		},
		"spdx": {"enum": ["MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "0BSD", "MPL-2.0", "Unlicense", "CC0-1.0", "Zlib", "blessing"]}
	}
}`

func formOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(form)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("bom.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("bom.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// sample is a small build; h1 is a sum as go.sum has it.
func sample() *build {
	const h1 = "h1:uGrrMreGjvAtTBobc0g5IrW1D5ldxDQYe2JW2gggRdg="
	return &build{
		goVersion: "1.26.8",
		modules: []*module{{
			path: "example.com/a/v2", version: "v2.1.0", sum: h1, licences: []string{"Apache-2.0", "MIT"},
		}, {path: "example.com/b", version: "v0.1.0", sum: h1, licences: []string{"ISC"}}},
		browser: []browserFile{
			{
				Package: "x", Version: "1.0.0", Licence: "MIT", Folder: "vendored/x",
				Integrity: "sha512-VSr8fXfI93obYaQicLJbLUKGRxDojj/SfRJDDLCioGTUBj4BK/Nj4eE9jCeCAnJxVLi7iS+08PbiZLyrQKBkJQ==",
			},
			{Package: "tests-only", Version: "1.0.0", Licence: "MIT", Folder: "testdata/y"},
		},
	}
}

const graph = "groundwork example.com/a/v2@v2.1.0\nexample.com/a/v2@v2.1.0 example.com/b@v0.0.9\nexample.com/a/v2@v2.0.0 example.com/b@v0.0.8\nexample.com/a/v2@v2.1.0 example.com/gone@v1.0.0\n"

func TestBill(t *testing.T) {
	sum := sha256.Sum256([]byte("binary"))
	all, err := sample().bom(sum, edges(graph))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := formOf(t).Validate(value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	refs := []string{all.Metadata.Component.Ref}
	for _, c := range all.Components {
		if slices.Contains(refs, c.Ref) {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs = append(refs, c.Ref)
	}
	if want := []string{
		"groundwork", "pkg:golang/std@1.26.8", "pkg:golang/example.com/a/v2@v2.1.0",
		"pkg:golang/example.com/b@v0.1.0", "pkg:npm/x@1.0.0",
	}; !slices.Equal(refs, want) {
		t.Errorf("the components are %v, want %v", refs, want)
	}
	depends := map[string][]string{}
	for _, d := range all.Dependencies {
		depends[d.Ref] = d.DependsOn
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !slices.Contains(refs, ref) {
				t.Errorf("%s depends on %s, which is not there", d.Ref, ref)
			}
		}
	}
	if got := depends["pkg:golang/example.com/a/v2@v2.1.0"]; !slices.Equal(got,
		[]string{"pkg:golang/example.com/b@v0.1.0"}) {
		t.Errorf("a depends on %v", got)
	}
	again, err := sample().bom(sum, edges(graph))
	if twice, _ := json.Marshal(again); err != nil || !bytes.Equal(text, twice) {
		t.Errorf("written again it is %s: %v", twice, err)
	}
}

func TestBillRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*build){
		"a module without a sum":       func(b *build) { b.modules[0].sum = "" },
		"a sum of another form":        func(b *build) { b.modules[0].sum = "h2:AAAA" },
		"a file without its integrity": func(b *build) { b.browser[0].Integrity = "sha1-AAAA" },
	} {
		b := sample()
		spoil(b)
		if all, err := b.bom(sha256.Sum256(nil), nil); err == nil {
			t.Errorf("%s: %+v", name, all)
		}
	}
	b := sample()
	b.modules[0].licences = nil
	all, err := b.bom(sha256.Sum256(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(all)
	value, _ := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if formOf(t).Validate(value) == nil {
		t.Error("a module without a licence satisfies the form")
	}
}
