package apitest

import (
	"fmt"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// step is one section of a transcript: a set-up, or a request with the response that follows it.
type step struct {
	title    string
	setup    []string // lines; nil for a request
	request  *request
	response int // index of the response's section in the archive; -1 when it is still to be written
	section  int // index of the section itself
}

// request is a request as it is written, before its variables are replaced.
type request struct {
	raw     string // the whole request, for a raw one
	method  string
	target  string
	headers [][2]string
	body    string

	as      string
	set     []capture
	show    []string
	advance time.Duration
	escapes bool
	silent  bool
}

// capture remembers a value of a response under a name: at is a path into the body, or "header NAME".
type capture struct{ name, at string }

// second is how far the clock moves before each request that does not say otherwise.
const second = time.Second

// parse reads the sections of a transcript.
func parse(archive *txtar.Archive) ([]*step, error) {
	if strings.TrimSpace(string(archive.Comment)) == "" {
		return nil, fmt.Errorf("a transcript begins with a sentence that says what it shows")
	}
	var steps []*step
	var open *request // still without a response
	for i, f := range archive.Files {
		kind, title, _ := strings.Cut(f.Name, ":")
		s := &step{title: strings.TrimSpace(title), section: i, response: -1}
		var err error
		switch kind {
		case "setup":
			for line := range strings.Lines(string(f.Data)) {
				s.setup = append(s.setup, strings.TrimSpace(line))
			}
		case "request":
			s.request, err = parseRequest(string(f.Data))
		case "raw":
			s.request = &request{raw: string(f.Data), advance: second}
		case "response":
			if open == nil {
				return nil, fmt.Errorf("section %d: a response without a request", i+1)
			}
			open, steps[len(steps)-1].response = nil, i
			continue
		default:
			return nil, fmt.Errorf("section %q is none of setup, request: TITLE, raw: TITLE, response", f.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("section %q: %w", f.Name, err)
		}
		if s.request != nil && s.title == "" {
			return nil, fmt.Errorf("section %d: a request has a title that says what it shows", i+1)
		}
		open = s.request
		steps = append(steps, s)
	}
	return steps, nil
}

// parseRequest reads "METHOD TARGET", lines "Name: value", an empty line and the body. Names in lower case speak to the
// player, others are HTTP headers; lines before the method that begin with # are remarks.
func parseRequest(text string) (*request, error) {
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	head, body, _ := strings.Cut(text, "\n\n")
	first, rest, _ := strings.Cut(strings.TrimSuffix(head, "\n"), "\n")
	r := &request{body: strings.TrimSuffix(body, "\n"), advance: second}
	var found bool
	if r.method, r.target, found = strings.Cut(first, " "); !found {
		return nil, fmt.Errorf("%q is not METHOD PATH", first)
	}
	for line := range strings.Lines(rest) {
		name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if !found {
			return nil, fmt.Errorf("%q is not NAME: VALUE", line)
		}
		value = strings.TrimSpace(value)
		if strings.ToLower(name) != name {
			r.headers = append(r.headers, [2]string{name, value})
			continue
		}
		if err := r.direct(name, value); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// direct takes a line to the player.
func (r *request) direct(name, value string) error {
	var err error
	switch name {
	case "as":
		r.as = value
	case "set":
		variable, at, found := strings.Cut(value, "=")
		if !found {
			return fmt.Errorf("set: %q is not NAME = PATH", value)
		}
		r.set = append(r.set, capture{strings.TrimSpace(variable), strings.TrimSpace(at)})
	case "show":
		for header := range strings.SplitSeq(value, ",") {
			r.show = append(r.show, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(header)))
		}
	case "advance":
		r.advance, err = time.ParseDuration(value)
	case "escapes":
		r.escapes = true
	case "body":
		if value != "not shown" {
			return fmt.Errorf("body: the only value is \"not shown\"")
		}
		r.silent = true
	default:
		return fmt.Errorf("%q is none of as, set, show, advance, escapes, body; HTTP headers begin with a capital letter", name)
	}
	return err
}

var (
	variablePattern = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_]*(?::[A-Za-z0-9_]+)?\}`)
	repeatPattern   = regexp.MustCompile(`\{(\d+)\*("(?:[^"\\]|\\.)*")\}`)
)

// expand replaces {NAME} by the variable's value, through escape, and {40*"["} by forty brackets. Neither form can
// occur in JSON by itself. An unknown variable stays as it is and is given back.
func expand(text string, variables map[string]string, escape func(string) string) (string, []string) {
	var unknown []string
	text = variablePattern.ReplaceAllStringFunc(text, func(found string) string {
		value, known := variables[found[1:len(found)-1]]
		if !known {
			unknown = append(unknown, found)
			return found
		}
		return escape(value)
	})
	text = repeatPattern.ReplaceAllStringFunc(text, func(found string) string {
		m := repeatPattern.FindStringSubmatch(found)
		n, err := strconv.Atoi(m[1])
		what, err2 := strconv.Unquote(m[2])
		if err != nil || err2 != nil {
			return found
		}
		return strings.Repeat(what, n)
	})
	return text, unknown
}

// unescape reads \n, \x00, \u2028 and the like as Go does, so that a transcript can hold bytes that a text file cannot.
func unescape(text string) (string, error) {
	var out strings.Builder
	for text != "" {
		r, multibyte, tail, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			return "", fmt.Errorf("escape at %.20q: %w", text, err)
		}
		if multibyte {
			out.WriteRune(r)
		} else {
			out.WriteByte(byte(r))
		}
		text = tail
	}
	return out.String(), nil
}
