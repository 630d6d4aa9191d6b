package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"groundwork/internal/app"
	"groundwork/internal/redact"
)

const (
	// settingsName is the file of settings in a data folder.
	settingsName = "groundwork.toml"
	envPrefix    = "GROUNDWORK_"
	// mostSettings is how many bytes the file may have: whatever is larger is another file.
	mostSettings = 1 << 20
)

// unflagged are the settings that are no options, as other users of the machine can read command lines.
var unflagged = []string{"secret", "metrics_token"}

// unread are the commands that look at no installation: a file of settings is nothing to them.
var unread = []string{"version", "backup list <place>", "backup verify <place>", "follow <url>"}

// settings is what a file says. It answers kong for options that neither the command line nor the environment gives.
type settings struct {
	path   string // where it is, or would be
	named  bool   // by --config or GROUNDWORK_CONFIG
	exists bool
	loaded bool

	flags  map[string]*kong.Flag // by key: what can be set
	mine   map[*kong.Flag]bool   // the options of commands that are asked
	every  []*kong.Flag          // those of all commands
	values map[string]any
	lines  map[string]int

	problems []problem
}

// problem is what is wrong with a line; 0 is the whole file.
type problem struct {
	line     int
	sentence string
}

func (s *settings) wrong(line int, format string, args ...any) {
	s.problems = append(s.problems, problem{line, fmt.Sprintf(format, args...)})
}

// err is the first problem, in one sentence.
func (s *settings) err() error {
	if len(s.problems) == 0 {
		return nil
	}
	p, where, more := s.problems[0], s.path, ""
	if p.line > 0 {
		where = fmt.Sprintf("%s, line %d", s.path, p.line)
	}
	if n := len(s.problems) - 1; n > 0 {
		more = fmt.Sprintf(" There is more: groundwork config check names all %d.", n+1)
	}
	return fmt.Errorf("%s: %s%s", where, p.sentence, more)
}

// Validate has nothing to say: Resolve reads the file.
func (*settings) Validate(*kong.Application) error { return nil }

// Resolve gives the value that the file has for an option; nil where it has none, or the environment has one.
func (s *settings) Resolve(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if slices.Contains(unread, c.Command()) {
		return nil, nil
	}
	if !s.loaded {
		s.load(c)
	}
	if c.Command() == configCheckName {
		return nil, nil
	}
	if err := s.err(); err != nil {
		return nil, err
	}
	value, given := s.values[keyOf(flag)]
	if _, wins := environmentOf(flag); !given || wins || !s.mine[flag] {
		return nil, nil
	}
	return typed(value), nil
}

// keyOf is how the file names an option: as its variable, without the prefix, in small letters. "" for one that has no
// variable.
func keyOf(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		return strings.ToLower(strings.TrimPrefix(name, envPrefix))
	}
	return ""
}

func environmentOf(flag *kong.Flag) (name string, set bool) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name, true
		}
	}
	return "", false
}

// load finds the file, reads it, and holds every line against the option that it sets.
func (s *settings) load(c *kong.Context) {
	s.loaded, s.flags, s.mine = true, map[string]*kong.Flag{}, map[*kong.Flag]bool{}
	s.every = allFlags(c.Model.Node)
	for _, f := range c.Model.Flags {
		s.know(f)
	}
	for _, command := range c.Model.Children {
		for _, f := range command.Flags {
			switch {
			case command.Name == "serve":
				s.know(f)
			case (command.Name == "doctor" || command.Name == "certificate") && keyOf(f) != "":
				s.mine[f] = true
			}
		}
	}
	delete(s.flags, "config")
	s.locate(c)
	text, err := s.read()
	if err != nil {
		s.wrong(0, "%s", err)
		return
	}
	_, err = toml.Decode(string(text), &s.values)
	if bad := (toml.ParseError{}); errors.As(err, &bad) {
		s.values = nil
		s.wrong(bad.Position.Line, "%s", unreadable(bad))
		return
	}
	if err != nil {
		s.values = nil
		s.wrong(0, "It cannot be read as TOML: each line is NAME = VALUE.")
		return
	}
	s.lines = linesOf(string(text))
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if sentence := s.problemOf(key, s.values[key]); sentence != "" {
			s.wrong(s.lines[key], "%s", sentence)
		}
	}
	slices.SortStableFunc(s.problems, func(a, b problem) int { return a.line - b.line })
}

func (s *settings) know(f *kong.Flag) {
	if key := keyOf(f); key != "" {
		s.flags[key], s.mine[f] = f, true
	}
}

// locate finds out where the file is: where --config or GROUNDWORK_CONFIG says, or else in the data folder.
func (s *settings) locate(c *kong.Context) {
	given := map[string]string{"config": os.Getenv(envPrefix + "CONFIG"), "data": os.Getenv(envPrefix + "DATA")}
	for _, p := range c.Path {
		if p.Flag != nil && (p.Flag.Name == "config" || p.Flag.Name == "data") {
			given[p.Flag.Name] = fmt.Sprint(c.FlagValue(p.Flag))
		}
	}
	if s.path, s.named = given["config"], given["config"] != ""; s.named {
		return
	}
	if given["data"] == "" {
		given["data"] = app.DefaultData
	}
	s.path = filepath.Join(given["data"], settingsName)
}

// read gives the bytes of the file; none where there is no file and nobody named one.
func (s *settings) read() ([]byte, error) {
	f, err := os.Open(s.path)
	switch {
	case (errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !s.named:
		return nil, nil // what is wrong with a data folder that is none is said where it is opened
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("There is no such file. Check --config and GROUNDWORK_CONFIG.")
	case errors.Is(err, os.ErrPermission):
		return nil, errors.New("This user may not read the file. Run: chown it to the user of the service, and chmod 600.")
	case err != nil:
		return nil, errors.New("The file cannot be opened. Check --config and GROUNDWORK_CONFIG.")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("It is a folder. Name the file of settings in it, with --config or GROUNDWORK_CONFIG.")
	}
	s.exists = true
	text, err := io.ReadAll(io.LimitReader(f, mostSettings+1))
	if err != nil {
		return nil, errors.New("The file cannot be read. Check --config and GROUNDWORK_CONFIG.")
	}
	if len(text) > mostSettings {
		return nil, errors.New("The file is larger than 1 MB, so it is no file of settings. Check --config and GROUNDWORK_CONFIG.")
	}
	return text, nil
}

// unreadable says why a file is no TOML, without a word of it: a secret that somebody wrote without quotes might be
// one.
func unreadable(e toml.ParseError) string {
	if strings.Contains(e.Message, "already been defined") {
		return "This setting stands in the file twice. Leave one of them."
	}
	return `The line cannot be read. Write NAME = VALUE, with texts in quotes: listen = "127.0.0.1:8080".`
}

var keyLine = regexp.MustCompile(`^\s*(?:\[+\s*)?["']?([^\s"'=\].]+)`)

// linesOf says in which line each key stands first.
func linesOf(text string) map[string]int {
	lines := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		if m := keyLine.FindStringSubmatch(line); m != nil && lines[m[1]] == 0 {
			lines[m[1]] = i + 1
		}
	}
	return lines
}

// problemOf says what is wrong with a setting; "" for nothing. Values stay out of what is said of secrets.
func (s *settings) problemOf(key string, value any) string {
	flag := s.flags[key]
	_, table := value.(map[string]any)
	_, text := value.(string)
	switch {
	case table:
		return fmt.Sprintf("[%s]: settings stand in no section. Take the brackets out, and write one setting in each line.", key)
	case slices.Contains(unflagged, key) && text:
		return ""
	case slices.Contains(unflagged, key):
		return key + ` must be a text in quotes.`
	case flag == nil:
		return fmt.Sprintf("There is no setting %q.%s", key, s.meant(key))
	case key == "data" && !s.named:
		return "data: this file was found in the data folder, so it cannot say where that is. Leave the line out, or name the file with --config."
	}
	return wrongValue(key, flag, value)
}

// wrongValue holds a value against the option that it sets.
func wrongValue(key string, flag *kong.Flag, value any) string {
	target := reflect.New(flag.Target.Type()).Elem()
	items, list := value.([]any)
	_, text := value.(string)
	switch {
	case flag.IsBool():
		if _, is := value.(bool); !is {
			return key + " must be true or false, without quotes."
		}
	case list && !flag.IsSlice():
		return key + " takes one value, not a list."
	case list:
		for _, one := range items {
			if _, is := one.(string); !is {
				return fmt.Sprintf("%s must be a list of texts in quotes, such as %s = [%q].", key, key, flag.PlaceHolder)
			}
		}
	case target.Kind() == reflect.String && !text || flag.IsSlice() && !text:
		return fmt.Sprintf("%s must be a text in quotes, such as %s = %q.", key, key, flag.FormatPlaceHolder())
	}
	scan := kong.Scan().PushTyped(typed(value), kong.FlagValueToken)
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, target); err != nil {
		return fmt.Sprintf("%s: %s.", key, strings.TrimSuffix(err.Error(), "."))
	}
	if flag.Enum != "" && !flag.EnumMap()[fmt.Sprint(value)] {
		return fmt.Sprintf("%s must be one of: %s.", key, strings.Join(flag.EnumSlice(), ", "))
	}
	return ""
}

// typed is a value as kong takes it: numbers as people would type them.
func typed(value any) any {
	switch value.(type) {
	case string, bool, []any:
		return value
	}
	return fmt.Sprint(value)
}

// secretive tells whether a setting is, or may hold, a secret.
func (s *settings) secretive(key string) bool {
	if slices.Contains(unflagged, key) || key == "backup_to" {
		return true
	}
	flag := s.flags[key]
	return flag != nil && flag.Target.Type() == reflect.TypeFor[redact.Secret]()
}

// meant proposes the setting that is nearest to a name.
func (s *settings) meant(key string) string {
	if best := s.nearest(strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(key), "-", "_"),
		strings.ToLower(envPrefix))); best != "" {
		return fmt.Sprintf(" Did you mean %s?", best)
	}
	return " The README lists all: each is a variable without GROUNDWORK_, in small letters."
}

// nearest is the setting whose name is nearest to another; "" where none is near.
func (s *settings) nearest(key string) (best string) {
	near := 3
	for _, known := range append(slices.Sorted(maps.Keys(s.flags)), unflagged...) {
		if d := distance(key, known); d < near {
			best, near = known, d
		}
	}
	return best
}

// distance is how many letters must be changed, added or left out to make one name of another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// secret is one of unflagged: from the environment, or else from the file.
func (s *settings) secret(key string) redact.Secret {
	if value, set := os.LookupEnv(envPrefix + strings.ToUpper(key)); set || s == nil {
		return redact.Secret(value)
	}
	text, _ := s.values[key].(string)
	return redact.Secret(text)
}
