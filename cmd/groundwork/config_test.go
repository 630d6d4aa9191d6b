package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// settled makes a place with a file of settings in its data folder.
func settled(t *testing.T, text string, mode os.FileMode) place {
	t.Helper()
	p := newPlace(t)
	if err := os.Mkdir(p.folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	writeSettings(t, filepath.Join(p.folder(), "groundwork.toml"), text, mode)
	return p
}

func writeSettings(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// with runs the program with further variables.
func with(t *testing.T, variables []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(environment(t), variables...)
	_ = cmd.Run() // its state has the exit code
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// canary is a secret, of which not even the word may be shown.
const (
	canaryWord = "canary"
	canary     = canaryWord + "-4711"
)

// TestWrongSettings: the program refuses to start with one sentence that names the line and the setting, and config
// check names all of them. Nothing shows a secret.
func TestWrongSettings(t *testing.T) {
	for _, test := range []struct {
		text, line, said string
	}{
		{"listn = \"127.0.0.1:0\"\n", "line 1", `There is no setting "listn". Did you mean listen?`},
		{"\n# how\npublic-url = \"https://x\"\n", "line 3", "Did you mean public_url?"},
		{"nonsense_of_mine = 1\n", "line 1", "The README lists all"},
		{"config = \"x\"\n", "line 1", `There is no setting "config"`},
		{"max_projects = \"many\"\n", "line 1", "max_projects: "},
		{"max_file = \"5 gigs\"\n", "line 1", "max_file: \"5 gigs\" is not a size such as 500MB or 5GB"},
		{"keep_jobs = 30\n", "line 1", "keep_jobs: "},
		{"demo = \"yes\"\n", "line 1", "demo must be true or false"},
		{"listen = 8080\n", "line 1", "listen must be a text in quotes"},
		{"listen = [\"127.0.0.1:0\"]\n", "line 1", "listen takes one value, not a list"},
		{"trusted_proxy = [1]\n", "line 1", "trusted_proxy must be a list of texts"},
		{"drawing_sandbox = \"loose\"\n", "line 1", "drawing_sandbox must be one of: strict, relaxed"},
		{"log_level = \"loud\"\n", "line 1", "log_level: "},
		{"secret = 12\n", "line 1", "secret must be a text in quotes"},
		{"[serve]\nlisten = \"127.0.0.1:0\"\n", "line 1", "settings stand in no section"},
		{"listen = \"a\"\nlisten = \"b\"\n", "line 2", "twice"},
		{"mail_url = " + canary + "\n", "line 1", "The line cannot be read. Write NAME = VALUE"},
		// What may be the beginning of true is repeated by the reader of TOML.
		{"secret = t" + canaryWord + "\n", "line 1", "The line cannot be read. Write NAME = VALUE"},
		{"data = \"/elsewhere\"\n", "line 1", "found in the data folder"},
	} {
		p := settled(t, test.text, 0o600)
		for _, args := range [][]string{{"serve"}, {"account", "list"}} {
			fails(t, p, test.said, "", args...)
			if r := command(t, p, "", args...); !strings.Contains(r.err, test.line) ||
				strings.Contains(r.err, canaryWord) {
				t.Errorf("%q: %s", test.text, r.err)
			}
		}
		r := command(t, p, "", "config", "check")
		if r.exit != exitFailure || !strings.Contains(r.out, test.said) || !strings.Contains(r.out, test.line+": ") ||
			strings.Contains(r.out+r.err, canaryWord) || r.err != "" {
			t.Errorf("%q: exit %d, %s%s", test.text, r.exit, r.out, r.err)
		}
		if entries, err := os.ReadDir(p.folder()); err != nil || len(entries) != 1 {
			t.Errorf("%q: the data folder has %v, %v", test.text, entries, err)
		}
	}
	p := settled(t, "listn = 1\nmax_file = \"x\"\n", 0o600)
	fails(t, p, "There is more: groundwork config check names all 2.", "", "serve")
	if r := command(t, p, "", "config", "check"); strings.Count(r.out, "BAD ") != 2 {
		t.Errorf("config check printed %s", r.out)
	}
	works(t, p, "", "version")
}

// TestSettingsThatDoNotFit: what each line says may be right, and all together no service.
func TestSettingsThatDoNotFit(t *testing.T) {
	for text, said := range map[string]string{
		"listen = \"0.0.0.0:8080\"\n":                                "plain HTTP",
		"tls_cert = \"cert.pem\"\n":                                  "belong together",
		"public_url = \"build.example.com\"\n":                       "https://HOST",
		"default_limit = [\"40\"]\n":                                 "TYPE/SECONDS=N",
		"trusted_proxy = [\"proxy\"]\n":                              "neither an address nor a network",
		"secret = \"" + canary + "\"\n":                              "GROUNDWORK_SECRET, has 11 bytes",
		"metrics_token = \"" + canary + "\"\n":                       "GROUNDWORK_METRICS_TOKEN, has 11 bytes",
		"database_url = \"mysql://u:" + canary + "@h/d\"\n":          "sqlite:FILE or postgres://",
		"keep_deleted = \"soon\"\n":                                  "--keep-deleted",
		"backup_to = \"x\"\nbackup_keep = \"some\"\nmax_streams=2\n": "--backup-keep: What is kept",
	} {
		p := settled(t, text, 0o600)
		fails(t, p, said, "", "serve")
		r := command(t, p, "", "config", "check")
		if r.exit != exitFailure || !strings.Contains(r.out, "BAD all settings together: ") ||
			!strings.Contains(r.out, said) || strings.Contains(r.out+r.err, canary) {
			t.Errorf("%q: exit %d, %s%s", text, r.exit, r.out, r.err)
		}
	}
}

// TestSettingsWin: a flag wins over the environment, that over the file, that over the default; the file is the one in
// the data folder, or the one that is named.
func TestSettingsWin(t *testing.T) {
	p := settled(t, "# ours\npublic_url = \"https://file.example.com\"\ntrusted_proxy = [\"127.0.0.1\", \"::1\"]\n"+
		"listen = \"127.0.0.1:0\"\nmetrics_token = \"watching the building\"\nmax_streams = 7\nstrict_refresh = true\n", 0o600)
	if got := serveAt(t, p); got != "https://file.example.com" {
		t.Errorf("the file: %s", got)
	}
	if got := serveAt(t, p, "--public-url", "https://flag.example.com"); got != "https://flag.example.com" {
		t.Errorf("a flag: %s", got)
	}
	named := filepath.Join(t.TempDir(), "other.toml")
	writeSettings(t, named, "public_url = \"https://named.example.com\"\ntrusted_proxy = \"127.0.0.1\"\n", 0o600)
	if got := serveAt(t, p, "--config", named); got != "https://named.example.com" {
		t.Errorf("a named file: %s", got)
	}
	fails(t, p, "There is no such file. Check --config", "", "serve", "--config", named+"x")

	check := append([]string{"config", "check"}, p...)
	env := []string{"GROUNDWORK_PUBLIC_URL=https://environment.example.com"}
	if r := with(t, env, check...); r.exit != 0 ||
		!strings.Contains(r.out, "public_url: the variable GROUNDWORK_PUBLIC_URL is set too, and wins") {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
	if r := with(t, []string{"GROUNDWORK_PUBLIC_URL=ftp://environment"}, check...); r.exit != exitFailure ||
		!strings.Contains(r.out, "ftp://environment") {
		t.Errorf("the environment does not win: exit %d, %s%s", r.exit, r.out, r.err)
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	writeSettings(t, named, "data = \""+elsewhere+"\"\n", 0o600)
	for _, variables := range [][]string{{"GROUNDWORK_CONFIG=" + named}, nil} {
		args := []string{"account", "list"}
		if variables == nil {
			args = append(args, "--config", named)
		}
		if r := with(t, variables, args...); r.exit != 0 {
			t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
		}
		if _, err := os.Stat(filepath.Join(elsewhere, "groundwork.db")); err != nil {
			t.Error(err)
		}
	}
	if r := with(t, nil, "config", "check", "--config", named); r.exit != 0 || !strings.Contains(r.out, "1 are from "+named) {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
}

// serveAt starts a service and gives the address that it says it has.
func serveAt(t *testing.T, p place, args ...string) string {
	t.Helper()
	s := serve(t, p, args...)
	defer s.stop(t)
	return s.base
}

// TestSettingsOpenToOthers: files that other users of the machine can read or change are named, with the remedy; the
// service starts, and says so in its log.
func TestSettingsOpenToOthers(t *testing.T) {
	const secret = "mail_url = \"smtp://me:" + canary + "@mail.example.com:587\"\nmail_from = \"a@example.com\"\n"
	for _, test := range []struct {
		text string
		mode os.FileMode
		said string
	}{
		{secret, 0o600, ""},
		{secret, 0o640, ""},
		{secret, 0o644, "Every user of this machine can read it (mode 0644), and secrets in it: mail_url. Run: chmod 600 "},
		{"max_streams = 7\n", 0o644, ""},
		{"max_streams = 7\n", 0o664, "Other users of this machine can change it (mode 0664). Run: chmod go-w "},
	} {
		p := settled(t, test.text, test.mode)
		r := command(t, p, "", "config", "check")
		if (r.exit == 0) != (test.said == "") || !strings.Contains(r.out, test.said) ||
			strings.Contains(r.out+r.err, canary) {
			t.Errorf("%04o: exit %d, %s%s", test.mode, r.exit, r.out, r.err)
		}
	}
	key := filepath.Join(t.TempDir(), "key.pem")
	p := settled(t, "tls_key = \""+key+"\"\ntls_cert = \"x\"\n", 0o600)
	if r := command(t, p, "", "config", "check"); !strings.Contains(r.out, "tls_key: there is no file "+key) {
		t.Errorf("%s%s", r.out, r.err)
	}
	writeSettings(t, key, "key", 0o644)
	if r := command(t, p, "", "config", "check"); !strings.Contains(r.out, "chmod 600 "+key) {
		t.Errorf("%s%s", r.out, r.err)
	}
	open := settled(t, "metrics_token = \"watching the building\"\n", 0o644)
	s := serve(t, open)
	s.stop(t)
	if !strings.Contains(s.errs.String(), "a file is open to others") {
		t.Errorf("the log says %s", s.errs)
	}
}

// TestSettingsOfAServer: a command that a running server is handed does not read the file again.
func TestSettingsOfAServer(t *testing.T) {
	p := settled(t, "max_streams = 7\n", 0o600)
	s := serve(t, p)
	writeSettings(t, filepath.Join(p.folder(), "groundwork.toml"), "max_strems = 7\n", 0o600)
	fails(t, p, "Did you mean max_streams?", "", "account", "list")
	named := filepath.Join(t.TempDir(), "good.toml")
	writeSettings(t, named, "", 0o600)
	works(t, p, "", "account", "list", "--config", named)
	if exit := s.stop(t); exit != 0 {
		t.Errorf("exit %d", exit)
	}
}
