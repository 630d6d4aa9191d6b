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

// moved gives scripts of packages that find everything in a folder, and a function that runs one of them under the
// shell of Debian with programs of the test, which write down how they are called.
func moved(t *testing.T, programs map[string]string) (
	run func(script string, args ...string) (string, int), root string,
) {
	t.Helper()
	shell, err := exec.LookPath("dash")
	if err != nil {
		shell = "sh"
	}
	root = t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"run/systemd/system", "var/lib/groundwork", "etc/groundwork"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range programs {
		write(name, "#!/bin/sh\n"+text)
	}
	outside := regexp.MustCompile(`/(run/systemd|var/lib/groundwork|etc/|usr/bin/groundwork)`)
	return func(script string, args ...string) (string, int) {
		t.Helper()
		write(script, outside.ReplaceAllString(exampleFile(t, "package/"+script), root+"$0"))
		cmd := exec.Command(shell, append([]string{filepath.Join(root, script)}, args...)...)
		cmd.Env = []string{"PATH=" + root + "/bin:" + os.Getenv("PATH"), "ROOT=" + root}
		out, _ := cmd.CombinedOutput() // its state has the exit code
		return string(out), cmd.ProcessState.ExitCode()
	}, root
}

// TestPackageComesBack removes a package and installs it again: the service is as it was, unless somebody disabled it.
func TestPackageComesBack(t *testing.T) {
	const link = "etc/systemd/system/multi-user.target.wants/groundwork.service"
	life := func(t *testing.T) (step func(want string, script string, args ...string), root string) {
		run, root := moved(t, map[string]string{"bin/systemctl": `[ "$1" = --quiet ] && shift
link=$ROOT/` + link + `
case "$1" in
enable) mkdir -p "${link%/*}" && ln -sf ../groundwork.service "$link" ;;
disable) rm -f "$link" ;;
is-enabled) [ -L "$link" ]; exit ;;
daemon-reload) exit ;;
start | restart) echo runs >"$ROOT/state" ;;
try-restart) if [ -f "$ROOT/state" ]; then echo "runs again" >"$ROOT/state"; fi ;;
stop) rm -f "$ROOT/state" ;;
esac
`})
		return func(want, script string, args ...string) {
			t.Helper()
			out, exit := run(script, args...)
			state, _ := os.ReadFile(filepath.Join(root, "state"))
			_, err := os.Lstat(filepath.Join(root, link))
			got := fmt.Sprintf("%t %s", err == nil, strings.TrimSpace(string(state)))
			if exit != 0 || got != want {
				t.Errorf("after %s %v: enabled and state are %q, want %q; exit %d\n%s", script, args, got, want, exit, out)
			}
		}, root
	}
	t.Run("Debian", func(t *testing.T) {
		step, root := life(t)
		step("true runs", "postinst", "configure", "")
		step("true runs", "prerm", "upgrade", "2")
		step("true runs", "postinst", "configure", "1")
		step("true ", "prerm", "remove")
		step("true ", "postrm", "remove")
		step("true runs", "postinst", "configure", "1")
		// Somebody disabled it, and it runs; then it is away for a while.
		if err := os.Remove(filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		step("false runs again", "postinst", "configure", "1")
		step("false ", "prerm", "remove")
		step("false ", "postinst", "configure", "1")
		step("false ", "prerm", "remove")
		step("false ", "postrm", "purge")
		step("true runs", "postinst", "configure")
		step("true ", "prerm", "remove")
		step("false ", "postrm", "purge")
	})
	t.Run("RPM", func(t *testing.T) {
		step, _ := life(t)
		step("true runs", "postinst", "1")
		step("true runs again", "postinst", "2")
		step("true runs again", "prerm", "1")
		step("false ", "prerm", "0")
		step("false ", "postrm", "0")
		step("true runs", "postinst", "1")
	})
}

// TestControl runs groundworkctl as root, as the user of the service, and as somebody else: what the program is given,
// and what a mail server is told.
func TestControl(t *testing.T) {
	run, root := moved(t, map[string]string{
		"bin/id":             `if [ "$1" = -u ]; then cat "$ROOT/uid"; else cat "$ROOT/name"; fi`,
		"bin/setpriv":        `echo "setpriv $1 $2 $3"; shift 3; exec "$@"`,
		"usr/bin/groundwork": `echo "$GROUNDWORK_DATA $GROUNDWORK_ENV_FILE"; cat <&3; for arg; do echo "<$arg>"; done`,
	})
	become := func(uid, name string) {
		t.Helper()
		for file, text := range map[string]string{"uid": uid, "name": name} {
			if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	become("0", "root")
	for command, want := range map[string]int{"account list": 1, "mail bounce": 75, "mail test": 1} {
		if out, exit := run("groundworkctl", strings.Fields(command)...); exit != want || !strings.Contains(out, "cannot be read") {
			t.Errorf("%s without settings: exit %d\n%s", command, exit, out)
		}
	}
	// The program understands the file; the script hands it on as it is.
	const settings = "  GROUNDWORK_X = \"$(touch x)\"  \\\n\tA[1]=`y`\n"
	if err := os.WriteFile(filepath.Join(root, "etc/groundwork/env"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	given := root + "/var/lib/groundwork /dev/fd/3\n" + settings + "<mail>\n<bounce>\n<a b>\n"
	for _, test := range []struct{ uid, name, want string }{
		{"0", "root", "setpriv --reuid=groundwork --regid=groundwork --init-groups\n" + given},
		{"999", "groundwork", given},
	} {
		become(test.uid, test.name)
		if out, exit := run("groundworkctl", "mail", "bounce", "a b"); exit != 0 || out != test.want {
			t.Errorf("as %s: exit %d\n%s\nwant\n%s", test.name, exit, out, test.want)
		}
	}
	become("1000", "ada")
	for command, want := range map[string]int{"account list": 1, "mail bounce": 75} {
		if out, exit := run("groundworkctl", strings.Fields(command)...); exit != want || !strings.Contains(out, "run it with sudo") {
			t.Errorf("%s as somebody: exit %d\n%s", command, exit, out)
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
