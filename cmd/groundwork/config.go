package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"groundwork/internal/app"
)

const configCheckName = "config check"

type configCheck struct{}

// Run refuses: the command is run by check, where the line was read.
func (*configCheck) Run(*call) error { return errShown }

// check holds the file of settings, and then all settings together, against what the service takes. It opens nothing
// and changes nothing.
func (l *line) check(s app.Streams) error {
	f, bad := l.settings, 0
	say := func(name, sentence string) {
		bad++
		fmt.Fprintf(s.Out, "BAD %s: %s\n", name, strings.Join(strings.Fields(sentence), " "))
	}
	for _, p := range f.problems {
		where := f.path
		if p.line > 0 {
			where = fmt.Sprintf("%s, line %d", f.path, p.line)
		}
		say(where, p.sentence)
	}
	for _, sentence := range f.exposed() {
		say(f.path, sentence)
	}
	if !f.exists && !f.named {
		fmt.Fprintf(s.Out, "--  there is no %s: settings come from the environment and the command line\n", f.path)
	}
	if len(f.problems) == 0 {
		for _, sentence := range l.unserved(s) {
			say("all settings together", sentence)
		}
	}
	f.overridden(s)
	if bad > 0 {
		return errShown
	}
	fmt.Fprintf(s.Out, "ok  the settings are good; %d are from %s\n", len(f.values), f.path)
	return nil
}

// unserved is why the service would not start with these settings.
func (l *line) unserved(s app.Streams) []string {
	args := []string{"serve"}
	for _, p := range l.chosen.Path {
		if p.Flag != nil && !p.Resolved && (p.Flag.Name == "data" || p.Flag.Name == "config") {
			args = append(args, "--"+p.Flag.Name, fmt.Sprint(l.chosen.FlagValue(p.Flag)))
		}
	}
	var said strings.Builder
	serving, _ := parse(args, app.Streams{In: s.In, Out: s.Out, Err: &said}, true)
	if serving == nil {
		first, _, _ := strings.Cut(said.String(), "\n")
		return []string{strings.TrimPrefix(first, "groundwork: ")}
	}
	_, err := serving.serving(app.Streams{In: s.In, Out: s.Out, Err: &said})
	if err == nil {
		return nil
	}
	if several, is := err.(interface{ Unwrap() []error }); is {
		var sentences []string
		for _, one := range several.Unwrap() {
			sentences = append(sentences, message(one))
		}
		return sentences
	}
	return []string{message(err)}
}

// Who may do what with a file, in the bits of its mode.
const (
	othersRead  fs.FileMode = 0o004
	othersWrite fs.FileMode = 0o022
)

// exposed says which files let other users of the machine read secrets, or change settings.
func (s *settings) exposed() (sentences []string) {
	if !s.exists {
		return nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return []string{"The file cannot be looked at: " + err.Error() + "."}
	}
	var secret []string
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if s.secretive(key) {
			secret = append(secret, key)
		}
	}
	if info.Mode()&othersRead != 0 && len(secret) > 0 {
		sentences = append(sentences, fmt.Sprintf(
			"Every user of this machine can read it (mode %04o), and secrets in it: %s. Run: chmod 600 %s",
			info.Mode().Perm(), strings.Join(secret, ", "), s.path))
	}
	if info.Mode()&othersWrite != 0 {
		sentences = append(sentences, fmt.Sprintf(
			"Other users of this machine can change it (mode %04o). Run: chmod go-w %s", info.Mode().Perm(), s.path))
	}
	for _, key := range []string{"tls_key", "backup_passphrase_file"} {
		path, _ := s.values[key].(string)
		if path == "" {
			continue
		}
		switch info, err := os.Stat(path); {
		case err != nil:
			sentences = append(sentences, fmt.Sprintf("%s: there is no file %s that this user can see. Write its whole path.", key, path))
		case info.Mode()&othersRead != 0:
			sentences = append(sentences, fmt.Sprintf("%s: every user of this machine can read %s (mode %04o). Run: chmod 600 %s",
				key, path, info.Mode().Perm(), path))
		}
	}
	return sentences
}

// overridden tells which lines of the file do nothing, as the environment has the setting too.
func (s *settings) overridden(to app.Streams) {
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		name := envPrefix + strings.ToUpper(key)
		if _, set := os.LookupEnv(name); set {
			fmt.Fprintf(to.Out, "--  %s: the variable %s is set too, and wins\n", key, name)
		}
	}
}
