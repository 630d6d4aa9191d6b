package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// envFile names a file of variables as systemd has it (EnvironmentFile=), for commands that are to have the settings of
// the service. /dev/fd/N is a file that is open already: this user need not be able to open it.
const envFile = "GROUNDWORK_ENV_FILE"

// mostEnv is how much of such a file is read.
const mostEnv = 1 << 20

// takeEnvironment sets the variables of the file that is named, if one is. They win over what is set already, as they
// do for the service.
func takeEnvironment() error {
	path := os.Getenv(envFile)
	if path == "" {
		return nil
	}
	if err := os.Unsetenv(envFile); err != nil {
		return err
	}
	text, err := readEnvironment(path)
	if err != nil {
		return fmt.Errorf("The settings of the service cannot be read: %w.", err)
	}
	all, err := parseEnvironment(text)
	if err != nil {
		return fmt.Errorf("The settings of the service cannot be understood, and are %w. Mend them in /etc/groundwork/env.", err)
	}
	for _, one := range all {
		if err := os.Setenv(one[0], one[1]); err != nil {
			return err
		}
	}
	return nil
}

func readEnvironment(path string) (string, error) {
	var f *os.File
	var err error
	if n, err := strconv.Atoi(strings.TrimPrefix(path, "/dev/fd/")); err == nil && n > 2 {
		f = os.NewFile(uintptr(n), path)
	} else if f, err = os.Open(path); err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostEnv))
	return string(text), err
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	blank   = " \t"
)

// parseEnvironment reads variables, names and values in the order of the file, as systemd does: values may be quoted in
// whole or in part, \ joins lines and takes the next character as it is; in double quotes only before ", \, ` and $, in
// single quotes nowhere. What systemd would leave out with a warning is refused here.
func parseEnvironment(text string) (all [][2]string, err error) {
	text = strings.ReplaceAll(text, "\r", "\n")
	line := 1
	wrong := func(what string) error { return fmt.Errorf("wrong in line %d: %s", line, what) }
	for text != "" {
		rest, found := strings.CutPrefix(text, "\n")
		if found {
			line++
			text = rest
			continue
		}
		if text = strings.TrimLeft(text, blank); text == "" || text[0] == '\n' {
			continue
		}
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			end = len(text)
		}
		if text[0] == '#' || text[0] == ';' {
			if strings.HasSuffix(text[:end], `\`) {
				return nil, wrong(`a comment ends with \, which makes one of the next line, too`)
			}
			text = text[end:]
			continue
		}
		name, _, is := strings.Cut(text[:end], "=")
		if name = strings.TrimRight(name, blank); !is || !envName.MatchString(name) {
			return nil, wrong("it is not of the form NAME=VALUE")
		}
		text = text[strings.IndexByte(text, '=')+1:]
		value, length, err := parseValue(text)
		if err != nil {
			return nil, wrong(name + " " + err.Error())
		}
		all = append(all, [2]string{name, value})
		line += strings.Count(text[:length], "\n")
		text = text[length:]
	}
	return all, nil
}

// parseValue reads a value and tells how much of the text it took, without the end of its line.
func parseValue(text string) (value string, length int, err error) {
	var b strings.Builder
	kept := 0 // blanks at the end go, unless they were quoted
	i := len(text) - len(strings.TrimLeft(text, blank))
	for i < len(text) && text[i] != '\n' {
		c := text[i]
		switch i++; c {
		case '\'', '"':
			n, err := quoted(&b, text[i:], c)
			if err != nil {
				return "", 0, err
			}
			i += n
			i += len(text[i:]) - len(strings.TrimLeft(text[i:], blank)) // as before a value
			kept = b.Len()
		case '\\':
			if i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
				kept = b.Len()
			}
			i = min(i+1, len(text))
		default:
			if b.WriteByte(c); !strings.ContainsRune(blank, rune(c)) {
				kept = b.Len()
			}
		}
	}
	if strings.Contains(b.String(), "\x00") {
		return "", 0, errors.New("has a character that no value can have")
	}
	return b.String()[:kept], i, nil
}

// quoted reads on to the quote that ends what a quote began, and tells how much that is.
func quoted(to *strings.Builder, text string, quote byte) (length int, err error) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			return i + 1, nil
		case c == '\\' && quote == '"' && i+1 < len(text) && strings.IndexByte("\"\\`$\n", text[i+1]) >= 0:
			if i++; text[i] != '\n' {
				to.WriteByte(text[i])
			}
		default:
			to.WriteByte(c)
		}
	}
	return 0, errors.New("has a quote that does not end")
}
