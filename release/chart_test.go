package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// renderChart renders the chart with the few functions of Helm that it uses, and values as an operator sets them: by
// paths with dots.
func renderChart(t *testing.T, values, set map[string]any) (map[string]string, error) {
	t.Helper()
	var chart struct{ Version, AppVersion string }
	var raw map[string]string
	if err := yaml.Unmarshal([]byte(exampleFile(t, "helm/groundwork/Chart.yaml")), &raw); err != nil {
		t.Fatal(err)
	}
	chart.Version, chart.AppVersion = raw["version"], raw["appVersion"]
	all := template.New("").Option("missingkey=error")
	all.Funcs(helmFunctions(all))
	files, err := filepath.Glob("../deploy/helm/groundwork/templates/*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if _, err := all.New(name).Parse(exampleFile(t, "helm/groundwork/templates/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	given := deepCopy(values)
	for key, value := range map[string]any{
		"image.repository": "registry/groundwork", "publicURL": "https://build.example.com",
		"trustedProxies": []any{"10.0.0.0/8"},
	} {
		setValue(given, key, value)
	}
	if set["replicas"] != nil {
		setValue(given, "existingSecret", "secret")
	}
	for key, value := range set {
		setValue(given, key, value)
	}
	data := map[string]any{
		"Values": given, "Chart": chart,
		"Release": map[string]any{"Name": "site", "Namespace": "default", "Service": "Helm"},
	}
	out := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if path.Ext(name) == ".tpl" {
			continue
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, name, data); err != nil {
			return out, err
		}
		if path.Ext(name) == ".yaml" {
			out[name] = text.String()
		}
	}
	return out, nil
}

// setValue sets a value by its path.
func setValue(values map[string]any, key string, value any) {
	head, rest, deeper := strings.Cut(key, ".")
	if !deeper {
		values[head] = value
		return
	}
	setValue(values[head].(map[string]any), rest, value)
}

func deepCopy(values map[string]any) map[string]any {
	out := maps.Clone(values)
	for key, value := range out {
		if inner, is := value.(map[string]any); is {
			out[key] = deepCopy(inner)
		}
	}
	return out
}

// helmFunctions are those of Helm that the chart uses.
func helmFunctions(all *template.Template) template.FuncMap {
	indent := func(n int, text string) string {
		pad := strings.Repeat(" ", n)
		return "\n" + pad + strings.ReplaceAll(text, "\n", "\n"+pad)
	}
	empty := func(value any) bool {
		v := reflect.ValueOf(value)
		return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	}
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"quote":   func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"nindent": indent,
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"default": func(other, value any) any {
			if empty(value) {
				return other
			}
			return value
		},
		"required": func(why string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(why)
			}
			return value, nil
		},
		"fail":       func(why string) (string, error) { return "", errors.New(why) },
		"int":        func(value any) (int, error) { n, is := value.(int); return n, isNumber(is, value) },
		"trimPrefix": func(cut, text string) string { return strings.TrimPrefix(text, cut) },
		"trimSuffix": func(cut, text string) string { return strings.TrimSuffix(text, cut) },
		"join": func(by string, list []any) string {
			texts := make([]string, len(list))
			for i, value := range list {
				texts[i] = fmt.Sprint(value)
			}
			return strings.Join(texts, by)
		},
	}
}

func isNumber(is bool, value any) error {
	if is {
		return nil
	}
	return fmt.Errorf("%v is no number", value)
}
