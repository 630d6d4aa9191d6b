package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"groundwork/internal/app"
	"groundwork/internal/backup"
)

const configCheckName = "config check"

// configCheck takes the options of serve, and holds them against each other too.
type configCheck struct {
	serveCommand `embed:""`
}

// Run refuses: the command is run by check, where the line was read.
func (*configCheck) Run(*call) error { return errShown }

// checked is where a command line says config check; -1 where it says something else.
func checked(args []string) int {
	for i := range len(args) - 1 {
		if args[i] == "config" && args[i+1] == "check" {
			return i
		}
	}
	return -1
}

// leaveVariables has no option read from its variable: config check judges them as serve reads them.
func leaveVariables(parser *kong.Kong) {
	for _, flag := range allFlags(parser.Model.Node) {
		if flag.Name != "data" && flag.Name != "config" {
			flag.Tag.Envs = nil
		}
	}
}

func allFlags(n *kong.Node) []*kong.Flag {
	all := slices.Clone(n.Flags)
	for _, child := range n.Children {
		all = append(all, allFlags(child)...)
	}
	return all
}

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
	for _, sentence := range f.unknown() {
		say("environment", sentence)
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
	from := ""
	if n := len(f.values); n > 0 {
		from = fmt.Sprintf("; %s from %s", counted(n, "is", "are"), f.path)
	}
	fmt.Fprintf(s.Out, "ok  the settings are good%s\n", from)
	return nil
}

// unserved is why the service would not start with these settings, or not as they are meant.
func (l *line) unserved(s app.Streams) []string {
	at := checked(l.args)
	if at < 0 {
		return nil
	}
	args := slices.Concat(l.args[:at], []string{"serve"}, l.args[at+2:])
	var said strings.Builder
	serving, _ := parse(args, app.Streams{In: s.In, Out: s.Out, Err: &said}, true)
	if serving == nil {
		first, _, _ := strings.Cut(said.String(), "\n")
		return []string{strings.TrimPrefix(first, "groundwork: ")}
	}
	var sentences []string
	_, err := serving.serving(app.Streams{In: s.In, Out: s.Out, Err: &said})
	for _, one := range each(err) {
		sentences = append(sentences, serving.inFileTerms(message(one)))
	}
	if to := serving.Serve.BackupTo; to != "" && !serving.typed("backup-to") && backup.CheckPlace(to) == nil && backup.Relative(to) {
		sentences = append(sentences, fmt.Sprintf(
			"backup_to: %s is looked for in the folder that the service is started in. Write its whole path.", to))
	}
	return sentences
}

// each takes joined errors apart.
func each(err error) (all []error) {
	if err == nil {
		return nil
	}
	several, is := err.(interface{ Unwrap() []error })
	if !is {
		return []error{err}
	}
	for _, one := range several.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// typed tells whether the command line itself gives an option.
func (l *line) typed(name string) bool {
	return slices.ContainsFunc(l.chosen.Path, func(p *kong.Path) bool {
		return p.Flag != nil && !p.Resolved && p.Flag.Name == name
	})
}

// How sentences name a setting: as an option, with a value or without, or as a variable.
var named = regexp.MustCompile(`(say )?--([a-z][a-z-]*[a-z])(?: ([A-Z][A-Z]+|[0-9]+[a-z]+)\b)?|\b` + envPrefix + `([A-Z_]+)\b`)

// inFileTerms writes the names of settings in a sentence as the file of settings has them, where there is one, unless
// the command line or a variable gives them.
func (l *line) inFileTerms(sentence string) string {
	f := l.settings
	if f == nil || !f.exists || len(f.values) == 0 {
		return sentence
	}
	return named.ReplaceAllStringFunc(sentence, func(found string) string {
		m := named.FindStringSubmatch(found)
		key := strings.ReplaceAll(m[2], "-", "_") + strings.ToLower(m[4])
		if m[4] != "" && slices.Contains(unflagged, key) {
			if _, inFile := f.values[key]; inFile && os.Getenv(envPrefix+m[4]) == "" {
				return key
			}
			return found
		}
		flag := f.flags[key]
		if flag == nil || l.typed(flag.Name) {
			return found
		}
		if _, set := environmentOf(flag); set {
			return found
		}
		switch {
		case m[1] != "" && flag.IsBool():
			return m[1] + key + " = true"
		case m[3] != "":
			return fmt.Sprintf("%s%s = %q", m[1], key, m[3])
		}
		return m[1] + key
	})
}

// linked are the variables that Kubernetes sets for services whose names begin with groundwork.
var linked = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// unknown says of each variable that is named like a setting and sets nothing what may be meant.
func (s *settings) unknown() (sentences []string) {
	known := map[string]bool{}
	for _, flag := range s.every {
		known[keyOf(flag)] = true
	}
	for _, variable := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(variable, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		key := strings.ToLower(rest)
		link := linked.MatchString(name) || strings.HasSuffix(name, "_PORT") && strings.Contains(value, "://")
		if !ours || known[key] || slices.Contains(unflagged, key) || link {
			continue
		}
		sentence := fmt.Sprintf("%s is the variable of no setting.", name)
		if best := s.nearest(key); best != "" {
			sentence += fmt.Sprintf(" Did you mean %s%s?", envPrefix, strings.ToUpper(best))
		} else {
			sentence += " The README lists all of them."
		}
		sentences = append(sentences, sentence)
	}
	return sentences
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
	regular := info.Mode().IsRegular() // the modes of folders and devices are nobody's mistake
	if regular && info.Mode()&othersRead != 0 && len(secret) > 0 {
		sentences = append(sentences, fmt.Sprintf(
			"Every user of this machine can read it (mode %04o), and secrets in it: %s. Run: chmod 600 %s",
			info.Mode().Perm(), strings.Join(secret, ", "), s.path))
	}
	if regular && info.Mode()&othersWrite != 0 {
		sentences = append(sentences, fmt.Sprintf(
			"Other users of this machine can change it (mode %04o). Run: chmod go-w %s", info.Mode().Perm(), s.path))
	}
	for _, key := range []string{"tls_key", "backup_passphrase_file", "mail_dkim_key"} {
		path, _ := s.values[key].(string)
		if path == "" {
			continue
		}
		switch info, err := os.Stat(path); {
		case err != nil:
			sentences = append(sentences, fmt.Sprintf("%s: there is no file %s that this user can see. Write its whole path.", key, path))
		case !info.Mode().IsRegular():
			sentences = append(sentences, fmt.Sprintf("%s: %s is no file. Write the whole path of the file.", key, path))
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
