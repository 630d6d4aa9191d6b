package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		{"GROUNDWORK_MAX_FILE = \"2GB\"\n", "line 1", "Did you mean max_file?"},
		{"max_projects = \"many\"\n", "line 1", `max_projects: "many" is not a whole number such as 500.`},
		{"max_projects = true\n", "line 1", `max_projects: "true" is not a whole number such as 500.`},
		{"max_file = \"5 gigs\"\n", "line 1", "max_file: \"5 gigs\" is not a size such as 500MB or 5GB"},
		{"keep_jobs = 30\n", "line 1", `keep_jobs: "30" is not a length of time such as 90s, 30m or 48h.`},
		{"demo = \"yes\"\n", "line 1", "demo must be true or false"},
		{"listen = 8080\n", "line 1", "listen must be a text in quotes"},
		{"listen = [\"127.0.0.1:0\"]\n", "line 1", "listen takes one value, not a list"},
		{"trusted_proxy = [1]\n", "line 1", "trusted_proxy must be a list of texts"},
		{"drawing_sandbox = \"loose\"\n", "line 1", "drawing_sandbox must be one of: strict, relaxed"},
		{"log_level = \"loud\"\n", "line 1", `log_level: "loud" must be one of: debug, info, warn, error.`},
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
		"listen = \"0.0.0.0:8080\"\n":                                                "plain HTTP",
		"tls_cert = \"cert.pem\"\n":                                                  "belong together",
		"public_url = \"build.example.com\"\n":                                       "https://HOST",
		"default_limit = [\"40\"]\n":                                                 "TYPE/SECONDS=N",
		"trusted_proxy = [\"proxy\"]\n":                                              "neither an address nor a network",
		"secret = \"" + canary + "\"\n":                                              "installation, secret, has 11 bytes",
		"metrics_token = \"" + canary + "\"\n":                                       "metrics, metrics_token, has 11 bytes",
		"database_url = \"mysql://u:" + canary + "@h/d\"\n":                          "sqlite:FILE or postgres://",
		"keep_deleted = \"soon\"\n":                                                  "keep_deleted: ",
		"database_url = \"postgres://u:#" + canary + "@h/d\"\n":                      "as %XX: # is %23",
		"database_url = \"postgres://u:12#" + canary + "@h/d\"\n":                    "as %XX: # is %23",
		"blob_url = \"s3://u:%-" + canary + "@bucket\"\n":                            "as %XX: # is %23",
		"mail_url = \"smtp://u:ü" + canary + "@h\"\nmail_from = \"a@example.com\"\n": "as %XX: # is %23",
		"max_file = 2\n":                                                             "max_file is 2B; it must be at least 100KB",
		"project_quota = \"50KB\"\n":                                                 "project_quota is 50KB; it must be at least 100KB",
		"backup_to = \"ftp://u:" + canary + "@h/d\"\n":                               "and not to ftp://.",
		"backup_to = \"s3:///d\"\n":                                                  "The URL of the place of backups",
		"backup_every = \"1h\"\n":                                                    "backup_every does nothing without backup_to",
		"backup_keep = \"7d\"\n":                                                     "backup_keep does nothing without backup_to",
		"backup_continuous = true\n":                                                 "backup_to = \"PLACE\"",
		"public_url = \"http://build.example.com\"\n":                                "Write https://build.example.com, and",
		"tls_domain = \"build.example.org\"\n":                                       "and say tls_agree = true.",
		"tls_agree = true\n":                                                         "tls_agree does nothing without tls_domain",
		"backup_to = \"x\"\nbackup_keep = \"some\"\nmax_streams=2\n":                 "backup_keep: What is kept",
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

// TestSettingsAtOnce: config check names everything that does not fit, and serve says it in one line.
func TestSettingsAtOnce(t *testing.T) {
	p := settled(t, "tls_domain = \"build.example.org\"\ntls_cert = \"a\"\ntls_key = \"b\"\nsecret = \"short\"\n"+
		"metrics_token = \"short\"\nkeep_audit = \"soon\"\nbackup_every = \"1h\"\nbackup_keep = \"7d\"\n", 0o600)
	r := command(t, p, "", "config", "check")
	for _, said := range []string{
		"say tls_agree = true", "tls_domain obtains a certificate, and tls_cert and tls_key", "secret, has 5 bytes",
		"metrics_token, has 5 bytes", "keep_audit: ", "backup_every does nothing", "backup_keep does nothing",
	} {
		if !strings.Contains(r.out, said) {
			t.Errorf("%q is not said:\n%s", said, r.out)
		}
		fails(t, p, said, "", "serve")
	}
	if n := strings.Count(r.out, "BAD all settings together: "); n != 7 || r.exit != exitFailure || strings.Contains(r.out, "--") {
		t.Errorf("exit %d, %d lines\n%s%s", r.exit, n, r.out, r.err)
	}
}

// TestConfigCheckTakesOptions: config check judges the options of its own line as serve would.
func TestConfigCheckTakesOptions(t *testing.T) {
	for _, test := range []struct {
		said string
		args []string
	}{
		{"The mail URL must be", []string{"--mail-url", "http://x", "--mail-from", "a@example.com"}},
		{"The database URL must be", []string{"--database-url", "mysql://x"}},
		{"Keys must not travel", []string{"--listen", ":80"}},
		{"--max-file is 2B", []string{"--max-file", "2"}},
		{"--tls-agree is missing", []string{"--tls-domain", "build.example.org"}},
	} {
		r := command(t, newPlace(t), "", append([]string{"config", "check"}, test.args...)...)
		if r.exit != exitFailure || !strings.Contains(r.out, "BAD all settings together: "+test.said) ||
			strings.Count(r.out, "BAD") != 1 {
			t.Errorf("%q: exit %d, %s%s", test.args, r.exit, r.out, r.err)
		}
	}
	p := settled(t, "tls_domain = \"build.example.org\"\n", 0o600)
	if r := command(t, p, "", "config", "check", "--tls-agree", "--backup-to", "backups"); r.exit != 0 ||
		!strings.Contains(r.out, "ok  the settings are good; 1 is from ") {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
	if r := command(t, newPlace(t), "", "config", "check"); r.exit != 0 || !strings.HasSuffix(r.out, "\nok  the settings are good\n") {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
	// A place that is relative is another one for a service than for the person who wrote it.
	for _, r := range []result{
		command(t, settled(t, "backup_to = \"backups\"\n", 0o600), "", "config", "check"),
		with(t, []string{"GROUNDWORK_BACKUP_TO=backups"}, append([]string{"config", "check"}, newPlace(t)...)...),
	} {
		if r.exit != exitFailure || !strings.Contains(r.out, "backup_to: backups is looked for in the folder") {
			t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
		}
	}
}

// TestUnknownVariables: a variable that is named like a setting and is none is named, with what may be meant. The
// service starts.
func TestUnknownVariables(t *testing.T) {
	check := func(variables ...string) result {
		return with(t, variables, append([]string{"config", "check"}, newPlace(t)...)...)
	}
	for name, said := range map[string]string{
		"LISTN": "Did you mean GROUNDWORK_LISTEN?", "SECRETT": "Did you mean GROUNDWORK_SECRET?",
		"NONSENSE_OF_MINE": "The README lists all of them.", "PORT": "is the variable of no setting.",
	} {
		r := check("GROUNDWORK_" + name + "=" + canary)
		if r.exit != exitFailure || !strings.Contains(r.out, "BAD environment: GROUNDWORK_"+name+" is the variable of no setting.") ||
			!strings.Contains(r.out, said) || strings.Contains(r.out+r.err, canary) {
			t.Errorf("%s: exit %d, %s%s", name, r.exit, r.out, r.err)
		}
	}
	// What Kubernetes sets for a service of that name, and what only other commands read.
	if r := check("GROUNDWORK_SERVICE_HOST=10.0.0.1", "GROUNDWORK_SERVICE_PORT_HTTP=80", "GROUNDWORK_PORT=tcp://10.0.0.1:80",
		"GROUNDWORK_PORT_80_TCP_ADDR=10.0.0.1", "GROUNDWORK_REMOTE_KEY=x", "GROUNDWORK_LISTEN=127.0.0.1:0"); r.exit != 0 {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
	if r := check("GROUNDWORK_LOG_LEVEL=loud"); r.exit != exitFailure ||
		!strings.Contains(r.out, `BAD all settings together: GROUNDWORK_LOG_LEVEL: "loud" must be one of: debug, info, warn, error`) {
		t.Errorf("exit %d, %s%s", r.exit, r.out, r.err)
	}
	s := serveWith(t, []string{"GROUNDWORK_LISTN=x"}, newPlace(t))
	if s.stop(t); strings.Count(s.errs.String(), "Did you mean GROUNDWORK_LISTEN?") != 1 {
		t.Errorf("the log says %s", s.errs)
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
	if r := with(t, nil, "config", "check", "--config", named); r.exit != 0 || !strings.Contains(r.out, "; 1 is from "+named) {
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
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if r := with(t, nil, "config", "check", "--config", open); r.exit != exitFailure || strings.Count(r.out, "BAD ") != 1 ||
		!strings.Contains(r.out, "BAD "+open+": It is a folder.") {
		t.Errorf("%s%s", r.out, r.err)
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
	exposed := settled(t, "metrics_token = \"watching the building\"\n", 0o644)
	s := serve(t, exposed)
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

// TestREADMEListsAllSettings holds the options of serve, and the variables, against the table that people are sent to.
func TestREADMEListsAllSettings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var table []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `--") || strings.HasPrefix(line, "| | `GROUNDWORK_") {
			table = append(table, line)
		}
	}
	all := strings.Join(table, "")
	help := regexp.MustCompile(`--([a-z][a-z-]+)\b`)
	for _, m := range help.FindAllStringSubmatch(works(t, nil, "", "serve", "--help"), -1) {
		if name := m[1]; name != "help" && !regexp.MustCompile("`--"+name+"[` ]").MatchString(all) {
			t.Errorf("the README does not list --%s", name)
		}
	}
	for _, name := range unflagged {
		if !strings.Contains(all, "`GROUNDWORK_"+strings.ToUpper(name)+"`") {
			t.Errorf("the README does not list %s", name)
		}
	}
}
