package api

import (
	"fmt"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/fault"
)

// part is one element of a batch, as it was sent.
type part struct {
	method, path, body string
	url                *url.URL
	headers            []header
}

type header struct{ name, value string }

func (p *part) has(name string) bool {
	for _, h := range p.headers {
		if h.name == name {
			return true
		}
	}
	return false
}

// A part may be as large as a request of its own may be.
const (
	mostPath    = 8 << 10
	mostHeaders = 16 << 10
)

// readPart reads one element, and refuses with fault.Invalid what is not a request. Null stands for a field that is not
// given.
func readPart(raw []byte) (*part, error) {
	o, err := parseObject(raw)
	if err != nil {
		return nil, badBody("A request in a batch must be a JSON object.")
	}
	p, wrong := &part{}, map[string]string{}
	for _, f := range o {
		if f.Value.Kind() == 'n' && (f.Name == "headers" || f.Name == "body") {
			continue
		}
		problem := ""
		switch f.Name {
		case "method":
			problem = p.setMethod(f.Value)
		case "path":
			problem = p.setPath(f.Value)
		case "headers":
			problem = p.setHeaders(f.Value)
		case "body":
			problem = p.setBody(f.Value)
		default:
			problem = "This field is not supported; a request in a batch has method, path, headers and body."
		}
		if problem != "" {
			wrong[f.Name] = problem
		}
	}
	for name, missing := range map[string]bool{"method": p.method == "", "path": p.path == ""} {
		if missing && wrong[name] == "" {
			wrong[name] = "It is required."
		}
	}
	if err := fault.Fields(wrong); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *part) setMethod(v jsontext.Value) (problem string) {
	text, ok := unquote(v)
	if !ok || !isToken(text) || len(text) > 32 {
		return "It must be a string such as GET."
	}
	p.method = text
	return ""
}

func (p *part) setPath(v jsontext.Value) (problem string) {
	text, ok := unquote(v)
	switch {
	case !ok:
		return "It must be a string."
	case !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//"):
		return "It must begin with one slash: a path of this service, not an address."
	case len(text) > mostPath:
		return fmt.Sprintf("It must have at most %d bytes.", mostPath)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }):
		return "Spaces, control characters and # must be percent-encoded."
	}
	u, err := url.ParseRequestURI(text)
	if err != nil {
		return "It has a malformed percent escape."
	}
	p.path, p.url = text, u
	return ""
}

// firstSegment is decoded, as the router sees it.
func firstSegment(u *url.URL) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if decoded, err := url.PathUnescape(first); err == nil {
		return decoded
	}
	return first
}

func (p *part) setHeaders(v jsontext.Value) (problem string) {
	list, ok := parseArray(v)
	if !ok {
		return "It must be an array of objects with name and value."
	}
	size := 0
	for _, element := range list {
		h, problem := readHeader(element)
		if problem != "" {
			return problem
		}
		if size += len(h.name) + len(h.value); size > mostHeaders {
			return fmt.Sprintf("They must have at most %d bytes together.", mostHeaders)
		}
		p.headers = append(p.headers, h)
	}
	return ""
}

func readHeader(v jsontext.Value) (h header, problem string) {
	o, err := parseObject(v)
	if err != nil {
		return header{}, "It must be an array of objects with name and value."
	}
	var named, valued bool
	for _, f := range o {
		switch f.Name {
		case "name":
			h.name, named = unquote(f.Value)
		case "value":
			h.value, valued = unquote(f.Value)
		default:
			return header{}, fmt.Sprintf("The field %s is not supported; a header has name and value.", clip(f.Name))
		}
	}
	switch {
	case !named || !valued:
		return header{}, "Each header needs name and value, both strings."
	case !isToken(h.name):
		return header{}, "A header's name must be letters, digits and dashes."
	case strings.ContainsFunc(h.value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return header{}, fmt.Sprintf("The value of the header %s must have no line break or other control character.",
			clip(h.name))
	}
	h.name = textproto.CanonicalMIMEHeaderKey(h.name)
	h.value = strings.Trim(h.value, " \t")
	return h, ""
}

func (p *part) setBody(v jsontext.Value) (problem string) {
	text, ok := unquote(v)
	if !ok {
		return "It must be a string that holds JSON."
	}
	o, err := parseObject([]byte(text))
	if err != nil {
		return fmt.Sprintf("It must be a string that holds a JSON object. %s", fault.Of(err).Fields[fault.General])
	}
	if len(o) == 0 {
		return "It must hold a JSON object with at least one field."
	}
	p.body = text
	return ""
}

// unquote gives the text of a JSON string.
func unquote(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v)
	return string(text), err == nil
}

// isToken tells whether s can be a method or the name of a header.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z',
			strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
