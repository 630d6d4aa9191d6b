package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// settingName is how settings are called in files.
var settingName = regexp.MustCompile(`GROUNDWORK_[A-Z_]*[A-Z]`)

// exampleFile reads a file of deploy.
func exampleFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "deploy", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// known are the settings that the program has, read from its source.
func known(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob("../cmd/groundwork/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range settingName.FindAllString(string(text), -1) {
			names[name] = true
		}
	}
	return names
}

// TestSettingsExist finds settings in examples that no program reads.
func TestSettingsExist(t *testing.T) {
	names := known(t)
	if !names["GROUNDWORK_TRUSTED_PROXY"] {
		t.Fatal("the settings of the program are not found")
	}
	for _, file := range []string{
		"systemd/groundwork.service", "package/env", "package/groundworkctl", "compose/compose.yaml",
		"compose/env.example", "caddy/Caddyfile", "nginx/groundwork.conf", "helm/groundwork/values.yaml",
		"helm/groundwork/templates/deployment.yaml",
	} {
		for _, name := range settingName.FindAllString(exampleFile(t, file), -1) {
			if !names[name] {
				t.Errorf("%s names %s, which the program does not know", file, name)
			}
		}
	}
}

func TestCompose(t *testing.T) {
	var c struct {
		Services map[string]struct {
			Image       string
			ReadOnly    bool `yaml:"read_only"`
			Tmpfs       []string
			CapDrop     []string `yaml:"cap_drop"`
			Volumes     []string
			Networks    []string
			Environment map[string]string
			DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
			Healthcheck map[string]any
		}
		Volumes, Networks map[string]any
	}
	text := exampleFile(t, "compose/compose.yaml")
	if err := yaml.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	g := c.Services["groundwork"]
	if !g.ReadOnly || !slices.Contains(g.Tmpfs, "/tmp") || !slices.Contains(g.CapDrop, "ALL") {
		t.Errorf("the service is not confined: %+v", g)
	}
	given := exampleFile(t, "compose/env.example")
	for _, m := range regexp.MustCompile(`\$\{([A-Z_]+)`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`(?m)^#?` + m[1] + `=`).MatchString(given) {
			t.Errorf("env.example does not say %s", m[1])
		}
	}
	for name, s := range c.Services {
		if s.Image == "" {
			t.Errorf("%s has no image", name)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[from]; !named && !strings.HasPrefix(from, "./") {
				t.Errorf("%s has the volume %s, which is not there", name, from)
			}
			if file, ok := strings.CutPrefix(from, "./"); ok {
				exampleFile(t, "compose/"+file)
			}
		}
		for _, n := range s.Networks {
			if _, found := c.Networks[n]; !found {
				t.Errorf("%s is in the network %s, which is not there", name, n)
			}
		}
		for other, when := range s.DependsOn {
			// The health of our image is in the image.
			if when.Condition == "service_healthy" && other != "groundwork" && c.Services[other].Healthcheck == nil {
				t.Errorf("%s waits for %s, whose health nobody looks at", name, other)
			}
		}
	}
}

// blocks checks that braces and brackets of a file are closed, and gives its lines without comments.
func blocks(t *testing.T, name, text string) (lines []string) {
	t.Helper()
	depth := 0
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		lines = append(lines, line)
		if strings.HasSuffix(line, "{") {
			depth++
		}
		if line == "}" {
			depth--
		}
		if depth < 0 {
			t.Errorf("%s:%d closes what is not open", name, i+1)
		}
	}
	if depth != 0 {
		t.Errorf("%s leaves %d blocks open", name, depth)
	}
	return lines
}

func TestCaddy(t *testing.T) {
	for name, upstream := range map[string]string{
		"caddy/Caddyfile": "127.0.0.1:8080", "compose/Caddyfile": "groundwork:8080",
	} {
		lines := blocks(t, name, exampleFile(t, name))
		for _, want := range []string{"reverse_proxy " + upstream + " {", "flush_interval -1"} {
			if !slices.Contains(lines, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

func TestNginx(t *testing.T) {
	const name = "nginx/groundwork.conf"
	lines := blocks(t, name, exampleFile(t, name))
	for _, line := range lines {
		if !strings.HasSuffix(line, ";") && !strings.HasSuffix(line, "{") && line != "}" {
			t.Errorf("%s: %q does not end", name, line)
		}
	}
	for _, want := range []string{
		"proxy_buffering off;", "proxy_request_buffering off;", "client_max_body_size 0;",
		"proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;", "proxy_pass http://groundwork;",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
}

func TestUnit(t *testing.T) {
	sections, section := map[string]map[string]string{}, ""
	for i, line := range strings.Split(exampleFile(t, "systemd/groundwork.service"), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[]")
			sections[section] = map[string]string{}
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || section == "" {
			t.Fatalf("line %d is no setting: %s", i+1, line)
		}
		sections[section][name] += value + " "
	}
	for name, want := range map[string]string{
		"User": "groundwork", "ExecStart": "/usr/bin/groundwork serve", "EnvironmentFile": "/etc/groundwork/env",
		"NoNewPrivileges": "yes", "ProtectSystem": "strict", "StateDirectory": "groundwork",
		"SystemCallFilter": "landlock_create_ruleset",
	} {
		if !strings.Contains(sections["Service"][name], want) {
			t.Errorf("%s is %q, without %q", name, sections["Service"][name], want)
		}
	}
	if sections["Install"]["WantedBy"] == "" {
		t.Error("the unit cannot be enabled")
	}
}

// TestScripts has the shell read the scripts of packages, and run them where they must do nothing.
func TestScripts(t *testing.T) {
	for _, name := range []string{"preinst", "postinst", "prerm", "postrm", "groundworkctl"} {
		path := filepath.Join("..", "deploy", "package", name)
		if out, err := exec.Command("sh", "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for i, line := range strings.Split(exampleFile(t, "package/"+name), "\n") {
			code, _, _ := strings.Cut(line, "#")
			if strings.Contains(code, "rm -") && !strings.Contains(code, "echo") {
				t.Errorf("%s:%d removes something: %s", name, i+1, line)
			}
		}
	}
	for name, calls := range map[string][]string{
		"postinst": {"abort-upgrade", "triggered"}, "prerm": {"upgrade", "1", "failed-upgrade"},
		"postrm": {"upgrade", "1", "abort-install"},
	} {
		for _, call := range calls {
			out, err := exec.Command("sh", filepath.Join("..", "deploy", "package", name), call).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s %s: %v\n%s", name, call, err, out)
			}
		}
	}
}

func TestChart(t *testing.T) {
	values := map[string]any{}
	if err := yaml.Unmarshal([]byte(exampleFile(t, "helm/groundwork/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	for said, set := range map[string]map[string]any{
		"publicURL says":      {"publicURL": "", "trustedProxies": []any{"10.0.0.0/8"}},
		"trustedProxies name": {"trustedProxies": []any{}},
		"image.repository":    {"image.repository": ""},
		"Several replicas":    {"replicas": 2, "existingSecret": ""},
	} {
		if out, err := renderChart(t, values, set); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%v is not refused with %q: %v\n%v", set, said, err, slices.Sorted(maps.Keys(out)))
		}
	}
	for _, set := range []map[string]any{
		{},
		{"ingress.enabled": true, "ingress.tlsSecret": "tls", "ingress.className": "nginx"},
		{"replicas": 3, "persistence.enabled": false, "settings": map[string]any{"GROUNDWORK_MAX_FILE": "2GB"}},
	} {
		out, err := renderChart(t, values, set)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]map[string]any{}
		for name, text := range out {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("%v: %s is no YAML: %v\n%s", set, name, err, text)
			}
			if kind, _ := object["kind"].(string); kind != "" {
				kinds[kind] = object
			}
		}
		checkChart(t, set, kinds)
	}
}

// checkChart looks at what a chart made of its values.
func checkChart(t *testing.T, set map[string]any, kinds map[string]map[string]any) {
	t.Helper()
	at := func(value any, path ...any) any {
		for _, step := range path {
			switch s := step.(type) {
			case string:
				m, _ := value.(map[string]any)
				value = m[s]
			case int:
				l, _ := value.([]any)
				if s >= len(l) {
					return nil
				}
				value = l[s]
			}
		}
		return value
	}
	pod := at(kinds["Deployment"], "spec", "template", "spec")
	container := at(pod, "containers", 0)
	if got := fmt.Sprint(at(container, "image")); got != "registry/groundwork:0.0.0" {
		t.Errorf("%v: the image is %s", set, got)
	}
	if at(container, "securityContext", "readOnlyRootFilesystem") != true || at(pod, "securityContext", "runAsUser") != nobody {
		t.Errorf("%v: the pod is not confined: %v", set, pod)
	}
	if at(kinds["Deployment"], "spec", "selector", "matchLabels", "app.kubernetes.io/instance") !=
		at(kinds["Service"], "spec", "selector", "app.kubernetes.io/instance") {
		t.Errorf("%v: the service selects other pods", set)
	}
	if _, claimed := kinds["PersistentVolumeClaim"]; claimed == (set["persistence.enabled"] == false) {
		t.Errorf("%v: a claim: %t", set, claimed)
	}
	if set["ingress.enabled"] == true && at(kinds["Ingress"], "spec", "rules", 0, "host") != "build.example.com" {
		t.Errorf("%v: the ingress is %v", set, kinds["Ingress"])
	}
	if set["settings"] != nil && at(container, "env", 2, "value") != "2GB" {
		t.Errorf("%v: the settings are %v", set, at(container, "env"))
	}
}
